"""Schedules: which site gets the next items, answered without going through the items.

A schedule numbers its steps from 1. `count` and `nth` are each other's inverse, and let a
site sleep straight to the step at which it will speak. Both take one site and one number
(whole numbers of Python, answered with one), or arrays of them (answered with an array).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

NEVER: Final = 2**62
"""The step of an item that does not come, and the length of a plan without end."""

Integers = npt.NDArray[np.int64]


class Schedule(ABC):
    """A plan of steps 1 … `length`: each gives one item to one site, or skips.

    Attributes
    ----------
    length
        Number of steps; `NEVER` if it has no end.
    """

    __slots__ = ()

    length: int = NEVER
    skips: bool = False
    """Whether any of its steps is a skip."""

    @abstractmethod
    def at(self, step: int) -> int | None:
        """Return the site that is fed in this step, None for a skip."""

    @abstractmethod
    def count(self, site: Any, step: Any) -> Any:
        """Return the items that `site` has received by the end of `step`, 0 <= step <= length."""

    @abstractmethod
    def nth(self, site: Any, n: Any) -> Any:
        """Return the step of the n-th item of `site`, n >= 1; at least `NEVER` if there is none."""

    @abstractmethod
    def support(self, sites: int) -> Sequence[int] | None:
        """Return the sites that are fed at all, None for all of the game's sites."""

    def highest(self) -> int:
        """Return the largest site number named, -1 if none; the game checks it against k."""
        return -1

    def lowest(self) -> int:
        """Return the smallest site number named, 0 if none; below 0 it is no site."""
        return 0

    def sent(self, step: int) -> int:
        """Return the items that all sites together have received by `step`."""
        return step

    def step_of(self, n: int) -> int:
        """Return the step of the n-th item of all, n >= 1; at least `NEVER` if there is none."""
        return n if n <= self.length else NEVER


class Burst(Schedule):
    """One site only, for `length` steps or for ever."""

    __slots__ = ("length", "site")

    def __init__(self, site: int, length: int = NEVER) -> None:
        if length < 1:
            raise ValueError(f"length of a burst must be at least 1; got {length!r}")
        self.site = int(site)
        self.length = int(length)

    def at(self, step: int) -> int:
        return self.site

    def count(self, site: Any, step: Any) -> Any:
        return step * (site == self.site)

    def nth(self, site: Any, n: Any) -> Any:
        if _array(site, n):
            return np.where((site == self.site) & (n <= self.length), n, NEVER)
        return n if site == self.site and n <= self.length else NEVER

    def support(self, sites: int) -> Sequence[int]:
        return (self.site,)

    def highest(self) -> int:
        return self.site

    def lowest(self) -> int:
        return self.site


