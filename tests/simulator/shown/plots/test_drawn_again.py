"""Shipped figures come out again byte for byte, with the version of matplotlib that drew them: one of each kind."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Final

import matplotlib as mpl
import pytest
import yaml
from core_kinds import core_kinds

from disttrack.simulator.experiments.results.read import read_tables
from disttrack.simulator.shown.plots import check_plot
from disttrack.simulator.shown.plots.requests import caption_of, described_of, figure_of
from disttrack.simulator.shown.plots.style import house_style, save

ROOT: Final = Path(__file__).resolve().parents[4]
FIGURES: Final = (
    *(("dynamic", 0), ("dynamic", 1), ("flights", 0), ("flights", 1), ("flights", 2), ("scale", 0)),
    *(("monitor", 1), ("power", 0), ("queries", 0), ("static", 0)),
)
"""Scenarios, and the place of the figure among theirs: small tables, so that each takes a second at most."""

DRAWN_BY: Final = "3.11.2"
"""The version of matplotlib for results whose manifest has only what may move a game."""


def asked(name: str, place: int) -> dict[str, str]:
    """Return a figure as the scenario's file asks for it."""
    file = ROOT / "src/disttrack/scenarios" / f"{name}.yaml"
    request = yaml.safe_load(file.read_text(encoding="utf-8"))["plots"][place]
    return {"kind": request} if isinstance(request, str) else request


def test_there_is_one_of_each_kind() -> None:
    """But `ratio`, whose reference results are shipped without the courses of their games."""
    shipped = {kind.name for kind in core_kinds("plot").values()}
    assert {asked(*figure)["kind"] for figure in FIGURES} == shipped - {"ratio"}


@pytest.mark.quick_cases(3)
@pytest.mark.parametrize(("name", "place"), FIGURES)
def test_a_shipped_figure_is_drawn_again(name: str, place: int, tmp_path: Path) -> None:
    folder = ROOT / "results" / "reference" / name
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
