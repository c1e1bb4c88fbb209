"""The arrays of the mail of one game on arrays: its wires as a network has them, its draws, and room for more."""

from __future__ import annotations

from copy import deepcopy
from math import ceil, inf
from typing import Any, Final

import numpy as np

from disttrack.adversaries.schedules import NEVER
from disttrack.fleet.carried import latencies_of, not_carried
from disttrack.fleet.quotas import state
from disttrack.fleet.quotas.mail import (
    CHAIN,
    CUT,
    DELAY,
    HIGHEST,
    LETTER,
    LOSS,
    LOWEST,
    MOST_DRAWS,
    NEXT_FREE,
    NEXT_WAIT,
    REORDERING,
    SPANS,
    TEXT,
)
from disttrack.fleet.quotas.state import Whole
from disttrack.simulator.game.engine_choice import UncompiledError
from disttrack.simulator.game.network import Latency, Network
from disttrack.simulator.game.network.faults import every

BLOCK: Final = 4096
"""Draws that are made at once."""
FEW: Final = 64
"""Letters, chains and waiting requests for which there is room at first."""

NOTES_AT_ONCE: Final = 2**14
"""Notes that are kept until the book takes them."""


class Mailbag:
    """The arrays `mail` of `disttrack.fleet.quotas.state`.

    Parameters
    ----------
    network
        Delays and faults of messages.
    k
        Number of sites.
    text
        Numbers of a letter beyond those that all have.
    rng
        The game's network stream: it is left alone, and a copy drawn from, since draws are made in advance.
    whole
        The numbers of the game.

    Raises
    ------
    UncompiledError
        Letters cannot be carried on arrays as this network does.
    """

    def __init__(self, network: Network, k: int, text: int, rng: np.random.Generator, whole: Whole) -> None:
        if why_not := not_carried(network):
            raise UncompiledError(why_not)
        self._whole, self._rng = whole, deepcopy(rng)
        down = network.latency if network.latency_down is None else network.latency_down
        latencies = [latency for _ in range(k) for latency in (down, network.latency)]
        if network.far is not None:
            for site in every(network.far[0], k):
                latencies[2 * site : 2 * site + 2] = [network.far[1]] * 2
        wires, chances = np.zeros((2 * k, 3), np.int64), np.zeros(SPANS + 4 * k)
        chances[[LOWEST, HIGHEST, LOSS, REORDERING]] = inf, -inf, network.loss, network.reordering
        for wire, latency in enumerate(latencies):
            wires[wire, DELAY], *chances[SPANS + 2 * wire : SPANS + 2 * wire + 2] = _span(latency)
        if network.partition is not None:
            cut = network.partition
            whole[state.CUT_FROM], whole[state.CUT_TO] = min(cut.begin, NEVER), min(cut.end, NEVER)
            for site in every(cut.sites, k):
                wires[2 * site : 2 * site + 2, CUT] = 1
        whole[state.CHANCY] = bool(network.loss or network.reordering)
        self._draw = _drawer(network, self._rng)
        whole[state.MOST_DRAWN] = MOST_DRAWS * (k + 1) if self._draw else 0
        self.drawn = False
        """Whether any draw was used."""
        whole[state.HEARD_CHAIN], whole[state.FREE_LETTER] = -1, 1
        self.arrays: list[Any] = [
            _linked(k + FEW, TEXT + text, NEXT_FREE),
            np.zeros((k + FEW, 3), np.int64),
            wires,
            np.zeros((FEW, 3), np.int64),
            _linked(FEW, 3, NEXT_WAIT),
            np.zeros((NOTES_AT_ONCE, 3), np.int64),
            np.zeros(FEW, np.int64),
            chances,
            np.zeros(0),
            np.zeros(k),
            np.zeros(k),
        ]

    def make_room(self) -> None:
        """Double the arrays that are full, and draw more."""
        whole, arrays = self._whole, self.arrays
        letters, chains = arrays[state.LETTERS], arrays[state.CHAINS]
        if len(letters) - 2 - whole[state.FLYING] <= len(arrays[state.WIRES]) // 2:
            arrays[state.LETTERS] = _linked_on(letters, NEXT_FREE, whole, state.FREE_LETTER)
            arrays[state.ARRIVALS] = np.concatenate((arrays[state.ARRIVALS], np.zeros_like(arrays[state.ARRIVALS])))
        if whole[state.NEXT_CHAIN] - whole[state.FIRST_CHAIN] >= len(chains):
            # the first one moves to the place 0, and the others follow
            begun = int(whole[state.FIRST_CHAIN]) % len(chains)
            for place in {*arrays[state.ARRIVALS][: whole[state.FLYING], LETTER].tolist(), int(whole[state.HEARD])}:
                letter = arrays[state.LETTERS][place]
                letter[CHAIN] = (letter[CHAIN] - begun) % len(chains)
            whole[state.NEXT_CHAIN] -= whole[state.FIRST_CHAIN]
            whole[state.FIRST_CHAIN] = 0
            arrays[state.CHAINS] = np.concatenate((np.roll(chains, -begun, axis=0), np.zeros_like(chains)))
        if whole[state.FREE_WAIT] < 0:
            arrays[state.WAITS] = _linked_on(arrays[state.WAITS], NEXT_WAIT, whole, state.FREE_WAIT)
        if whole[state.DRAWN] + whole[state.MOST_DRAWN] > len(arrays[state.DRAWS]):
            self.drawn |= bool(whole[state.DRAWN])
            left = arrays[state.DRAWS][whole[state.DRAWN] :]
            arrays[state.DRAWS] = np.concatenate((left, self._draw(BLOCK + int(whole[state.MOST_DRAWN]))))
            whole[state.DRAWN] = 0


def _drawer(network: Network, rng: np.random.Generator) -> Any:
    """Return a function that makes this number of draws; None if nothing is drawn."""
    drawn = [latency for latency in latencies_of(network) if not latency.fixed]
    if network.loss or network.reordering or (drawn and drawn[0].uniform):
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


def _linked(number: int, columns: int, following: int) -> Whole:
    """Return rows that are free, each with the place of the next one in a column; the last one has -1."""
    rows = np.zeros((number, columns), np.int64)
    rows[:, following] = np.arange(1, number + 1)
    rows[-1, following] = -1
    return rows


def _linked_on(rows: Whole, following: int, whole: Whole, first: int) -> Whole:
    """Return as many rows again, the new ones before all that are free; the first free one is noted."""
    more = np.zeros_like(rows)
    more[:, following] = np.arange(len(rows) + 1, 2 * len(rows) + 1)
    more[-1, following] = whole[first]
    whole[first] = len(rows)
    return np.concatenate((rows, more))
