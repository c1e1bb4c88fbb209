"""Values of `matrix`, `breakdown`, `spread`, `halts` and `budget` figures, computed a second way from the tables."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from dataclasses import replace
from math import inf, isnan
from pathlib import Path
from statistics import mean, median
from typing import Any

import pandas as pd
import pytest
from drawn import described
from synthetic_results import write_result

from disttrack.simulator.plots.breakdown import COLOURS, lightness
from disttrack.simulator.plots.description import Bars, Cells, Panel, Region, Rule, Series, Words
from disttrack.simulator.plots.kinds import Budget
from disttrack.simulator.results.read import read_tables

REFERENCE = Path(__file__).resolve().parents[3] / "results" / "reference"
MATRIX, BREAKDOWN = {"kind": "matrix"}, {"kind": "breakdown"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_result(tmp_path_factory.mktemp("rows") / "result", sites=(256,), trials=3)


def change(folder: Path, table: str, edit: Any) -> None:
    rows = pd.read_csv(folder / f"{table}.csv")
    edit(rows)
    rows.to_csv(folder / f"{table}.csv", index=False)


def marks(panel: Panel, role: str = "") -> dict[str, float]:
    """Return the mark of each row by the row's name."""
    return {panel.y.names[round(one.y[0])]: float(one.x[0]) for one in panel.of(Series, role)}


def test_cells_count_the_games_that_held_and_have_the_median_error(folder: Path) -> None:
    made = described(folder, MATRIX)
    (panel,) = made.panels
    (cells,) = panel.of(Cells)
    rows = pd.read_csv(folder / "trials.csv").to_dict("records")
    for down, protocol in enumerate(panel.y.names):
        for across, adversary in enumerate(panel.x.names):
            mine = [row for row in rows if (row["protocol"], row["adversary"]) == (protocol, adversary)]
            held, worst = sum(row["ok"] for row in mine), median(row["max_rel_error"] / row["alpha"] for row in mine)
            assert cells.texts[down][across] == f"{held}/3\n{worst:.2f} α"
            assert cells.values[down, across] == pytest.approx(1 - held / 3)
    assert "randomized holds in 3 of 6 (fails against freeze)" in made.caption


def test_cells_of_infinite_errors_and_of_no_games(tmp_path: Path) -> None:
    folder = write_result(tmp_path / "result", sites=(16,), trials=3, protocols=("robust", "exact"))

    def lost(rows: pd.DataFrame) -> None:
        rows.loc[rows["adversary"] == "freeze", "max_rel_error"] = inf
        rows.drop(rows.index[(rows["protocol"] == "exact") & (rows["adversary"] == "freeze")], inplace=True)

    change(folder, "trials", lost)
    made = described(folder, MATRIX)
    (cells,) = made.panels[0].of(Cells)
    assert cells.texts[0][1] == "3/3\n∞ α"
    assert (cells.texts[1][1], isnan(cells.values[1, 1])) == ("", True)
    assert "∞: infinite, in 3 of 9 games." in made.caption
    assert "∞: infinite, in 3 of 9 games." in made.note


def test_the_controls_of_claims_stand_below_what_they_control() -> None:
    made = described(REFERENCE / "noise-matters", {**MATRIX, "controls": True})
    assert list(made.panels[0].y.names) == ["robust", "robust, fault no-noise"]
    assert "robust holds in 400 of 400; robust, fault no-noise holds in 0 of 100" in made.caption
    assert list(described(REFERENCE / "noise-matters", MATRIX).panels[0].y.names) == ["robust"]


def words_of(folder: Path) -> dict[tuple[str, str], Counter[tuple[str, str]]]:
    """Return the mean words of each kind and direction, by protocol and adversary."""
    games = {(row["point"], row["trial"]): row for row in pd.read_csv(folder / "trials.csv").to_dict("records")}
    played = Counter((row["protocol"], row["adversary"]) for row in games.values())
    found: dict[tuple[str, str], Counter[tuple[str, str]]] = defaultdict(Counter)
    for row in pd.read_csv(folder / "kinds.csv").to_dict("records"):
        game = games[row["point"], row["trial"]]
        key = game["protocol"], game["adversary"]
        found[key][row["kind"], row["direction"]] += row["words"] / played[key]
    return found


