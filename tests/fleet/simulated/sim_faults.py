"""The faults of a schedule: drawn from a seed, printed one per line, and read back."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

LAST: Final = 20.0
"""Seconds in which faults begin."""
LENGTHS: Final = 0.01, 0.3, 1.0, 3.0, 6.0, 12.0
"""Seconds that a fault lasts; a window has 4, so that partitions reach over several."""
SERVER: Final = "server"
LINE: Final = re.compile(r"([\d.]+) s: ([a-z-]+) (\S+)(?: for ([\d.]+) s)?(?: with (-?[\d.]+))?")


@dataclass(frozen=True)
class Kind:
    """What a fault is, and which numbers it has."""

    meaning: str
    server: bool = True
    """Whether it may strike the server."""
    sites: bool = True
    """Whether it may strike a site."""
    lasts: bool = True
    amounts: tuple[float, ...] = ()


KINDS: Final = {
    "latency": Kind("messages of a site take up to this many seconds", server=False, amounts=(0.2, 1.0, 5.0)),
    "reset": Kind("the connections of a site are reset", server=False, lasts=False),
    "partition": Kind("no byte passes between a site and the server", server=False),
    "deaf": Kind("no byte passes to a site", server=False),
    "mute": Kind("no byte passes from a site", server=False),
    "kill": Kind("killed; started again after this time", amounts=(0, 1, 2, 3, 5, 10, 30)),
    "kill-write": Kind("killed at its next write, of which this part is in the file", amounts=(0.0, 0.5, 0.9, 1.0)),
    "lose": Kind("killed; started again without its journal"),
    "rollback": Kind("killed; started again with an older journal, by seconds", amounts=(0.5, 2.0, 6.0)),
    "clone": Kind("a second process with a copy of the journal takes items too", server=False),
    "disk": Kind("writes fail"),
    "stop": Kind("stopped by a signal; started again after this time"),
    "leave": Kind("leaves in order; started again after this time", server=False),
    "jump": Kind("the clock of the machine jumps, by seconds", sites=False, lasts=False, amounts=(-60, -3, 3, 60)),
    "rate": Kind("the clock of a site runs faster, by this part", server=False, amounts=(-0.1, -0.01, 0.01, 0.1)),
    "stranger": Kind("a peer without the token greets as this site, and asks", server=False, lasts=False),
    "burst": Kind("a number of items or requests at once", server=False, lasts=False, amounts=(20, 300)),
    "duplicate": Kind("each message arrives twice"),
    "uncommitted": Kind("clients do not commit their reservations", server=False),
}
"""Kinds of faults. The amount of a kill is the number of steps of the loop after its time."""


@dataclass(frozen=True, order=True)
class Fault:
    """One fault.

    Parameters
    ----------
    at
        Seconds from the start.
    kind
        One of `KINDS`.
    place
        `SERVER`, or the number of a site.
    length
        Seconds that it lasts; 0 for kinds that do not last.
    amount
        As its kind says.
    """

    at: float
    kind: str
    place: str
    length: float = 0.0
    amount: float = 0.0

    def __str__(self) -> str:
        length = f" for {self.length:g} s" if KINDS[self.kind].lasts else ""
        amount = f" with {self.amount:g}" if KINDS[self.kind].amounts else ""
        return f"{self.at:g} s: {self.kind} {self.place}{length}{amount}"

    @property
    def end(self) -> float:
        """Seconds until its cause has ended."""
        return self.at + self.length


def read_faults(text: str) -> list[Fault]:
    """Return the faults of a text, one per line; ValueError if a line is none."""
    faults = []
    for line in filter(None, map(str.strip, text.splitlines())):
        match = LINE.fullmatch(line)
        if match is None or match[2] not in KINDS:
            raise ValueError(f"no fault: {line!r}; a fault is written as '3.5 s: kill server for 1 s with 0'")
        faults.append(Fault(float(match[1]), match[2], match[3], float(match[4] or 0), float(match[5] or 0)))
    return faults


def draw_faults(rng: random.Random, sites: int, kinds: Sequence[str] = tuple(KINDS)) -> list[Fault]:
    """Return the faults of one schedule: of a few kinds, so that a kind is also tried without the others."""
    few = rng.sample(list(kinds), min(len(kinds), rng.choice((1, 1, 2, 3, 5))))
    return sorted(_draw(rng, sites, rng.choice(few)) for _ in range(rng.choice((1, 3, 6, 10, 15))))


def _draw(rng: random.Random, sites: int, name: str) -> Fault:
    kind = KINDS[name]
    strikes_server = kind.server and (not kind.sites or rng.random() < 0.5)
    place = SERVER if strikes_server else str(rng.randrange(sites))
    length = rng.choice(LENGTHS) if kind.lasts else 0.0
    at = round(rng.uniform(1.0, LAST), 2)
    return Fault(at, name, place, length, float(rng.choice(kind.amounts)) if kind.amounts else 0.0)
