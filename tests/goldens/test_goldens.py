"""Golden transcripts: every registered protocol plays as its files say, and they say why that is right."""

from __future__ import annotations

import difflib
import re

import pytest
from golden_cases import CASES, FOLDER, Case, parts
from golden_files import UNWRITTEN, by_hand, counted, played

from disttrack.simulator.game.tasks.threshold import ThresholdAlarm
from disttrack.simulator.game.tasks.tracking import Count

TRACKING = (Count, ThresholdAlarm)
BUILT_IN = {kind.name for task in TRACKING for kind in task.kinds("protocol").values() if kind.origin == "built in"}


def differences(was: str, now: str, name: str) -> str:
    """Return how two texts differ, line by line; empty where they do not."""
    lines = difflib.unified_diff(was.splitlines(), now.splitlines(), f"{name}.txt", "played now", n=2, lineterm="")
    return "\n".join(lines)


def missing(cases: list[Case]) -> set[tuple[str, bool]]:
    """Return the registered protocols that lack a game, each with whether its adversary would be oblivious."""
    wanted = {(name, oblivious) for name in BUILT_IN for oblivious in (True, False)}
    return wanted - {(case.protocol.kind, case.adversary.oblivious) for case in cases}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_game_is_as_its_golden_transcript(case: Case) -> None:
    _, below = parts((FOLDER / f"{case.name}.txt").read_text(encoding="utf-8"))
    changed = differences(below, played(case), case.name)
    if changed:
        pytest.fail(f"another game than in {case.name}.txt; if that is meant: python tests/goldens\n{changed}", False)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_it_says_why_and_what_was_worked_out_by_hand(case: Case) -> None:
    above, below = parts((FOLDER / f"{case.name}.txt").read_text(encoding="utf-8"))
    assert above != UNWRITTEN
    assert len(re.findall(r"\w+", above)) >= 40, "too short to say why"
    assert max(map(len, above.splitlines())) <= 100
    worked, found = by_hand(above), counted(below)
    assert worked, "no number was worked out by hand"
    assert {name: found.get(name, 0) for name in worked} == worked


def test_every_protocol_has_one_for_each_kind_of_adversary() -> None:
    assert len(BUILT_IN) >= 10
    assert len(CASES) >= 22
    lacking = ", ".join(f"{name} ({'oblivious' if told else 'adaptive'} adversary)" for name, told in missing(CASES))
    assert not lacking, "write a file with its game, and play it by python tests/goldens"
    assert missing([case for case in CASES if case.name != "exact-freeze"]) == {("exact", False)}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_file_is_called_as_its_sides(case: Case) -> None:
    assert case.name.startswith(f"{case.protocol.kind}-")
    assert case.name.endswith(f"-{case.adversary.kind}")
