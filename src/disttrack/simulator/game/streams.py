"""The random streams of a game: one generator per role, all from one seed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, cast

import numpy as np

ROLES: Final = ("sites", "server", "adversary", "network")
"""The roles of the tracking game."""


def streams(seed: int, roles: Sequence[str] = ROLES) -> dict[str, np.random.Generator]:
    """Return one independent random generator per role, all from one seed.

    Parameters
    ----------
    seed
        Root of all streams.
    roles
        The names of the streams. A role's place is its key in the tree of seeds, so it is as permanent as a name:
        another order gives other games. An empty role leaves its place free.

    Examples
    --------
    >>> rngs = streams(1, ("", "mechanism", "adversary"))
    >>> list(rngs), bool(rngs["mechanism"].integers(100) == streams(1)["server"].integers(100))
    (['mechanism', 'adversary'], True)
    """
    made = {role: np.random.default_rng(_Root(seed, spawn_key=(place,))) for place, role in enumerate(roles) if role}
    if (watch := _WATCH.get()) is not None:
        for rng in made.values():
            cast(_Root, rng.bit_generator.seed_seq).first = rng.bit_generator.state
        watch.add(made.values())
    return made


class _Root(np.random.SeedSequence):
    """The root of a stream, with the first state of its generator: to make that once more takes longer than to ask."""

    first: Mapping[str, object] | None = None


def drawn(rngs: Iterable[np.random.Generator]) -> bool:
    """Return whether any of these generators was used, to draw a number or to spawn a generator.

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
    fresh = getattr(root, "first", None) or type(source)(root).state  # type: ignore[arg-type]
    return bool(source.state != fresh)


class Watch:
    """Whether any stream made since then was used."""

    def __init__(self) -> None:
        self._drawn = False
        self._last: list[np.random.Generator] = []
        self._idle: list[np.random.Generator] = []

    def add(self, rngs: Iterable[np.random.Generator]) -> None:
        """Watch these streams too; not after one was used, since that decides the result."""
        if self._drawn or drawn(self._last):
            self._drawn, self._last, self._idle = True, [], []
            return
        self._idle += self._last
        self._last = list(rngs)

    @property
    def drawn(self) -> bool:
        """Return whether a stream has been used by now."""
        return self._drawn or drawn((*self._last, *self._idle))


_WATCH: ContextVar[Watch | None] = ContextVar("watch", default=None)


@contextmanager
def watched() -> Iterator[Watch]:
    """Watch all streams made within the block, at any depth: a game that draws nothing is the same for every seed.

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
