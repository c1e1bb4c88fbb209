"""Who feeds the sites of a small round: every adversary at once, some drawn at random, and two with a purpose."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from small_tracker import Array, Histories, Small

Choose = Callable[[Histories], Array]
"""A deterministic adversary: the site that it feeds after each history, -1 to stop."""


def every_history(small: Small) -> Iterator[Histories]:
    """Yield all histories of 0, 1, 2, … steps against all adversaries there are.

    Sites are alike, so it is enough that a site is begun after those with lower numbers.
    """
    here = Histories.start(small)
    while len(here):
        yield here
        begun = np.cumprod(here.fed > 0, axis=1, dtype=bool)
        in_order = np.concatenate((np.ones((len(here), 1), dtype=bool), begun[:, :-1]), axis=1)
        rows, sites = np.nonzero(here.open & in_order & ~here.over[:, None])
        here = here.pick(rows).step(sites)


def played(small: Small, choose: Choose) -> Histories:
    """Return all histories of whole games against one adversary, a row each."""
    here = Histories.start(small)
    for _ in range(small.entries * small.size):
        sites = np.where(here.over, -1, choose(here))
        if (sites < 0).all():
            break
        here = here.step(sites)
    return here


def at_random(seed: int, stop: float = 0.03) -> Choose:
    """Return an adversary that was drawn at random: after each history another site, or now and then none."""
    rng = np.random.default_rng(seed)

    def choose(here: Histories) -> Array:
        liking = np.where(here.open, rng.random(here.fed.shape), -1.0)
        stopped = (rng.random(len(here)) < stop) | ~here.open.any(axis=1)
        return np.where(stopped, -1, liking.argmax(axis=1))

    return choose


def parking(depth: int) -> Choose:
    """Return the adversary that gives each site so many items of its first block, one after the other, and stops."""

    def choose(here: Histories) -> Array:
        room = here.fed < depth
        return np.where(room.any(axis=1), room.argmax(axis=1), -1)

    return choose
