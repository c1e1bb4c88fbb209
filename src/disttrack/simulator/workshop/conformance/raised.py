"""The game of a check in which a class raised: in words, and as the command that plays it."""

from __future__ import annotations

import inspect
import json
import os
import re
import shlex
from typing import Any, Final, NamedTuple

from disttrack.adversaries.base import Choice
from disttrack.protocols.base import Protocol
from disttrack.simulator.game.network import Latency
from disttrack.simulator.game.outcome import Game
from disttrack.simulator.game.play import play as _play
from disttrack.simulator.kinds.entries import value_of
from disttrack.simulator.kinds.names import count
from disttrack.simulator.kinds.point import LISTED, unusual
from disttrack.simulator.kinds.registry import kinds, role_of
from disttrack.simulator.kinds.source import USERS
from disttrack.simulator.workshop.attackers import with_power

_GAME: Final = "game of a check"


class Raised(NamedTuple):
    """A game in which a class raised: its sides, sizes and seed in words, and the command that plays it.

    The command is empty for a class that only this session has.
    """

    words: str
    command: str


def play(protocol: Protocol, adversary: Any, **sizes: Any) -> Game:
    """Play a game as `disttrack.play` does; an exception knows the game that it ended."""
    try:
        return _play(protocol, adversary, **sizes)
    except Exception as error:
        vars(error)[_GAME] = (protocol, adversary), sizes
        raise


def raised_in(error: Exception) -> Raised | None:
    """Return the game that an exception ended; None if it was no game."""
    sides, sizes = vars(error).get(_GAME, ((), {}))
    if not sides:
        return None
    seed, network = sizes.get("seed", 0), sizes.get("network")
    protocol, adversary = map(written, sides)
    more = {"start": sizes.get("start"), "network": _latency(network) if network else None}
    words = [f"{protocol} against {adversary}", count(sizes["sites"], "site"), count(sizes["items"], "item")]
    words += [f"seed {seed}", *(f"{name} {_value(value)}" for name, value in more.items() if value)]
    command = ["disttrack", "play", "--protocol", protocol, "--adversary", adversary]
    command += ["--sites", str(sizes["sites"]), "--items", str(sizes["items"]), "--seed", str(seed)]
    for name, value in more.items():
        command += ["--set", f"{name}={_value(value)}"] if value else []
    reached = all("<locals>" not in side and not side.startswith("__main__") for side in (protocol, adversary))
    return Raised(", ".join(words), shlex.join([*command, "--debug"]) if reached else "")


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
    return " ".join([str(entry.pop("kind")), *(f"{name}={_value(value)}" for name, value in entry.items())])


def _reference(maker: Any) -> str:
    """Return a class or function as commands find it: by its file if it was loaded from one, else by its module."""
    if not maker.__module__.startswith(USERS):
        return f"{maker.__module__}:{maker.__qualname__}"
    return f"{os.path.relpath(inspect.getfile(maker))}:{maker.__qualname__}"


def _latency(network: Latency) -> dict[str, object]:
    """Return the network of games in which messages take time, as scenarios write it."""
    return {"latency": {"exponential": network.mean}}


def _value(value: object) -> str:
    """Return a value as a flag has it: in quotes if it is a text of several words, or one that looks like a number."""
    plain = isinstance(value, str) and re.fullmatch(r"[\w.-]+", value) and value_of(value) == value
    return str(value) if plain else json.dumps(value, default=str, ensure_ascii=False)
