"""The same games in a new process: no game may depend on the process that plays it, nor on the games before it."""

from __future__ import annotations

import hashlib
import os
import pickle
import subprocess
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any, Final, NamedTuple

from disttrack.protocols.base import Protocol
from disttrack.simulator.errors import RunError
from disttrack.simulator.game.engine_choice import rules_of
from disttrack.simulator.game.play import hosted, play
from disttrack.simulator.game.reference import function_of
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
        return f"{name} cannot be pickled: define it at the top of a module"
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
    files = [str(module.__file__) for name, module in list(sys.modules.items()) if _is_named(name, asked)]
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


def _is_named(module: str, asked: bytes) -> bool:
    return module.startswith(USERS) and module.encode() in asked


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
    with hosted(rules_of(asked.protocol)[1]["leap"]):
        game = play(
            asked.protocol,
            asked.adversary,
            sites=asked.sites,
            items=asked.items,
            start=asked.start,
            engine="leap",
            sees=asked.adversary.sees,
        )
    facts = {**game.row(), "seconds": None}
    return hashlib.sha256(repr((facts, game.lists(), game.messages_of_site)).encode()).hexdigest()
