"""JupyterLab with a notebook that explores a model, and a browser."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "browser"))

from webdriver import LONGEST, Browser  # noqa: E402  (from the folder above)

TOKEN = "for-this-test-only"
CELLS = [
    """from gage_embed import GAGE
from gage_embed.datasets import load_debian
packages = load_debian()
model = GAGE(n_components=16, preset="paper").fit(packages)
model.save("model.gage")""",
    "model.explore(packages, title='live')",
    "model.explore(live=False, title='frozen')",
]


def notebook():
    """The notebook as JSON, not run yet."""
    cell = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": []}
    cells = [{**cell, "id": f"cell{at}", "source": text} for at, text in enumerate(CELLS)]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    form = {"nbformat": 4, "nbformat_minor": 5}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, **form}


class Lab:
    """A running JupyterLab."""

    def __init__(self, folder):
        self.folder = folder
        (folder / "explore.ipynb").write_text(json.dumps(notebook()))
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        homes = ("HOME", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR")
        own = {name: str(folder / "home" / name.lower()) for name in (*homes, "IPYTHONDIR")}
        flags = ["--no-browser", "--allow-root", "--expose-app-in-browser", f"--port={port}"]
        flags += ["--ip=127.0.0.1", "--ServerApp.port_retries=0"]
        flags += [f"--IdentityProvider.token={TOKEN}"]
        command = [sys.executable, "-m", "jupyterlab", *flags]
        self.log = (folder / "jupyter.log").open("w")
        self.process = subprocess.Popen(
            command, cwd=folder, env={**os.environ, **own}, stdout=self.log, stderr=self.log
        )
        self.base = f"http://127.0.0.1:{port}"
        self.wait()

    def wait(self):
        """Until it answers."""
        begun = time.monotonic()
        while True:
            try:
                return urllib.request.urlopen(f"{self.base}/api?token={TOKEN}", timeout=5).close()
            except OSError:
                ended = self.process.poll() is not None
                if ended or time.monotonic() - begun > LONGEST:
                    raise RuntimeError((self.folder / "jupyter.log").read_text()) from None
                time.sleep(0.2)

    def close(self):
        """Ends it and its kernels."""
        self.process.terminate()
        self.process.wait(60)
        self.log.close()


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    running = Lab(tmp_path_factory.mktemp("lab"))
    yield running
    running.close()


@pytest.fixture(scope="session")
def window(lab):
    """JupyterLab in a browser, with all cells of the notebook run."""
    browser = Browser("--window-size=1400,1800")
    browser.open(f"{lab.base}/lab/tree/explore.ipynb?token={TOKEN}&reset")
    book = "const book = window.jupyterapp?.shell.currentWidget;"
    browser.wait(f"{book} return book?.context?.isReady === true")
    browser.wait(f"{book} return book.sessionContext.kernelDisplayStatus === 'idle'")
    browser.run("window.jupyterapp.commands.execute('notebook:run-all-cells'); return 1")
    yield browser
    browser.close()
