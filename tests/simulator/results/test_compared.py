"""Results side by side: points are matched by all of their parameters, ratios have honest intervals, gaps are named."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from synthetic_results import write_result

from disttrack.simulator.cli import main
from disttrack.simulator.results.compared import EACH, Compared, compare_results
from disttrack.simulator.results.folder import Results
from disttrack.simulator.results.formats import cell

SEED = 20231
DRAWS = 20_000
NAMES = ("one", "two", "three")


def compared(*results: Results) -> Compared:
    return compare_results(results, NAMES[: len(results)])


def written(folder: Path, **more: Any) -> Results:
    usual = {"sites": (16, 64), "protocols": ("deterministic",), "adversaries": ("freeze",), "trials": 2, "plots": ()}
    return Results(write_result(folder, **{**usual, **more}))


def edited(one: Results, change: Callable[[dict[str, Any]], Any]) -> Results:
    """Return a result with another manifest."""
    manifest = json.loads((one.dir / "manifest.json").read_text(encoding="utf-8"))
    change(manifest)
    (one.dir / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return Results(one.dir)


def set_all(one: Results, side: str, **more: Any) -> Results:
    """Return a result each of whose points has further parameters."""

    def change(manifest: dict[str, Any]) -> None:
        for point in manifest["points"]:
            point[side] = {**(point.get(side) or {}), **more}

    return edited(one, change)


def of_task(one: Results, task: str) -> Results:
    trials = pd.read_csv(one.dir / "trials.csv")
    trials.assign(task=task).to_csv(one.dir / "trials.csv", index=False)
    return edited(one, lambda manifest: manifest["scenario"].update(task=task))


def who(outcome: Compared) -> Counter[tuple[int, ...]]:
    """Return how many points are in which results."""
    return Counter(tuple(point.places) for point in outcome.points)


def test_different_columns_are_swept_and_a_default_is_a_value(tmp_path: Path) -> None:
    one = set_all(written(tmp_path / "one"), "protocol", centred=False)
    two = written(tmp_path / "two", sites=(16,), extra=("centred", [True, False]))
    three = set_all(written(tmp_path / "three", sites=(16,), alphas=(0.03, 0.1)), "protocol", centred=False)
    outcome = compared(one, two, three)
    assert who(outcome) == {(0, 1, 2): 1, (0,): 1, (1,): 1, (2,): 1}
    assert set(outcome.headers) == {"sites", "protocol", "alpha"}
    assert {point.values["protocol"] for point in outcome.points} == {"deterministic", "deterministic, centred"}
    assert outcome.subtitle == "adversary freeze · 2,000,000 items"
    assert outcome.alone == {"one": 1, "two": 1, "three": 1}


def test_a_parameter_that_one_lacks_sets_points_apart_and_is_named(tmp_path: Path) -> None:
    one = written(tmp_path / "one", protocols=("deterministic", "robust"))
    two = written(tmp_path / "two")
    more = set_all(written(tmp_path / "more"), "protocol", centred=False)
    assert who(compared(one, two)) == {(0, 1): 2, (0,): 2}  # the control: without it they are one point
    outcome = compared(one, more)
    assert who(outcome) == {(0,): 4, (1,): 2}
    assert outcome.warnings == ("no two results have a point in common; they differ in: centred",)


def test_points_of_different_tasks_are_never_the_same(tmp_path: Path) -> None:
    one, two = written(tmp_path / "one"), written(tmp_path / "two")
    assert who(compared(one, two)) == {(0, 1): 2}
    other = of_task(two, "threshold-queries")
    outcome = compared(one, other)
    assert who(outcome) == {(0,): 2, (1,): 2}
    assert outcome.warnings[:2] == (
        "no two results have a point in common; they differ in: task",
        "they are results of different tasks: count (one), threshold-queries (two)",
    )
    assert who(compared(one, other, written(tmp_path / "three"))) == {(0, 2): 2, (1,): 2}


def test_equal_numbers_and_networks_that_do_nothing_are_alike(tmp_path: Path) -> None:
    one = set_all(written(tmp_path / "one"), "protocol", factor=2, weights=[1, {"a": 3}])
    two = set_all(written(tmp_path / "two"), "protocol", factor=2.0, weights=[1.0, {"a": 3.0}])
    assert who(compared(one, two)) == {(0, 1): 2}
    idle = set_all(two, "network", latency=0.0, link="bare")
    assert who(compared(one, idle)) == {(0, 1): 2}
    slow = compared(one, set_all(two, "network", latency=3))
    assert (who(slow), slow.headers) == ({(0,): 2, (1,): 2}, ["sites", "latency"])
    true = set_all(written(tmp_path / "true"), "protocol", factor=True)
    false = set_all(written(tmp_path / "false"), "protocol", factor=1)
    assert (0, 1) not in who(compared(true, false))


def test_a_point_that_a_scenario_gives_twice_is_matched_in_turn(tmp_path: Path) -> None:
    one, two = written(tmp_path / "one", sites=(16, 16)), written(tmp_path / "two", sites=(16,))
    assert who(compared(one, two)) == {(0, 1): 1, (0,): 1}


def test_a_name_that_both_sides_have_is_preceded_by_its_side(tmp_path: Path) -> None:
    one = set_all(set_all(written(tmp_path / "one"), "protocol", share=1, results=5), "adversary", share=2, sites=3)
    two = set_all(set_all(written(tmp_path / "two"), "protocol", share=7, results=6), "adversary", share=None, sites=4)
    outcome = compared(one, two)
    assert outcome.headers == ["sites", "protocol share", "protocol results", "adversary share", "adversary sites"]
    assert [list(point.values.values()) for point in outcome.points[::2]] == [[16, 1, 5, 2, 3], [16, 7, 6, "none", 4]]


def test_others_may_share_points_that_the_first_lacks(tmp_path: Path) -> None:
    outcome = compared(
        *(written(tmp_path / name, sites=sites) for name, sites in (("a", (4,)), ("b", (16,)), ("c", (16,))))
    )
    assert who(outcome) == {(0,): 1, (1, 2): 1}
    assert not outcome.rows
    assert outcome.warnings[0] == "no other result has a point of one, with which all others are compared"


CASES: dict[str, Callable[[Path], list[Results]]] = {
    "different columns are swept": lambda place: [
        set_all(written(place / "one"), "protocol", centred=False),
        written(place / "two", extra=("centred", [True, False])),
        set_all(written(place / "three", alphas=(0.03, 0.1)), "protocol", centred=False),
    ],
    "one lacks a parameter": lambda place: [
        written(place / "one", protocols=("deterministic", "robust")),
        set_all(written(place / "two"), "protocol", centred=False),
    ],
    "tasks are mixed": lambda place: [
        written(place / "one"),
        of_task(written(place / "two"), "threshold-queries"),
        written(place / "three", sites=(64, 256)),
    ],
    "a network": lambda place: [written(place / "one"), set_all(written(place / "two"), "network", latency=2)],
    "the first shares no point": lambda place: [
        written(place / name, sites=sites) for name, sites in (("one", (4,)), ("two", (16,)), ("three", (16,)))
    ],
}


@pytest.mark.parametrize("case", CASES)
def test_terminal_document_and_page_match_the_same_points(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("disttrack.simulator.report.compare._overlays", lambda *_: [])  # drawn elsewhere, and slow
    results = CASES[case](tmp_path)
    names = [one.dir.name for one in results]
    command = ["compare", *(str(one.dir) for one in results), "--out", str(tmp_path)]
    document = json.loads(CliRunner().invoke(main, [*command, "--json"]).stdout)
    printed = CliRunner().invoke(main, command).stdout
    page = (tmp_path / "compare.html").read_text(encoding="utf-8")
    outcome = compare_results(results, names)

    def texts(point: dict[str, Any]) -> tuple[str, ...]:
        return tuple(text for header in outcome.headers if (text := cell(point[header])))

    shared = {
        (texts(one.values), names[other])
        for one in outcome.points
        for other in one.places
        if 0 in one.places and other > 0
    }
    rows = [(texts(row["point"]), row["other"]) for row in document["rows"]]
    assert set(rows) == shared
    assert page_rows(page, "points", outcome.headers) == {(point, other * (len(names) > 2)) for point, other in shared}
    lines = [tuple(line.split()) for line in printed.splitlines()]
    for (point, other), times in Counter(rows).items():
        start = tuple(" ".join(point).split())
        assert sum(line[: len(start)] == start and other in line for line in lines) >= times
    left = [one for one in outcome.points if 0 not in one.places or len(one.places) == 1]
    where = {(texts(one.values), ", ".join(names[place] for place in one.places)) for one in left}
    assert page_rows(page, "alone", outcome.headers) == where
    assert document["alone"] == outcome.alone


def page_rows(text: str, anchor: str, keys: list[str]) -> set[tuple[tuple[str, ...], str]]:
    """Return of a table of the page each row's setting and the cell after it, which names a result."""
    outcome = re.search(rf"<section[^>]*id='{anchor}'.*?</section>", text, re.DOTALL)
    if not outcome or "<tbody" not in outcome[0]:
        return set()
    heads = [unescape(re.sub("<[^>]*>", "", head)) for head in re.findall(r"<th\b.*?</th>", outcome[0], re.DOTALL)]
    rows = re.findall(r"<tr\b[^>]*>(.*?)</tr>", outcome[0].partition("<tbody")[2], re.DOTALL)
    cells = [
        [unescape(re.sub("<[^>]*>", "", cell)) for cell in re.findall(r"<td\b.*?</td>", row, re.DOTALL)] for row in rows
    ]
    named = [dict(zip(heads, row, strict=True)) for row in cells]
    return {
        (tuple(row[key] for key in keys if row.get(key)), row.get("in") or row.get("result") or "") for row in named
    }


