"""Golden transcripts: every registered protocol plays as its files say, and they say why that is right."""

from __future__ import annotations

import difflib
import re
from pathlib import Path

import pytest
from golden_cases import CASES, Case
from golden_diagram import diagram
from golden_files import FOLDER, RULE, UNWRITTEN, by_hand, counted, parts, played, regenerate

from disttrack.adversaries import Freeze
from disttrack.protocols import Exact
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
    path = FOLDER / f"{case.name}.txt"
    assert path.exists(), f"there is no {path.name}: run python tests/goldens, and say why its numbers are right"
    _, below = parts(path.read_text(encoding="utf-8"))
    changed = differences(below, played(case), case.name)
    if changed:
        pytest.fail(f"another game than in {path.name}; if that is meant: python tests/goldens\n{changed}", False)


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
    assert len({case.name for case in CASES}) == len(CASES)
    assert not missing(CASES)
    assert missing([case for case in CASES if case.name != "exact-freeze"]) == {("exact", False)}


def test_no_file_is_of_no_protocol() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} == {case.name for case in CASES}
    assert {case.protocol.kind for case in CASES} <= set(BUILT_IN)


def test_what_is_written_by_hand_outlives_what_is_played(tmp_path: Path) -> None:
    for case in CASES[1:]:
        (tmp_path / f"{case.name}.txt").write_text(f"Because.\n{RULE}\nspoilt\n", encoding="utf-8")
    (tmp_path / "gone-freeze.txt").write_text(f"Because.\n{RULE}\n", encoding="utf-8")
    assert regenerate(tmp_path) == 1  # the text of the first is still to be written
    assert {path.stem for path in tmp_path.iterdir()} == {case.name for case in CASES}
    for case in CASES:
        above = UNWRITTEN if case is CASES[0] else "Because.\n"
        assert (tmp_path / f"{case.name}.txt").read_text(encoding="utf-8") == f"{above}{RULE}\n{played(case)}"


def test_a_number_that_is_not_as_worked_out_by_hand_is_found() -> None:
    below = diagram(Exact(), Freeze(), sites=2, items=20)
    assert by_hand("Because.\n\nBy hand: item 20, words 20,\nrounds 0.\n") == {"item": 20, "words": 20, "rounds": 0}
    assert counted(below) == {"item": 20, "messages": 20, "words": 20, "bits": 20, "rounds": 0}
