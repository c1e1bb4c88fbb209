"""Results side by side: points are matched by the parameters that do not differ; gaps are named."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner
from compared_results import NAMES, compared, edited, of_task, set_all, written

from disttrack.simulator.cli import main
from disttrack.simulator.experiments.results.compared import Compared, Middle, Row, compare_results
from disttrack.simulator.experiments.results.folder import Results
from disttrack.simulator.shown.plots.description import Series
from disttrack.simulator.shown.plots.overlay import overlay


def who(outcome: Compared) -> Counter[tuple[int, ...]]:
    """Return how many points are in which results."""
    return Counter(tuple(point.places) for point in outcome.points)


def test_different_columns_are_swept_and_a_default_is_a_value(tmp_path: Path) -> None:
    one = set_all(written(tmp_path / "one"), "protocol", centred=False)
    two = written(tmp_path / "two", sites=(16,), extra=("centred", [True, False]))
    three = set_all(written(tmp_path / "three", sites=(16,), alphas=(0.03, 0.1)), "protocol", centred=False)
    outcome = compared(one, two, three)
    assert who(outcome) == {(0, 1, 2): 1, (0,): 1, (1,): 1, (2,): 1}
    assert set(outcome.headers) == {"sites", "centred", "alpha"}
    assert outcome.subtitle == "protocol=deterministic · adversary=freeze · items=2,000,000"
    assert outcome.unmatched == (
        "1 of one without a match: sites 64 not in two and three",
        "1 of two without a match: centred True not in one",
        "1 of three without a match: alpha 0.1 not in one",
    )


def test_a_parameter_that_one_lacks_is_a_difference_and_is_named(tmp_path: Path) -> None:
    one = written(tmp_path / "one", protocols=("deterministic", "robust"))
    two = written(tmp_path / "two")
    more = set_all(written(tmp_path / "more"), "protocol", centred=False)
    assert who(compared(one, two)) == {(0, 1): 2, (0,): 2}  # the control: without it they are one point
    outcome = compared(one, more)
    assert who(outcome) == {(0, 1): 2, (0,): 2}
    assert {row.cells["centred"] for row in outcome.rows} == {"none → False"}
    assert outcome.unmatched == ("2 of one without a match: protocol robust not in two",)


def test_a_parameter_in_which_matched_points_differ_is_no_reason(tmp_path: Path) -> None:
    one = set_all(written(tmp_path / "one"), "protocol", alpha=0.1)
    two = set_all(written(tmp_path / "two", sites=(16, 64, 256)), "protocol", alpha=0.2)
    outcome = compared(one, two)
    assert outcome.rows
    assert outcome.unmatched == ("1 of two without a match: sites 256 not in one",)


def test_what_the_protocols_of_one_state_is_compared_with_what_the_other_states_for_all(tmp_path: Path) -> None:
    top = edited(written(tmp_path / "one"), lambda manifest: manifest["scenario"].update(alpha=0.15))
    protocols = [{"kind": "deterministic", "alpha": 0.95}, {"kind": "randomized", "alpha": 0.95}, {"kind": "exact"}]
    each = written(tmp_path / "two")
    each = edited(each, lambda manifest: manifest["scenario"].update(protocol=protocols, alpha=None))
    assert "different alpha: 0.15 (one), 0.95 (two)" in compared(top, each).warnings


def test_points_of_different_tasks_are_never_the_same(tmp_path: Path) -> None:
    one, two = written(tmp_path / "one"), written(tmp_path / "two")
    assert who(compared(one, two)) == {(0, 1): 2}
    other = of_task(two, "threshold-queries")
    outcome = compared(one, other)
    assert who(outcome) == {(0,): 2, (1,): 2}
    assert not outcome.rows
    assert outcome.unmatched[0] == "2 of one without a match: task count not in two"
    assert outcome.warnings[0] == "different tasks: count (one), threshold-queries (two)"
    assert who(compared(one, other, written(tmp_path / "three"))) == {(0, 2): 2, (1,): 2}


def test_equal_numbers_and_networks_that_do_nothing_are_alike(tmp_path: Path) -> None:
    one = set_all(written(tmp_path / "one"), "protocol", factor=2, weights=[1, {"a": 3}])
    two = set_all(written(tmp_path / "two"), "protocol", factor=2.0, weights=[1.0, {"a": 3.0}])
    assert who(compared(one, two)) == {(0, 1): 2}
    idle = set_all(two, "network", latency=0.0, link="bare")
    assert who(compared(one, idle)) == {(0, 1): 2}
    slow = compared(one, set_all(two, "network", latency=3))
    assert (who(slow), slow.headers) == ({(0, 1): 2}, ["sites"])
    assert slow.subtitle.startswith("latency 0 → 3 · protocol=deterministic")
    true = set_all(written(tmp_path / "true"), "protocol", factor=True)
    false = set_all(written(tmp_path / "false"), "protocol", factor=1)
    assert compared(true, false).subtitle.startswith("factor True → 1 · ")


def test_a_point_that_a_scenario_gives_twice_is_matched_in_turn(tmp_path: Path) -> None:
    one, two = written(tmp_path / "one", sites=(16, 16)), written(tmp_path / "two", sites=(16,))
    assert who(compared(one, two)) == {(0, 1): 1, (0,): 1}


def test_a_name_that_both_sides_have_is_preceded_by_its_side(tmp_path: Path) -> None:
    one = set_all(set_all(written(tmp_path / "one"), "protocol", share=1, results=5), "adversary", share=2, sites=3)
    two = set_all(set_all(written(tmp_path / "two"), "protocol", share=7, results=6), "adversary", share=None, sites=4)
    outcome = compared(one, two)
    names = ["sites", "protocol share", "protocol results", "adversary share", "adversary sites"]
    assert [list(point.values) for point in outcome.points] == [names] * 2
    assert outcome.headers == ["sites"]  # the others differ in the same way everywhere, which the line above says
    assert [list(point.own[1].values()) for point in outcome.points] == [[16, 7, 6, "none", 4], [64, 7, 6, "none", 4]]


def test_others_may_share_points_that_the_first_lacks(tmp_path: Path) -> None:
    outcome = compared(
        *(written(tmp_path / name, sites=sites) for name, sites in (("a", (4, 8)), ("b", (16,)), ("c", (16,))))
    )
    assert who(outcome) == {(0,): 2, (1, 2): 1}  # 16 sites may stand for 4 or for 8
    assert not outcome.rows
    assert outcome.unmatched == (
        "2 of one without a match: sites 4, 8 not in two and three",
        "1 of two and three without a match: sites 16 not in one",
    )


def test_points_are_matched_without_what_differs(tmp_path: Path) -> None:
    kinds = ("deterministic", "robust")
    one = written(tmp_path / "one", protocols=kinds)
    outcome = compared(one, written(tmp_path / "coarse", protocols=kinds, alphas=(0.1,)))
    assert who(outcome) == {(0, 1): 4}
    assert "alpha" not in outcome.headers
    assert outcome.subtitle.startswith("alpha 0.03 → 0.1 · ")
    # the control: two new protocols, and a size of which some values are shared
    new = compared(one, written(tmp_path / "new", protocols=("randomized", "martingale")))
    assert who(new) == {(0,): 4, (1,): 4}
    assert new.unmatched[0] == "4 of one without a match: protocol deterministic, robust not in two"
    larger = compared(one, written(tmp_path / "larger", protocols=kinds, sites=(16, 256)))
    assert who(larger) == {(0, 1): 2, (0,): 2, (1,): 2}


@pytest.mark.parametrize("side", ["protocol", "adversary"])
def test_points_of_different_kinds_are_matched_only_where_one_kind_replaces_another_and_all_else_is_equal(
    side: str, tmp_path: Path
) -> None:
    """The kinds that are left of several are no change: "robust → block" would blame one for the other's words."""
    kept, old, new = {
        "protocol": ("deterministic", "robust", "martingale"),
        "adversary": ("round-robin", "freeze", "bisect"),
    }[side]
    key = {"protocol": "protocols", "adversary": "adversaries"}[side]

    def of(name: str, *kinds: str, **more: Any) -> Results:
        return written(tmp_path / name, **{key: kinds, **more})

    one = of("old", old)
    single = compared(one, of("new", new))
    assert who(single) == {(0, 1): 2}
    assert single.subtitle.startswith(f"{side} {old} → {new} · ")
    left = compared(of("kept-old", kept, old), of("kept-new", kept, new))
    assert who(left) == {(0, 1): 2, (0,): 2, (1,): 2}
    assert left.unmatched == (
        f"2 of one without a match: {side} {old} not in two",
        f"2 of two without a match: {side} {new} not in one",
    )
    assert who(compared(one, of("also-kept", kept, new))) == {(0,): 2, (1,): 4}
    for name, more in (("finer", {"alphas": (0.1,)}), ("longer", {"items": (9_000,)})):
        assert who(compared(one, of(name, new, **more))) == {(0,): 2, (1,): 2}
        assert who(compared(one, of(f"{name}-old", old, **more))) == {(0, 1): 2}


