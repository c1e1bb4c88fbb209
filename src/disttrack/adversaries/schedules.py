"""Schedules: the sites of the next items, with queries that do not enumerate the items.

A schedule numbers its steps from 1. `count` and `nth` are each other's inverse, and let a
site sleep until the step in which it will send a message. Both take one site and one number
(whole numbers of Python, answered with one), or arrays of them (answered with an array).
"""

from __future__ import annotations

import reprlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from inspect import signature
from typing import Any, ClassVar, Final

import numpy as np
import numpy.typing as npt

from disttrack.mechanisms.shortcuts import Shortcut, Shortcuts

NEVER: Final = 2**62
"""The step of an item that does not come, and the length of an infinite plan."""

Integers = npt.NDArray[np.int64]


class Schedule(Shortcuts, ABC):
    """A plan of steps 1 … `length`: each gives one item to one site, or skips.

    Attributes
    ----------
    length
        Number of steps; `NEVER` if infinite.
    skips
        Whether any step gives no item.
    """

    __slots__ = ()

    length: int = NEVER
    skips: bool = False

    @abstractmethod
    def at(self, step: Any) -> Any:
        """Return the site of this step's item, None for a skip.

        Schedules without skips also take an array of steps.
        """

    @abstractmethod
    def count(self, site: object, step: object) -> Any:
        """Return the items that `site` has received by the end of `step`, 0 <= step <= length."""

    @abstractmethod
    def nth(self, site: object, n: object) -> Any:
        """Return the step of the n-th item of `site`, n >= 1; at least `NEVER` if there is none."""

    def of_site(self, site: int) -> Callable[[int], int]:
        """Return `nth` for one site, for repeated calls."""
        return partial(self.nth, site)

    @abstractmethod
    def support(self, sites: int) -> Sequence[int] | None:
        """Return the sites that receive any item, None for all of the game's sites."""

    def __repr__(self) -> str:
        given = []
        for name, parameter in signature(type(self)).parameters.items():
            value = getattr(self, name, parameter.default)
            if value is not parameter.default and not (name == "length" and value == NEVER):
                given.append(reprlib.repr(value.tolist() if isinstance(value, np.ndarray) else value))
        return f"{type(self).__name__}({', '.join(given)})"

    def named(self) -> tuple[int, int]:
        """Return the smallest and the largest site number named, which the game checks; (0, -1) if there is none."""
        return 0, -1

    def first_step(self, site: int) -> int:
        """Return the first step that names this site, even if there is no such site."""
        return int(self.nth(site, 1))

    def sent(self, step: int) -> int:
        """Return the items that all sites together have received by `step`."""
        return step

    def step_of(self, n: int) -> int:
        """Return the step of the n-th item overall, n >= 1; at least `NEVER` if there is none."""
        return n if n <= self.length else NEVER

    shortcuts: ClassVar = {"of_site": Shortcut(of_site)}


class Burst(Schedule):
    """One site only, for `length` steps or for ever.

    Parameters
    ----------
    site
        The site.
    length
        Number of steps.
    """

    __slots__ = ("length", "site")

    def __init__(self, site: int, length: int = NEVER) -> None:
        if type(site) is not int or type(length) is not int or length < 1:  # else as nearly always, and quickly
            site, length = whole("site of a burst", site), whole("length of a burst", length, 1)
        self.site = site
        self.length = length

    def at(self, step: Any) -> Any:
        return np.full(len(step), self.site) if isinstance(step, np.ndarray) else self.site

    def count(self, site: Any, step: object) -> Any:
        return step * (site == self.site)

    def nth(self, site: Any, n: Any) -> Any:
        if is_array(site, n):
            return np.where((site == self.site) & (n <= self.length), n, NEVER)
        return n if site == self.site and n <= self.length else NEVER

    def support(self, sites: int) -> Sequence[int]:
        return (self.site,)

    def named(self) -> tuple[int, int]:
        return self.site, self.site


class Rest(Schedule):
    """Skips, for `length` steps.

    Parameters
    ----------
    length
        Number of steps.
    """

    __slots__ = ("length",)

    skips = True

    def __init__(self, length: int = 1) -> None:
        self.length = whole("length of a rest", length, 1)

    def at(self, step: Any) -> None:
        return None

    def count(self, site: Any, step: object) -> Any:
        return 0 * (site + step)

    def nth(self, site: Any, n: Any) -> Any:
        return 0 * site + 0 * n + NEVER

    def support(self, sites: int) -> Sequence[int]:
        return ()

    def sent(self, step: int) -> int:
        return 0

    def step_of(self, n: int) -> int:
        return NEVER


class Rotation(Schedule):
    """Sites 0 … sites-1 in turn, for ever, the first step going to site `first`.

    Parameters
    ----------
    sites
        Number of sites.
    first
        The site of the first step.
    """

    __slots__ = ("first", "sites")

    def __init__(self, sites: int, first: int = 0) -> None:
        self.sites = whole("sites of a rotation", sites, 1)
        self.first = whole("first site of a rotation", first) % self.sites

    def at(self, step: Any) -> Any:
        return (self.first + step - 1) % self.sites

    def count(self, site: Any, step: Any) -> Any:
        turn = (site - self.first) % self.sites
        return (step + self.sites - 1 - turn) // self.sites * (site < self.sites)

    def nth(self, site: Any, n: Any) -> Any:
        sites = self.sites
        turn = (site - self.first) % sites + 1 if self.first else site + 1
        if is_array(site, n):
            # the least n that exceeds NEVER replaces all greater ones, which would overflow 63 bits
            most = NEVER // sites + 2
            laps = (n if np.max(n, initial=0) <= most else np.minimum(n, most)) - 1
            steps = laps * sites + turn
            return steps if np.max(site, initial=0) < sites else np.where(site < sites, steps, NEVER)
        return (n - 1) * sites + turn if site < sites else NEVER

    def of_site(self, site: int) -> Callable[[int], int]:
        sites = self.sites
        if site >= sites:
            return _never
        before = (site - self.first) % sites + 1 - sites  # nth() inlined: this is called once per message
        return lambda n: n * sites + before

    def support(self, sites: int) -> Sequence[int] | None:
        return None if sites <= self.sites else range(self.sites)

    def named(self) -> tuple[int, int]:
        return 0, self.sites - 1


def whole(name: str, value: object, least: int | None = None) -> int:
    """Return a whole number of Python or numpy as a Python int; ValueError if it is none, or below `least`."""
    if type(value) is not int and not isinstance(value, np.integer):
        raise ValueError(f"{name} must be a whole number; got {value!r}")
    if least is not None and value < least:
        raise ValueError(f"{name} must be at least {least}; got {value!r}")
    return int(value)


def is_array(one: object, other: object) -> bool:
    """Return whether either is an array, so that the result must be one."""
    return isinstance(one, np.ndarray) or isinstance(other, np.ndarray)


def _never(n: int) -> int:
    return NEVER


OVER: Final = Rest(NEVER)
"""The plan of an adversary that has no further moves: the game ends, whatever the plan before it."""
