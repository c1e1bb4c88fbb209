"""A shipped figure is drawn again byte for byte, with the version of matplotlib that drew it."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Final

import matplotlib as mpl
import pytest
import yaml

from disttrack.simulator.experiments.results.read import read_tables
from disttrack.simulator.experiments.scenario.shipped import shipped_scenarios
from disttrack.simulator.shown.plots import check_plot
from disttrack.simulator.shown.plots.requests import caption_of, described_of, figure_of
from disttrack.simulator.shown.plots.style import house_style, save

REFERENCE: Final = Path(__file__).resolve().parents[2] / "results" / "reference"
DRAWN_BY: Final = "3.11.2"
"""The version of matplotlib for results whose manifest has only what may move a game."""


def asked(name: str, place: int) -> dict[str, str]:
    """Return a figure as the file of a shipped scenario asks for it."""
    request = yaml.safe_load(shipped_scenarios()[name].read_text(encoding="utf-8"))["plots"][place]
    return {"kind": request} if isinstance(request, str) else request


def hold_drawn_again(name: str, place: int, tmp_path: Path) -> None:
    """Assert that a figure of the reference results comes out again, and its caption."""
    folder = REFERENCE / name
    versions = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["versions"]
    if versions.get("matplotlib", DRAWN_BY) != mpl.__version__:
        pytest.skip("drawn by another version of matplotlib")
    tables, plot = read_tables([folder]), check_plot(asked(name, place))
    with house_style():
        (path,) = save(figure_of(tables, plot), tmp_path / plot.name, ("svg",))
    digests = json.loads((folder / "figures" / "digests.json").read_text(encoding="utf-8"))
    same = hashlib.sha256(path.read_bytes()).hexdigest() == digests[plot.name]
    assert same, f"{path.name} is drawn otherwise"
    captions = json.loads((folder / "figures" / "captions.json").read_text(encoding="utf-8"))
    assert caption_of(plot, described_of(tables, plot)) == captions[plot.name]
