"""The arrays of the mail of one compiled game: its wires as a network has them, its draws, and room for more."""

from __future__ import annotations

from copy import deepcopy
from math import ceil
from typing import Any, Final

import numpy as np

from disttrack.protocols.base import Carries
from disttrack.protocols.letters import (
    ARRIVALS,
    CHAIN,
    CHAINS,
    CHANCY,
    CUT,
    CUT_FROM,
    CUT_TO,
    DELAY,
    DRAWN,
    DRAWS,
    DUPLICATION,
    FIRST_CHAIN,
    FLYING,
    FREE_LETTER,
    HEARD,
    HEARD_CHAIN,
    LETTER,
    LETTERS,
    LONGEST,
    LOSS,
    MOST_DRAWN,
    MOST_DRAWS,
    NEXT_CHAIN,
    NEXT_FREE,
    OF_LETTER,
    REORDERING,
    SPANS,
    WIRES,
    Whole,
)
from disttrack.simulator.game.network.faults import every
from disttrack.simulator.game.network.latency import Latency
from disttrack.simulator.game.network.model import Network

BLOCK: Final = 4096
"""Draws that are made at once."""
FEW: Final = 64
"""Letters and chains for which there is room at first."""
LAST_STEP: Final = 2**62
"""No step comes after it."""


class Mailbag:
    """The arrays `mail` of `disttrack.protocols.letters`.

    Parameters
    ----------
    network
        Delays and faults of messages; `not_carried` is empty of it.
    k
        Number of sites.
    text
        Numbers of a letter beyond those that all have.
    rng
        The game's network stream: it is left alone, and a copy drawn from, since draws are made in advance.
    whole
        The numbers of the game.
    """

    def __init__(self, network: Network, k: int, text: int, rng: np.random.Generator, whole: Whole) -> None:
        self._whole, self._rng = whole, rng
        up, down = network.delays(k)
        latencies = [latency for ways in zip(down, up, strict=True) for latency in ways]
        wires, chances = np.zeros((2 * k, 3), np.int64), np.zeros(SPANS + 4 * k)
        chances[[LOSS, REORDERING, DUPLICATION]] = network.loss, network.reordering, network.duplication
        for wire, latency in enumerate(latencies):
            wires[wire, DELAY], *chances[SPANS + 2 * wire : SPANS + 2 * wire + 2] = _span(latency)
        if network.partition is not None:
            cut = network.partition
            whole[CUT_FROM], whole[CUT_TO] = min(cut.begin, LAST_STEP), min(cut.end, LAST_STEP)
            for site in every(cut.sites, k):
                wires[2 * site : 2 * site + 2, CUT] = 1
        whole[CHANCY] = bool(network.loss or network.reordering)
        self._draw = _drawer(network, deepcopy(rng))
        whole[MOST_DRAWN] = MOST_DRAWS * (k + 1) if self._draw else 0
        self._drawn = False
        """Whether any draw was used."""
        whole[HEARD_CHAIN], whole[FREE_LETTER] = -1, 1
        letters, arrivals = linked(k + FEW, OF_LETTER + text, NEXT_FREE), np.zeros((k + FEW, 3), np.int64)
        self.arrays: list[Any] = [letters, arrivals, wires, np.zeros((FEW, 3), np.int64), chances, np.zeros(0)]

    def make_room(self) -> None:
        """Double the arrays that are full, and draw more."""
        whole, arrays = self._whole, self.arrays
        letters, chains = arrays[LETTERS], arrays[CHAINS]
        if len(letters) - 3 - whole[FLYING] <= len(arrays[WIRES]) // 2:
            arrays[LETTERS] = linked_on(letters, NEXT_FREE, whole, FREE_LETTER)
            arrays[ARRIVALS] = np.concatenate((arrays[ARRIVALS], np.zeros_like(arrays[ARRIVALS])))
        if whole[NEXT_CHAIN] - whole[FIRST_CHAIN] >= len(chains):
            # the first one moves to the place 0, and the others follow
            begun = int(whole[FIRST_CHAIN]) % len(chains)
            for place in {*arrays[ARRIVALS][: whole[FLYING], LETTER].tolist(), int(whole[HEARD])}:
                letter = arrays[LETTERS][place]
                letter[CHAIN] = (letter[CHAIN] - begun) % len(chains) if letter[CHAIN] >= 0 else -1
            if whole[HEARD_CHAIN] >= 0:
                whole[HEARD_CHAIN] = (whole[HEARD_CHAIN] - begun) % len(chains)
            whole[NEXT_CHAIN] -= whole[FIRST_CHAIN]
            whole[FIRST_CHAIN] = 0
            arrays[CHAINS] = np.concatenate((np.roll(chains, -begun, axis=0), np.zeros_like(chains)))
        if whole[DRAWN] + whole[MOST_DRAWN] > len(arrays[DRAWS]):
            self._drawn |= bool(whole[DRAWN])
            left = arrays[DRAWS][whole[DRAWN] :]
            arrays[DRAWS] = np.concatenate((left, self._draw(BLOCK + int(whole[MOST_DRAWN]))))
            whole[DRAWN] = 0

    def close(self) -> None:
        """Draw from the network stream itself if the game has used draws, so that it depends on its seed."""
        if self._drawn or self._whole[DRAWN]:
            self._rng.random()


