"""Faults of a class: how a check states one with the way to mend it, and the game in which a class raised."""

from __future__ import annotations

import inspect
import os
import pickle
import random
import re
import shlex
import sys
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, nullcontext
from functools import partial
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from disttrack.adversaries.base import Adversary, Choice
from disttrack.mechanisms.compiler import CompileError
from disttrack.protocols.base import Protocol
from disttrack.simulator.errors import MoveError, PartError, RunError
from disttrack.simulator.game.contents import PROBLEMS
from disttrack.simulator.game.engine_choice import AUTO, LEAP, rules_of
from disttrack.simulator.game.engines import Engine
from disttrack.simulator.game.engines.contents import ContentLeap
from disttrack.simulator.game.network import Latency, Network
from disttrack.simulator.game.network.model import SHARES
from disttrack.simulator.game.outcome import Game, counted_in
from disttrack.simulator.game.parts import stated
from disttrack.simulator.game.play import hosted
from disttrack.simulator.game.play import play as _play
from disttrack.simulator.game.reference import KERNEL, MACHINE, UNCOMPILED, DifferenceError, why_uncompiled
from disttrack.simulator.game.reference import apart as apart_in
from disttrack.simulator.game.repeat import BELONGS, Asked, differs_elsewhere, unrepeatable
from disttrack.simulator.kinds.entries import text_of, text_of_value
from disttrack.simulator.kinds.lines import cause_of, is_users, line
from disttrack.simulator.kinds.names import count
from disttrack.simulator.kinds.point import LISTED, unusual
from disttrack.simulator.kinds.registry import ROLES, kinds, role_of
from disttrack.simulator.kinds.source import USERS
from disttrack.simulator.workshop.attackers import with_power
from disttrack.simulator.workshop.conformance.own_generators import same_for_all_seeds, watched

_GAME: Final = "_game"
"""The attribute of an exception with the game that it ended: sides, and sizes."""

DEBUG: Final = " --debug"


class Raised(NamedTuple):
    """A game in which a class raised: its sides, sizes and seed in words, and the command that plays it.

    The command is empty for a class that only this session has.
    """

    words: str
    command: str


def play(protocol: Protocol, adversary: Any, *, host: str | type[Engine] = "", task: str = "", **sizes: Any) -> Game:
    """Play a game as `disttrack.play` does; an exception knows the game that it ended.

    A host, which is an engine or its name, plays without the comparison of engines; so does the task of a tracker of
    items, by which the game is judged.
    """
    maker: Any = rules_of(protocol)[1].get(host, host) if isinstance(host, str) else host
    if task:
        maker = partial(ContentLeap, problem=PROBLEMS[task])
    try:
        with hosted(maker) if maker else nullcontext():
            return _play(protocol, adversary, **sizes)
    except Exception as error:
        vars(error)[_GAME] = (protocol, adversary), {"engine": LEAP if task else host or AUTO, "task": task, **sizes}
        raise


def raised_in(error: Exception) -> Raised | None:
    """Return the game that an exception ended; None if it was no game."""
    sides, sizes = vars(error).get(_GAME, ((), {}))
    if not sides:
        return None
    named: dict[str, str] = dict(zip(ROLES, map(written, sides), strict=True))
    flags: dict[str, object] = {**named, **{name: sizes.get(name, 0) for name in ("sites", "items", "seed")}}
    given = {**sizes, **({"network": _written(network)} if (network := sizes.get("network")) else {})}
    settings = [f"{name}={text_of_value(given[name])}" for name in ("start", "network") if given.get(name)]
    words = [f"{name}={value}" for name, value in flags.items()]
    flags |= {"task": sizes["task"]} if sizes["task"] else {}
    command = [word for name, value in flags.items() for word in (f"--{name}", str(value))]
    command += [word for one in (*settings, f"engine={sizes['engine']}") for word in ("--set", one)]
    reached = all("<locals>" not in side and not side.startswith("__main__") for side in named.values())
    reached &= isinstance(sizes["engine"], str)  # commands name no other host
    line = f"disttrack play {shlex.join(command)}{DEBUG}" if reached else ""
    return Raised(", ".join([*words, *settings]), line)


