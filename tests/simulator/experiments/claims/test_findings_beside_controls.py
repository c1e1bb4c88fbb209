"""What a control makes of a finding."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from disttrack.simulator.experiments.claims.findings import ControlTable, findings_of
from tests.simulator.experiments.claims.test_findings import TABLE, claim


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
    assert beside(made, each="sites")[0] == ("VACUOUS", "control: there is no column 'sites' for each", None, "")
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
    note = "1,000 games of its control ended in an error"
    assert beside(lost, where="sites == 2") == [("UNDECIDED", note, None, "")]
    assert beside(lost, where="sites == 2", at_least=0.9) == [("FAIL", "", None, "")]
    one = ControlTable({"ok": np.array([False])}, 0, {"sites": np.array([2])})
    assert beside(one) == [("UNDECIDED", "1 game of its control ended in an error", None, "")]
    several = findings_of([claim(each="sites", at_least=0.1)], TABLE, {0: lost})
    assert [each.verdict for each in several] == ["UNDECIDED"] * 2