def not_carried(network: Network, carries: Carries) -> str:
    """Return the reason why a compiled form that carries such letters cannot as a network does; empty if it can."""
    if not carries:
        return "messages take time"
    if network.duplication and carries != "copies":
        return _NO_FORM.format("duplication")
    if carries == "delays" and (network.loss or network.reordering or network.partition):
        return _NO_FORM.format("loss, reordering, partition")
    if network.link is not None or network.stops or network.listed:
        return _NO_FORM.format("links, stops, lists of faults")
    latencies = network.latencies
    if type(network) is not Network or any(type(latency) is not Latency for latency in latencies):
        return _NO_FORM.format("your network class")
    if any(max(latency.uniform or (latency.constant or 0,)) > LONGEST for latency in latencies):
        return _NO_FORM.format(f"delays above {LONGEST:,} steps")
    drawn = {latency for latency in latencies if not latency.fixed}
    chancy = bool(network.loss or network.reordering or network.duplication)
    if len({latency.law for latency in drawn} | ({"uniform"} if chancy else set())) > 1:
        return _NO_FORM.format("several distributions")
    if any(latency.lognormal for latency in drawn) and len(drawn) > 1:
        return _NO_FORM.format("several lognormal distributions")
    return ""


_NO_FORM: Final = "no compiled form with {}"


def _drawer(network: Network, rng: np.random.Generator) -> Any:
    """Return a function that makes this number of draws; None if nothing is drawn."""
    drawn = [latency for latency in network.latencies if not latency.fixed]
    if network.loss or network.reordering or network.duplication or (drawn and drawn[0].uniform):
        return rng.random
    if not drawn:
        return None
    if drawn[0].mean:
        return rng.standard_exponential
    sampler = drawn[0].sampler(rng)
    return lambda number: np.array([sampler() for _ in range(number)], float)


def _span(latency: Latency) -> tuple[int, float, float]:
    """Return the delay in steps, or -1, what a delay is at least, and what it is longer times the draw."""
    if latency.constant is not None:
        return ceil(latency.constant), 0.0, 0.0
    if latency.uniform is not None:
        least, largest = latency.uniform
        return -1, least, largest - least
    return -1, 0.0, latency.mean or 1.0


def linked(number: int, columns: int, following: int) -> Whole:
    """Return rows that are free, each with the place of the next one in a column; the last one has -1."""
    rows = np.zeros((number, columns), np.int64)
    rows[:, following] = np.arange(1, number + 1)
    rows[-1, following] = -1
    return rows


def linked_on(rows: Whole, following: int, whole: Whole, first: int) -> Whole:
    """Return as many rows again, the new ones before all that are free; the first free one is noted."""
    more = np.zeros_like(rows)
    more[:, following] = np.arange(len(rows) + 1, 2 * len(rows) + 1)
    more[-1, following] = whole[first]
    whole[first] = len(rows)
    return np.concatenate((rows, more))