def test_bars_are_the_mean_words_of_each_kind_and_are_not_averaged_over_adversaries(folder: Path) -> None:
    made = described(folder, BREAKDOWN)
    words = words_of(folder)
    assert [panel.title for panel in made.panels] == ["against round-robin", "against freeze"]
    for panel, adversary in zip(made.panels, ("round-robin", "freeze"), strict=True):
        for row, protocol in enumerate(panel.y.names):
            mine, left = words[protocol, adversary], 0.0
            for bars in panel.of(Bars):
                kind, way = bars.name.split(", ")
                direction = {"to the server": "up", "to the sites": "down"}[way]
                assert bars.width[row] == pytest.approx(mine[kind, direction])
                assert bars.left[row] == pytest.approx(left)
                left += bars.width[row]
            (total,) = (text for text in panel.of(Words) if text.y == row)
            assert total.text == f"{sum(mine.values()):,.0f}"
            rounded = float(f"{sum(mine.values()):.3g}")
            assert f"{protocol} against {adversary}: {rounded:,.0f} words" in made.caption


def test_what_goes_to_the_sites_is_hatched_and_nothing_else(folder: Path) -> None:
    bars = described(folder, BREAKDOWN).panels[0].of(Bars)
    assert {bar.name: bool(bar.fill.hatch) for bar in bars} == {
        "report, to the server": False, "broadcast, to the sites": True, "poll, to the sites": True
    }  # fmt: skip
    hatches = [bar.fill.hatch for bar in bars if bar.fill.hatch]
    assert hatches == ["////", "\\\\\\\\"], "neighbours keep apart in a grey print, the costliest first"
    assert all((bar.fill.edge == "white") == (lightness(bar.fill.colour) < 0.6) for bar in bars)
    assert bars[0].fill.colour == COLOURS["report"]
    legend = [(name, fill.hatch) for fill, name in described(folder, BREAKDOWN).legend]
    assert legend == [("report", ""), ("broadcast", "////"), ("poll", "\\\\\\\\")]


def test_bars_with_the_same_shares_are_drawn_once(tmp_path: Path) -> None:
    folder = write_result(
        tmp_path / "same", sites=(16, 64, 256, 4096, 65536), trials=1, protocols=("deterministic", "robust"),
        adversaries=("round-robin",),
    )  # fmt: skip
    request = {**BREAKDOWN, "x": "sites"}
    games = pd.read_csv(folder / "trials.csv").set_index("point")
    ours = games.index[games["protocol"] == "deterministic"]

    def alone(rows: pd.DataFrame) -> None:
        rows.loc[rows["point"].isin(ours), ["kind", "direction"]] = ["report", "up"]

    change(folder, "kinds", alone)
    (panel,) = described(folder, request).panels
    assert panel.y.names[0] == "deterministic, 5 places"
    total = next(text.text for text in panel.of(Words) if text.y == 0)
    kinds = pd.read_csv(folder / "kinds.csv")
    sums = [sum(kinds[kinds["point"] == point]["words"]) for point in ours]
    assert total == f"{min(sums):,.0f} … {max(sums):,.0f}"
    assert max(float(bar.left[0] + bar.width[0]) for bar in panel.of(Bars)) == pytest.approx(1), "shares"

    def other(rows: pd.DataFrame) -> None:
        rows.loc[rows.index[rows["point"] == ours[0]][0], "kind"] = "bit"

    change(folder, "kinds", other)
    assert "deterministic, sites 16" in described(folder, request).panels[0].y.names, "one that differs keeps all"


@pytest.mark.parametrize("centre", ["median", "mean"])
def test_rows_have_centre_middle_and_range_beside_what_they_must_keep(folder: Path, centre: str) -> None:
    request = {"kind": "spread", "y": "words", "limit": "bits", "also": "messages", "centre": centre}
    made = described(folder, request)
    rows = pd.read_csv(folder / "trials.csv").to_dict("records")
    for panel, adversary in zip(made.panels, ("round-robin", "freeze"), strict=True):
        limits, also, centres = marks(panel, "limit"), marks(panel, "messages"), marks(panel)
        for place, protocol in enumerate(panel.y.names):
            mine = [row for row in rows if (row["protocol"], row["adversary"]) == (protocol, adversary)]
            words = sorted(row["words"] for row in mine)
            assert centres[protocol] == pytest.approx({"median": median, "mean": mean}[centre](words))
            rounded = float(f"{centres[protocol]:.3g}")
            assert f"{protocol}, against {adversary} {rounded:,.0f} (" in made.caption
            assert limits[protocol] == median(row["bits"] for row in mine)
            assert also[protocol] == median(row["messages"] for row in mine)
            (whole,) = (one for one in panel.of(Series, "range") if one.y[0] == place)
            (thick,) = (one for one in panel.of(Series, "5 % to 95 %") if one.y[0] == place)
            assert list(whole.x) == [words[0], words[2]]
            assert list(thick.x) == pytest.approx([words[0] + 0.1 * (words[1] - words[0]),
                                                   words[2] - 0.1 * (words[2] - words[1])])  # fmt: skip
    assert f"{centre.capitalize()}s: " in made.caption


