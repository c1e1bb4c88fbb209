"""The search for the worst fixed sequence of sites in a tiny game: the adversary that sees nothing.

A population of sequences plays many games at a time. The strongest stay and play on, so that their luck averages out;
the others are replaced by changed copies of them. Sites are alike: they are numbered as they are first fed.

Source
------
a genetic algorithm with resampled fitness, as in Fitzpatrick, Grefenstette 1988; constants derived.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
import numpy.typing as npt

from disttrack.adversaries.moves import written
from disttrack.adversaries.tabular import ROUNDING
from disttrack.protocols.base import Protocol
from disttrack.simulator.learners.compiled_games import games_of
from disttrack.simulator.learners.games import Games, Sizes

POPULATION: Final = 64
"""Sequences that play at a time."""
KEPT: Final = 16
"""Strongest sequences, which play on and are changed."""
EACH: Final = 32
"""Most games that a sequence plays in a round."""
BORROWED: Final = 50.0
"""Games of the average sequence that count beside a sequence's own: who has played seldom is not yet strong."""

ROUNDS: Final = 12
"""Fewest rounds."""
LEARNED: Final = 0.6
"""Share of the rounds in which new sequences are tried; then the strongest play on alone."""

Sequence = tuple[int, ...]
Places = npt.NDArray[np.int64]


def learn(
    protocol: Protocol,
    *,
    sites: int,
    items: int,
    start: int,
    budget: int,
    rng: np.random.Generator,
    on_games: Callable[[int], None],
) -> str:
    """Return the sequence of sites that makes most games fail, as the moves of the adversary `moves`.

    Parameters
    ----------
    protocol, sites, items, start, budget, rng, on_games
        As for `table_search.learn`.
    """
    each = max(1, min(EACH, budget // (ROUNDS * POPULATION)))
    together = POPULATION * each
    games = games_of(Sizes(protocol, sites, items, start, "outputs", 1), together)
    tried: dict[Sequence, tuple[int, int]] = {}
    playing = [_named(rng.integers(sites, size=items)) for _ in range(POPULATION)]
    rounds = max(1, budget // together)
    for number in range(rounds):
        seeds = rng.integers(2**53, size=together).tolist()
        failed = _failed(games, np.repeat(np.array(playing), each, axis=0), seeds, float(protocol.accuracy or 0.0))
        on_games(together)
        for sequence, more in zip(playing, failed.reshape(-1, each).sum(axis=1).tolist(), strict=True):
            before = tried.get(sequence, (0, 0))
            tried[sequence] = before[0] + more, before[1] + each
        best = _strongest(tried)[:KEPT]
        children = (_changed(best[parent], sites, rng) for parent in rng.integers(len(best), size=POPULATION))
        again = [*best, *children] if number < LEARNED * rounds else best * POPULATION
        playing = again[:POPULATION]
    return written((site, 1) for site in _strongest(tried)[0])


def _failed(games: Games, sequences: Places, seeds: list[int], alpha: float) -> npt.NDArray[np.bool_]:
    """Play a game by each sequence, and return which of them failed."""
    for game, seed in enumerate(seeds):
        games.begin(game, seed)
    everyone = np.ones(len(sequences), dtype=np.bool_)
    for places in sequences.T:
        games.act(np.ascontiguousarray(places), everyone)
    failed: npt.NDArray[np.bool_] = games.told()["largest_error"] > alpha * (1 + ROUNDING)
    return failed


def _strongest(tried: dict[Sequence, tuple[int, int]]) -> list[Sequence]:
    """Return the sequences, those whose share of failed games is largest first."""
    failed, played = np.sum([*tried.values()], axis=0)
    usual = BORROWED * failed / played
    return sorted(tried, key=lambda sequence: -(tried[sequence][0] + usual) / (tried[sequence][1] + BORROWED))


def _changed(sequence: Sequence, sites: int, rng: np.random.Generator) -> Sequence:
    """Return a sequence that differs in a few places, or has two parts exchanged."""
    places = np.array(sequence)
    if rng.random() < 0.5:
        places[rng.integers(len(places), size=rng.integers(1, 4))] = rng.integers(sites)
    else:
        first, last = sorted(rng.integers(len(places) + 1, size=2).tolist())
        places[first:last] = np.roll(places[first:last], 1)
    return _named(places)


def _named(places: Places) -> Sequence:
    """Return a sequence with its sites numbered in the order in which they are first fed."""
    names: dict[int, int] = {}
    return tuple(names.setdefault(place, len(names)) for place in places.tolist())
