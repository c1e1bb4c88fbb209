"""The random streams of a game: one generator a role, all from one seed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

ROLES: Final = ("sites", "server", "adversary", "network")
"""The roles of the tracking game."""


def streams(seed: int, roles: Sequence[str] = ROLES) -> dict[str, np.random.Generator]:
    """Return one independent random generator a role, all from one seed.

    Parameters
    ----------
    seed
        Root of them all.
    roles
        Who draws what. A role's place is its key in the tree of seeds, so it is as permanent as a name: another order
        gives other games. An empty role leaves its place free.

    Examples
    --------
    >>> rngs = streams(1, ("", "mechanism", "adversary"))
    >>> list(rngs), bool(rngs["mechanism"].integers(100) == streams(1)["server"].integers(100))
    (['mechanism', 'adversary'], True)
    """
    return {
        role: np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(place,)))
        for place, role in enumerate(roles)
        if role
    }
