"""Golden transcripts: every registered protocol plays as its files say, and they say why that is right."""

from __future__ import annotations

import difflib
import re
from pathlib import Path

import pytest
from golden_cases import CASES, FOLDER, RULE, Case, case_of, parts
from golden_diagram import diagram
from golden_files import UNWRITTEN, by_hand, counted, played, regenerate

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


def test_what_is_written_by_hand_outlives_what_is_played(tmp_path: Path) -> None:
    game = "protocol   exact\nadversary  freeze\ngame       3 sites, 24 items, seed 1\n"
    first, second = (tmp_path / name for name in ("exact-few-freeze.txt", "exact-freeze.txt"))
    first.write_text(f"{RULE}\n{game}", encoding="utf-8")
    second.write_text(f"Because.\n{RULE}\n{game}spoilt\n", encoding="utf-8")
    assert regenerate(tmp_path) == 1  # the text of the first is still to be written
    for path, above in ((first, UNWRITTEN), (second, "Because.\n")):
        assert path.read_text(encoding="utf-8") == f"{above}{RULE}\n{played(case_of(path))}"


def test_a_file_without_a_game_is_named(tmp_path: Path) -> None:
    path = tmp_path / "exact-freeze.txt"
    path.write_text(f"Because.\n{RULE}\nspoilt\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"exact-freeze\.txt: the lines `protocol`, `adversary` and `game` must"):
        case_of(path)


def test_a_number_that_is_not_as_worked_out_by_hand_is_found() -> None:
    below = diagram(Exact(), Freeze(), sites=2, items=20)
    assert by_hand("Because.\n\nBy hand: item 20, words 20,\nrounds 0.\n") == {"item": 20, "words": 20, "rounds": 0}
    assert counted(below) == {"item": 20, "messages": 20, "words": 20, "bits": 20, "rounds": 0}
