"""Schedules: the sites of the next items, with queries that do not enumerate them; also given as lists.

A schedule numbers its steps from 1. `count` and `nth` are each other's inverse, and let a
site sleep until the step in which it will send a message. Both take one site, and one number
(a whole number of Python, answered with one) or an array of them (answered with an array);
an array for `nth` has only items that come.
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

from disttrack.mechanisms.checks import array_of
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
        return n if site == self.site and (isinstance(n, np.ndarray) or n <= self.length) else NEVER

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

    def count(self, site: object, step: Any) -> Any:
        return 0 * step

    def nth(self, site: object, n: object) -> int:
        return NEVER

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
        return (n - 1) * sites + (site - self.first) % sites + 1 if site < sites else NEVER

    def of_site(self, site: int) -> Callable[[Any], Any]:
        if site >= self.sites:
            return lambda n: NEVER
        sites, before = self.sites, (site - self.first) % self.sites + 1 - self.sites
        return lambda n: n * sites + before  # nth() inlined: this is called once per message

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


OVER: Final = Rest(NEVER)
"""The plan of an adversary that has no further moves: the game ends, whatever the plan before it."""


RADIX: Final = 2**16
"""Number of sites up to which site numbers have 16 bits."""


class Labels(Schedule):
    """A list of sites, one per step: recorded traces and random assignments.

    Queries are answered from one sorted index, made at the first of them (8 bytes per step besides the labels). The
    step s of site i is stored as the key i·length + s - 1: keys are distinct, so a plain sort of them is the stable
    sort of the labels.

    Parameters
    ----------
    labels
        The site of each step, whole numbers from 0; must not be changed afterwards.
    sites
        Number of sites of the game; the largest label plus one if left out.
    """

    __slots__ = ("_first", "_keys", "_named", "labels", "length", "sites")

    def __init__(self, labels: npt.ArrayLike, sites: int | None = None) -> None:
        self.labels = array_of("labels", labels)
        if self.labels.ndim != 1 or not np.issubdtype(self.labels.dtype, np.integer) or not len(self.labels):
            given = str(labels)[:60] + " …" * (len(str(labels)) > 60)
            raise ValueError(f"labels must be a list of at least one whole number, as in [0, 1, 0]; got {given}")
        self.length = len(self.labels)
        self.sites = sites
        self._first: Integers | None = None
        self._keys: Integers = np.empty(0, dtype=np.int64)
        self._named: tuple[int, int] | None = None

    def at(self, step: Any) -> Any:
        if isinstance(step, np.ndarray):
            return self.labels[step - 1].astype(np.int64)
        return int(self.labels[step - 1])

    def count(self, site: Any, step: Any) -> Any:
        first = self._index()
        if site >= len(first) - 1:
            return 0 * step
        items = self._keys.searchsorted(site * self.length + step) - first.item(site)
        return items if isinstance(step, np.ndarray) else int(items)

    def nth(self, site: Any, n: Any) -> Any:
        first = self._index()
        if site >= len(first) - 1:
            return NEVER
        place = first.item(site) + n - 1
        if isinstance(n, np.ndarray):
            return self._keys[place] - site * self.length + 1
        return self._keys.item(place) - site * self.length + 1 if place < first.item(site + 1) else NEVER

    def support(self, sites: int) -> Sequence[int]:
        return tuple(np.flatnonzero(np.diff(self._index())).tolist())

    def named(self) -> tuple[int, int]:
        if self._named is None:
            self._named = int(self.labels.min()), int(self.labels.max())
        return self._named

    def first_step(self, site: int) -> int:
        return int(np.argmax(self.labels == site)) + 1

    def _index(self) -> Integers:
        """Return the start of each site's keys; sort on first use."""
        if self._first is None:
            if (lowest := self.named()[0]) < 0:
                raise ValueError(f"labels must not be negative; got {lowest}")
            numbers = np.bincount(self.labels, minlength=self.sites or 0)
            if len(numbers) <= RADIX:  # numpy sorts numbers of 16 bits and less by radix sort, in linear time
                small = self.labels.astype(np.uint8 if len(numbers) <= 256 else np.uint16)
                self._keys = np.argsort(small, kind="stable")
                self._keys += np.repeat(np.arange(len(numbers)) * self.length, numbers)
            else:
                self._keys = self.labels.astype(np.int64)
                self._keys *= self.length
                self._keys += np.arange(self.length)
                self._keys.sort()
            self._first = _before(numbers)
        return self._first