def test_a_range_of_ratios_is_over_points_of_the_same_kinds(tmp_path: Path) -> None:
    """A key that the user names may match points of different kinds, which are no change of one."""
    one = written(tmp_path / "one", sites=(16, 64), protocols=("deterministic", "exact"))
    two = written(tmp_path / "two", sites=(16, 64), protocols=("deterministic", "robust"))
    for folder, other, sites in ((one.dir, "exact", 64), (two.dir, "robust", 64)):
        rows = pd.read_csv(folder / "trials.csv")
        kept = rows[(rows["protocol"] != other) | (rows["sites"] == sites)]
        kept = kept[(kept["protocol"] != "deterministic") | (kept["sites"] == 16)]
        kept.to_csv(folder / "trials.csv", index=False)
    outcome = compare_results([Results(one.dir), Results(two.dir)], NAMES[:2], ["sites"])
    assert {row.cells["protocol"] for row in outcome.rows} == {"deterministic", "exact → robust"}
    said = {measure: words for measure, _, _, words in outcome.measures()}
    assert said["words"] == "the same as in one at 1 matched point of the same protocol and adversary (1 of others)"


def test_a_start_of_nothing_is_0_and_only_results_that_changed_are_named(tmp_path: Path) -> None:
    def begun(name: str, start: int, alpha: float = 0.03) -> Results:
        def change(manifest: dict[str, Any]) -> None:
            for point in manifest["points"]:
                point["start"] = start

        return edited(written(tmp_path / name, alphas=(alpha,)), change)

    one = begun("one", 200)
    end = "alpha 0.03 → 0.1 · protocol=deterministic · adversary=freeze · items=2,000,000"
    assert compared(one, begun("two", 0, 0.1)).subtitle == f"start 200 → 0 · {end}"
    assert compared(begun("same", 0), begun("nothing", 0, 0.1)).subtitle == end
    three = compared(one, begun("three", 200), begun("four", 0))
    assert three.subtitle.startswith("start 200 → 0 (three) · protocol")
    assert "start 200 ·" not in three.subtitle


