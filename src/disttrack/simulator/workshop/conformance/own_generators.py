"""Random generators that a class makes itself, with a seed that no seed of the game decides, or without one."""

from __future__ import annotations

import pickle
import random
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from types import FrameType, ModuleType
from typing import Any, Final

import numpy as np

from disttrack.simulator.kinds.lines import is_users, line

MAKERS: Final = ("default_rng", "RandomState", "PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64")
"""What makes a generator, or its source of bits, in `numpy.random`."""
MOST: Final = 10_000
"""Generators that are kept of a check at most."""


class Made:
    """The generators that the user's code has made.

    Attributes
    ----------
    unseeded
        The places, with the call, of those without a seed.
    """

    def __init__(self) -> None:
        self.unseeded: list[str] = []
        self._generators: list[tuple[str, int, Any]] = []

    def add(self, generator: Any, maker: str, given: Sequence[object], named: Mapping[str, object]) -> None:
        """Note a generator if the user's code has made it, with the arguments of the call."""
        if (place := _place()) and len(self._generators) < MOST:
            call = f"{maker} ({place})"
            self._generators.append((call, _state(generator), generator))
            if all(one is None for one in (*given, *named.values())):
                self.unseeded.append(call)

    def drawn(self) -> dict[str, set[int]]:
        """Return the first states of those that were drawn from, by their places."""
        states: defaultdict[str, set[int]] = defaultdict(set)
        for place, first, generator in self._generators:
            if _state(generator) != first:
                states[place].add(first)
        return dict(states)


class _Watched(type):
    """The class of a stand-in for a class of numpy, whose objects are those of that class."""

    real: Any
    made: Made

    def __call__(cls, *given: Any, **named: Any) -> Any:
        generator = cls.real(*given, **named)
        cls.made.add(generator, cls.__name__, given, named)
        return generator

    def __instancecheck__(cls, thing: object) -> bool:
        return isinstance(thing, cls.real)


@contextmanager
def watched() -> Iterator[Made]:
    """Note all generators that the user's code makes within the block."""
    made = Made()
    stand_ins = {real: _stand_in(real, made) for real in (getattr(np.random, name) for name in MAKERS)}

    def seed(generator: random.Random, *given: Any, **named: Any) -> None:
        before(generator, *given, **named)
        made.add(generator, type(generator).__name__, given, named)

    places = [(module, name, real) for module in _modules() for name, real in _makers(module, stand_ins)]
    before = random.Random.seed
    try:
        for module, name, real in places:
            setattr(module, name, stand_ins[real])
        random.Random.seed = seed  # type: ignore[method-assign, assignment]
        yield made
    finally:
        random.Random.seed = before  # type: ignore[method-assign]
        for module, name, real in places:
            setattr(module, name, real)


def _stand_in(real: Any, made: Made) -> Any:
    """Return what makes the same generators, and notes them."""
    if isinstance(real, type):
        return _Watched(real.__name__, (), {"real": real, "made": made})

    def default_rng(*given: Any, **named: Any) -> Any:
        generator = real(*given, **named)
        if generator not in given:
            made.add(generator, "default_rng", given, named)
        return generator

    return default_rng


def same_for_all_seeds(game: Callable[[int], object]) -> str:
    """Return a generator of the user's that draws the same numbers in games of two seeds, by its place; else empty."""
    states = []
    for seed in (1, 2):
        with watched() as made:
            game(seed)
        states.append(made.drawn())
    for place, first in states[0].items():
        fewer, more = sorted((first, states[1].get(place, set())), key=len)
        if fewer and fewer <= more:
            return place
    return ""


def _state(generator: Any) -> int:
    return hash(pickle.dumps(generator))


def _place() -> str:
    """Return the line that makes a generator, if it is the user's; else empty."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and frame.f_code.co_filename in (__file__, random.__file__):
        frame = frame.f_back
    if frame is None or not is_users(frame.f_code.co_filename):
        return ""
    return line(frame.f_code.co_filename, frame.f_lineno)


def _modules() -> list[ModuleType]:
    """Return `numpy.random`, and the modules of the user's, which may have imported from it."""
    return [np.random, *(one for one in list(sys.modules.values()) if _is_users(getattr(one, "__file__", None)))]


@cache
def _is_users(file: str | None) -> bool:
    return file is not None and is_users(file)


def _makers(module: ModuleType, makers: Mapping[Any, object]) -> list[tuple[str, Any]]:
    """Return the names of makers in a module, with them."""
    known = set(map(id, makers))
    return [(name, value) for name, value in vars(module).items() if id(value) in known]
