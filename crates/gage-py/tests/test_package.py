"""What is in the wheel: the command, types, no debug symbols, and a page that stands alone."""

import importlib.metadata
import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

import gage_embed
from gage_embed import _types


@pytest.fixture(scope="module")
def library():
    return Path(gage_embed._native.__file__)


def run(*words):
    return subprocess.run([*map(str, words)], capture_output=True, text=True)


@pytest.mark.parametrize(
    "words", [[Path(sys.executable).parent / "gage"], [sys.executable, "-m", "gage_embed"]]
)
def test_the_command_is_in_the_wheel(words, gage, tmp_path):
    assert run(*words, "--version").stdout == gage("--version")
    assert run(*words, "--help").stdout == gage("--help")
    made = run(*words, "generate", "--nodes", 50, "--classes", 2, "-o", tmp_path / "g")
    assert made.returncode == 0 and (tmp_path / "g" / "adj.npz").exists(), made.stderr
    for arguments, code in ((["--nonsense"], 2), (["info", tmp_path / "nothing"], 3)):
        failed = run(*words, *arguments)
        assert failed.returncode == code and "error" in failed.stderr
    # The end of memory is an error here, too, not a crash.
    program = " ".join(map(str, words))
    shell = f"ulimit -v 400000; {program} generate --nodes 5000000 -o {tmp_path / 'large'}"
    starved = run("sh", "-c", shell)
    assert starved.returncode == 6 and "out of memory" in starved.stderr, starved.stderr


def test_the_command_needs_none_of_the_packages():
    code = (
        "import sys, gage_embed.__main__; "
        "print([m for m in ('numpy', 'sklearn', 'pandas') if m in sys.modules])"
    )
    assert run(sys.executable, "-c", code).stdout.strip() == "[]"


def test_everything_can_be_had_from_the_package():
    for name in gage_embed.__all__:
        assert getattr(gage_embed, name) is not None and name in dir(gage_embed)
    with pytest.raises(AttributeError, match="nothing"):
        gage_embed.nothing


def test_there_are_no_debug_symbols(library):
    names = library.read_bytes()
    assert b"\0.debug_info\0" not in names and b"\0.symtab\0" not in names


def test_the_page_of_the_package_stands_alone():
    facts = importlib.metadata.metadata("gage-embed")
    page = facts.get_payload() or facts["Description"]
    assert page.startswith("# gage-embed")
    links = re.findall(r"\]\(([^)]+)\)", page)
    assert all(link.startswith("https://") for link in links), links
    assert facts["License-Expression"] == "MIT OR Apache-2.0" and facts["Author"]
    assert {"Typing :: Typed", "Environment :: Console"} <= set(facts.get_all("Classifier"))


def test_types_name_what_there_is(library):
    assert (library.parent / "py.typed").exists()
    assert sorted(get_args(_types.Preset)) == sorted(gage_embed.PRESETS)
