"""The notebooks of examples/ run from the first cell to the last, and show what they say they show."""

from __future__ import annotations

import os
import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))

MISSING = [name for name in ("ipykernel", "nbclient", "nbformat") if find_spec(name) is None]

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(MISSING), reason="notebooks are run by the extra 'test'")]


def run(path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a notebook as it is after all of its cells have run in a folder."""
    import nbclient
    import nbformat

    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.setenv("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    monkeypatch.setenv("IPYTHONDIR", str(folder / ".ipython"))
    notebook = nbformat.read(path, as_version=4)
    settings = {"metadata": {"path": str(folder)}}
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3", resources=settings).execute()
    return notebook


def kinds(notebook: Any) -> list[set[str]]:
    """Return for each cell with code the kinds of what it shows."""
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    return [{kind for output in cell.outputs for kind in output.get("data", {})} for cell in cells]


def test_there_are_notebooks_and_they_are_kept_with_their_outputs() -> None:
    """GitHub shows them; no path of the machine that ran them is among them."""
    import nbformat

    assert "tour.ipynb" in [path.name for path in NOTEBOOKS]
    for path in NOTEBOOKS:
        cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
        assert sum(bool(cell.outputs) for cell in cells) >= len(cells) - 1  # one loads without a word
        assert not re.search(r"/(home|root|work|tmp|Users)/", path.read_text(encoding="utf-8"))


def test_the_tour(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import nbformat

    notebook = run(ROOT / "examples" / "tour.ipynb", tmp_path, monkeypatch)
    shown = kinds(notebook)
    assert "text/html" in shown[0]  # a game
    assert "image/png" in shown[1]  # its course
    assert "text/html" in shown[3]  # a scenario
    assert "text/html" in shown[4]  # results
    assert "image/png" in shown[5]
    assert "image/png" in shown[6]
    text = nbformat.writes(notebook)
    assert "<progress value='1.0000'" in text  # the bar of the run, to its end
    assert "90 of 90 games" in text
    assert (tmp_path / "results" / "tour" / "trials.csv").is_file()
