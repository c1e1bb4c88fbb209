"""What comes of a claim, key by key: groups, lost games, controls, games that repeat one."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest

from disttrack.simulator.experiments.claims.claim import Claim
from disttrack.simulator.experiments.claims.findings import (
    ControlTable,
    Finding,
    distinct_games,
    findings_of,
    groups,
    lost_games,
    meets,
)
from disttrack.simulator.game.columns import GAME

TABLE: Final = {
    "point": np.repeat([0, 1], 6),
    "trial": np.tile(np.arange(6), 2),
    "protocol": np.repeat(["a", "b"], 6),
    "sites": np.tile([2, 2, 4], 4),
    "ok": np.array([True] * 9 + [False] * 3),
    "words": np.arange(12.0),
}
TWO: Final = ("sites == 2", "sites == 4")


def claim(**keys: Any) -> Claim:
    return Claim(**{"name": "c", "measure": "fraction(ok)", "at_least": 0.6, **keys})


def result(table: Any = TABLE, **keys: Any) -> list[Finding]:
    lost = keys.pop("lost", None)
    return findings_of([claim(**keys)], table, lost=lost)


def test_why_nothing_is_measured_is_said_without_the_measure_again() -> None:
    measure = "crossing(words, sites, protocol == 'b', protocol == 'a')"
    (one,) = result(measure=measure, at_least=0)
    assert (one.measure, one.note) == (measure, "no crossing: the first group is never below")


def test_several_claims_have_their_findings_in_order_and_each_its_own_control() -> None:
    broken = ControlTable({**TABLE, "ok": np.zeros(12, dtype=bool)}, 0)
    claims = [
        claim(name="one", each="sites"),
        claim(name="two", control={"fault": "f"}),
        claim(name="three", no_control="why"),
        claim(name="four", no_control="why", each="sites", measure="fraction(ko)"),
    ]
    findings = findings_of(claims, TABLE, {1: broken})
    assert [(one.name, one.group, one.broken, one.control) for one in findings] == [
        ("one", TWO[0], "", None),
        ("one", TWO[1], "", None),
        ("two", "", "fault f", 0.0),
        ("three", "", "no control: why", None),
        ("four", TWO[0], "no control: why", None),
        ("four", TWO[1], "no control: why", None),
    ]
    assert findings[4].note == "there is no column 'ko'; did you mean 'ok'? (accepted: " + (", ".join(TABLE) + ")")
    assert [one.verdict for one in findings] == ["PASS"] * 4 + ["UNDECIDED"] * 2


def test_what_cannot_be_measured_has_failed_with_the_reason_and_is_undecided_without_its_column() -> None:
    (one,) = result(each="kind")
    assert (one.verdict, one.note, one.group, one.games, one.played) == (
        "UNDECIDED",
        "each: no column 'kind'",
        "",
        0,
        0,
    )
    (one,) = result(where="sites > 9")
    assert (one.verdict, one.note, one.value) == ("FAIL", "no game meets the condition", None)
    (one,) = result({})
    assert (one.verdict, one.note) == ("FAIL", "no game meets the condition")
    (one,) = result({}, where="sites > 9")
    assert (one.verdict, one.note) == ("FAIL", "no game meets the condition")
    same = {**TABLE, GAME: np.repeat(np.arange(4), 3)}
    (one,) = result(same, measure="mean(protocol)")
    assert (one.value, one.games, one.played, one.false_alarm) == (None, 4, 12, None)
    assert (one.verdict, one.note) == ("FAIL", "protocol is not a number")
    for misspelt in ({"measure": "min(words_reprot)"}, {"where": "words_reprot > 1"}):
        (one,) = result({**TABLE, "words_report": TABLE["words"]}, **misspelt)
        assert one.verdict == "UNDECIDED"
        assert "did you mean 'words_report'?" in one.note
    (one,) = result(measure="sqrt(-1 * median(words))")
    assert (one.verdict, one.note) == ("FAIL", "not a number")


def test_a_margin_that_is_none_is_noted_and_the_verdict_stays() -> None:
    (one,) = result(margin="words")
    assert (one.verdict, one.value, one.false_alarm) == ("PASS", 0.75, None)
    assert one.note == "false alarm: margin 'words' is not at most 1 exactly where the condition holds"


def test_not_a_number_meets_nothing() -> None:
    assert [meets(claim(at_least=1, at_most=2), value) for value in (0.9, 1, 2, 2.1, float("nan"))] == [
        False, True, True, False, False,
    ]  # fmt: skip


# ---------------------------------------------------------------------- groups


def test_groups_are_in_order_of_appearance_and_hold_all_columns() -> None:
    table = {"a": np.array([2.0, 1, 2, np.nan, np.nan]), "b": np.array(["x", "x", "y", "x", "x"]), "c": np.arange(5)}
    made = groups(claim(each=["a", "b"]), table)
    assert [(name, games["c"].tolist(), list(games)) for name, games in made] == [
        ("a == 2.0 and b == 'x'", [0], ["a", "b", "c"]),
        ("a == 1.0 and b == 'x'", [1], ["a", "b", "c"]),
        ("a == 2.0 and b == 'y'", [2], ["a", "b", "c"]),
        ("a == None and b == 'x'", [3, 4], ["a", "b", "c"]),
    ]
    assert groups(claim(), table) == [("", table)]


def test_a_game_counts_once_where_it_stands_first() -> None:
    table = {"x": np.array([5, 6, 5, 7]), GAME: np.array([8, 3, 8, 4])}
    assert distinct_games(table)["x"].tolist() == [5, 6, 7]
    different = {"x": np.array([5, 6]), GAME: np.array([1, 0])}
    assert distinct_games(different) is different
    assert distinct_games({"x": np.array([5, 5])})["x"].tolist() == [5, 5]


# ---------------------------------------------------------------------- lost games


LOST: Final = {"protocol": np.array(["b", "b", "c"]), "sites": np.array([4, 2, 4])}


@pytest.mark.parametrize(
    ("where", "count"),
    [
        ("", 3),
        ("protocol == 'b'", 2),
        ("protocol == 'b' and words > 3 and sites == 2", 1),
        ("protocol == 'b' or words > 3", 3),  # not known
        ("protocol == 'x'", 0),
        ("protocol > 3 and sites == 2", 1),  # the finding has the fault of the condition
    ],
)
def test_the_lost_games_that_a_claim_may_be_about(where: str, count: int) -> None:
    assert lost_games(claim(where=where), LOST) == count
    assert lost_games(claim(where=where), {}) == 0


def test_a_claim_that_lost_games_is_undecided_in_their_groups() -> None:
    def outcome(**keys: Any) -> list[tuple[str, str, str]]:
        return [(one.group, one.verdict, one.note) for one in result(lost=LOST, **keys)]

    assert outcome() == [("", "UNDECIDED", "games with an error: 3 of 15")]
    assert outcome(each="sites", where="protocol == 'b'", at_least=0.01) == [
        ("sites == 2", "UNDECIDED", "games with an error: 1 of 5"),
        ("sites == 4", "UNDECIDED", "games with an error: 1 of 3"),
    ]
    assert outcome(each="protocol", at_least=0.01) == [
        ("protocol == 'a'", "PASS", ""),
        ("protocol == 'b'", "UNDECIDED", "games with an error: 2 of 8"),
        ("protocol == 'c'", "UNDECIDED", "games with an error: 1 of 1"),
    ]
    assert {verdict for _, verdict, _ in outcome(where="protocol == 'a'", at_least=0.01)} == {"PASS"}
    assert outcome(where="protocol == 'c'") == [("", "UNDECIDED", "games with an error: 1 of 1")]


# ---------------------------------------------------------------------- games without a verdict


@pytest.mark.parametrize(
    ("measure", "verdict"),
    [
        ("fraction(ok)", "UNDECIDED"),
        ("fraction(verdict == 'failed')", "UNDECIDED"),
        ("fraction(verdict == 'undecided')", "PASS"),
        ("fraction(words >= 0)", "PASS"),
    ],
)
def test_a_claim_that_reads_the_verdict_of_games_without_one_is_undecided(measure: str, verdict: str) -> None:
    table = {**TABLE, "verdict": np.where(TABLE["ok"], "ok", "failed")}
    assert [one.verdict for one in result(table, measure=f"1 + {measure}", at_least=1)] == ["PASS"]
    table["verdict"] = np.where(TABLE["ok"], "ok", "undecided")
    (finding,) = result(table, measure=f"1 + {measure}", at_least=1)
    assert finding.verdict == verdict
    assert finding.note == ("games without a verdict: 3 of 12" if verdict == "UNDECIDED" else "")


def test_a_control_whose_games_have_no_verdict_decides_nothing() -> None:
    intact = {**TABLE, "verdict": np.full(12, "ok")}
    broken = {**TABLE, "ok": np.zeros(12, dtype=bool), "verdict": np.full(12, "undecided")}
    (finding,) = findings_of([claim(control={"fault": "f"})], intact, {0: ControlTable(broken, 0)})
    assert (finding.verdict, finding.note) == ("UNDECIDED", "control: games without a verdict: 12 of 12")


# ---------------------------------------------------------------------- beside controls


def control(ok: list[bool], intact: int = 0, **columns: Any) -> ControlTable:
    return ControlTable({"ok": np.array(ok), **{name: np.array(values) for name, values in columns.items()}}, intact)


def beside(made: ControlTable, **keys: Any) -> list[tuple[str, str, float | None, str]]:
    findings = findings_of([claim(control={"fault": "f"}, **keys)], TABLE, {0: made})
    return [(one.verdict, one.note, one.control, one.broken) for one in findings]


def test_a_control_that_cannot_be_measured_is_none() -> None:
    no_column = "there is no column 'ok' (accepted: words, broken )"
    made = ControlTable({"words": np.array([1.0])}, 0)
    assert beside(made) == [("VACUOUS", f"control: {no_column}", None, "fault f")]
    assert beside(made, at_least=0.9) == [("FAIL", f"control: {no_column}", None, "fault f")]
    (lacking,) = beside(made, measure="mean(lacking)")
    assert lacking[1].startswith("there is no column 'lacking'"), "the intact games' own reason"
    assert beside(made, each="sites")[0] == ("VACUOUS", "control: each: no column 'sites'", None, "")
    assert beside(made, where="sites > 1")[0][0] == "VACUOUS"
    assert beside(made, where="sites > 1", at_least=0.9)[0][0] == "FAIL"
    nan = control([True], words=[0.0])
    assert beside(nan, measure="mean(words) / mean(words)", at_least=0.5) == [
        ("VACUOUS", "", pytest.approx(float("nan"), nan_ok=True), "fault f")
    ]


def test_a_control_without_a_crossing_fails_the_claim_as_intact_games_do() -> None:
    measure = "crossing(words, sites, protocol == 'b', protocol == 'a')"

    def games(*words: float) -> dict[str, Any]:
        return {"protocol": np.array(list("aabb")), "sites": np.array([1, 8, 1, 8]), "words": np.array(words)}

    def of(intact: dict[str, Any], broken: dict[str, Any], **bound: float) -> tuple[str, str]:
        one = claim(measure=measure, control={"fault": "f"}, at_least=None, **bound)
        (finding,) = findings_of([one], intact, {0: ControlTable(broken, 0)})
        return finding.verdict, finding.note

    crossed, never = games(1, 8, 2, 4), games(1, 8, 2, 9)
    said = "no crossing: the first group is never below"
    assert of(crossed, never, at_most=4.0) == ("PASS", f"control: {said}")
    assert of(crossed, crossed, at_most=4.0)[0] == "VACUOUS"
    assert of(never, never, at_most=4.0)[0] == "FAIL"


def test_a_control_that_lost_games_leaves_what_passed_undecided() -> None:
    lost = ControlTable({"ok": np.array([False])}, 0, {"sites": np.array([2] * 1000 + [4] * 5)})
    note = "control: games with an error: 1,000"
    assert beside(lost, where="sites == 2") == [("UNDECIDED", note, None, "")]
    assert beside(lost, where="sites == 2", at_least=0.9) == [("FAIL", "", None, "")]
    one = ControlTable({"ok": np.array([False])}, 0, {"sites": np.array([2])})
    assert beside(one) == [("UNDECIDED", "control: games with an error: 1", None, "")]
    several = findings_of([claim(each="sites", at_least=0.1)], TABLE, {0: lost})
    assert [each.verdict for each in several] == ["UNDECIDED"] * 2
