"""The comparison of a fast form with the reference engine, for code of the user's; and whether a game has coins.

Classes of packages that declare it were compared by tests (`kinds.installed.compared`). A class of the user's that has,
or inherits, a fast form is compared before the first game of its point: a short game is played by both. The reference
is played once more where they differ, so that a class with coins of its own, which no seed decides, is not taken for a
wrong one. An adversary that feeds sites has no fast form but its plans, which `Consultation` compares with themselves.
"""

from __future__ import annotations

import re
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import chain
from operator import is_
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from disttrack.adversaries.base import Adversary, Choice
from disttrack.adversaries.replay import Replay
from disttrack.mechanisms.compiler import CompileError
from disttrack.mechanisms.shortcuts import VOID
from disttrack.protocols.base import Protocol
from disttrack.simulator.game.engine_choice import STEP, UncompiledError
from disttrack.simulator.kinds.installed import doubts, is_compared
from disttrack.simulator.kinds.lines import cause_of, is_users, line

if TYPE_CHECKING:
    from disttrack.simulator.game.engines import Engine

_owners: dict[type, tuple[Sequence[object], str]] = {}
"""The answers of `own_code` for classes, and what each depended on: the members of the class, and packages in doubt."""
NAMES: Final = frozenset({"kind", "source", "reveals", "formerly", "_abc_impl", VOID})
"""Attributes of a class that name or describe it, or that Python and `Shortcuts` note."""

_MOST: Final = 200
"""Letters of what numba says that a message has."""
_NUMBAS: Final = re.compile(r'^ *File "(.+)", line (\d+)', re.MULTILINE)
"""A place of the code in what numba says, innermost first; the file may be relative."""

Play = Callable[[str, int], Mapping[str, Any]]


class DifferenceError(Exception):
    """A fast form of a user's class plays another game than the reference engine.

    Attributes
    ----------
    cause
        The usual cause: `SILENCE`, `KERNEL`, `MACHINE` or `STRETCHES`; `UNCOMPILED` if there is no game to compare.
    """

    def __init__(self, what: str, cause: str = "") -> None:
        super().__init__(what)
        self.cause = cause


def function_of(side: object) -> Any:
    """Return the function that an adversary is made of; None if a side is made of a class."""
    function = side.choose if isinstance(side, Choice) else None
    return getattr(function, "func", function)  # of a partial


def own_code(side: object) -> str:
    """Return the name of the user's class or function that a side is made of; empty if it was compared.

    A class that only gives another name to one that was compared is this one.
    """
    if (function := function_of(side)) is not None:
        return "" if _compared(function) else str(getattr(side, "kind", ""))
    cls = type(side)
    members = [*chain.from_iterable(vars(base).values() for base in cls.__mro__), *doubts()]
    before, name = _owners.get(cls, ((), ""))
    if len(before) != len(members) or not all(map(is_, before, members)):  # also if a method was replaced since
        name = "" if all(map(_is_compared, cls.__mro__)) else cls.__name__
        _owners[cls] = members, name
    return name


def _is_compared(base: type) -> bool:
    members = {name: one for name, one in vars(base).items() if name not in NAMES}
    named = len(base.__bases__) == 1 and all(
        name.startswith("__") and not callable(one) for name, one in members.items()
    )
    methods = (one for name, one in members.items() if callable(one) and not name.startswith("__"))
    return named or (_compared(base) and all(map(_compared, methods)))


def _compared(thing: object) -> bool:
    module = str(getattr(thing, "__module__", None) or "builtins")
    return is_compared(module) or module.partition(".")[0] in sys.stdlib_module_names


def identity(side: Any) -> Any:
    """Return what tells one side from another: its class or function, and its parameters."""
    maker = side.choose if isinstance(side, Choice) else type(side)
    with np.printoptions(threshold=sys.maxsize):
        return getattr(maker, "__code__", maker), repr(side.as_mapping())


SILENCE: Final = "mostly silence() promises more than take() keeps"
"""The usual cause of a difference of a protocol."""
KERNEL: Final = "its compiled form differs from its sites, server or plan()"
MACHINE: Final = "its machine() differs from its plan()"
"""The causes of differences of compiled forms."""
UNCOMPILED: Final = "its compiled form does not compile"
"""The cause where numba cannot compile a function of the user's."""
STRETCHES: Final = "its release() or stretches() differs from its step() or move()"
"""The cause of differences of a mechanism, or of an opponent in a duel."""


