"""A model of the embedded Debian packages, the explorer that shows it, and a browser."""

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest
from webdriver import Browser

ROOT = Path(__file__).resolve().parents[4]
DATA = ROOT / "crates" / "gage-debian" / "data" / "debian"
GAGE = os.environ.get("GAGE_CLI", str(ROOT / "target" / "debug" / "gage"))


def run(*args):
    """Runs the command; returns what it printed."""
    done = subprocess.run([GAGE, *map(str, args)], check=True, capture_output=True, text=True)
    return done.stdout


class Explorer:
    """A running `gage explore`."""

    def __init__(self, *args):
        command = [GAGE, "explore", *map(str, args), "--no-open", "--json"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        lines = []
        while not lines or lines[-1] != "}\n":
            lines.append(self.process.stdout.readline())
            assert lines[-1], "the explorer ended before it printed its address"
        self.report = json.loads("".join(lines))
        self.url = self.report["url"]
        self.origin = self.url.split("/#")[0]

    def close(self):
        """Ctrl-C; returns the exit code."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(60)


@pytest.fixture(scope="session")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("explorer")
    path = folder / "debian.gage"
    fit = ["--directed", "no", "--dim", 32, "-o", folder / "debian.npy", "--model", path]
    run("embed", DATA, *fit, "--quiet")
    return path


@pytest.fixture(scope="session")
def explorer(model):
    running = Explorer(model, DATA, "--directed", "no")
    yield running
    assert running.close() == 130


@pytest.fixture(scope="session")
def window():
    browser = Browser()
    yield browser
    browser.close()


@pytest.fixture
def page(window, explorer):
    """The page of the explorer, with its map at rest."""
    window.tools("Emulation.clearDeviceMetricsOverride")
    window.tools("Emulation.setEmulatedMedia", features=[])
    window.open(explorer.url)
    at_rest(window)
    return window


def at_rest(browser):
    """Waits until the map is drawn and has stopped moving."""
    browser.wait("return document.documentElement.dataset.moving === 'false'")
    # Two frames of the browser later what was ordered is drawn.
    browser.run("return new Promise((go) => setTimeout(go, 300))")
