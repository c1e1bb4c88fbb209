"""Mistakes of those who script an adversary or a tracker: each gets one line that says what to write instead."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from disttrack import Adversary, Burst, Randomized, play, run
from disttrack.adversaries.scripts import Scripted
from disttrack.simulator.cli import main
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.kinds.registry import MOST_NAMES, kinds

MANY = len(kinds("protocol")) > MOST_NAMES
PROTOCOLS = "those of `disttrack list`" if MANY else ", ".join(kinds("protocol"))
"""What is accepted: the core alone has so few kinds that they are listed."""

TRACKER = Randomized(alpha=0.1)


class ReturnsANumber(Adversary):
    def plan(self, view: Any) -> Any:
        return 3


class NoAdversary:
    pass


GAMES: dict[str, tuple[Any, str]] = {
    "called in place": (0, "a function is not called"),
    "no base class": (NoAdversary(), "a class must extend Adversary"),
    "a class itself": (ReturnsANumber, r"must be an object, ReturnsANumber()"),
    "a script without yield": (
        type("Mine", (Scripted, Adversary), {"script": lambda self, view: None})(),
        "adversary Mine: script() returned None and yielded nothing; yield a schedule (Burst, ",
    ),
    "a script yields a number": (
        type("Mine", (Scripted, Adversary), {"script": lambda self, view: iter([3])})(),
        "adversary Mine: script() yielded 3 .*yield Burst(3) feeds site 3",
    ),
    "a script without its first plan": (
        type("Mine", (Scripted, Adversary), {"script": lambda self, view: iter([None, Burst(0)])})(),
        "adversary Mine: script() yielded None in place of its first plan",
    ),
    "a script without a later plan": (
        type("Mine", (Scripted, Adversary), {"script": lambda self, view: iter([Burst(0, 1), *[None] * 99])})(),
        "adversary Mine: script() yielded None when its plan had run out: return ends the game; yield a schedule",
    ),
    "plan returns nothing": (
        type("Mine", (Adversary,), {"plan": lambda self, view: None})(),
        "adversary Mine: plan() returned None for its first plan; return a schedule (Burst, ",
    ),
    "an attribute of another power": (lambda view: view.server, "whose class says sees = 'state'"),
    "a protocol's place": (TRACKER, "adversary must be an Adversary"),
}


def holds(text: str, wanted: str) -> bool:
    """Return whether the parts of `wanted`, between `.*`, stand in a text in this order."""
    places = [text.find(part.replace("\\", "")) for part in wanted.split(".*")]
    return -1 not in places and places == sorted(places) and "\n" not in text


@pytest.mark.parametrize("name", GAMES)
def test_a_mistake_in_an_adversary(name: str) -> None:
    adversary, wanted = GAMES[name]
    with pytest.raises(Exception) as raised:  # noqa: PT011
        play(TRACKER, adversary, sites=4, items=100)
    assert holds(str(raised.value), wanted), str(raised.value)


def test_a_number_that_is_no_site_is_not_offered_as_one() -> None:
    with pytest.raises(Exception, match="yielded -1 after step 0; accepted: a schedule") as raised:
        play(TRACKER, lambda view: (yield -1), sites=4, items=100)
    assert str(raised.value).count("; Rest(1) skips a step") == 1
    with pytest.raises(Exception, match=r"named site -1 at step 1; .*; return None skips a step"):
        play(TRACKER, lambda view: -1, sites=4, items=100)


MINE = "from disttrack import Adversary\n\n\nclass Mine(Adversary):\n"
HEAD = "name: x\nsites: 4\nitems: 200\n"
SCENARIOS: dict[str, tuple[str, str]] = {
    "a merge key": (
        f"{HEAD}protocol: {{<<: *b, copies: 3}}\nadversary: &b {{kind: freeze}}\n".replace("*b", "{kind: robust}"),
        "merge keys (<<) are not read",
    ),
    "an accuracy that nobody takes": (
        f"{HEAD}alpha: 0.2\nprotocol: {{kind: randomized, alpha: 0.1}}\nadversary: freeze\n",
        "no protocol here takes it, or each gives its own; remove it, or theirs, so that --set alpha=… sets all",
    ),
    "a value of another type than its field": (
        f"{HEAD}protocol: exact\nadversary: {{kind: 'mine.py:Mine', share: x}}\n",
        "adversary.share: must be a number; got 'x'",
    ),
    "a misspelt default of the task": (
        f"{HEAD}alhpa: 0.2\nprotocol: exact\nadversary: freeze\n",
        "alhpa: unknown key; did you mean 'alpha'? (accepted: .*alpha)",
    ),
    "a misspelt protocol, which alone is the fault": (
        f"{HEAD}alpha: 0.2\nprotocol: randomised\nadversary: freeze\n",
        "unknown kind 'randomised' of protocol; did you mean 'randomized'?",
    ),
}


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_mistake_in_a_scenario(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text, wanted = SCENARIOS[name]
    monkeypatch.chdir(tmp_path)
    mine = "@dataclass\nclass Mine(Adversary):\n    share: float = 0.5\n"
    head = "from dataclasses import dataclass\n\nfrom disttrack import Adversary\n"
    Path("mine.py").write_text(f"{head}\n\n{mine}", encoding="utf-8")
    Path("s.yaml").write_text(text, encoding="utf-8")
    result = CliRunner().invoke(main, ["check", "s.yaml"])
    assert result.exit_code == 2
    (line,) = result.output.strip().splitlines()
    assert holds(line, wanted), line
    assert line.startswith("s.yaml:"), "and it says where"


def test_an_unknown_name_is_answered_with_where_the_names_are() -> None:
    result = CliRunner().invoke(main, ["play", "--protocol", "foo", "--adversary", "freeze"])
    accepted = f"(accepted: {PROTOCOLS}, module:Class, path/to/file.py:Class, names of installed packages)"
    assert (result.exit_code, result.output) == (2, f"unknown kind 'foo' of protocol {accepted}\n")


def test_a_function_in_a_scenario() -> None:
    def mine(view: Any) -> int:
        return 0

    with pytest.raises(ScenarioError, match=r"adversary: a scenario is data: .*'mine.py:mine'.*, or give it to play"):
        run({"name": "x", "sites": 4, "items": 9, "protocol": {"kind": "exact"}, "adversary": mine})


def test_an_attribute_without_a_type_is_to_become_a_field(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(f"{MINE}    wait = 5\n", encoding="utf-8")
    entry = {"kind": "mine.py:Mine", "wait": 3}
    with pytest.raises(ScenarioError, match=r"has no such parameter; write wait: int = 5 under @dataclass"):
        run({"name": "x", "sites": 4, "items": 9, "protocol": "exact", "adversary": entry})


def test_the_error_of_a_game_names_the_line_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = f"{MINE}    def plan(self, view):\n        return view.nope\n"
    Path("mine.py").write_text(text, encoding="utf-8")
    scenario = {
        "name": "x",
        "sites": 4,
        "items": 9,
        "protocol": {"kind": "exact"},
        "adversary": {"kind": "mine.py:Mine"},
    }
    with pytest.warns(RuntimeWarning, match=r"all games \(1\) ended with an error, the first: .*'nope'"):
        (error,) = run(scenario, out=tmp_path / "out", workers=1).errors
    assert "the view has no 'nope'" in error
    assert error.endswith("(mine.py:6)")
