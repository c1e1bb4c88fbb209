"""Values of `matrix`, `breakdown` and `spread` figures, computed a second way from the tables."""

from __future__ import annotations

from collections import Counter, defaultdict
from math import inf
from pathlib import Path
from statistics import mean, median
from typing import Any

import pandas as pd
import pytest
from drawn import described
from synthetic_results import write_result

from disttrack.simulator.shown.plots.description import Bars, Cells, Panel, Series, Words
from disttrack.simulator.shown.plots.requests import values_in_words

REFERENCE = Path(__file__).resolve().parents[4] / "results" / "reference"
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
    assert "randomized holds in 3 of 6" in made.caption


def test_the_controls_of_claims_stand_below_what_they_control() -> None:
    noise = {**MATRIX, "where": "part == 'noise'"}
    made = described(REFERENCE / "power", {**noise, "controls": True})
    whole, broken = (f"robust({fault}parameters=7 values, counter=k-ary)" for fault in ("", "fault no-noise, "))
    assert list(made.panels[0].y.names) == [whole, broken]
    assert f"{whole} holds in 400 of 400; {broken} holds in 0 of 100" in made.caption
    assert list(described(REFERENCE / "power", noise).panels[0].y.names) == [whole]


def words_of(folder: Path) -> dict[tuple[str, str], Counter[tuple[str, str]]]:
    """Return the mean words of each kind and direction, by protocol and adversary."""
    games = {(row["point"], row["trial"]): row for row in pd.read_csv(folder / "trials.csv").to_dict("records")}
    played = Counter((row["protocol"], row["adversary"]) for row in games.values())
    means: dict[tuple[str, str], Counter[tuple[str, str]]] = defaultdict(Counter)
    for row in pd.read_csv(folder / "kinds.csv").to_dict("records"):
        game = games[row["point"], row["trial"]]
        key = game["protocol"], game["adversary"]
        means[key][row["kind"], row["direction"]] += row["words"] / played[key]
    return means


def test_bars_are_shares_of_the_mean_words_and_are_not_averaged_over_adversaries(folder: Path) -> None:
    made = described(folder, BREAKDOWN)
    words = words_of(folder)
    assert [panel.title for panel in made.panels] == ["against round-robin", "against freeze"]
    for panel, adversary in zip(made.panels, ("round-robin", "freeze"), strict=True):
        for row, protocol in enumerate(panel.y.names):
            mine, left = words[protocol, adversary], 0.0
            whole = sum(mine.values())
            for bars in panel.of(Bars):
                kind, way = bars.name.split(", ")
                direction = {"to the server": "up", "to the sites": "down"}[way]
                assert bars.width[row] == pytest.approx(mine[kind, direction] / whole)
                assert bars.left[row] == pytest.approx(left)
                left += bars.width[row]
            (total,) = (text for text in panel.of(Words) if text.y == row)
            assert total.text == f"{whole:,.0f}"
            rounded = float(f"{whole:.3g}")
            assert f"{protocol} against {adversary}: {rounded:,.0f} words" in made.caption


@pytest.mark.parametrize("centre", ["median", "mean"])
def test_rows_have_centre_middle_and_range_beside_what_they_must_keep(folder: Path, centre: str) -> None:
    request = {"kind": "spread", "y": "words", "limit": "bits", "also": "messages", "centre": centre}
    made = described(folder, request)
    rows = pd.read_csv(folder / "trials.csv").to_dict("records")
    (panel,) = made.panels
    limits, also, centres = marks(panel, "limit"), marks(panel, "messages"), marks(panel)
    names = [f"{kind}, against {other}" for kind in dict.fromkeys(row["protocol"] for row in rows)
             for other in ("round-robin", "freeze")]  # fmt: skip
    assert list(panel.y.names) == names
    for place, name in enumerate(panel.y.names):
        mine = [row for row in rows if f"{row['protocol']}, against {row['adversary']}" == name]
        words = sorted(row["words"] for row in mine)
        assert centres[name] == pytest.approx({"median": median, "mean": mean}[centre](words))
        assert f"{name} ({float(f'{centres[name]:.3g}'):,.0f})" in values_in_words(made)
        assert limits[name] == median(row["bits"] for row in mine)
        assert also[name] == median(row["messages"] for row in mine)
        (whole,) = (one for one in panel.of(Series, "range") if one.y[0] == place)
        (thick,) = (one for one in panel.of(Series, "5 % to 95 %") if one.y[0] == place)
        assert list(whole.x) == [words[0], words[2]]
        assert list(thick.x) == pytest.approx([words[0] + 0.1 * (words[1] - words[0]),
                                               words[2] - 0.1 * (words[2] - words[1])])  # fmt: skip
    assert f"marks: {centre}s, thick" in made.subtitle


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
    assert "Left out: infinite values, in 1 of 4 games." in made.note
