"""Bars of `budget` figures are to scale, and have the names that they have room for."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from drawn import described
from synthetic_results import write_result

from disttrack.privacy.plots.kinds import Budget
from disttrack.simulator.experiments.results.read import read_tables
from disttrack.simulator.shown.plots.description import Bars, Words
from disttrack.simulator.shown.plots.page import DOUBLE, SCREEN, Page
from disttrack.simulator.shown.plots.requests import figure_of, plot_of
from disttrack.simulator.shown.plots.style import house_style, lay_out


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_result(tmp_path_factory.mktemp("budgets") / "result", sites=(256,), trials=3)


def test_budgets_are_to_scale(folder: Path) -> None:
    """In sequence a part begins where the one before it ends, spent or not; in parallel all begin together."""

    def entry(name: str, epsilon: float, spent: float, rule: str = "sequence", *parts: Any) -> dict[str, Any]:
        return {"name": name, "epsilon": epsilon, "spent": spent, "rule": rule, "parts": list(parts)}

    apart = entry("apart", 1.0, 0.5, "parallel", entry("one", 1.0, 0.5), entry("other", 0.5, 0.25))
    ledger = entry("whole", 4.0, 3.0, "sequence", entry("first", 2.0, 0.5), apart, entry("last", 1.0, 1.0))
    tables = read_tables([folder]).where("protocol == 'robust' and adversary == 'freeze'")
    trials = tables.trials.assign(ledger=json.dumps(ledger))
    made = Budget().describe(replace(tables, trials=trials))
    (panel,) = made.panels
    given, spent = (
        [(bar.at[0], bar.left[0], bar.width[0]) for bar in panel.of(Bars) if bar.name == name]
        for name in ("given", "spent")
    )
    assert given[:2] == [(0, 0, 1), (1, 0, 0.5)]
    assert given[2:] == [(1, 0.5, 0.25), (2, 0.5, 0.25), (2, 0.5, 0.125), (1, 0.75, 0.25)]
    assert [width for *_, width in spent] == [0.75, 0.125, 0.125, 0.125, 0.0625, 0.25]
    assert panel.title == "robust: epsilon 4, spent 3"
    assert [one.text for one in panel.of(Words)] == ["whole", "first", "apart", "one", "other", "last"]
    parts = [entry(f"level {number}", 1.0, 0.0) for number in range(1, 18)]
    many = trials.assign(ledger=json.dumps(entry("whole", 17.0, 0.0, "sequence", *parts)))
    (panel,) = Budget().describe(replace(tables, trials=many)).panels
    named = [one.text for one in panel.of(Words) if one.text]
    assert named == ["whole", *(f"level {number}" for number in range(1, 10))]
    assert "robust: epsilon 4, spent 3" in made.caption


@pytest.mark.parametrize("page", [SCREEN, DOUBLE], ids=lambda page: page.name or "screen")
def test_names_of_parts_of_a_budget_end_in_their_bars(page: Page, tmp_path: Path) -> None:
    folder = write_result(tmp_path / "one", sites=(16,), trials=1, protocols=("robust",), adversaries=("freeze",))
    widths = [0.0588] * 14 + [0.0884] * 2  # a paper has room for the name in the latter only
    parts = [{"name": "release", "epsilon": width, "spent": 0.0, "rule": "leaf"} for width in widths]
    ledger = {"name": "all", "epsilon": sum(widths), "spent": 0.0, "rule": "sequence", "parts": parts}
    rows = pd.read_csv(folder / "trials.csv").assign(ledger=json.dumps(ledger))
    rows.to_csv(folder / "trials.csv", index=False)
    tables = read_tables([folder])
    with house_style(page):
        figure = figure_of(tables, plot_of("budget", tables))
        lay_out(figure)
        (axes,) = (one for one in figure.axes if one.patches)
        bars = [bar.get_window_extent() for bar in axes.patches]
        named = [text.get_window_extent() for text in axes.texts if text.get_text() == "release"]
    assert len(named) >= 2
    for box in named:
        own = [bar for bar in bars if bar.x0 <= box.x0 < bar.x1 and bar.y0 < (box.y0 + box.y1) / 2 < bar.y1]
        assert box.x1 <= min(bar.x1 for bar in own if bar.width > 1)


def test_games_without_a_ledger_have_no_budgets(folder: Path) -> None:
    with pytest.raises(ValueError, match="needs the ledgers"):
        described(folder, {"kind": "budget"})
