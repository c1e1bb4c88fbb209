"""Whether a user's class plays the same game again: no random numbers of its own, no state that games share."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence, Sized
from dataclasses import is_dataclass, replace
from itertools import chain
from math import inf
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import numpy as np

from disttrack.protocols.base import Protocol
from disttrack.simulator.game.engine_choice import rules_of
from disttrack.simulator.game.outcome import Game
from disttrack.simulator.game.play import play
from disttrack.simulator.game.reference import function_of, own_code
from disttrack.simulator.game.short_games import WHOLE, Length, Trial
from disttrack.simulator.game.tasks.base import Task
from disttrack.simulator.kinds.names import count
from disttrack.simulator.kinds.registry import kinds

BELONGS: Final = "belongs to the class"
"""Words on a value that a class holds and that a game has changed."""
OF_MODULE: Final = "belongs to the module"
"""The same of a module."""
LARGE: Final = 10_000
"""Entries of a module's value above which its changes are not looked for: a table, and no state of a game."""
Value = tuple[type | ModuleType, str]
"""What holds a value, and its name."""
PLAIN: Final = (bool, int, float, str, bytes, list, dict, set, bytearray, np.ndarray)
"""Values of a class whose change is seen; others may be caches of the interpreter's."""


class UnrepeatableError(Exception):
    """Games of a user's class cannot be played again."""


def unrepeatable(given: Mapping[str, Any]) -> str:
    """Return why two games of one seed may differ, or an output changes without messages, in a line; else nothing.

    Parameters
    ----------
    given
        Arguments of `simulator.play`, without the seed.

    Raises
    ------
    TooLong
        Where the caller limits the time.
    """
    protocol, adversary = given["protocol"], given["adversary"]
    mine = [name for side in (protocol, adversary) if (name := own_code(side))]
    if not mine:
        return ""
    try:
        before = _shared(protocol, adversary)
        twin = {**given, "protocol": _made_anew(protocol), "adversary": _made_anew(adversary)}
    except Exception:  # of the user's code, as in the game that is asked for, which says so
        return ""

    def check(length: Length) -> Exception | None:
        short = {"seed": 0, "record": True, "on_error": "raise", **length._asdict()}
        games = [play(**{**sides, **short}) for sides in (given, twin)]
        why = _changed(before, _shared(protocol, adversary)) or _differ(mine, *games) or _unfounded(protocol, games[0])
        return UnrepeatableError(why) if why else None

    try:
        Trial(given["sites"], given["items"], given.get("start", 0)).go_on(check, {WHOLE})
    except UnrepeatableError as error:
        return str(error)
    except (Exception, SystemExit, GeneratorExit):
        return ""  # the game that is asked for says so itself
    return ""


def _made_anew(side: Any) -> Any:
    """Return a side made once more from its parameters: coins that it tosses meanwhile are others."""
    return replace(side) if own_code(side) and is_dataclass(type(side)) else side


def _changed(before: Mapping[Value, str], after: Mapping[Value, str]) -> str:
    """Return which value of a class or module games have changed; empty if none."""
    for (holder, name), value in after.items():
        if before.get((holder, name), value) != value:
            whose = BELONGS if isinstance(holder, type) else OF_MODULE
            place = Path(getattr(holder, "__file__", None) or holder.__name__).stem
            return f"{place}.{name} {whose}: its objects and games share it; {_remedy(holder, name)}"
    return ""


def _differ(mine: Sequence[str], one: Game, other: Game) -> str:
    """Return whose games of one seed differ; empty if they do not."""
    if one.transcript.equals(other.transcript):
        return ""
    return f"{' or '.join(mine)}: two games of one seed differ; draw from the rng of sites, server or view"


def _unfounded(protocol: Protocol, game: Game) -> str:
    """Return that an output changed more often than there were messages; empty if it did not."""
    changes, messages = game.output_changes, game.messages
    if not (own := own_code(protocol)) or changes <= messages or not _output_is_the_servers(protocol):
        return ""
    said = f"{count(changes, 'time')} with {count(messages, 'message')}"
    return f"{own}: its output changed {said}; a server knows only messages"


def _remedy(cls: type | ModuleType, name: str) -> str:
    """Return how a value that a class or module holds becomes one of an object."""
    if isinstance(cls, ModuleType):
        return f"keep it in an object, as self.{name}, or a function"
    value = vars(cls)[name]
    if issubclass(cls, Protocol):
        return f"set self.{name} in __init__ of a site or the server"
    if not is_dataclass(cls):
        return f"set self.{name} in __init__"
    kind = type(value).__name__
    first = f"default_factory={kind}" if isinstance(value, list | dict | set | bytearray) else f"default={value!r}"
    return f"write {name}: {kind} = field(init=False, {first})"


def _output_is_the_servers(protocol: Protocol) -> bool:
    task: type[Task] = kinds("task")[rules_of(protocol)[0]].load()
    return task.output_by_messages


def _shared(protocol: Any, adversary: Any) -> dict[Value, str]:
    """Return the values that the user's classes, and their modules, hold themselves, by holder and name."""
    rng = np.random.default_rng(0)
    parts = [protocol, adversary, *protocol.sites(1, rng), protocol.server(1, rng)]
    mine = [part for part in parts if own_code(part)]
    classes = {cls for part in mine for cls in type(part).__mro__}
    homes = {getattr(function_of(part) or type(part), "__module__", "") for part in mine}
    modules = [sys.modules[home] for home in sorted(homes) if home in sys.modules]
    return dict(chain(*map(_values, classes), *map(_values, modules)))


def _values(holder: type | ModuleType) -> Iterator[tuple[Value, str]]:
    """Yield the plain values of a class, or of a module those that a user has named, each as text."""
    hidden, most = ("_", LARGE) if isinstance(holder, ModuleType) else ("__", inf)
    for name, value in [*vars(holder).items()]:
        if isinstance(value, PLAIN) and not name.startswith(hidden) and _size(value) <= most:
            yield (holder, name), repr(value)


def _size(value: object) -> int:
    if isinstance(value, np.ndarray):
        return value.size
    return len(value) if isinstance(value, Sized) else 1
