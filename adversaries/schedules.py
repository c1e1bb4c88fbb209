"""Schedules: which site gets the next items, answered without going through the items.

A schedule numbers its steps from 1. `count` and `nth` are each other's inverse, and let a
site sleep straight to the step at which it will speak. Both take a site and a number, or
arrays of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
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

    length: int = NEVER

    @abstractmethod
    def at(self, step: int) -> int | None:
        """Return the site that is fed in this step, None for a skip."""

    @abstractmethod
    def count(self, site: Any, step: Any) -> Any:
        """Return the items that `site` has received by the end of `step` <= length."""

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
        """Return the smallest site number named, 0 if none."""
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
        return n + NEVER * ((site != self.site) | (n > self.length))

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
        return 0 * site

    def nth(self, site: Any, n: Any) -> Any:
        return n + NEVER + 0 * site

    def support(self, sites: int) -> Sequence[int]:
        return ()

    def sent(self, step: int) -> int:
        return 0

    def step_of(self, n: int) -> int:
        return NEVER


class Rotation(Schedule):
    """Sites 0 … k-1 in turn, for ever, the first step going to site `first`."""

    __slots__ = ("first", "sites")

    def __init__(self, sites: int, first: int = 0) -> None:
        self.sites = int(sites)
        self.first = int(first) % self.sites

    def at(self, step: int) -> int:
        return (self.first + step - 1) % self.sites

    def count(self, site: Any, step: Any) -> Any:
        return (step + self.sites - 1 - (site - self.first) % self.sites) // self.sites

    def nth(self, site: Any, n: Any) -> Any:
        return (n - 1) * self.sites + (site - self.first) % self.sites + 1

    def support(self, sites: int) -> None:
        return None

    def highest(self) -> int:
        return self.sites - 1


class Labels(Schedule):
    """A list of sites, a step each: recorded traces and random assignments.

    Answers come from one stable sort of the labels (memory: 8 bytes a step beside the labels).

    Parameters
    ----------
    labels
        The site of each step, whole numbers from 0.
    sites
        Number of sites of the game; the largest label plus one if left out.
    """

    __slots__ = ("_first", "_order", "labels", "length")

    def __init__(self, labels: npt.ArrayLike, sites: int | None = None) -> None:
        self.labels = np.asarray(labels)
        if self.labels.ndim != 1 or not np.issubdtype(self.labels.dtype, np.integer):
            raise ValueError("labels must be a list of site numbers")
        if len(self.labels) and int(self.labels.min()) < 0:
            raise ValueError(f"labels must not be negative; got {int(self.labels.min())}")
        self.length = len(self.labels)
        per_site = np.bincount(self.labels, minlength=sites or 0)
        self._first = np.concatenate(([0], np.cumsum(per_site)))
        # numpy's stable sort is a radix sort for 16 bits, several times faster than for 64
        small = self.labels.astype(np.uint16) if len(per_site) <= 2**16 else self.labels
        self._order = np.argsort(small, kind="stable")

    def at(self, step: int) -> int:
        return int(self.labels[step - 1])

    def count(self, site: Any, step: Any) -> Any:
        if isinstance(site, np.ndarray):
            if np.ndim(step) != 0:
                raise ValueError("Labels.count takes one step for all of the sites")
            per_site = np.bincount(self.labels[:step], minlength=int(site.max(initial=0)) + 1)
            return per_site[site]
        if site + 1 >= len(self._first):
            return 0
        mine = self._order[self._first[site] : self._first[site + 1]]
        return int(np.searchsorted(mine, step))

    def nth(self, site: Any, n: Any) -> Any:
        if isinstance(site, np.ndarray):
            inside = np.minimum(site, len(self._first) - 2)
            place = self._first[inside] + n - 1
            there = (place < self._first[inside + 1]) & (inside == site)
            found = np.full(len(site), NEVER, dtype=np.int64)
            found[there] = self._order[place[there]] + 1
            return found
        if site + 1 >= len(self._first):
            return NEVER
        place = self._first[site] + n - 1
        return int(self._order[place]) + 1 if place < self._first[site + 1] else NEVER

    def support(self, sites: int) -> Sequence[int] | None:
        return [int(site) for site in np.flatnonzero(np.diff(self._first))]

    def highest(self) -> int:
        return len(self._first) - 2 if not len(self.labels) else int(self.labels.max())


class Runs(Schedule):
    """Bursts one after the other: `lengths[i]` steps on `sites[i]`, then the next; -1 as a site skips."""

    __slots__ = ("_before", "_ends", "_order", "_sent", "length", "lengths", "sites")

    def __init__(self, sites: npt.ArrayLike, lengths: npt.ArrayLike) -> None:
        self.sites: Integers = np.asarray(sites, dtype=np.int64)
        self.lengths: Integers = np.asarray(lengths, dtype=np.int64)
        if self.sites.shape != self.lengths.shape or self.sites.ndim != 1:
            raise ValueError("sites and lengths must be lists of the same length")
        if not len(self.lengths) or int(self.lengths.min()) < 1:
            raise ValueError("each run needs a length of at least 1")
        self._ends: Integers = np.cumsum(self.lengths)
        self.length = int(self._ends[-1])
        self._sent: Integers = np.cumsum(np.where(self.sites < 0, 0, self.lengths))
        self._order = {}
        self._before = {}
        order = np.argsort(self.sites, kind="stable")
        for site, mine in zip(*_groups(self.sites, order), strict=True):
            self._order[site] = mine
            self._before[site] = np.concatenate(([0], np.cumsum(self.lengths[mine])))

    def at(self, step: int) -> int | None:
        site = int(self.sites[np.searchsorted(self._ends, step)])
        return None if site < 0 else site

    def count(self, site: Any, step: Any) -> Any:
        if isinstance(site, np.ndarray):
            return np.array([self.count(int(one), step) for one in site], dtype=np.int64)
        if site not in self._order:
            return 0
        mine, before = self._order[site], self._before[site]
        run = int(np.searchsorted(self._ends, step))  # the run that this step is in, or past the end
        whole = int(np.searchsorted(mine, run))
        inside = 0
        if whole < len(mine) and mine[whole] == run:
            inside = step - int(self._ends[run] - self.lengths[run])
        return int(before[whole]) + inside

    def nth(self, site: Any, n: Any) -> Any:
        if isinstance(site, np.ndarray):
            numbers = np.broadcast_to(n, site.shape)
            return np.array([self.nth(int(s), int(m)) for s, m in zip(site, numbers, strict=True)], dtype=np.int64)
        if site not in self._order:
            return NEVER
        before = self._before[site]
        if n > before[-1]:
            return NEVER
        whole = int(np.searchsorted(before, n)) - 1
        run = self._order[site][whole]
        return int(self._ends[run] - self.lengths[run]) + n - int(before[whole])

    def support(self, sites: int) -> Sequence[int]:
        return [site for site in self._order if site >= 0]

    def highest(self) -> int:
        return int(self.sites.max())

    def lowest(self) -> int:
        return min(self.support(0), default=0)

    def sent(self, step: int) -> int:
        run = int(np.searchsorted(self._ends, step))
        if run == len(self._ends):
            return int(self._sent[-1])
        before = int(self._sent[run - 1]) if run else 0
        return before + (step - int(self._ends[run] - self.lengths[run]) if self.sites[run] >= 0 else 0)

    def step_of(self, n: int) -> int:
        run = int(np.searchsorted(self._sent, n))
        if run == len(self._sent):
            return NEVER
        before = int(self._sent[run - 1]) if run else 0
        return int(self._ends[run] - self.lengths[run]) + n - before


def _groups(values: Integers, order: Integers) -> tuple[Iterable[int], Iterable[Integers]]:
    """Return each distinct value with the places where it stands, given a stable sort order."""
    found, first = np.unique(values[order], return_index=True)
    return [int(value) for value in found], np.split(order, first[1:])
