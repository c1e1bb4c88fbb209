"""Which games have a golden transcript: each file states its own below the line of dashes, as the game is printed.

The parameters are small, so that a few dozen messages show start-up, rounds, polls, phases, redraws and copies.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from disttrack.adversaries import Adversary
from disttrack.protocols import Protocol
from disttrack.simulator.kinds.entries import entry_of
from disttrack.simulator.kinds.registry import Role, find, make

FOLDER = Path(__file__).parent
RULE = "-" * 100
GAME = re.compile(
    r"protocol   (?P<protocol>.+)\n"
    r"adversary  (?P<adversary>.+)\n"
    r"game       (?P<sites>\d+) sites?, (?P<items>\d+) items(, (?P<start>\d+) items counted before)?, "
    r"seed (?P<seed>\d+)\n"
)
"""The first lines of a transcript."""


@dataclass(frozen=True)
class Case:
    """A game with a golden transcript.

    Parameters
    ----------
    name
        The name of its file, without the ending: the kinds of both sides, with what tells it apart between them.
    sites, items, start, seed
        As `simulator.play` takes them.
    """

    name: str
    protocol: Protocol
    adversary: Adversary
    sites: int
    items: int
    start: int
    seed: int


def parts(text: str) -> tuple[str, str]:
    """Return what stands above the first line of dashes and what stands below it."""
    above, _, below = text.partition(f"{RULE}\n")
    return above, below


def case_of(path: Path) -> Case:
    """Return the case that a file states; ValueError if it states none."""
    stated = GAME.match(parts(path.read_text(encoding="utf-8"))[1])
    if stated is None:
        raise ValueError(f"{path.name}: the lines `protocol`, `adversary` and `game` must follow the line of dashes")
    sizes = {name: int(stated[name] or 0) for name in ("sites", "items", "start", "seed")}
    return Case(path.stem, side("protocol", stated["protocol"]), side("adversary", stated["adversary"]), **sizes)


def side(role: Role, text: str) -> Any:
    """Return the protocol or adversary of a kind with parameters: ``deterministic alpha=0.2 centred=True``."""
    entry = entry_of(text)
    return make(role, find(role, entry.pop("kind")), entry)


CASES = [case_of(path) for path in sorted(FOLDER.glob("*.txt"))]
