"""Virtual environments of the peers and of the Python package, made once in the cache folder."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

PEERS = Path(__file__).resolve().parent.parent / "peers"
# Installed without what they ask for, because they ask for versions that cannot be built any more.
WITHOUT_DEPENDENCIES = {"karateclub": ["karateclub==1.3.3"]}


class Unavailable(Exception):
    """A peer that cannot be installed here; the report says so."""


def python_of(name, cache, say=print):
    """Interpreter of the environment described by `peers/requirements-NAME.txt`; makes the
    environment if needed.
    """
    requirements = PEERS / f"requirements-{name}.txt"
    extra = WITHOUT_DEPENDENCIES.get(name, [])
    key = hashlib.sha256(
        requirements.read_bytes() + repr((extra, sys.version_info[:2])).encode()
    ).hexdigest()[:12]
    folder = cache / "venvs" / f"{name}-{key}"
    python = folder / "bin" / "python"
    if not (folder / "versions.json").exists():
        say(f"  making the environment of {name}")
        call([sys.executable, "-m", "venv", "--clear", folder])
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        call([*pip, "-r", requirements])
        if extra:
            call([*pip, "--no-deps", *extra])
        (folder / "versions.json").write_text(json.dumps(_installed(python), indent=1))
    return python


def versions(name, cache):
    """Packages and their versions in an environment that has been made, {} otherwise."""
    found = sorted(cache.glob(f"venvs/{name}-*/versions.json"), key=lambda p: p.stat().st_mtime)
    return json.loads(found[-1].read_text()) if found else {}


def _installed(python):
    listed = subprocess.run(
        [python, "-m", "pip", "list", "--format=json", "--disable-pip-version-check"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return {package["name"]: package["version"] for package in json.loads(listed)}


def call(command, folder=None):
    """Runs a step of making an environment, in a folder if one is named."""
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, cwd=folder
    )
    if done.returncode:
        raise Unavailable(
            f"{' '.join(str(p) for p in command[1:6])} ... failed: {done.stderr.strip()[-400:]}"
        )
