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
    Results,
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
        "an object, Randomized(alpha=0.1); got the class",
    ),
    "a class of an adversary": (play, (TRACKER, Freeze), {}, "an object, Freeze(); got the class"),
    "names swapped": (play, ("freeze", TRACKER), {}, "'freeze' is an adversary: play(protocol, adversary, …)"),
    "a tracker's name for both": (play, (TRACKER, "exact"), {}, "'exact' is a protocol: play(protocol, adversary, …)"),
    "sides swapped": (play, (RoundRobin(), TRACKER), {}, "RoundRobin() is an adversary: play(protocol, adversary, …)"),
    "a name misspelt": (play, (TRACKER, "freze"), {}, "unknown kind 'freze' of adversary; did you mean 'freeze'?"),
    "a name without its parameter": (play, ("robust", Freeze()), {}, "robust: alpha: robust needs this parameter"),
    "a parameter out of range": (play, ("robust:alpha=2", "freeze"), {}, "robust:alpha=2: alpha: must be a number"),
    "a value without a name": (play, ("robust:0.1", "freeze"), {}, "a parameter has a name; write robust:alpha=0.1"),
    "a number": (play, (3, "freeze"), {}, "protocol must be a Protocol, as Deterministic(alpha=0.1); got 3"),
    "no power": (play, (TRACKER, lambda view: 0), {"sees": "all"}, "sees must be one of outputs, traffic, state"),
    "no handling": (play, (TRACKER, Freeze()), {"on_error": "ignore"}, "on_error must be one of raise, record"),
    "a class of a duel": (play_duel, (Binary, Freeze()), {}, "an object, Binary(epsilon=…); got the class"),
    "no scenario": (run, (None,), {}, "must be a path, a name, or a mapping; got None"),
    "a key of the scenario": (run, ("headline",), {"trials": 2}, "by overrides=['trials=2']"),
    "a misspelt argument": (run, ("headline",), {"worker": 2}, "run takes no 'worker'; did you mean 'workers'?"),
    "a game's size misspelt": (play, (TRACKER, Freeze()), {"site": 4}, "play takes no 'site'; did you mean 'sites'?"),
    "a seed in plural": (play, (TRACKER, Freeze()), {"seeds": 4}, "play takes no 'seeds'; did you mean 'seed'?"),
    "a key of scenarios": (play, (TRACKER, Freeze()), {"trials": 5}, "no 'trials'; several games are played"),
    "several sizes": (play, (TRACKER, Freeze()), {"start": [0, 9]}, "got [0, 9]; run() plays a list of them"),
    "an adversary missing": (play, (TRACKER,), {}, "play needs adversary (accepted: protocol, adversary, sites"),
    "a parameter misspelt": (Randomized, (), {"alfa": 0.1}, "has no parameter 'alfa'; did you mean 'alpha'?"),
    "sides of a run": (run, (TRACKER, Freeze()), {}, "run: too many positional arguments (accepted: scenario, out"),
    "no folder": (Results, (), {"folders": "r"}, "Results takes no 'folders'; did you mean 'folder'?"),
    "one override": (load, ("headline", "trials=2"), {}, "overrides must be a list: ['trials=2']"),
    "two places": (compare, ("r/a", "r/b"), {}, "compare(['r/a', …], 'cost')"),
    "one figure": (draw, ("r/a", "cost"), {}, "requests must be a list: ['cost']"),
    "an attacker misspelt": (arena, ("freze",), {}, "of adversary; did you mean 'freeze'?"),
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


FIGURES: dict[str, tuple[Callable[[Results], object], str]] = {
    "a baseline's place": (lambda r: r.plot.cost(ratio_to=0), "plot 'cost': ratio_to: must be a text; got 0"),
    "a word for a flag": (lambda r: r.plot.cost(lower_bounds="no"), "lower_bounds: must be true or false; got 'no'"),
    "a column of pandas": (
        lambda r: r.plot.cost(where=r.trials.adversary == "freeze"),
        "where must be a condition as text, \"adversary == 'freeze'\"; got a Series",
    ),
    "a misspelt value": (
        lambda r: r.plot.cost(where="adversary == 'round-robn'"),
        "no game meets \"adversary == 'round-robn'\"; did you mean 'round-robin'?",
    ),
    "no measure": (lambda r: r.plot.spread(), "plot 'spread': y: spread needs this parameter"),
    "no figure": (lambda r: r.plot(), "plot needs kind (accepted: kind, ax)"),
    "what its figure has": (lambda r: r.plot.cost().savefig, "no 'savefig'; its figure has: .figure.savefig"),
    "a misspelt table": (lambda r: r.trial, "a result has no 'trial'; did you mean 'trials'? (accepted: "),
    "one result": (lambda r: compare(r, r), "compare([Results('"),  # type: ignore[arg-type]
}


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Results:
    sizes = {"sites": [2, 4], "items": 50, "protocol": "exact", "adversary": "round-robin"}
    return run(sizes, out=tmp_path_factory.mktemp("results"), workers=1)


@pytest.mark.parametrize("name", FIGURES)
def test_a_wrong_call_of_a_figure(name: str, result: Results) -> None:
    call, wanted = FIGURES[name]
    with pytest.raises((ValueError, TypeError, AttributeError)) as raised:
        call(result)
    assert wanted in str(raised.value)
    assert "\n" not in str(raised.value)
    assert raised.value.__cause__ is None


def test_an_error_from_within_a_call_stays_as_it_is() -> None:
    def broken(view: object) -> int:
        raise TypeError("of the user")

    with pytest.raises(TypeError, match="of the user"):
        play(TRACKER, broken, sites=2, items=10)


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
        (lambda: Binary(eps=1), "Binary has no parameter 'eps'; did you mean 'epsilon'? (accepted: epsilon"),
        (lambda: Plain(wait=3), "Plain has no parameter 'wait' (it has none; the fields of a @dataclass are"),
        (lambda: Plain(3), "Plain takes no value (it has none; the fields of a @dataclass are parameters)"),
    ],
)  # fmt: skip
def test_a_class_names_its_parameters(make: Callable[[], object], wanted: str) -> None:
    with pytest.raises(TypeError, match=f"^{re.escape(wanted)}"):
        make()
    assert copy.deepcopy(Late(5)) == pickle.loads(pickle.dumps(Late(begin=5))) == Late(5)
    assert type(Plain()) is Plain