def difference(
    own: str, play: Play, engine: str, sizes: Mapping[str, Any], cause: str = SILENCE
) -> DifferenceError | None:
    """Compare a fast engine with the reference in a short game; return how they differ, None if they agree.

    Parameters
    ----------
    own
        The user's class that has the fast form.
    play
        Plays the game by an engine, with a seed, and returns its facts.
    engine
        The engine, which must give the very game.
    sizes
        The sizes of the game, for the message.
    cause
        The usual cause of a difference, for the message.
    """
    differs, error = _difference(partial(_facts, play), engine)
    advice = "engine step plays what the class says"
    lengths = ", ".join(f"{name} {value:,}" for name, value in sizes.items() if value and isinstance(value, int))
    if isinstance(error, CompileError):
        found = DifferenceError(f"{own}: {differs}; {advice}", UNCOMPILED)
    else:
        found = DifferenceError(f"{own}: {differs} ({lengths}); {cause}; {advice}", cause)
    if error is not None:  # as text: a traceback would keep the game
        lines = [str(error)] if isinstance(error, CompileError) else traceback.format_exception(error)
        found.__cause__ = Exception(f"{engine} ended with\n{indent(''.join(lines), '| ', lambda _: True)}")
    return found if differs else None


def _facts(play: Play, engine: str, seed: int) -> Mapping[str, Any]:
    """Return the facts of a game, or the error that it ended with: an engine that goes on plays another game."""
    try:
        return play(engine, seed)
    except Exception as error:
        return {"error": error}


def _difference(play: Play, engine: str) -> tuple[str, Exception | None]:
    """Return the first fact in which a game differs from the reference, which is the same when played again.

    If the game ends with an error, it is returned too.
    """
    reference, other = play(STEP, 0), play(engine, 0)
    error = other.get("error")
    if error is not None and ("error" in reference or isinstance(error, UncompiledError)):
        return "", None  # the game that is asked for ends in one too, and says so; or another engine plays it
    if isinstance(error, CompileError):
        return why_uncompiled(error), error
    where = apart(other, reference, engine, STEP)
    if not where or not all(same(again, reference.get(name)) for name, again in play(STEP, 0).items()):
        return "", None
    if error is not None:
        where = f"{engine} ends with {cause_of(''.join(traceback.format_exception(error)))}"
    return f"step and {engine} play different games: {where}", error


def apart(one: Mapping[str, Any], other: Mapping[str, Any], engine: str, by: str) -> str:
    """Return the first fact of the other in which two games differ, with its values by two engines; empty if none."""
    wrong = next((name for name, value in other.items() if not same(one.get(name, 0), value)), None)
    return f"{wrong} by {engine} {shown(one.get(wrong, 0))}, by {by} {shown(other[wrong])}" if wrong else ""


def why_uncompiled(error: CompileError) -> str:
    r"""Return in one line why numba cannot compile a form: what it says first, and the innermost line of the user's.

    Examples
    --------
    >>> why_uncompiled(CompileError('Failed in nopython mode\nUnknown attribute\n\nFile "ker.py", line 3:\n  x.a'))
    'its compiled form does not compile: Unknown attribute (ker.py:3)'
    """
    text = re.sub(r"^Failed in .*\n", "", str(error), flags=re.MULTILINE)
    text = re.sub(r"<module '([^']+)'[^>]*>", r"\1", text)  # without its file
    what = " ".join(re.split(r"^(?:There are|File|During|Overload) ", text, maxsplit=1, flags=re.MULTILINE)[0].split())
    what = what if len(what) <= _MOST else f"{what[: _MOST - 3]}..."
    places = [(str(Path(file).resolve()), int(number)) for file, number in _NUMBAS.findall(text)]
    own = next((f" ({line(*place)})" for place in places if is_users(place[0])), "")
    return f"{UNCOMPILED}: {what}{own}"


def same(one: object, other: object) -> bool:
    """Return whether two facts are equal, numbers up to rounding."""
    if isinstance(one, Exception) and isinstance(other, Exception):
        return type(one) is type(other)
    if isinstance(one, float) and isinstance(other, float):
        return bool(np.isclose(one, other, rtol=1e-6, atol=1e-9, equal_nan=True))
    return bool(one == other)


def shown(value: object) -> str:
    """Return a fact in a few letters."""
    if isinstance(value, Exception):
        return f"{type(value).__name__}: {value}".partition("\n")[0][:120]
    text = f"{value:,.6g}" if isinstance(value, float) else str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def chance_had_a_part(game: Engine, adversary: Adversary, *, own: bool = True) -> bool:
    """Return whether another seed may give another game; `own`: whether a side may be of the user's.

    It may if any of the game's streams was used, if the adversary's moves come from its own rehearsal,
    or if a side may have coins that no engine sees: a generator in a field, the `random` module, a clock.
    """
    sides: tuple[Adversary | Protocol, ...] = (adversary, game.protocol) if own else ()
    if isinstance(adversary, Replay) or not all(map(_draws_nothing_unseen, sides)):
        return True
    return game.rngs.drawn


def _draws_nothing_unseen(side: Adversary | Protocol) -> bool:
    """Return whether a side is known to have no coins of its own: it was compared, or its class declares it."""
    return not own_code(side) or not type(side).draws_coins
