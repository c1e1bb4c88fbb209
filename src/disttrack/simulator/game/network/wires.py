"""The wires of a network: when a message arrives, if it does, by draws or by a list of faults."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from disttrack.simulator.game.network.faults import LOST, Partition, every
from disttrack.simulator.game.network.listed import DELAYED, OVERTAKEN, TWICE, LetterFault, WireFault
from disttrack.simulator.game.network.model import Network


class Fate(NamedTuple):
    """What happens to a message that is not lost.

    Attributes
    ----------
    delay
        Steps that it takes.
    overtaken
        Whether later messages do not wait for it.
    copy
        Steps that its copy takes; None without one.
    """

    delay: int
    overtaken: bool = False
    copy: int | None = None


class Wires:
    """Carries messages between the sites and the server; each direction of each site is one wire.

    A wire is first in, first out, except for reordered messages and copies.

    Parameters
    ----------
    network
        Its parameters.
    k
        Number of sites.
    rng
        The game's network stream.
    record
        Whether to keep what happened to the messages.

    Attributes
    ----------
    record
        What happened to the messages, as a list has it; None if it is not kept.
    """

    def __init__(self, network: Network, k: int, rng: np.random.Generator, record: bool = False) -> None:
        self._network = network
        self._rng = rng
        self._last = ([0] * k, [0] * k)
        self._numbers = ([0] * k, [0] * k)
        self._delays = network.delays(k)
        samplers = {id(one): one.sampler(rng) for one in network.latencies}
        self._samplers: list[list[Callable[[], int]]] = [[samplers[id(one)] for one in way] for way in self._delays]
        cuts = [one for one in (network.partition, *network.listed) if isinstance(one, Partition)]
        self._cuts = [(cut.begin, cut.end, frozenset(every(cut.sites, k))) for cut in cuts]
        self._listed: dict[tuple[int, bool, int], dict[str, int]] = {}
        for fault in network.listed:
            if isinstance(fault, LetterFault):
                self._listed.setdefault((fault.site, fault.up, fault.number), {})[fault.what] = fault.steps
        spells = [one for one in network.listed if isinstance(one, WireFault)]
        self._spells = [(spell, frozenset(every(spell.sites, k))) for spell in spells]
        self.record: list[LetterFault] | None = [] if record else None
        drawn = network.loss or network.duplication or network.reordering
        self._plain = not (drawn or self._cuts or self._listed or self._spells or record)

    def sent(self, site: int, up: bool) -> int:
        """Return the number of messages on a wire so far; 0 where they are not counted, as nothing is listed."""
        return self._numbers[not up][site]

    def arrivals(self, site: int, up: bool, now: int) -> tuple[int, ...]:
        """Return the arrival steps of a message sent now: none if it is lost, two if it is duplicated."""
        last = self._last[not up]
        if self._plain:
            arrival = last[site] = max(now + self._samplers[not up][site](), last[site])
            return (arrival,)
        self._numbers[not up][site] += 1
        if any(begin <= now <= end and site in sites for begin, end, sites in self._cuts):
            return ()
        decided = self._listed or self._spells
        fate = self._decided(site, up, now) if decided else self._drawn(site, up)
        if self.record is not None:
            self._keep(site, up, fate)
        if fate is None:
            return ()
        if fate.overtaken:
            arrival = now + fate.delay  # later messages do not wait for it
        else:
            arrival = last[site] = max(now + fate.delay, last[site])
        return (arrival,) if fate.copy is None else (arrival, max(arrival, now + fate.copy))

    def _drawn(self, site: int, up: bool) -> Fate | None:
        """Draw what happens to a message; None if it is lost."""
        network, rng, delay = self._network, self._rng, self._samplers[not up][site]
        if network.loss and rng.random() < network.loss:
            return None
        overtaken = bool(network.reordering and rng.random() < network.reordering)
        takes = delay() + 1 + delay() if overtaken else delay()
        copied = network.duplication and rng.random() < network.duplication
        return Fate(takes, overtaken, delay() if copied else None)

    def _decided(self, site: int, up: bool, now: int) -> Fate | None:
        """Return what happens to a message by the list; None if it is lost."""
        faults = self._listed.get((site, up, self._numbers[not up][site]), {})
        for spell, sites in self._spells:
            if spell.begin <= now <= spell.end and spell.up == up and site in sites:
                faults = {**faults, spell.what: max(spell.steps, faults.get(spell.what, 0))}
        if LOST in faults:
            return None
        least = self._samplers[not up][site]()
        late = faults.get(DELAYED, 0) + faults.get(OVERTAKEN, 0)
        return Fate(least + late, OVERTAKEN in faults, least + faults[TWICE] if TWICE in faults else None)

    def _keep(self, site: int, up: bool, fate: Fate | None) -> None:
        """Keep what happens to a message."""
        assert self.record is not None
        keep = partial(LetterFault, site, up, self._numbers[not up][site])
        if fate is None:
            self.record.append(keep(LOST))
            return
        least = self._delays[not up][site].least
        if fate.overtaken or fate.delay > least:
            self.record.append(keep(OVERTAKEN if fate.overtaken else DELAYED, fate.delay - least))
        if fate.copy is not None:
            self.record.append(keep(TWICE, fate.copy - least))