def written(side: Any) -> str:
    """Return a side as a flag of the command: its kind, or its file and name, and parameters that are not the usual."""
    maker = side.choose if isinstance(side, Choice) else type(side)
    role = role_of(maker)
    known = kinds(role).get(side.kind)
    kind = side.kind if known is not None and known.load() is maker else _reference(maker)
    given = {} if maker is not type(side) else side.as_mapping()
    needed = {name: given[name] for name in LISTED if given.get(name) is not None}
    entry = with_power(kind, maker) if role == "adversary" else {"kind": kind}
    entry |= needed | (unusual(maker, given) if given else {})
    return text_of(entry)


def _reference(maker: Any) -> str:
    """Return a class or function as commands find it: by its file if it was loaded from one, else by its module."""
    if not maker.__module__.startswith(USERS):
        return f"{maker.__module__}:{maker.__qualname__}"
    return f"{os.path.relpath(inspect.getfile(maker))}:{maker.__qualname__}"


def _written(network: Latency | Network) -> dict[str, object]:
    """Return the network of games in which messages take time, as scenarios write it."""
    latency = network if isinstance(network, Latency) else network.latency
    uniform = dict(zip(("from", "to"), latency.uniform or (), strict=False))
    entry: dict[str, object] = {"latency": {"uniform": uniform} if uniform else {"exponential": latency.mean}}
    return entry | {name: share for name in SHARES if (share := getattr(network, name, 0))}


FALSE_ALARM: Final = 1e-6
"""Probability with which a class that keeps its promise exactly is refused, a check."""
SHORTENING: Final = 6.0
"""Seconds for the search for the shortest failing game."""
ELSEWHERE: Final = "plays alike elsewhere"
"""The check of the process that plays."""
BRIEF: Final = 300
"""Items of its games at most."""
DIFFER: Final = "games of one seed differ"
NO_REST: Final = "keep no state on a class, in a module or between games"
OWN_SEED: Final = "draw from the given rng"
COINS: Final = f"{OWN_SEED}; {NO_REST}"
NUMBERS: Final = "output finite numbers"
SAME_GAME: Final = f"take(n) must equal n calls of take(1); act on items and messages only; {COINS}"

KERNEL_FORM: Final = "kernel_form (item_form) must draw and send as sites and server"
MACHINE_FORM: Final = "machine() must give the bursts of plan(); or remove it"
COMPILABLE: Final = "compiled functions: call imported names, format no message"
DIFFERENCES: Final = {KERNEL: KERNEL_FORM, MACHINE: MACHINE_FORM, UNCOMPILED: COMPILABLE}
"""How to mend engines that differ, by the cause; of others `SAME_GAME`."""


class ConformanceError(AssertionError):
    """A class breaks a rule of its kind, or contradicts a fact that it states.

    Attributes
    ----------
    mend
        How to fix it.
    check
        The check that failed.
    test
        The shortest failing game as a test to paste; empty if no game failed.
    raised
        Whether it is an error that ended its check.
    game
        Sides, sizes and seed of the game in which it was raised; empty without such a game.
    """

    def __init__(self, what: str, mend: str = "", check: str = "", test: str = "") -> None:
        super().__init__(what)
        self.mend = mend
        self.check = check
        self.test = test
        self.raised = False
        self.game = ""

    @property
    def described(self) -> str:
        """The message, with the game in which an error was raised."""
        return f"{self}; {self.game}" if self.game else str(self)


Checks: TypeAlias = Iterator[ConformanceError | None]
"""A check: an item for each thing that it has looked at, a fault after which it can go on, or None."""


def require(condition: object, what: str, mend: str) -> None:
    """Raise ConformanceError unless the condition holds."""
    if not condition:
        raise ConformanceError(what, mend)


def unless(condition: object, what: str, mend: str) -> ConformanceError | None:
    """Return a fault for a check to yield, after which it goes on; None if the condition holds."""
    return None if condition else ConformanceError(what, mend)


def often(failed: Sequence[Game], played: int) -> str:
    """Return how many of the games played have failed."""
    return f"failed in {len(failed)} of {played} games"


