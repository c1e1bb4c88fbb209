"""What a schedule is: a protocol with parameters, a load, a network and faults, all drawn from one seed."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from every_protocol import every_protocol
from sim_faults import KINDS, Fault, draw_faults

from disttrack.fleet.live.frames import protocol_of
from disttrack.fleet.quotas import Quota
from disttrack.fleet.task import never
from disttrack.protocols.base import Protocol
from disttrack.simulator.game.network.deployed import read
from disttrack.simulator.kinds.entries import entry_of as entry_in

SITES: Final = 3
STEP: Final = 0.01
"""Seconds of a step of a quota."""
WINDOW: Final = 400
DEAR: Final = 200
"""A limit above what can be open between two settlings: what is never charged shows."""
GIVEN: Final = {"alpha": 0.1, "threshold": 3000, "epsilon": 0.1, "window": WINDOW, "every": 50}


SLOW: Final = {"private-copies": {"alpha": 0.5, "delta": 0.05}}
"""Parameters of protocols that send thousands of messages for an item otherwise."""


def served() -> list[str]:
    """Return the names of all protocols that can be served."""
    return sorted(every_protocol())


@dataclass(frozen=True)
class Schedule:
    """One deployment with its faults.

    Parameters
    ----------
    protocol
        As on the command line.
    seed
        Of the load, the network, and the order of what is ready at the same time.
    latency
        Seconds that messages take at most without faults.
    faults
        The faults, in order.
    """

    protocol: str
    seed: int
    latency: float
    faults: tuple[Fault, ...]

    def made(self) -> Protocol:
        """Return its protocol."""
        return protocol_of(entry_in(self.protocol))

    def rates(self) -> dict[str, list[Fault]]:
        """Return the faults of the clock of each machine that has some."""
        rates: dict[str, list[Fault]] = defaultdict(list)
        for fault in self.faults:
            if fault.kind == "rate":
                rates[f"site{fault.place}"].append(fault)
        return rates

    @property
    def every(self) -> int:
        """Events after which a journal is replaced by the state."""
        return random.Random(f"{self.seed} every").choice((20, 200, 10_000))

    @property
    def late(self) -> dict[int, float]:
        """Seconds after which sites start that come late: some after the server has given up waiting for them."""
        rng = random.Random(f"{self.seed} late")
        return {site: rng.choice((1.0, 6.0)) for site in range(SITES) if rng.random() < 0.1}

    @property
    def fed(self) -> frozenset[int]:
        """Sites that are fed from a file, if the protocol is a tracker."""
        rng = random.Random(f"{self.seed} fed")
        return frozenset(site for site in range(SITES) if rng.random() < 0.3)

    def __str__(self) -> str:
        lines = [f"{self.protocol}; seed {self.seed}, latency {self.latency:g} s", *map(str, self.faults)]
        return "\n  ".join(lines)


def read_schedule(text: str) -> Schedule:
    """Return a schedule as it is printed; ValueError if the text is none."""
    done = read(text)
    if done.seed is None or done.latency is None or done.listed:
        raise ValueError(f"no schedule: {text!r}; its first line is 'PROTOCOL; seed 1, latency 0.05 s'")
    return Schedule(done.protocol, done.seed, done.latency, done.deployed)


def draw_schedule(name: str, seed: int, kinds: Sequence[str] = tuple(KINDS)) -> Schedule:
    """Return the schedule of a seed.

    Parameters
    ----------
    name
        Kind of protocol; with parameters, these are kept, otherwise they are drawn too.
    kinds
        Kinds of faults.
    """
    rng = random.Random(f"{name} {seed}")
    latency = rng.choice((0.002, 0.05, 0.5))
    protocol = name if " " in name else _served(name, rng)
    return Schedule(protocol, seed, latency, tuple(draw_faults(rng, SITES, kinds)))


def _served(name: str, rng: random.Random) -> str:
    """Return a protocol with parameters that are drawn, and that `serve` takes."""
    while True:
        protocol = _drawn(name, rng)
        made = protocol_of(entry_in(protocol))
        if not isinstance(made, Quota) or not never(made, made.dearest, SITES):
            return protocol


def _drawn(name: str, rng: random.Random) -> str:
    """Return a protocol with parameters that are drawn."""
    made = every_protocol(**GIVEN)[name]
    given: dict[str, Any] = {one: value for one, value in GIVEN.items() if one in made.as_mapping()}
    given = SLOW.get(name, given)
    if isinstance(made, Quota):
        given["limit"] = limit = rng.choice((4, 12, 12, 40, 40, DEAR))
        given["costs"] = rng.choice(("1", "1", "1 3"))
        if rng.random() < 0.4:
            given |= {"reserve": rng.choice((1, 2, 3, 3)), "settle": rng.choice((5, 20, 50, 100, 100, 150, 300))}
            given["costs"] = rng.choice(("1 3", "1 3", "3"))
        if "shape" in made.as_mapping():
            given["shape"] = rng.choice(("window", "sliding", "bucket"))
        if name == "bucket-lease" or given.get("shape") == "bucket":
            given["depth"] = max(3, limit // 2)
        if name == "batch-quota":
            given["size"] = rng.choice((1, 3))
        if name == "countdown-quota":
            del given["epsilon"]
    return " ".join([name, *(f"{one}={_quoted(value)}" for one, value in given.items())])


def _quoted(value: object) -> str:
    return f"'{value}'" if " " in str(value) else str(value)
