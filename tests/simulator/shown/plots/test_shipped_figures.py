"""Every shipped scenario ends with a figure: drawn as its file asks, with a caption, and none left from before."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from disttrack.simulator.experiments.results.read import read_tables
from disttrack.simulator.experiments.scenario.shipped import shipped_scenarios
from disttrack.simulator.shown.plots import check_plot
from disttrack.simulator.shown.plots.requests import caption_of, described_of
from handbook.written import ROOT, written

SCENARIOS = sorted(shipped_scenarios().values())
MOST_LETTERS = 1150


def reference(file: Path) -> Path:
    return ROOT / "results" / "reference" / file.stem


def asked(file: Path) -> list[Any]:
    return yaml.safe_load(file.read_text(encoding="utf-8")).get("plots") or []


TABLES = ("audit-tracker", "joint-privacy", "selection", "stability", "transfer")
"""Scenarios of a few points, whose table of games is the answer."""


def test_there_are_scenarios() -> None:
    assert len(SCENARIOS) >= 20


@pytest.mark.parametrize("file", SCENARIOS, ids=lambda file: file.stem)
def test_a_shipped_scenario_has_the_figures_that_it_asks_for(file: Path) -> None:
    plots = asked(file)
    assert plots or file.stem in TABLES, "a scenario without a figure answers no question at a glance"
    manifest = json.loads((reference(file) / "manifest.json").read_text(encoding="utf-8"))
    if not plots:
        assert not manifest["scenario"].get("plots")
        assert not (reference(file) / "figures").exists()
        return
    assert manifest["scenario"]["plots"] == plots, "the reference was drawn for another version of the file"
    folder = reference(file) / "figures"
    captions = json.loads((folder / "captions.json").read_text(encoding="utf-8"))
    assert len(plots) == len(captions)
    assert set(json.loads((folder / "digests.json").read_text(encoding="utf-8"))) == set(captions)
    for text in captions.values():
        assert "\n" not in text
        assert 60 < len(text) <= MOST_LETTERS
        assert any(letter.isdigit() for letter in text), "a caption has numbers"


def test_only_figures_that_a_page_shows_or_that_cannot_be_drawn_again_are_shipped() -> None:
    files = [ROOT / "README.md", *written(".md").values()]
    pages = "\n".join(path.read_text(encoding="utf-8") for path in files)
    folder = ROOT / "results" / "reference"
    kept = {path.relative_to(ROOT).as_posix() for path in folder.glob("*/figures/*.[ps][nv]g")}
    shown = set(re.findall(r"results/reference/[\w-]+/figures/[\w.-]+", pages))
    if {path.parent.name for path in folder.glob("*/manifest.json")} <= {*shipped_scenarios()}:  # no wing is missing
        assert {path for path in kept - shown if Path(path).name != "ratio.png"} == set()
    assert sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) < 20_000_000


@pytest.mark.slow
@pytest.mark.parametrize("name", ["headline", "attack"])
def test_captions_are_those_of_the_tables(name: str) -> None:
    """Those of other scenarios are compared by test_drawn_again.py."""
    hold_captions(name)


def hold_captions(name: str) -> None:
    """Assert that the captions beside the shipped figures are those that the shipped tables give."""
    folder = ROOT / "results" / "reference" / name
    kept = json.loads((folder / "figures" / "captions.json").read_text(encoding="utf-8"))
    tables = read_tables([folder])
    drawn = Counter[str]()
    for request in asked(shipped_scenarios()[name]):
        plot = check_plot(request)
        drawn[plot.name] += 1
        file = f"{plot.name}-{drawn[plot.name]}".removesuffix("-1")  # the second of one name has a number
        assert caption_of(plot, described_of(tables, plot)) == kept[file]