def results(folder: Path, factor: float = 1.0, **more: object) -> Results:
    write_result(folder, protocols=("robust", "randomized"), trials=9, plots=(), **more)
    table = pd.read_csv(folder / "trials.csv")
    table["words"] = table["words"] * factor
    table.to_csv(folder / "trials.csv", index=False)
    return Results(folder)


def test_ratios_are_those_of_the_medians_at_each_shared_point(tmp_path: Path) -> None:
    one, two = results(tmp_path / "one", sites=(16, 64)), results(tmp_path / "two", 2.0, sites=(16, 64))
    outcome = compared(one, two)
    words = [row for row in outcome.rows if row.measure == "words"]
    assert len(words) == 2 * 2 * 2
    assert all(row.ratio == pytest.approx(2) and row.low < 2 < row.high for row in words)
    assert {row.ratio for row in outcome.rows if row.measure == "error/alpha"} == {1.0}
    assert (set(outcome.alone.values()), outcome.warnings) == ({0}, ())
    table = one.trials[(one.trials["protocol"] == "robust") & (one.trials["sites"] == 64)]
    mine = next(row for row in words if row.point == {"protocol": "robust", "adversary": "freeze", "sites": 64})
    assert mine.one.value == table[table["adversary"] == "freeze"]["words"].median()


