"""Whether a game is the same again: with the same objects in this process, and in a new one."""

from __future__ import annotations

import hashlib
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence, Sized
from contextlib import redirect_stdout
from dataclasses import is_dataclass, replace
from importlib.machinery import PathFinder
from itertools import chain
from math import inf
from pathlib import Path
from types import ModuleType
from typing import Any, Final, NamedTuple

import numpy as np

from disttrack.protocols.base import Protocol
from disttrack.simulator.errors import RunError
from disttrack.simulator.game.engine_choice import LEAP, rules_of
from disttrack.simulator.game.outcome import Game
from disttrack.simulator.game.play import hosted, play
from disttrack.simulator.game.reference import function_of, own_code
from disttrack.simulator.game.short_games import WHOLE, Length, Trial
from disttrack.simulator.game.tasks.base import Task
from disttrack.simulator.kinds.names import count
from disttrack.simulator.kinds.registry import kinds
from disttrack.simulator.kinds.source import USERS, Source, load_file, ours

PATIENCE: Final = 60.0
"""Seconds that the new process may take."""
_ANSWER: Final = f"from {__name__} import answer; answer()"
_MARK: Final = "digests: "
_is_new: list[bool] = []
"""Not empty in the new process: it starts no other one."""


class Asked(NamedTuple):
    """A game: its sides and sizes."""

    protocol: Protocol
    adversary: Any
    sites: int
    items: int
    start: int = 0


def why_only_here(thing: object) -> str:
    """Return why no new process can load a side; empty if one can."""
    maker = function_of(thing) or type(thing)
    module, name = getattr(maker, "__module__", None) or "", getattr(maker, "__qualname__", "")
    if _is_new:
        return "in the new process"
    try:
        if b"__main__" in pickle.dumps(thing):
            return f"{name} is of this session only: write a file"
    except Exception:
        return f"{name} cannot be pickled: define it at module level"
    if module.startswith(USERS):
        return ""
    found = PathFinder.find_spec(module.partition(".")[0], [*sys.path, os.getcwd()])
    return "" if found is not None else f"no module {module} elsewhere"


def differs_elsewhere(games: Sequence[Asked]) -> Asked | None:
    """Return a game that a new process plays in another way, as its first ones; None if it plays all alike.

    The new process has another salt of `hash`, and plays the games in the opposite order.

    Raises
    ------
    RunError
        It cannot load or play them.
    """
    here = [_digest(game) for game in reversed(games)][::-1]
    there = _played_elsewhere(games)
    return next((game for game, one, other in zip(games, here, there, strict=True) if one != other), None)


def _played_elsewhere(games: Sequence[Asked]) -> list[str]:
    asked = pickle.dumps([tuple(game) for game in games])
    users = [(name, module) for name, module in list(sys.modules.items()) if name.startswith(USERS)]
    files = [str(module.__file__) for name, module in users if name.encode() in asked]
    salt = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    environment = {**os.environ, "PYTHONHASHSEED": salt, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    try:
        done = subprocess.run(
            [sys.executable, "-c", _ANSWER],
            input=pickle.dumps((files, asked)),
            env=environment,
            capture_output=True,
            timeout=PATIENCE,
        )
    except subprocess.TimeoutExpired as error:
        raise RunError(f"it takes over {PATIENCE:g} s") from error
    texts = done.stdout.decode(errors="replace").splitlines()  # code of the user's may write there too, at any time
    answers = [text.removeprefix(_MARK).split() for text in texts if text.startswith(_MARK)]
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().splitlines()
        raise RunError((lines or [f"exit {done.returncode}"])[-1])
    if [*map(len, answers)] != [len(games)]:
        raise RunError("it ends too early")
    return answers[0]


def answer() -> None:
    """Play the games that are asked for on the standard input, and print a digest of each; for the new process."""
    _is_new.append(True)
    files, asked = pickle.load(sys.stdin.buffer)
    with ours(), redirect_stdout(sys.stderr):
        for file in files:
            load_file(Source(file, Path(file).read_text(encoding="utf-8")))
        digests = [_digest(Asked(*game)) for game in pickle.loads(asked)]
    print("\n" + _MARK + " ".join(digests), flush=True)


def _digest(asked: Asked) -> str:
    """Return the digest of a game: its outputs at the checkpoints, and its messages by kind and by site."""
    with hosted(rules_of(asked.protocol)[1][LEAP]):
        game = play(
            asked.protocol,
            asked.adversary,
            sites=asked.sites,
            items=asked.items,
            start=asked.start,
            engine=LEAP,
            sees=asked.adversary.sees,
        )
    facts = {**game.row(), "seconds": None}
    return hashlib.sha256(repr((facts, game.lists(), game.messages_of_site)).encode()).hexdigest()


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
            return f"{place}.{name} {whose}: games share it; {_remedy(holder, name)}"
    return ""


def _differ(mine: Sequence[str], one: Game, other: Game) -> str:
    """Return whose games of one seed differ; empty if they do not."""
    if one.transcript.equals(other.transcript):
        return ""
    return f"{' or '.join(mine)}: two games of one seed differ; draw from the rng of sites, server or view"


def _unfounded(protocol: Protocol, game: Game) -> str:
    """Return that an output changed more often than there were messages; empty if it did not."""
    changes, messages = game.output_changes, game.messages
    task: type[Task] = kinds("task")[rules_of(protocol)[0]].load()
    if not (own := own_code(protocol)) or changes <= messages or not task.output_by_messages:
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
