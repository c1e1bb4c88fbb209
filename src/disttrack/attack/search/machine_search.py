"""The search for the worst machine with few bits of memory: all tables where these are few, else by small changes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import inf
from typing import Final

import numpy as np

from disttrack.adversaries.base import Adversary
from disttrack.adversaries.memory import BoundedMemory, named, rows_of, text_of, told_apart
from disttrack.attack.search.policy_search import FINAL, OnGame, PolicyGames, SearchResult, final, rounded
from disttrack.protocols.base import Protocol

LISTED: Final = 2
"""Bits up to which all tables are tried: 1, 13 and 5,477."""
PARENTS: Final = 10
"""Machines drawn from those that were tried; the strongest of them is changed."""


def tables(states: int) -> Iterator[str]:
    """Yield each table with this number of states that the first one leads to, once.

    States are numbered in the order in which they are first named, so that no two tables differ in names only.

    Examples
    --------
    >>> [len(list(tables(states))) for states in (1, 2, 3)]
    [1, 12, 216]
    """
    for targets in product(range(states), repeat=2 * states):
        known = 1
        for place, target in enumerate(targets):
            if target > known or place // 2 >= known:
                break
            known = max(known, target + 1)
        else:
            if known == states:
                yield text_of([*zip(targets[::2], targets[1::2], strict=True)])


def attack_with_memory(
    protocol: Protocol,
    *,
    memory: int,
    sites: int,
    items: int,
    start: int = 0,
    budget: int = 2000,
    seed: int = 0,
    on_game: OnGame | None = None,
) -> SearchResult[Adversary]:
    """Search for the machine with `memory` bits that drives the relative error highest; play at most `budget` games.

    Up to 2 bits every table is played once, in random order and with a random patience, if the budget allows:
    5,477 games, which are three quarters of 7,303. What is left goes to machines that differ a little from good ones.
    The best, with ``freeze`` and ``drain``, are played again as in `policy_search.attack`, and the winner's strength is
    measured in games that were not used to choose it.

    Parameters
    ----------
    protocol, sites, items, start, budget, seed, on_game
        As for `policy_search.attack`.
    memory
        Bits of memory.
    """
    games = PolicyGames(protocol, {"sites": sites, "items": items, "start": start}, seed, on_game)
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0,)))
    states = told_apart(memory, sites)
    known = [text_of(named(table, states)) for table in ("freeze", "drain")]
    fresh = [table for fewer in range(1, states + 1) for table in tables(fewer)] if memory <= LISTED else [*known]
    rng.shuffle(fresh)
    tried: list[tuple[float, BoundedMemory]] = []
    while games.games < budget * (1 - FINAL):
        if fresh:
            machine = BoundedMemory(memory, fresh.pop(), rounded(2 ** rng.uniform(-3, 3)))
        else:
            drawn = [tried[place] for place in rng.integers(len(tried), size=PARENTS)]
            machine = _changed(max(drawn, key=lambda one: one[0])[1], rng)
        tried.append((games.error(machine), machine))
    return final([*((inf, BoundedMemory(memory, table)) for table in known), *tried], games, budget)


def _changed(machine: BoundedMemory, rng: np.random.Generator) -> BoundedMemory:
    """Return a machine with another patience, and in one of two cases with another entry of the table."""
    rows = [list(row) for row in rows_of(machine.table)]
    if rng.random() < 0.5:
        rows[rng.integers(len(rows))][rng.integers(2)] = int(rng.integers(len(rows)))
    table = text_of([(after_change, after_wait) for after_change, after_wait in rows])
    return BoundedMemory(machine.memory, table, rounded(machine.patience * 2 ** rng.normal()))
