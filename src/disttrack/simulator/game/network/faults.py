"""Faults: partitions of links, crashes of sites, restarts of the server."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal, get_args

from disttrack.protocols.base import whole
from disttrack.simulator.errors import must_be, sites_of_game

State = Literal["kept", "lost"]
KEPT: Final = "kept"
LOST: Final = "lost"
ALL: Final = "all"
MOST_STEPS: Final = 2**62
"""Largest number of steps: clocks have 64 bits."""
_LIST: Final = re.compile(r"\d+(-\d+)?(,\d+(-\d+)?)*")


def sites_of(text: str | int, k: int | None = None) -> frozenset[int] | None:
    """Return the sites named by a text: ``all``, a number, ``0-3``, ``0,4-7``; None for all of them.

    Parameters
    ----------
    k
        The number of sites, if it is known; other numbers are then refused.

    Examples
    --------
    >>> sorted(sites_of("0,4-6")), sites_of("all")
    ([0, 4, 5, 6], None)
    """
    names = re.sub(r"\s*([-,])\s*", r"\1", str(text).strip())  # a blank between two numbers is no comma
    if names == ALL:
        return None
    if isinstance(text, bool) or not _LIST.fullmatch(names) or len(names) > 10_000:
        raise ValueError(must_be("all, or numbers and ranges such as 0-3,7", text, "sites"))
    named: set[int] = set()
    for part in names.split(","):
        first, _, last = part.partition("-")
        begin, end = int(first), int(last or first)
        if end < begin:
            raise ValueError(must_be("ranges from low to high", text, "sites"))
        if end >= (2**20 if k is None else k):
            there = "at most 2^20" if k is None else sites_of_game(k)
            raise ValueError(f"sites: {there}; got {text!r}")
        named.update(range(begin, end + 1))
    return frozenset(named)


def every(sites: str | int, k: int) -> range | list[int]:
    """Return the numbers of the sites named by a text, in order."""
    named = sites_of(sites, k)
    return range(k) if named is None else sorted(named)


@dataclass(frozen=True)
class Partition:
    """Some sites and the server cannot reach each other for a while: their messages are lost.

    Parameters
    ----------
    begin, end
        The first step and the last one.
    sites
        The sites, as `sites_of` reads them.
    """

    begin: int
    end: int
    sites: str | int = ALL

    def __post_init__(self) -> None:
        steps("partition: from", self.begin, 1)
        steps("partition: to", self.end, 1)
        if self.end < self.begin:
            raise ValueError(must_be(f"at least {self.begin}", self.end, "partition: to"))
        sites_of(self.sites)


@dataclass(frozen=True)
class Stop:
    """A site or the server is down for a while.

    Parameters
    ----------
    down
        Steps for which it is down, from the end of the step in which it stops.
    at
        The step at whose end it stops, once.
    rate
        Stops per step that it is up, on average; drawn at random. Exactly one of the two is given.
    state
        Whether it resumes with its state when it returns, or has lost it.
    """

    key: ClassVar[str]
    """Its key in a network."""

    down: int
    at: int | None = None
    rate: float | None = None
    state: State = KEPT

    def __post_init__(self) -> None:
        steps(f"{self.key}: down", self.down, 1)
        if (self.at is None) == (self.rate is None):
            raise ValueError(f"{self.key}: must have either at (a step) or rate")
        if self.at is not None:
            steps(f"{self.key}: at", self.at, 1)
        else:
            share(f"{self.key}: rate", self.rate, most=1)
        if self.state not in get_args(State):
            raise ValueError(must_be("kept or lost", self.state, f"{self.key}: state"))

    @property
    def never(self) -> bool:
        """Whether it never comes."""
        return self.rate == 0

    @property
    def loses(self) -> bool:
        """Whether the state is lost."""
        return self.state == LOST

    @property
    def begin(self) -> int:
        """The step at whose end it begins; 0 if that is drawn."""
        return self.at or 0

    @property
    def end(self) -> int:
        """The step at whose end it is over, from `begin`."""
        return self.begin + self.down


@dataclass(frozen=True)
class Crash(Stop):
    """Sites stop for a while. Their items wait; messages to them are lost.

    Parameters
    ----------
    down, at, rate, state
        As in a `Stop`, of each site by itself. A site that has lost its state knows the number of its items only.
    readmit
        Whether a site without its state is re-admitted by the protocol's rule; otherwise it begins like a new site.
    sites
        The sites, as `sites_of` reads them.
    """

    key: ClassVar[str] = "crash"

    readmit: bool = True
    sites: str | int = ALL

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.readmit, bool):
            raise ValueError(must_be("true or false", self.readmit, "crash: readmit"))
        sites_of(self.sites)


@dataclass(frozen=True)
class Restart(Stop):
    """The server stops for a while: its output does not change, and messages to it are lost.

    Parameters
    ----------
    down, at, rate, state
        As in a `Stop`. A server without its state shows the output of its last checkpoint, and polls all sites again.
    checkpoint
        Steps between two checkpoints, at which its output is saved; None for none, and it then shows the
        initial output.
    """

    key: ClassVar[str] = "server"

    checkpoint: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.checkpoint is not None:
            steps("server: checkpoint", self.checkpoint, 1)


def steps(name: str, value: Any, least: int = 1) -> None:
    """Raise ValueError unless the value is a number of steps that clocks can count."""
    whole(name, value, least)
    if value > MOST_STEPS:
        raise ValueError(f"{name} must be at most {MOST_STEPS}; got {value.bit_length():,} bits")


def share(name: str, value: object, most: float) -> None:
    """Raise ValueError unless the value is a number from 0 to `most`."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most:
        raise ValueError(must_be(f"a number from 0 to {most:g}", value, name))