def test_points_that_are_in_one_result_only_are_counted(tmp_path: Path) -> None:
    outcome = compared(results(tmp_path / "one", sites=(16, 64)), results(tmp_path / "two", sites=(64, 256)))
    assert {row.point["sites"] for row in outcome.rows} == {64}
    assert outcome.alone_in_words == "4 of one, 4 of two"


@pytest.mark.parametrize(
    ("change", "warning"),
    [
        ({"rules": 7}, "games were played by different rules: None (one), 7 (two)"),
        ({"code": {"digest": "0" * 64}}, "games were played by different code: unknown (one), 000000000000 (two)"),
        ({"scenario": {"seed": 5}}, "different seed: none (one), 5 (two)"),
        ({"files": {"a/b.py": "1" * 64}}, "games were made of different files: none (one), b.py 111111111111 (two)"),
    ],
)
def test_other_differences_are_warned_of(tmp_path: Path, change: dict[str, Any], warning: str) -> None:
    one, two = results(tmp_path / "one", sites=(16,)), results(tmp_path / "two", sites=(16,))

    def more(manifest: dict[str, Any]) -> None:
        manifest.pop("rules", None)
        manifest["scenario"] |= change.get("scenario", {})
        manifest.update({key: value for key, value in change.items() if key != "scenario"})

    edited(one, lambda manifest: manifest.pop("rules", None))
    assert compared(Results(one.dir), edited(two, more)).warnings == (warning,)


def test_few_games_have_a_ratio_without_an_interval(tmp_path: Path) -> None:
    one, two = (Results(write_result(tmp_path / name, sites=(16,), trials=6, plots=())) for name in ("one", "two"))
    row = compared(one, two).rows[-1]
    assert (row.ratio, row.low, row.high) == (1.0, None, None)


def test_games_that_were_lost_to_errors_are_left_out(tmp_path: Path) -> None:
    one, two = results(tmp_path / "one", sites=(16,)), results(tmp_path / "two", sites=(16,))
    table = pd.read_csv(two.dir / "trials.csv")
    table.loc[table["trial"] == 0, ["verdict", "words"]] = ["error", 10**12]
    table.to_csv(two.dir / "trials.csv", index=False)
    outcome = compared(one, Results(two.dir))
    assert {(row.one.games, row.two.games) for row in outcome.rows} == {(9, 8)}
    assert max(row.ratio for row in outcome.rows if row.ratio) < 1.2


@pytest.mark.parametrize("games", [7, 10, 25])
def test_the_interval_of_a_median_has_its_confidence(tmp_path: Path, games: int) -> None:
    """Exact: more of 20,000 draws than allowed miss with probability 1e-6 if the interval covers with 0.975.

    The wrong alternative is the interval one ordered game narrower at both ends, which misses too often.
    """
    from scipy.stats import binom

    rng = np.random.default_rng(SEED)
    drawn = np.sort(rng.lognormal(size=(DRAWS, games)), axis=1)  # its median is 1
    one = written(tmp_path, sites=(16,), trials=games)
    trials = pd.read_csv(one.dir / "trials.csv")
    trials.assign(words=range(games)).to_csv(one.dir / "trials.csv", index=False)
    (row,) = (row for row in compared(Results(one.dir), one).rows if row.measure == "words")
    low, high = row.one.low, row.one.high
    assert low is not None
    assert high is not None
    allowed = binom.isf(1e-6, DRAWS, 1 - EACH)

    def missed(narrower: int) -> int:
        left, right = drawn[:, int(low) + narrower], drawn[:, int(high) - narrower]
        return int(((left > 1) | (right < 1)).sum())

    assert missed(0) <= allowed < missed(1)