def test_the_key_may_be_named(tmp_path: Path) -> None:
    one, two = written(tmp_path / "one"), written(tmp_path / "two", sites=(16, 256))
    assert who(compared(one, two)) == {(0, 1): 1, (0,): 1, (1,): 1}
    outcome = compare_results([one, two], NAMES[:2], ["protocol", "adversary"])
    assert who(outcome) == {(0, 1): 2}  # 64 sites are left, and 256
    assert {row.cells["sites"] for row in outcome.rows} == {"16", "64 → 256"}
    done = CliRunner().invoke(main, ["compare", str(one.dir), str(two.dir), "--match", "site", "--out", str(tmp_path)])
    assert (done.exit_code, done.stderr) == (2, "--match site: no such parameter; points differ in: sites\n")


@pytest.mark.parametrize(
    ("low", "high", "changed"),
    [(0.9, 1.1, False), (1.0004, 1.2, False), (0.8, 0.9996, False), (1.0006, 1.2, True), (0.8, 0.9994, True)],
)
def test_an_interval_that_ends_at_1_excludes_nothing(low: float, high: float, changed: bool) -> None:
    """To three decimals, as it is shown."""
    nine = Middle(10.0, 9.0, 11.0, 9)
    assert Row({}, {}, "words", "after", nine, nine, 1.0, low, high).changed == changed


