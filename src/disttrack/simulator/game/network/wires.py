"""The bare wires: which messages arrive, how often, and when."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from disttrack.simulator.game.network.faults import sites_of
from disttrack.simulator.game.network.model import Network


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
    """

    __slots__ = ("_cut", "_last", "_network", "_plain", "_rng", "_samplers")

    def __init__(self, network: Network, k: int, rng: Any) -> None:
        self._network = network
        self._rng = rng
        self._last = ([0] * k, [0] * k)
        down = network.latency if network.latency_down is None else network.latency_down
        usual = [one.sampler(rng) for one in (network.latency, down)]
        self._samplers: list[list[Callable[[], int]]] = [[sampler] * k for sampler in usual]
        if network.far is not None:
            sites, latency = network.far
            for site in every(sites, k):
                for samplers in self._samplers:
                    samplers[site] = latency.sampler(rng)
        self._cut = frozenset() if network.partition is None else frozenset(every(network.partition.sites, k))
        self._plain = not (network.loss or network.duplication or network.reordering or self._cut)

    def arrivals(self, site: int, up: bool, now: int) -> tuple[int, ...]:
        """Return the arrival steps of a message sent now: none if it is lost, two if it is duplicated."""
        delay, last = self._samplers[not up][site], self._last[not up]
        if self._plain:
            arrival = last[site] = max(now + delay(), last[site])
            return (arrival,)
        network, rng = self._network, self._rng
        cut = network.partition
        if cut is not None and cut.begin <= now <= cut.end and site in self._cut:
            return ()
        if network.loss and rng.random() < network.loss:
            return ()
        if network.reordering and rng.random() < network.reordering:
            arrival = now + delay() + 1 + delay()  # reordered: later messages do not wait for it
        else:
            arrival = last[site] = max(now + delay(), last[site])
        if network.duplication and rng.random() < network.duplication:
            return arrival, max(arrival, now + delay())
        return (arrival,)


def every(sites: str | int, k: int) -> range | list[int]:
    """Return the numbers of the sites named by a text, in order."""
    named = sites_of(sites, k)
    return range(k) if named is None else sorted(named)


def mean_way(network: Network, k: int) -> float:
    """Return the mean round-trip time of the slowest site, in steps."""
    down = network.latency if network.latency_down is None else network.latency_down
    ways = [network.latency.mean_steps + down.mean_steps]
    if network.far is not None and len(every(network.far[0], k)):
        ways.append(2 * network.far[1].mean_steps)
    return max(ways)
