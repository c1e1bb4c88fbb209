"""Figures of games of this wing: values computed again, bars to scale, shipped ones drawn again byte for byte."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any, Final

import pandas as pd
import pytest
from drawn import described, marks, of, played
from drawn_again import REFERENCE, asked, hold_drawn_again
from synthetic_results import write_result

from disttrack.privacy.plots import PLOTS
from disttrack.privacy.plots.kinds import Budget, Ratio
from disttrack.simulator.experiments.results.read import read_tables
from disttrack.simulator.shown.plots import check_plot
from disttrack.simulator.shown.plots.base import DOUBLE, SCREEN, Page
from disttrack.simulator.shown.plots.description import Area, Bars, Region, Rule, Series, Words
from disttrack.simulator.shown.plots.requests import described_of, figure_of, plot_of
from disttrack.simulator.shown.plots.style import house_style, lay_out
from tests.simulator.shown.plots.test_every_kind import hold_without_steps
from tests.simulator.shown.plots.test_shipped_figures import hold_captions


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


RATIOS = """\
name: ratios
sites: 9
items: 3000
trials: 3
protocol:
  - {kind: randomized, alpha: 0.1}
  - {kind: block, alpha: 0.1}
adversary: [{kind: freeze}, {kind: round-robin}]
"""


@pytest.fixture(scope="module")
def ratios(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return played(tmp_path_factory.mktemp("ratio"), RATIOS)


def test_ratios_are_medians_of_estimate_over_truth(ratios: Path) -> None:
    made = described(ratios, {"kind": "ratio"})
    assert [panel.title for panel in made.panels] == ["against freeze", "against round-robin"]
    series, trials = (pd.read_csv(ratios / f"{name}.csv") for name in ("series", "trials"))
    mine = series[(series["protocol"] == "randomized") & (series["adversary"] == "freeze")]
    line, (band,) = (
        of(made.panels[0], "randomized"),
        (one for one in made.panels[0].of(Area) if one.name == "randomized"),
    )
    for place in (0, len(line.x) // 2, -1):
        values = sorted(1 + mine[mine["step"] == line.x[place]]["rel_error"])
        assert line.y[place] == pytest.approx(median(values))
        low, high = values[0] + 0.1 * (values[1] - values[0]), values[2] - 0.1 * (values[2] - values[1])
        assert (band.low[place], band.high[place]) == pytest.approx((low, high))
    (alpha,) = set(trials["alpha"])
    assert [(one.low, one.high) for one in made.panels[0].of(Region)] == [pytest.approx((1 - alpha, 1 + alpha))]
    assert [one.at for one in made.panels[0].of(Rule)] == [1]


def test_games_without_a_course_have_no_ratios(ratios: Path) -> None:
    empty = read_tables([ratios]).where("protocol == 'block'")
    object.__setattr__(empty, "series", empty.series.iloc[:0])
    with pytest.raises(ValueError, match=r"needs series.csv"):
        Ratio().describe(empty)


CHANGING = """
name: changing
question: A data set that changes
task: dynamic-queries
seed: 3
trials: 2
domain: 4
steps: 2000
protocol:
  - {kind: fully-dynamic, epsilon: 1, queries: points}
  - {kind: inserted-minus-deleted, epsilon: [1, 8], queries: points}
adversary:
  - {kind: churn, peak: 200}
  - {kind: grow-and-delete, peak: 500, rest: 10}
"""


def test_sizes_and_errors_are_those_of_the_first_game(tmp_path: Path) -> None:
    folder = played(tmp_path, CHANGING)
    made = described(folder, {"kind": "size"})
    assert [panel.title.split("(")[0] for panel in made.panels] == ["against churn", "against grow-and-delete"]
    assert "queries=points" in made.subtitle
    names = ["items", "fully-dynamic", *(f"inserted-minus-deleted(epsilon={number})" for number in (1, 8))]
    series, trials = (pd.read_csv(folder / f"{name}.csv") for name in ("series", "trials"))
    for panel, adversary in zip(made.panels, ("churn", "grow-and-delete"), strict=True):
        assert [one.name for one in panel.of(Series)] == names
        first = trials[(trials["adversary"] == adversary) & (trials["protocol"] == "fully-dynamic")]["point"].min()
        mine = series[(series["point"] == first) & (series["trial"] == 0)].sort_values("step")
        assert list(of(panel, "items").y) == list(mine["items"])
        errors = [max(0.5, e * max(1, n)) for e, n in zip(mine["rel_error"], mine["items"], strict=True)]
        assert list(of(panel, names[1]).y) == pytest.approx(errors)
    assert [of(panel, "items").label for panel in made.panels] == ["", "items"]


def test_sizes_are_those_of_data_sets(tmp_path: Path) -> None:
    folder = write_result(tmp_path / "one", trials=2, adversaries=("freeze",))
    with pytest.raises(ValueError, match="a size figure needs games on data sets"):
        described(folder, {"kind": "size"})


@pytest.mark.parametrize("kind", ["ratio", "size"])
def test_data_sets_without_a_step_are_drawn_or_refused(kind: str) -> None:
    hold_without_steps(kind)


def test_an_audit_shows_the_loss_of_each_mechanism_beside_what_is_proved() -> None:
    made = described(REFERENCE / "audit", {"kind": "spread", "y": "loss", "limit": "allowed", "where": "exact"})
    (panel,) = made.panels
    losses, limits = marks(panel), marks(panel, "limit")
    assert len(panel.y.names) >= 20
    assert set(losses) == set(limits) == set(panel.y.names)
    above = {row for row in losses if losses[row] > limits[row] + 1e-6}
    assert above == {"binary(literal=true)"}, "the published number of levels is refuted, and nothing else"


def test_rows_leave_out_parameters_that_move_with_another_one() -> None:
    plot = {"kind": "spread", "y": "items_at_halt", "limit": "threshold", "where": "part == 'below'"}
    (panel,) = described(REFERENCE / "monitor", plot).panels
    rows = pd.read_csv(REFERENCE / "monitor" / "trials.csv.gz")
    rows = rows[(rows["protocol"] == "release-monitor") & (rows["adversary"] == "hard-instance")]
    mine = rows[rows["items"] == 2**26]
    name = "release-monitor(steps=$2^{26}$), against hard-instance"
    assert marks(panel)[name] == pytest.approx(mine["items_at_halt"].median())
    assert marks(panel, "limit")[name] == 8


FIGURES: Final = (("dynamic", 0), ("dynamic", 1), ("monitor", 1), ("queries", 0), ("static", 0))
"""Scenarios, and the place of the figure among theirs: small tables, so that each takes a second at most."""


def test_there_is_one_of_each_kind_of_this_wing() -> None:
    """But `ratio`, whose reference results are shipped without the courses of their games."""
    assert {asked(*figure)["kind"] for figure in FIGURES} >= PLOTS.keys() - {"ratio"}


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize(("name", "place"), FIGURES)
def test_a_shipped_figure_of_data_is_drawn_again(name: str, place: int, tmp_path: Path) -> None:
    hold_drawn_again(name, place, tmp_path)


def test_a_measure_with_the_name_of_a_parameter_splits_no_line() -> None:
    """`peak` is measured in all games on data sets, and a parameter of two adversaries that play in other parts."""
    tables = read_tables([REFERENCE / "dynamic"])
    plot = check_plot({"kind": "measure", "x": "steps", "y": "max_abs_error", "where": "part == 'growing'"})
    assert len(described_of(tables, plot).panels) == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", ["audit", "mirror"])
def test_captions_of_data_are_those_of_the_tables(name: str) -> None:
    hold_captions(name)