def test_a_row_takes_no_limit_that_it_is_not_given(folder: Path) -> None:
    request = {"kind": "spread", "y": "words"}
    assert not described(folder, request).panels[0].of(Series, "limit")
    assert set(marks(described(folder, {**request, "limit": 2000}).panels[0], "limit").values()) == {2000.0}
    with pytest.raises(ValueError, match="limit must be a column of numbers"):
        described(folder, {**request, "limit": "nowhere"})


def test_infinite_values_are_left_out_of_rows_and_counted(tmp_path: Path) -> None:
    folder = write_result(tmp_path / "result", sites=(16,), trials=4, protocols=("robust",), adversaries=("a",))
    change(folder, "trials", lambda rows: rows.__setitem__("seconds", [1.0, 2.0, 3.0, inf]))
    made = described(folder, {"kind": "spread", "y": "seconds"})
    assert marks(made.panels[0]) == {"robust": 2.0}
    assert "Left out of all marks: infinite values, in 1 of 4 games." in made.caption
    assert "Left out of all marks: infinite values, in 1 of 4 games." in made.note


def test_an_audit_shows_the_loss_of_each_mechanism_beside_what_is_proved() -> None:
    made = described(REFERENCE / "audit", {"kind": "spread", "y": "loss", "limit": "allowed", "where": "exact"})
    (panel,) = made.panels
    losses, limits = marks(panel), marks(panel, "limit")
    assert len(panel.y.names) >= 20
    assert set(losses) == set(limits) == set(panel.y.names)
    above = {row for row in losses if losses[row] > limits[row] + 1e-6}
    assert above == {"binary, literal"}, "the published number of levels is refuted, and nothing else"


def test_halts_are_over_their_threshold_with_the_shares_of_outcomes() -> None:
    made = described(REFERENCE / "monitor", {"kind": "halts"})
    (panel,) = made.panels
    rows = pd.read_csv(REFERENCE / "monitor" / "trials.csv")
    texts = {panel.y.names[round(text.y)]: text.text for text in panel.of(Words)}
    assert texts["sparse-vector-monitor, steps $2^{20}$, against hard-instance"] == "late"
    assert texts["sparse-vector-monitor, steps $2^{61}$, against scattered"] == "right 98.9 %, early 1.07 %"
    rows = rows[(rows["protocol"] == "release-monitor") & (rows["adversary"] == "hard-instance")]
    mine = rows[rows["items"] == 2**20]
    over = sorted(at / k for at, k in zip(mine["items_at_halt"], mine["threshold"], strict=True) if at == at)
    name = "release-monitor, steps $2^{20}$, against hard-instance"
    assert marks(panel)[name] == pytest.approx(median(over))
    assert [(region.low, region.high) for region in panel.of(Region)] == [(0.5, 1.0)]
    assert [rule.at for rule in panel.of(Rule)] == [1.0]
    with pytest.raises(ValueError, match="games of threshold monitors"):
        described(REFERENCE / "queries", {"kind": "halts"})


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
    assert given[:2] == [(0.46, 0, 1), (1.46, 0, 0.5)]
    assert given[2:] == [(1.46, 0.5, 0.25), (2.46, 0.5, 0.25), (2.46, 0.5, 0.125), (1.46, 0.75, 0.25)]
    assert [width for *_, width in spent] == [0.75, 0.125, 0.125, 0.125, 0.0625, 0.25]
    assert panel.title == "robust: epsilon 4, spent 3"
    assert "robust spends 3 of epsilon 4" in made.caption