def test_too_few_games_for_fishers_test_are_told(tmp_path: Path) -> None:
    """Three that hold and three that fail come by chance in one of ten cases: no outcome could show a change."""
    one, two = (written(tmp_path / name, protocols=("robust",), trials=3) for name in ("one", "two"))
    table = pd.read_csv(two.dir / "trials.csv")
    table[["ok", "verdict"]] = [False, "failed"]
    table.to_csv(two.dir / "trials.csv", index=False)
    said = {measure: words for measure, _, _, words in compared(one, Results(two.dir)).measures()}
    assert said["held"] == "differs at 2 of 2 matched points; too few games for a test"


def test_points_that_changed_come_first(tmp_path: Path) -> None:
    one = written(tmp_path / "one", protocols=("randomized", "robust"), trials=9)
    two = written(tmp_path / "two", protocols=("randomized", "robust"), trials=9)
    table = pd.read_csv(two.dir / "trials.csv")
    table.loc[table["protocol"] == "robust", "words"] *= 3
    table.loc[table["protocol"] == "robust", ["ok", "verdict"]] = [False, "failed"]
    table.to_csv(two.dir / "trials.csv", index=False)
    outcome = compared(one, Results(two.dir))
    changed = [(row.point["protocol"], row.measure) for row in outcome.rows if row.changed]
    assert set(changed) == {("robust", "words"), ("robust", "held")}
    assert [row.changed for row in outcome.rows] == [True] * 4 + [False] * (len(outcome.rows) - 4)
    said = {measure: words for measure, _, _, words in outcome.measures()}
    assert said["words"] == "1 to 3 times that of one at 4 matched points; the interval excludes 1 at 2 of them"
    assert said["held"] == "changed at 2 of 4 matched points, by Fisher's exact test"
    assert said["error/alpha"] == "the same as in one at 4 matched points"
    figure = overlay(outcome, "words")
    hollow = {
        line.name: [figure.panels[0].y.names[round(place)] for place in line.y]
        for line in figure.panels[0].of(Series, "fails")
    }
    broken = [row for row in outcome.rows if row.measure == "held"]
    assert any(name.startswith("robust") for name in hollow["two"])
    assert not any(name.startswith("robust") for name in hollow.get("one", ()))
    for name, each in (("one", [row.one for row in broken]), ("two", [row.two for row in broken])):
        assert len(hollow.get(name, ())) == sum(2 * (held.hits or 0) <= held.games for held in each)
    assert "Hollow: at least half of the games failed." in figure.note


