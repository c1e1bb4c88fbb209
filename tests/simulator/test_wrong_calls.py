"""Python calls with wrong arguments: each gets one line that says what to write instead."""

from __future__ import annotations

import copy
import pickle
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from disttrack import (
    Adversary,
    Binary,
    Burst,
    Freeze,
    Randomized,
    RoundRobin,
    SingleSite,
    arena,
    compare,
    draw,
    load,
    play,
    play_duel,
    run,
)

TRACKER = Randomized(alpha=0.1)
CALLS: dict[str, tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any], str]] = {
    "a class of a protocol": (
        play,
        (Randomized, RoundRobin()),
        {},
        "an object: Randomized(alpha=0.1), with its parameters",
    ),
    "a class of an adversary": (play, (TRACKER, Freeze), {}, "an object: Freeze(), with its parameters"),
    "sides swapped": (play, (RoundRobin(), TRACKER), {}, "RoundRobin() is an adversary: play(protocol, adversary, …)"),
    "two protocols": (play, (TRACKER, TRACKER), {}, "is a protocol: play(protocol, adversary, …)"),
    "a name": (play, (TRACKER, "freeze"), {}, "(such as Freeze()); got 'freeze'"),
    "a misspelt name": (play, ("randomised", Freeze()), {}, "such as Randomized(alpha=0.1); got 'randomised'"),
    "no power": (play, (TRACKER, lambda view: 0), {"sees": "all"}, "sees must be one of outputs, traffic, state"),
    "no handling": (play, (TRACKER, Freeze()), {"on_error": "ignore"}, "on_error must be one of raise, record"),
    "a class of a duel": (play_duel, (Binary, Freeze()), {}, "an object: Binary(epsilon=…), with its parameters"),
    "no scenario": (run, (None,), {}, "a file's path, a shipped one's name, or a mapping; got None"),
    "several scenarios": (run, (["headline"],), {}, "each scenario takes a call of its own"),
    "a key of the scenario": (run, ("headline",), {"trials": 2}, "by overrides=['trials=2']"),
    "a flag of the command": (run, ("headline",), {"set": ["trials=2"]}, "by overrides=['trials=2']"),
    "a misspelt argument": (run, ("headline",), {"worker": 2}, "run takes no 'worker'; did you mean 'workers'?"),
    "one override": (load, ("headline", "trials=2"), {}, "overrides must be a list: ['trials=2']"),
    "two places": (compare, ("r/a", "r/b"), {}, "compare(['r/a', …], 'cost')"),
    "one figure": (draw, ("r/a", "cost"), {}, "requests must be a list: ['cost']"),
    "an attacker misspelt": (arena, ("freze",), {}, "of adversary; did you mean 'freeze'?"),
    "a tracker misspelt": (arena, ("randomised",), {}, "of protocol; did you mean 'randomized'?"),
    "a tracker's object": (arena, (TRACKER,), {}, "arena({'kind': 'randomized', 'alpha': 0.1})"),
    "an attacker's object": (arena, (SingleSite(site=2),), {}, "arena({'kind': 'single-site', 'site': 2})"),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_wrong_call(name: str) -> None:
    call, given, more, wanted = CALLS[name]
    sizes = {"sites": 4, "items": 100} if call is play else {}
    with pytest.raises(Exception) as raised:  # noqa: PT011
        call(*given, **sizes, **more)
    assert wanted in str(raised.value)
    assert "\n" not in str(raised.value)


SESSION = """
from disttrack import Adversary, Burst, arena, run

class Mine(Adversary):
    def plan(self, view):
        return Burst(0)

def turn(view):
    return 0

sizes = {"name": "x", "sites": 4, "items": 9, "protocol": "exact"}
scenarios = [{**sizes, "adversary": one} for one in ("Mine", Mine, turn)]
for call, given in [(arena, Mine), (arena, turn), *((run, one) for one in scenarios)]:
    try:
        call(given)
    except Exception as error:
        print(error)
"""


def test_a_class_of_a_session_is_to_be_written_to_a_file() -> None:
    """As in a cell of a notebook: the main module has no file."""
    ended = subprocess.run([sys.executable], input=SESSION, capture_output=True, text=True, check=True)
    lines = ended.stdout.splitlines()
    assert len(lines) == 5
    for line, name in zip(lines, ["Mine", "turn", "Mine", "Mine", "turn"], strict=True):
        assert "%%writefile mine.py" in line
        assert line.endswith(f"'mine.py:{name}'")


class Plain(Adversary):
    """Has no parameters."""

    def plan(self, view: Any) -> Any:
        return Burst(0)


@dataclass
class Late(Plain):
    """Has one."""

    begin: int = 3


@pytest.mark.parametrize(
    ("make", "wanted"),
    [
        (lambda: Late(wait=3), "Late has no parameter 'wait' (accepted: begin)"),
        (lambda: Freeze(wait=3), "Freeze has no parameter 'wait' (accepted: reach, growth, begin)"),
        (lambda: Randomized(alpha=0.1, epsilon=1), "Randomized has no parameter 'epsilon' (accepted: alpha, "),
        (lambda: Binary(eps=1), "Binary has no parameter 'eps' (accepted: epsilon"),
        (lambda: Plain(wait=3), "Plain has no parameter 'wait' (it has none; the fields of a @dataclass are"),
        (lambda: Plain(3), "Plain takes no value (it has none; the fields of a @dataclass are parameters)"),
    ],
)  # fmt: skip
def test_a_class_names_its_parameters(make: Callable[[], object], wanted: str) -> None:
    with pytest.raises(TypeError, match=f"^{re.escape(wanted)}"):
        make()
    assert copy.deepcopy(Late(5)) == pickle.loads(pickle.dumps(Late(begin=5))) == Late(5)
    assert type(Plain()) is Plain