class Runs(Schedule):
    """Consecutive bursts: `lengths[i]` steps on `sites[i]`, then the next; site -1 skips.

    Parameters
    ----------
    sites, lengths
        The site of each burst, and its number of steps.
    """

    def __init__(self, sites: npt.ArrayLike, lengths: npt.ArrayLike) -> None:
        for name, values in (("sites", sites), ("lengths", lengths)):
            if np.size(values) and not np.issubdtype(array_of(f"{name} of runs", values).dtype, np.integer):
                raise ValueError(f"{name} of runs must be whole numbers; got {values!r}")
        self.sites: Integers = np.asarray(sites, dtype=np.int64)
        self.lengths: Integers = np.asarray(lengths, dtype=np.int64)
        if self.sites.shape != self.lengths.shape or self.sites.ndim != 1 or not len(self.sites):
            raise ValueError("sites and lengths must be lists of the same length, of at least one run")
        if int(self.lengths.min()) < 1:
            raise ValueError(f"each run needs a length of at least 1; got {int(self.lengths.min())}")
        if self.lengths.sum(dtype=float) > NEVER:
            raise ValueError("runs must have at most 2^62 steps together")
        self._ends: Integers = np.cumsum(self.lengths)
        self._begins: Integers = self._ends - self.lengths
        self.length = int(self._ends[-1])
        self.skips = int(self.sites.min()) < 0
        self._sent = _before(np.where(self.sites < 0, 0, self.lengths))
        # The runs by site and then by time, without skips. `_first` is the start of each site's runs
        # in that list, `_items` the number of items in all runs before one. Each list ends with
        # an entry for sites and items that do not exist.
        index = np.argsort(self.sites, kind="stable")
        index = index[np.count_nonzero(self.sites < 0) :]
        fed, first = np.unique(self.sites[index], return_index=True)
        self._fed: Integers = np.append(fed, NEVER)
        self._first: Integers = np.append(first, (len(index), len(index)))
        self._items = _before(self.lengths[index])
        rank = np.repeat(np.arange(len(fed)), np.diff(self._first)[:-1])
        self._keys: Integers = np.append(rank * len(self.sites) + index, NEVER)  # sorted, so searchable
        self._runs: Integers = np.append(index, 0)

    def at(self, step: Any) -> Any:
        sites = self.sites[self._ends.searchsorted(step)]
        if isinstance(step, np.ndarray):
            return sites
        site = int(sites)
        return None if site < 0 else site

    def count(self, site: Any, step: Any) -> Any:
        rank = self._fed.searchsorted(site)
        run = self._ends.searchsorted(step)  # the run that contains this step
        key = rank * len(self.sites) + run
        place = self._keys.searchsorted(key)  # the site's first run that ends later
        items = self._items[place] - self._items[self._first[rank]]
        items = items + (self._keys[place] == key) * (step - self._begins[run])
        items = items * (self._fed[rank] == site)
        return items if isinstance(step, np.ndarray) else int(items)

    def nth(self, site: Any, n: Any) -> Any:
        rank, many = self._fed.searchsorted(site), isinstance(n, np.ndarray)
        before = self._items[self._first[rank]]
        if not many and (self._fed[rank] != site or n > self._items[self._first[rank + 1]] - before):
            return NEVER
        place = self._items.searchsorted(before + n) - 1
        step = self._begins[self._runs[place]] + before + n - self._items[place]
        return step if many else int(step)

    def support(self, sites: int) -> Sequence[int]:
        return tuple(self._fed[:-1].tolist())

    def named(self) -> tuple[int, int]:
        named = self.sites[self.sites != -1]
        return (int(named.min()), int(named.max())) if len(named) else (0, -1)

    def first_step(self, site: int) -> int:
        return int(self._begins[np.argmax(self.sites == site)]) + 1

    def sent(self, step: int) -> int:
        run = int(self._ends.searchsorted(step))
        return int(self._sent[run]) + (step - int(self._begins[run]) if self.sites[run] >= 0 else 0)

    def step_of(self, n: int) -> int:
        run = int(self._sent.searchsorted(n)) - 1
        return int(self._begins[run]) + n - int(self._sent[run]) if run < len(self.sites) else NEVER


def _before(amounts: Integers) -> Integers:
    """Return the sum of the amounts before each amount, and finally the total."""
    return np.concatenate(([0], np.cumsum(amounts)))
