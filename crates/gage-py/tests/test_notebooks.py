"""The notebooks run from the first cell to the last, and are kept with what they show."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).resolve().parents[1] / "notebooks").glob("*.ipynb"))


def test_there_are_three():
    assert [path.name[:2] for path in NOTEBOOKS] == ["1_", "2_", "3_"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs(path, tmp_path):
    kept = nbformat.read(path, as_version=4)
    code = [cell for cell in kept.cells if cell.cell_type == "code"]
    shown = [output for cell in code for output in cell.outputs]
    assert any("image/png" in output.get("data", {}) for output in shown), (
        "kept without its pictures"
    )
    assert not any(
        output.output_type in ("error", "stream") and output.get("name") == "stderr"
        for output in shown
    )
    again = nbformat.from_dict({**kept, "cells": [{**cell} for cell in kept.cells]})
    NotebookClient(
        again, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    pictures = [
        sum(
            "image/png" in output.get("data", {})
            for cell in book.cells
            for output in cell.get("outputs", [])
        )
        for book in (kept, again)
    ]
    assert pictures[0] == pictures[1]