def refuted(protocol: Protocol, game: Game, what: str, mend: str) -> ConformanceError:
    """Return a fault with the shortest failing game of the same tracker, by a fixed list of moves."""
    if game.verdict != "failed" or game.again is None:
        return ConformanceError(what, mend)
    found = game.shortest(fixed=True, seconds=SHORTENING)
    found = found.chance or found  # a list of moves to paste
    moves = f", sites fed: {found.moves}" if found.moves else ""
    what += f"; shortest: {found.sizes}{moves}"
    if found.no_number:
        what, mend = f"{what}, {found.no_number}", NUMBERS
    return ConformanceError(what, mend, test=found.test(repr(protocol), import_of(type(protocol))))


def import_of(maker: type) -> str:
    """Return the line that imports a class; empty for one that only this session has."""
    module, name = maker.__module__, maker.__qualname__
    if module == "__main__" or not name.isidentifier():
        return ""
    if module.startswith(USERS):
        module = Path(inspect.getfile(maker)).stem
    return f"from {module} import {name}\n"


def by_name(*checks: Callable[..., Checks]) -> dict[str, Callable[..., Checks]]:
    """Return checks by their names: those of the functions, with spaces.

    Examples
    --------
    >>> def _seeds_matter(): ...
    >>> list(by_name(_seeds_matter))
    ['seeds matter']
    """
    return {check.__name__.strip("_").replace("_", " "): check for check in checks}


def checked(subject: str, checks: Mapping[str, Callable[[], Checks]]) -> list[str]:
    """Go through checks by name, each of which looks at something; return their names.

    Raises
    ------
    ConformanceError
        At the first fault, also where the class raises something of its own.
    """
    with closing(faults(checks)) as found:
        for fault in found:
            what = f"{subject}: {fault.described}"
            raise ConformanceError(what, fault.mend, fault.check, fault.test) from fault.__cause__
    return list(checks)


Note: TypeAlias = Callable[[str, ConformanceError | None], None]
"""Takes the name of a check, and a fault, or None when the check is over without one."""


def nothing_noted(check: str, fault: ConformanceError | None) -> None:
    """Take no note."""


def faults(
    checks: Mapping[str, Callable[[], Checks]], note: Note = nothing_noted
) -> Generator[ConformanceError, None, None]:
    """Go through all checks, also after one has failed, and yield each fault with the name of its check."""
    for name, check in checks.items():
        passed = True
        for fault in _of_check(check):
            fault.check, passed = name, False
            note(name, fault)
            yield fault
        if passed:
            note(name, None)


def _of_check(check: Callable[[], Checks]) -> Iterator[ConformanceError]:
    before = _global_state()
    with watched() as made:
        yield from _without_coins(check)
    if before != _global_state():
        yield ConformanceError("draws from random or numpy.random", OWN_SEED)
    if made.unseeded:
        yield ConformanceError(f"{made.unseeded[0]} has no seed", OWN_SEED)


def _without_coins(check: Callable[[], Checks]) -> Iterator[ConformanceError]:
    """Yield the faults of a check, but those of random numbers that no seed of a game decides."""
    number = 0
    try:
        for fault in check():
            number += 1
            if fault is not None:
                yield fault
    except ConformanceError as error:
        yield error
    except Exception as error:
        told = isinstance(error, MoveError | PartError)  # with the remedy
        cause = str(error) if told else f"raises {cause_of(''.join(traceback.format_exception(error)))}"
        if isinstance(error, CompileError):
            cause = why_uncompiled(error)
        game = None if isinstance(error, DifferenceError) else raised_in(error)
        fault = ConformanceError(cause, _mend(error, cause, check, game.command if game else ""))
        fault.game = game.words if game else ""
        fault.__cause__, fault.raised = error, not isinstance(error, DifferenceError)
        yield fault
    else:
        if not number:
            yield ConformanceError("the check tested nothing")


def _mend(error: Exception, cause: str, check: Callable[[], Checks], command: str) -> str:
    """Return how to fix what an exception has told: if it does not name a line, the method that returned last does."""
    if isinstance(error, DifferenceError):
        return DIFFERENCES.get(error.cause, SAME_GAME)
    if isinstance(error, CompileError):
        return COMPILABLE
    if missing := re.search(r"abstract class (\w+) with.* abstract methods? (.+)", str(error)):
        names = missing[2].replace("'", "")
        all_asked = "; silence() may return 0" if "silence" in names else ""
        return f"write {names} in class {missing[1]}{all_asked}"
    if (wrong := re.search(r"\.(\w+)\(\) (?:missing|takes|got) ", cause)) and hasattr(Protocol, wrong[1]):
        return f"write {stated(getattr(Protocol, wrong[1]))}"
    where = "" if names_a_line(cause) else f"see what {_last_method(check)}; "
    shown = "traceback"
    if isinstance(error, MoveError | PartError):  # the command prints a line, also with --debug
        shown, command = "game", command.removesuffix(DEBUG)
    return f"{where}see the {shown}{command and f': {command}'}"


