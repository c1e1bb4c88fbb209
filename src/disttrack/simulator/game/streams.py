"""The random streams of a game: one generator per role, all from one seed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

import numpy as np

ROLES: Final = ("sites", "server", "adversary", "network")
"""The roles of the tracking game."""


def streams(seed: int, roles: Sequence[str] = ROLES) -> Streams:
    """Return one independent random generator per role, all from one seed; each is made when it is first asked for.

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
    made = Streams(seed, roles)
    if (watch := _WATCH.get()) is not None:
        watch.add(made)
    return made


class Streams(Mapping[str, np.random.Generator]):
    """The streams of a game by their roles.

    Attributes
    ----------
    drawn
        Whether any was used, to draw a number or to spawn a generator.

    Examples
    --------
    >>> rngs = streams(1)
    >>> rngs.drawn, bool(rngs["server"].random() < 1), rngs.drawn
    (False, True, True)
    """

    def __init__(self, seed: int, roles: Sequence[str]) -> None:
        self._seed, self._places = seed, {role: place for place, role in enumerate(roles) if role}
        self._made: dict[str, np.random.Generator] = {}
        self._drawn = False
        self._first: dict[str, Mapping[str, object]] = {}
        """The first state of each: to make it once more takes longer than to ask."""

    @property
    def drawn(self) -> bool:
        sources = ((role, rng.bit_generator) for role, rng in self._made.items())
        self._drawn = self._drawn or any(
            getattr(source.seed_seq, "n_children_spawned", 0) or source.state != self._first[role]
            for role, source in sources
        )
        return self._drawn

    def __getitem__(self, role: str) -> np.random.Generator:
        if role not in self._made:
            root = np.random.SeedSequence(self._seed, spawn_key=(self._places[role],))
            rng = self._made[role] = np.random.default_rng(root)
            self._first[role] = rng.bit_generator.state
        return self._made[role]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


class Watch:
    """Whether any stream made since then was used."""

    def __init__(self) -> None:
        self._drawn = False
        self._idle: list[Streams] = []

    def add(self, rngs: Streams) -> None:
        """Watch these streams too; not after one was used, since that decides the result."""
        if self._drawn or (self._idle and self._idle[-1].drawn):
            self._drawn, self._idle = True, []
        else:
            self._idle.append(rngs)

    @property
    def drawn(self) -> bool:
        """Return whether a stream has been used by now."""
        return self._drawn or any(rngs.drawn for rngs in self._idle)


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