class Rest(Schedule):
    """Skips, for `length` steps."""

    __slots__ = ("length",)

    def __init__(self, length: int = 1) -> None:
        if length < 1:
            raise ValueError(f"length of a rest must be at least 1; got {length!r}")
        self.length = int(length)

    def at(self, step: int) -> None:
        return None

    def count(self, site: Any, step: Any) -> Any:
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
    """Sites 0 … sites-1 in turn, for ever, the first step going to site `first`."""

    __slots__ = ("first", "sites")

    def __init__(self, sites: int, first: int = 0) -> None:
        if sites < 1:
            raise ValueError(f"sites of a rotation must be at least 1; got {sites!r}")
        self.sites = int(sites)
        self.first = int(first) % self.sites

    def at(self, step: int) -> int:
        return (self.first + step - 1) % self.sites

    def count(self, site: Any, step: Any) -> Any:
        turn = (site - self.first) % self.sites
        return (step + self.sites - 1 - turn) // self.sites * (site < self.sites)

    def nth(self, site: Any, n: Any) -> Any:
        turn = (site - self.first) % self.sites + 1
        if _array(site, n):
            # the least n that overshoots NEVER stands for all the greater ones: 63 bits are not endless
            laps = np.minimum(n, NEVER // self.sites + 2) - 1
            return np.where(site < self.sites, laps * self.sites + turn, NEVER)
        return (n - 1) * self.sites + turn if site < self.sites else NEVER

    def support(self, sites: int) -> Sequence[int] | None:
        return None if sites <= self.sites else range(self.sites)

    def highest(self) -> int:
        return self.sites - 1


class Labels(Schedule):
    """A list of sites, a step each: recorded traces and random assignments.

    Answers come from one sort, made at the first question (8 bytes a step beside the labels). The
    step s of site i is kept as the key i·length + s - 1: keys are distinct, so a plain sort of
    them, the fastest that numpy has, is the stable sort of the labels.

    Parameters
    ----------
    labels
        The site of each step, whole numbers from 0; not to be changed afterwards.
    sites
        Number of sites of the game; the largest label plus one if left out.
    """

    __slots__ = ("_first", "_keys", "labels", "length", "sites")

    def __init__(self, labels: npt.ArrayLike, sites: int | None = None) -> None:
        self.labels = np.asarray(labels)
        if self.labels.ndim != 1 or not np.issubdtype(self.labels.dtype, np.integer) or not len(self.labels):
            raise ValueError("labels must be a list of at least one site number")
        self.length = len(self.labels)
        self.sites = sites
        self._first: Integers | None = None
        self._keys: Integers = np.empty(0, dtype=np.int64)

    def at(self, step: int) -> int:
        return int(self.labels[step - 1])

    def count(self, site: Any, step: Any) -> Any:
        first = self._index()
        if _array(site, step):
            if np.ndim(step) == 0 and step == self.length:
                return _from(first, site + 1) - _from(first, site)
            return self._keys.searchsorted(site * self.length + step) - _from(first, site)
        if site >= len(first) - 1:
            return 0
        return int(self._keys.searchsorted(site * self.length + step)) - first.item(site)

    def nth(self, site: Any, n: Any) -> Any:
        first = self._index()
        if _array(site, n):
            place = _from(first, site) + n - 1
            there = place < _from(first, site + 1)
            return np.where(there, _from(self._keys, place) - site * self.length + 1, NEVER)
        if site >= len(first) - 1:
            return NEVER
        place = first.item(site) + n - 1
        return self._keys.item(place) - site * self.length + 1 if place < first.item(site + 1) else NEVER

    def support(self, sites: int) -> Sequence[int]:
        return [int(site) for site in np.flatnonzero(np.diff(self._index()))]

    def highest(self) -> int:
        return int(self.labels.max())

    def lowest(self) -> int:
        return int(self.labels.min())

    def _index(self) -> Integers:
        """Return where each site's keys begin; sort on first use."""
        if self._first is None:
            if self.lowest() < 0:
                raise ValueError(f"labels must not be negative; got {self.lowest()}")
            self._keys = self.labels.astype(np.int64)
            self._keys *= self.length
            self._keys += np.arange(self.length)
            self._keys.sort()
            self._first = _before(np.bincount(self.labels, minlength=self.sites or 0))
        return self._first


class Runs(Schedule):
    """Bursts one after the other: `lengths[i]` steps on `sites[i]`, then the next; -1 as a site skips."""

    __slots__ = ("_begins", "_ends", "_fed", "_first", "_items", "_keys", "_runs", "_sent", "length", "lengths")
    __slots__ += ("sites",)

    def __init__(self, sites: npt.ArrayLike, lengths: npt.ArrayLike) -> None:
        self.sites: Integers = np.asarray(sites, dtype=np.int64)
        self.lengths: Integers = np.asarray(lengths, dtype=np.int64)
        if self.sites.shape != self.lengths.shape or self.sites.ndim != 1 or not len(self.sites):
            raise ValueError("sites and lengths must be lists of the same length, of at least one run")
        if int(self.lengths.min()) < 1:
            raise ValueError(f"each run needs a length of at least 1; got {int(self.lengths.min())}")
        self._ends: Integers = np.cumsum(self.lengths)
        self._begins: Integers = self._ends - self.lengths
        self.length = int(self._ends[-1])
        self._sent = _before(np.where(self.sites < 0, 0, self.lengths))
        # The runs by site and then by time, skips left out. `_first` says where each fed site's runs
        # begin in that list, `_items` how many items all runs before one hold. Each list closes with
        # an entry that answers for sites and items that are not there.
        index = np.argsort(self.sites, kind="stable")
        index = index[np.count_nonzero(self.sites < 0) :]
        fed, first = np.unique(self.sites[index], return_index=True)
        self._fed: Integers = np.append(fed, NEVER)
        self._first: Integers = np.append(first, (len(index), len(index)))
        self._items = _before(self.lengths[index])
        rank = np.repeat(np.arange(len(fed)), np.diff(self._first)[:-1])
        self._keys: Integers = np.append(rank * len(self.sites) + index, NEVER)  # sorted, so searchable
        self._runs: Integers = np.append(index, 0)

    def at(self, step: int) -> int | None:
        site = int(self.sites[self._ends.searchsorted(step)])
        return None if site < 0 else site

    def count(self, site: Any, step: Any) -> Any:
        rank = self._fed.searchsorted(site)
        run = self._ends.searchsorted(step)  # the run that this step is in
        key = rank * len(self.sites) + run
        place = self._keys.searchsorted(key)  # the site's first run that is not over by then
        items = self._items[place] - self._items[self._first[rank]]
        items = items + (self._keys[place] == key) * (step - self._begins[run])
        items = items * (self._fed[rank] == site)
        return items if _array(site, step) else int(items)

    def nth(self, site: Any, n: Any) -> Any:
        rank = self._fed.searchsorted(site)
        before = self._items[self._first[rank]]
        there = (self._fed[rank] == site) & (n <= self._items[self._first[rank + 1]] - before)
        place = self._items.searchsorted(before + n) - 1
        step = self._begins[self._runs[place]] + before + n - self._items[place]
        if _array(site, n):
            return np.where(there, step, NEVER)
        return int(step) if there else NEVER

    def support(self, sites: int) -> Sequence[int]:
        return [int(site) for site in self._fed[:-1]]

    def highest(self) -> int:
        return int(self.sites.max())

    def lowest(self) -> int:
        return int(self.sites[self.sites != -1].min(initial=0))

    def sent(self, step: int) -> int:
        run = int(self._ends.searchsorted(step))
        return int(self._sent[run]) + (step - int(self._begins[run]) if self.sites[run] >= 0 else 0)

    def step_of(self, n: int) -> int:
        run = int(self._sent.searchsorted(n)) - 1
        return int(self._begins[run]) + n - int(self._sent[run]) if run < len(self.sites) else NEVER


def _array(one: Any, other: Any) -> bool:
    """Return whether either is an array, so that the answer must be one."""
    return isinstance(one, np.ndarray) or isinstance(other, np.ndarray)


def _before(amounts: Integers) -> Integers:
    """Return how much there is before each amount, and at the end the sum of all."""
    return np.concatenate(([0], np.cumsum(amounts)))


def _from(values: Integers, place: Any) -> Integers:
    """Return the values at these places; the last one for places beyond it."""
    return values.take(place, mode="clip")
