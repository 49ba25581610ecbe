"""Data sets: real ones from a folder the user names, generated ones made once in the cache."""

import os
from pathlib import Path

from . import measure

SEED = 1


class Missing(Exception):
    """A data set that is not here; the report says so."""


def real(name, settings):
    """Folder of a real data set."""
    folder = settings.datasets / name if settings.datasets else None
    if folder is None or not (folder / "adj.npz").exists():
        raise Missing(f"data set {name} is not in the data folder (--datasets or GAGE_DATASETS)")
    return folder


def generated(nodes, settings, degree=20, entries=20, columns=None):
    """Folder of a generated graph with power-law degrees, of mean `degree`, and `entries` attribute
    entries a node.
    """
    folder = (
        settings.cache
        / "generated"
        / f"nodes-{nodes}-degree-{degree}-entries-{entries}-seed-{SEED}"
    )
    if not (folder / "meta.json").exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        settings.say(
            f"  generating a graph with {nodes:,} nodes, {degree} links and {entries} attribute "
            "entries each"
        )
        command = [settings.gage, "generate", "-o", folder, "--nodes", nodes, "--degree", degree]
        command += ["--attributes", columns] if columns else []
        command += ["--attributes-per-node", entries, "--power-law", 2.5, "--seed", SEED, "--quiet"]
        done = measure.run(command, threads=settings.threads)
        if not done.ok:
            raise Missing(f"gage generate --nodes {nodes} failed: {done.error}")
    return folder


def likely_bytes(nodes):
    """About what a fit of a generated graph of so many nodes takes in memory, any preset."""
    return 4096 * nodes


def folder_for(name, settings):
    """`generated:N` or the name of a real data set."""
    if name.startswith("generated:"):
        return generated(int(name.split(":")[1]), settings)
    return real(name, settings)


def two_matrices(folder):
    """The links and attributes of a folder as `gage embed` takes them one by one.

    A folder may hold further relations and names, which the peers do not read; so gage does not get
    them either.
    """
    return ["--graph", folder / "adj.npz", "--attributes", folder / "features.npz"]


def default_folder(root):
    """Where real data sets are looked for by default."""
    named = os.environ.get("GAGE_DATASETS")
    beside = root.parent / "shared" / "datasets"
    return Path(named) if named else (beside if beside.is_dir() else None)
