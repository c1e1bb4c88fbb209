"""What comes of a claim, key by key: groups, lost games, controls, games that repeat one, trials by precision."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest

from simulator.claims.claim import Claim
from simulator.claims.false_alarm import false_alarm
from simulator.claims.groups import COINLESS, GAME, groups, once, select
from simulator.claims.judge import ControlTable, Finding, groups_of, judge, meets, precise
from simulator.claims.lost import lost_of
from simulator.claims.precision import Precision, sequence_of
from simulator.claims.statistics import clopper_pearson

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


def found(table: Any = TABLE, **keys: Any) -> list[Finding]:
    others = {name: keys.pop(name) for name in ("precision", "lost") if name in keys}
    return judge([claim(**keys)], table, **others)


def test_all_that_a_finding_says() -> None:
    (one,) = found(where="sites == 2", name="n")
    low, high = clopper_pearson(6, 8)
    chosen = {name: column[TABLE["sites"] == 2] for name, column in TABLE.items()}
    assert one == Finding(
        name="n", where="sites == 2", group="", measure="fraction(ok)", value=0.75, low=low, high=high, bound=">= 0.6",
        games=8, verdict="PASS", note="", control=None, broken="", false_alarm=false_alarm(claim(), chosen), played=8,
    )  # fmt: skip
    (missed,) = found(at_least=0.9)
    assert (missed.verdict, missed.holds, missed.value, missed.games) == ("FAIL", False, 0.75, 12)


def test_several_claims_have_their_findings_in_order_and_each_its_own_control() -> None:
    broken = ControlTable({**TABLE, "ok": np.zeros(12, dtype=bool)}, 0)
    claims = [
        claim(name="one", each="sites"),
        claim(name="two", control={"fault": "f"}),
        claim(name="three", no_control="why"),
        claim(name="four", no_control="why", each="sites", measure="fraction(ko)"),
    ]
    findings = judge(claims, TABLE, {1: broken})
    assert [(one.name, one.group, one.broken, one.control) for one in findings] == [
        ("one", TWO[0], "", None),
        ("one", TWO[1], "", None),
        ("two", "", "fault f", 0.0),
        ("three", "", "no control: why", None),
        ("four", TWO[0], "no control: why", None),
        ("four", TWO[1], "no control: why", None),
    ]
    assert findings[4].note == "'fraction(ko)': there is no column 'ko'; did you mean 'ok'? (accepted: " + (
        ", ".join(TABLE) + ")"
    )
    assert [one.verdict for one in findings] == ["PASS"] * 4 + ["FAIL"] * 2


def test_what_cannot_be_measured_has_failed_with_the_reason() -> None:
    (one,) = found(each="kind")
    assert (one.verdict, one.note, one.group, one.games, one.played) == (
        "FAIL",
        "there is no column 'kind' for each",
        "",
        0,
        0,
    )
    (one,) = found(where="sites > 9")
    assert (one.verdict, one.note, one.value) == ("FAIL", "no game meets the condition", None)
    (one,) = found({})
    assert (one.verdict, one.note) == ("FAIL", "no game meets the condition")
    (one,) = found({}, where="sites > 9")
    assert (one.verdict, one.note) == ("FAIL", "no game meets the condition")
    same = {**TABLE, GAME: np.repeat(np.arange(4), 3)}
    (one,) = found(same, measure="mean(protocol)")
    assert (one.value, one.games, one.played, one.false_alarm) == (None, 4, 12, None)
    assert one.note == "'mean(protocol)': protocol is not a number"


def test_a_margin_that_is_none_is_noted_and_the_verdict_stays() -> None:
    (one,) = found(margin="words")
    assert (one.verdict, one.value, one.false_alarm) == ("PASS", 0.75, None)
    assert one.note == "false alarm: margin 'words' is not at most 1 exactly where the condition holds"


def test_not_a_number_meets_nothing() -> None:
    assert [meets(claim(at_least=1, at_most=2), value) for value in (0.9, 1, 2, 2.1, float("nan"))] == [
        False, True, True, False, False,
    ]  # fmt: skip


# ---------------------------------------------------------------------- groups


def test_groups_are_in_order_of_appearance_and_hold_all_columns() -> None:
    table = {"a": np.array([2.0, 1, 2, np.nan, np.nan]), "b": np.array(["x", "x", "y", "x", "x"]), "c": np.arange(5)}
    made = groups(("a", "b"), table)
    assert [(name, games["c"].tolist(), list(games)) for name, games in made] == [
        ("a == 2.0 and b == 'x'", [0], ["a", "b", "c"]),
        ("a == 1.0 and b == 'x'", [1], ["a", "b", "c"]),
        ("a == 2.0 and b == 'y'", [2], ["a", "b", "c"]),
        ("a == None and b == 'x'", [3, 4], ["a", "b", "c"]),
    ]
    assert groups((), table) == [("", table)]
    assert select(table, None) is table
    assert select(table, np.array([3, 0]))["c"].tolist() == [3, 0]


def test_a_game_counts_once_where_it_stands_first() -> None:
    table = {"x": np.array([5, 6, 5, 7]), GAME: np.array([8, 3, 8, 4])}
    assert once(table)["x"].tolist() == [5, 6, 7]
    different = {"x": np.array([5, 6]), GAME: np.array([1, 0])}
    assert once(different) is different
    assert once({"x": np.array([5, 5])})["x"].tolist() == [5, 5]


def test_groups_of_a_claim() -> None:
    made = groups_of(claim(where="words > 5", each="protocol"), TABLE)
    assert [(name, games["words"].tolist()) for name, games in made] == [("protocol == 'b'", [6, 7, 8, 9, 10, 11])]
    assert groups_of(claim(where="words > 50"), TABLE) == []
    assert groups_of(claim(), {}) == []


# ---------------------------------------------------------------------- lost games


LOST: Final = {"protocol": np.array(["b", "b", "c"]), "sites": np.array([4, 2, 4])}


@pytest.mark.parametrize(
    ("keys", "counts"),
    [
        ({}, {"": 3}),
        ({"where": "protocol == 'b'"}, {"": 2}),
        ({"where": "protocol == 'b' and words > 3 and sites == 2"}, {"": 1}),
        ({"where": "protocol == 'b' or words > 3"}, {"": 3}),  # nobody knows
        ({"where": "protocol == 'x'"}, {}),
        ({"where": "protocol > 3"}, {"": 3}),  # the claim itself says what is wrong with it
        ({"where": "protocol > 3 and sites == 2"}, {"": 1}),
        ({"each": "sites"}, {"sites == 4": 2, "sites == 2": 1}),
        ({"each": ["words", "sites", "ok"]}, {"sites == 4": 2, "sites == 2": 1}),
        ({"measure": "fraction(ok, where=(protocol == 'b'))"}, {"": 2}),
        ({"measure": "fraction(ok, where=(protocol == 'b')) / fraction(ok)"}, {"": 3}),
        ({"measure": "mean(words, where=(sites == 2)) - mean(abs(words), where=(protocol == 'c'))"}, {"": 2}),
        ({"measure": "mean(words, where=(sites == 2))", "where": "protocol == 'c'"}, {}),
        ({"measure": "2 * 3"}, {"": 3}),
        ({"measure": "2 * 3 - abs(4)", "where": "sites == 2"}, {"": 1}),
    ],
)
def test_the_lost_games_that_a_claim_may_have_had(keys: dict[str, Any], counts: dict[str, int]) -> None:
    assert dict(lost_of(claim(**keys), LOST)) == counts
    assert dict(lost_of(claim(**keys), {})) == {}


def said(findings: list[Finding]) -> list[tuple[str, str, str, int]]:
    return [(one.group, one.verdict, one.note, one.played) for one in findings]


def test_lost_games_leave_their_groups_undecided() -> None:
    assert said(found(lost=LOST)) == [("", "UNDECIDED", "3 of its 15 games ended in an error", 12)]
    assert said(found(lost=LOST, each="protocol", at_least=0.4)) == [
        ("protocol == 'a'", "PASS", "", 6),
        ("protocol == 'b'", "UNDECIDED", "2 of its 8 games ended in an error", 6),
        ("protocol == 'c'", "UNDECIDED", "1 of its 1 games ended in an error", 0),
    ]
    both = found(lost=LOST, each=["protocol", "sites"], at_least=0)
    assert said(both) == [
        ("protocol == 'a' and sites == 2", "PASS", "", 4),
        ("protocol == 'a' and sites == 4", "PASS", "", 2),
        ("protocol == 'b' and sites == 2", "UNDECIDED", "1 of its 5 games ended in an error", 4),
        ("protocol == 'b' and sites == 4", "UNDECIDED", "1 of its 3 games ended in an error", 2),
        ("protocol == 'c' and sites == 4", "UNDECIDED", "1 of its 1 games ended in an error", 0),
    ]
    # known of a lost game is only its number of sites: it may be of each group with as many
    unknown = {"sites": np.array([2] * 1500)}
    assert said(found(lost=unknown, each=["protocol", "sites"], at_least=0, where="protocol == 'a'")) == [
        ("protocol == 'a' and sites == 2", "UNDECIDED", "1,500 of its 1,504 games ended in an error", 4),
        ("protocol == 'a' and sites == 4", "PASS", "", 2),
    ]


def test_where_all_games_are_lost_the_row_of_no_group_is_none() -> None:
    assert said(found(lost=LOST, each="protocol", where="protocol == 'c'")) == [
        ("protocol == 'c'", "UNDECIDED", "1 of its 1 games ended in an error", 0)
    ]
    assert said(found(lost=LOST, where="protocol == 'c'")) == [
        ("", "UNDECIDED", "1 of its 1 games ended in an error", 0)
    ]
    (one,) = found(lost=LOST, where="protocol == 'c'")
    assert (one.value, one.low, one.games, one.bound) == (None, None, 0, ">= 0.6")


# ---------------------------------------------------------------------- controls


def control(ok: list[bool], intact: int = 0, **columns: Any) -> ControlTable:
    return ControlTable({"ok": np.array(ok), **{name: np.array(values) for name, values in columns.items()}}, intact)


def beside(made: ControlTable, **keys: Any) -> list[tuple[str, str, float | None, str]]:
    findings = judge([claim(control={"fault": "f"}, **keys)], TABLE, {0: made})
    return [(one.verdict, one.note, one.control, one.broken) for one in findings]


def test_what_a_control_makes_of_a_finding() -> None:
    assert beside(control([True, False])) == [("PASS", "", 0.5, "fault f")]
    assert beside(control([True, True])) == [("VACUOUS", "", 1.0, "fault f")]
    assert beside(control([True, True]), at_least=0.9) == [("FAIL", "", 1.0, "fault f")]
    assert beside(control([True, False]), at_least=0.9) == [("FAIL", "", 0.5, "fault f")]
    assert beside(control([])) == [("VACUOUS", "control: no game in it", None, "")]
    assert beside(control([False] * 3, intact=3)) == [("VACUOUS", "control: no game in it", None, "")]
    assert beside(control([True] * 3 + [False], intact=3)) == [("VACUOUS", "", 0.75, "fault f")]
    assert beside(control([False], sites=[4]), where="sites == 2") == [("VACUOUS", "control: no game in it", None, "")]


def test_intact_games_of_a_group_are_measured_with_its_broken_ones_each_once() -> None:
    made = control([True, True, False, False], 1, sites=[2, 4, 2, 2])
    made = ControlTable({**made.table, GAME: np.array([0, 1, 2, 2])}, 1)
    # sites 2: one intact game, and twice the same broken one; sites 4: a broken game that holds
    assert beside(made, each="sites") == [("PASS", "", 0.5, "fault f"), ("VACUOUS", "", 1.0, "fault f")]
    (told,) = judge([claim()], TABLE, {0: control([False])})  # nobody said what is broken there
    assert (told.verdict, told.control, told.broken) == ("PASS", 0.0, "")
    intact = control([True, False], 1, sites=[4, 2])
    assert beside(intact, each="sites") == [("PASS", "", 0.0, "fault f"), ("PASS", "", None, "")]
    chosen = control([True, False], 1, sites=[4, 2])
    assert beside(chosen, each="sites", where="sites == 2") == [("PASS", "", 0.0, "fault f")]


def test_a_control_that_cannot_be_measured_is_none() -> None:
    no_column = "'fraction(ok)': there is no column 'ok' (accepted: words, broken )"
    made = ControlTable({"words": np.array([1.0])}, 0)
    assert beside(made) == [("VACUOUS", f"control: {no_column}", None, "fault f")]
    assert beside(made, at_least=0.9) == [("FAIL", f"control: {no_column}", None, "fault f")]
    assert beside(made, each="sites")[0] == ("VACUOUS", "control: there is no column 'sites' for each", None, "")
    assert beside(made, where="sites > 1")[0][0] == "VACUOUS"
    assert beside(made, where="sites > 1", at_least=0.9)[0][0] == "FAIL"
    nan = control([True], words=[0.0])
    assert beside(nan, measure="mean(words) / mean(words)", at_least=0.5) == [
        ("VACUOUS", "", pytest.approx(float("nan"), nan_ok=True), "fault f")
    ]


def test_a_control_that_lost_games_leaves_what_passed_undecided() -> None:
    lost = ControlTable({"ok": np.array([False])}, 0, {"sites": np.array([2] * 1000 + [4] * 5)})
    note = "1,000 games of its control ended in an error"
    assert beside(lost, where="sites == 2") == [("UNDECIDED", note, None, "")]
    assert beside(lost, where="sites == 2", at_least=0.9) == [("FAIL", "", None, "")]
    one = ControlTable({"ok": np.array([False])}, 0, {"sites": np.array([2])})
    assert beside(one) == [("UNDECIDED", "1 games of its control ended in an error", None, "")]
    several = judge([claim(each="sites", at_least=0.1)], TABLE, {0: lost})
    assert [each.verdict for each in several] == ["UNDECIDED"] * 2


# ---------------------------------------------------------------------- trials by precision


def test_intervals_of_trials_by_precision_are_sequences() -> None:
    asked = Precision(precision=0.3, at_most=6)
    (one,) = found(precision=asked)
    low, high = sequence_of(claim(), TABLE)
    assert (one.low, one.high, one.games) == (low, high, 12)
    assert (high - low) / 2 > 0.3
    assert one.note == "less precise than asked for: at_most came first"
    assert found(precision=Precision(precision=0.5, at_most=6))[0].note == ""
    exactly = Precision(precision=(high - low) / 2, at_most=6)
    assert found(precision=exactly)[0].note == ""
    assert precise(claim(), TABLE, exactly)
    assert not precise(claim(), TABLE, asked)
    assert found(precision=asked, margin="words")[0].note.startswith("false alarm: ")
    (few,) = found(precision=asked, measure="median(words)")
    assert (few.low, few.high) == (None, None)  # six trials say nothing of a median


def test_games_without_coins_belong_to_each_trial() -> None:
    tossed = np.arange(12) >= 6
    table = {**TABLE, COINLESS: ~tossed, GAME: np.where(tossed, np.arange(12), 0)}
    asked = Precision(precision=0.5, at_most=6)
    (one,) = found(table, precision=asked)
    assert (one.value, one.games, one.played) == (0.75, 7, 12)
    assert (one.low, one.high) == sequence_of(claim(), table)
    (fixed,) = found(table, at_least=0.4)
    assert (fixed.value, fixed.games, fixed.played) == (4 / 7, 7, 12)


def test_where_no_coin_is_tossed_there_is_nothing_to_wait_for() -> None:
    table = {**TABLE, COINLESS: np.ones(12, dtype=bool), GAME: np.arange(12) // 6, "ok": np.ones(12, dtype=bool)}
    asked = Precision(precision=0.01, at_most=6)
    (one,) = found(table, precision=asked)
    assert (one.low, one.high) == clopper_pearson(2, 2)
    assert (one.note, one.games) == ("", 2)
    assert precise(claim(), table, asked)


def test_it_is_precise_enough_in_all_groups_or_not_at_all() -> None:
    asked = Precision(precision=0.3, at_most=6)
    many = {"trial": np.arange(60), "ok": np.ones(60, dtype=bool), "kind": np.array(["a"] * 58 + ["b"] * 2)}
    assert precise(claim(), many, asked)
    assert precise(claim(where="kind == 'a'"), many, asked)
    assert not precise(claim(each="kind"), many, asked)
    assert not precise(claim(where="kind == 'c'"), many, asked)
    assert not precise(claim(each="nothing"), many, asked)
    assert not precise(claim(measure="median(kind)"), many, asked)
    mixed = {**many, COINLESS: many["kind"] == "b"}
    assert precise(claim(each="kind"), mixed, asked)
