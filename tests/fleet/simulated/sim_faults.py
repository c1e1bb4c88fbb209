"""The faults of a schedule, drawn from a seed."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

from disttrack.simulator.game.network.deployed import KINDS as KINDS
from disttrack.simulator.game.network.deployed import SERVER as SERVER
from disttrack.simulator.game.network.deployed import DeployedFault as Fault

LAST: Final = 20.0
"""Seconds in which faults begin."""
TOGETHER: Final = ("reboot", "jump"), ("twin", "partition"), ("clone", "partition")
"""Kinds that are drawn with another one, without which they change little."""
SOON: Final = 2.0, 6.0
"""Seconds in which all faults of a schedule begin, in some."""
LENGTHS: Final = 0.01, 0.3, 1.0, 3.0, 6.0, 12.0
"""Seconds that a fault lasts; a window has 4, so that partitions reach over several."""

CUTS: Final = "partition", "deaf", "mute", "pause"
LONG: Final = 12.0
"""Seconds of a cut within which all other faults of a schedule come."""
WRITES: Final = 3.0
"""Seconds in which a process writes something; one that is to be killed at a write, and does not, is killed then."""


def draw_faults(rng: random.Random, sites: int, kinds: Sequence[str] = tuple(KINDS)) -> list[Fault]:
    """Return the faults of one schedule: of a few kinds, so that a kind is also tried without the others.

    In some schedules all sites but one are whole, in some all faults come soon after another, or while a site is cut
    off: what breaks a promise only together is rare otherwise.
    """
    few = rng.sample(list(kinds), min(len(kinds), rng.choice((1, 1, 2, 3, 5))))
    few += [other for one, other in TOGETHER if one in few and other in kinds and other not in few]
    struck = [rng.randrange(sites)] if rng.random() < 0.5 else range(sites)
    first, last = (1.0, LAST) if rng.random() < 0.6 else _soon(rng)
    number = rng.choice((1, 3, 6, 10, 15))
    cut = None
    if rng.random() < 0.3:
        cut = Fault(round(rng.uniform(1.0, LAST - LONG / 2), 2), rng.choice(CUTS), str(rng.choice(struck)), LONG)
        first, last = cut.at, cut.end
    faults = [_draw(rng, struck, (first, last), rng.choice(few)) for _ in range(number)]
    return sorted(faults if cut is None or cut.kind not in kinds else [*faults, cut])


def _soon(rng: random.Random) -> tuple[float, float]:
    first = rng.uniform(1.0, LAST - max(SOON))
    return first, first + rng.choice(SOON)


def _draw(rng: random.Random, struck: Sequence[int], between: tuple[float, float], name: str) -> Fault:
    kind = KINDS[name]
    strikes_server = kind.server and (not kind.sites or rng.random() < 0.5)
    place = SERVER if strikes_server else str(rng.choice(struck))
    length = rng.choice(LENGTHS) if kind.lasts else 0.0
    at = 0.01 if rng.random() < 0.1 else round(rng.uniform(*between), 2)  # some parts come late
    return Fault(at, name, place, length, float(rng.choice(kind.amounts)) if kind.amounts else 0.0)