def test_figures_go_into_no_result_and_replace_nothing_of_the_users(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = written(tmp_path / "one"), written(tmp_path / "two")
    for folder in (one.dir, two.dir / "figures"):
        done = CliRunner().invoke(
            main, ["compare", str(one.dir), str(two.dir), "--out", str(folder), "--plot", "overlay"]
        )
        assert done.exit_code == 2
        assert "is a result; name a folder, --out DIR" in done.stderr
    monkeypatch.chdir(one.dir)
    assert CliRunner().invoke(main, ["compare", ".", str(two.dir), "--plot", "overlay"]).exit_code == 2
    for name in ("compare-mine.png", "compare-mine.svg"):
        (tmp_path / name).write_text("mine")
        done = CliRunner().invoke(
            main, ["compare", str(one.dir), str(two.dir), "--out", str(tmp_path), "--plot", "overlay"]
        )
        assert (done.exit_code, (tmp_path / name).read_text()) == (2, "mine")
        assert "not written by this command" in done.stderr


CASES: dict[str, Callable[[Path], list[Results]]] = {
    "one lacks a parameter": lambda place: [
        written(place / "one", protocols=("deterministic", "robust")),
        set_all(written(place / "two"), "protocol", centred=False),
    ],
    "tasks are mixed": lambda place: [
        written(place / "one"),
        of_task(written(place / "two"), "threshold-queries"),
        written(place / "three", sites=(64, 256)),
    ],
    "the first shares no point": lambda place: [
        written(place / name, sites=sites) for name, sites in (("one", (4,)), ("two", (16,)), ("three", (16,)))
    ],
}


@pytest.mark.parametrize("case", CASES)
def test_terminal_and_document_match_the_same_points(case: str, tmp_path: Path) -> None:
    results = CASES[case](tmp_path)
    names = [one.dir.name for one in results]
    command = ["compare", *(str(one.dir) for one in results), "--out", str(tmp_path)]
    document = json.loads(CliRunner().invoke(main, [*command, "--json"]).stdout)
    printed = CliRunner().invoke(main, command).stdout
    outcome = compare_results(results, names)

    rows = [(tuple(text for name in outcome.headers if (text := row.cells[name])), row.other) for row in outcome.rows]
    assert len(document["rows"]) == len(rows)
    assert {row["other"] for row in document["rows"]} == {other for _, other in rows}
    assert len(set(rows)) == sum(0 in one.places and other > 0 for one in outcome.points for other in one.places)
    lines = [tuple(line.split()) for line in printed.splitlines()]
    wanted = [one for one, row in zip(rows, outcome.rows, strict=True) if moved(row)]
    for _, _, each, _ in outcome.measures():
        left = sum(not moved(row) for row in each)
        assert f"{left} point{'s' * (left > 1)} unchanged" in printed or left in (0, len(each))
    for start, times in Counter(tuple(" ".join(point).split()) for point, _ in wanted).items():
        assert sum(line[: len(start)] == start for line in lines) >= times
    assert document["unmatched"] == list(outcome.unmatched)
    assert all(line in " ".join(printed.split()) for line in outcome.unmatched)


def moved(row: Row) -> bool:
    return row.one.value != row.two.value


def test_a_key_that_several_points_share_is_what_is_blamed(tmp_path: Path) -> None:
    kinds = ("deterministic", "robust")
    one = written(tmp_path / "one", protocols=kinds)
    two = written(tmp_path / "two", protocols=kinds, alphas=(0.1,))
    outcome = compare_results([one, two], NAMES[:2], ["sites"])
    said = "several points have the same sites, and differ in protocol: name it too in --match"
    assert outcome.unmatched == (f"4 of one without a match: {said}", f"4 of two without a match: {said}")


def test_what_is_constant_for_a_protocol_is_no_column_and_80_letters_hold_a_table(tmp_path: Path) -> None:
    def of(name: str, alpha: float) -> Results:
        def change(manifest: dict[str, Any]) -> None:
            for point in manifest["points"]:
                if point["protocol"]["kind"] == "robust":
                    point["protocol"]["alpha"] = point["alpha"] = alpha

        one = edited(written(tmp_path / name, protocols=("deterministic", "robust")), change)
        table = pd.read_csv(one.dir / "trials.csv")
        robust = table["protocol"] == "robust"
        table.loc[robust, "alpha"] = alpha
        table.loc[robust, "words"] *= round(100 * alpha)
        table.to_csv(one.dir / "trials.csv", index=False)
        return Results(one.dir)

    outcome = compared(of("one", 0.05), of("two", 0.1))
    assert outcome.headers == ["protocol", "sites"]
    assert outcome.subtitle.startswith("alpha 0.03 (deterministic), 0.05 → 0.1 (robust)")
    printed = CliRunner().invoke(main, ["compare", str(tmp_path / "one"), str(tmp_path / "two")]).stdout
    table = printed.partition("words of two")[2]
    assert [line.split()[0] for line in table.splitlines() if line.startswith(("determ", "robust"))] == ["robust"] * 2
    assert "2 points unchanged" in table
