"""The random streams of a game: one generator a role, all from one seed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
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
    made = {
        role: np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(place,)))
        for place, role in enumerate(roles)
        if role
    }
    if (watch := _WATCH.get()) is not None:
        watch.add(made.values())
    return made


def drawn(rngs: Iterable[np.random.Generator]) -> bool:
    """Tell whether any of these generators has given a number, or a generator made of it.

    Examples
    --------
    >>> rngs = streams(1)
    >>> drawn(rngs.values()), bool(rngs["server"].random() < 1), drawn(rngs.values())
    (False, True, True)
    """
    return any(_drawn(rng.bit_generator) for rng in rngs)


def _drawn(source: np.random.BitGenerator) -> bool:
    root = source.seed_seq
    if getattr(root, "n_children_spawned", 0):
        return True
    fresh = type(source)(root).state  # type: ignore[arg-type]
    return bool(source.state != fresh)


class Watch:
    """Whether any stream that was made since has given a number."""

    def __init__(self) -> None:
        self._drawn = False
        self._last: list[np.random.Generator] = []
        self._idle: list[np.random.Generator] = []

    def add(self, rngs: Iterable[np.random.Generator]) -> None:
        """Look after these streams too; after none if one has given a number, since that decides it."""
        if self._drawn or drawn(self._last):
            self._drawn, self._last, self._idle = True, [], []
            return
        self._idle += self._last
        self._last = list(rngs)

    @property
    def drawn(self) -> bool:
        """Tell whether a stream has given a number by now."""
        return self._drawn or drawn((*self._last, *self._idle))


_WATCH: ContextVar[Watch | None] = ContextVar("watch", default=None)


@contextmanager
def watched() -> Iterator[Watch]:
    """Watch all streams that are made within, however deep down: a game that draws nothing is the same for every seed.

    Examples
    --------
    >>> with watched() as watch:
    ...     rngs = streams(1)
    >>> watch.drawn, bool(rngs["sites"].random() < 1), watch.drawn
    (False, True, True)
    """
    watch = Watch()
    token = _WATCH.set(watch)
    try:
        yield watch
    finally:
        _WATCH.reset(token)