def names_a_line(cause: str) -> bool:
    """Return whether the cause of a fault ends with a line of the user's."""
    return cause.endswith(")") and ".py:" in cause


def _last_method(check: Callable[[], Checks]) -> str:
    """Return which method of the user's returns last before a check raises, with its line: the check is made again."""
    last: list[CodeType] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "return" and is_users(code.co_filename) and not code.co_name.startswith("<"):
            last[:] = [code]

    before = sys.getprofile()
    try:
        sys.setprofile(note)
        deque(check(), maxlen=0)
    except Exception:
        pass  # as before
    finally:
        sys.setprofile(before)
    names = [f"{one.co_qualname} returns ({line(one.co_filename, one.co_firstlineno)})" for one in last]
    return names[0] if names else "its methods return"


def apart(protocol: Protocol, adversary: object, sites: int, items: int, mend: str) -> str:
    """Return how to fix two games of one seed that differ: if a class holds what they share, how it is kept apart."""
    why = unrepeatable(Asked(protocol, adversary, sites, items)._asdict())
    return why if BELONGS in why else mend


def _global_state() -> object:
    name, keys, *rest = np.random.get_state(legacy=True)  # noqa: NPY002 - watched, not used
    return random.getstate(), (name, keys.tobytes(), *rest)  # type: ignore[union-attr]


def requires_coins_of_the_game(game: Callable[[int], object]) -> None:
    """Raise ConformanceError if a game, by its seed, has coins of the user's that are the same for every seed."""
    call = same_for_all_seeds(game)
    require(not call, f"{call} ignores the seed", OWN_SEED)


def survives_pickling(one: object) -> object:
    """Return what comes back from pickling; ConformanceError if nothing does."""
    try:
        return pickle.loads(pickle.dumps(one))
    except Exception as error:
        raise ConformanceError(
            f"cannot be pickled: {error}", "define it at module level, without open file, lambda or generator"
        ) from error


def alike_elsewhere(games: Sequence[Asked]) -> Checks:
    """Games are the same in a new process, where `hash` has another salt, and after other games than here."""
    try:
        game = differs_elsewhere(games)
    except RunError as error:
        mend = "define it in a file that imports alone"
        raise ConformanceError(f"a new process cannot play it: {error}", mend) from error
    sides = [side.kind or type(side).__name__ for side in game[:2]] if game else []
    sizes = ", ".join([count(game.sites, "site"), *sides]) if game else ""
    what = f"another process plays another game ({sizes})"
    yield unless(game is None, what, f"avoid hash() and the order of sets; {NO_REST}")


def recorded(protocol: Protocol, adversary: Adversary, *, engine: str, **size: Any) -> Game:
    """Play and record a game by one engine, without the comparison that `play` makes first: the suite makes its own."""
    return play(protocol, adversary, host=engine, record=True, **size)


def require_equal(games: Sequence[Game], same: Callable[[Game, Game], bool], mend: str) -> None:
    """Raise ConformanceError if games by two engines differ."""
    one, other = games
    place = [count(one.sites, "site"), count(one.items, "item"), one.protocol, one.adversary]
    place += [f"start={one.start:,}"] * bool(one.start) + ["with delays"] * one.delayed
    what = f"{one.engine} and {other.engine} differ ({', '.join(place)})"
    where = apart_in(counted_in(one), counted_in(other), one.engine, other.engine)
    require(same(one, other), f"{what}{where and f': {where}'}", mend)


def same_game(one: Game, other: Game) -> bool:
    """Return whether two recorded games agree in every message, every output and every count."""
    return one.transcript.equals(other.transcript) and one.outputs.equals(other.outputs) and same_counts(one, other)


def same_counts(one: Game, other: Game) -> bool:
    """Return whether two games agree in every count, and in the outputs and costs at each checkpoint."""
    return one.series.equals(other.series) and one.kinds.equals(other.kinds) and counted_in(one) == counted_in(other)
