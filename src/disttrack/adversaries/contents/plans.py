"""Plans with content: the site and the item of every step, listed once and repeated for as long as is wanted."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from disttrack.adversaries.schedules import NEVER, Integers, Schedule, whole


def numbers(values: npt.ArrayLike) -> npt.NDArray[Any]:
    """Return whole numbers as an array: of 64 bits, or of Python's numbers if they need more."""
    listed = np.asarray(values)
    return listed.astype(np.int64 if listed.itemsize < 8 or listed.dtype == np.int64 else object)


class Cycle(Schedule):
    """A list of labels, one per step, that begins again after its end.

    Questions are answered from one sorted index: the n-th step of a label, in any lap, costs one look-up.

    Parameters
    ----------
    labels
        Whole numbers from 0; must not be changed afterwards.
    length
        Number of steps.
    weights
        The weight of each step of a lap, whole numbers from 1; None if all are 1.
    """

    __slots__ = ("_places", "_spans", "_sums", "_totals", "labels", "length", "period", "weights")

    def __init__(self, labels: npt.ArrayLike, length: int = NEVER, weights: Integers | None = None) -> None:
        self.labels = numbers(labels)
        if self.labels.ndim != 1 or not len(self.labels):
            raise ValueError("labels must be a list of at least one whole number")
        self.period = len(self.labels)
        self.length = whole("length of a cycle", length, 1)
        order = np.argsort(self.labels, kind="stable")
        kinds, first = np.unique(self.labels[order], return_index=True)
        self._places: Integers = order.astype(np.int64)
        ends = [*first[1:].tolist(), self.period]
        self._spans = dict(zip(kinds.tolist(), zip(first.tolist(), ends, strict=True), strict=True))
        self.weights = weights
        if weights is not None:
            self._totals, self._sums = (np.concatenate(([0], listed.cumsum())) for listed in (weights, weights[order]))

    @property
    def kinds(self) -> Sequence[int]:
        """The labels that occur, in order."""
        return list(self._spans)

    def per_lap(self, label: int) -> int:
        """Return how often a label occurs in one lap."""
        begin, end = self._spans.get(label, (0, 0))
        return int(end - begin)

    def at(self, step: Any) -> Any:
        label = self.labels[(step - 1) % self.period]
        return label if isinstance(step, np.ndarray) else int(label)

    def count(self, site: Any, step: Any) -> Any:
        begin, end = self._spans.get(site, (0, 0))
        laps, rest = divmod(step, self.period)
        return laps * (end - begin) + int(self._places[begin:end].searchsorted(rest))

    def nth(self, site: Any, n: Any) -> Any:
        begin, end = self._spans.get(site, (0, 0))
        if begin == end:
            return NEVER
        laps, place = divmod(n - 1, end - begin)
        if isinstance(n, np.ndarray):
            return laps * self.period + self._places[begin + place] + 1
        step = laps * self.period + self._places.item(begin + place) + 1
        return step if step <= self.length else NEVER

    # ------------------------------------------------------------------ weights

    def weight_at(self, step: int) -> int:
        """Return the weight of a step."""
        return 1 if self.weights is None else self.weights.item((step - 1) % self.period)

    def total(self, step: Any) -> Any:
        """Return the weight of all steps up to one, or an array of them."""
        if self.weights is None:
            return step
        laps, rest = divmod(step, self.period)
        return laps * self._totals[-1] + self._totals[rest]

    def sum_of(self, label: int, n: Any) -> Any:
        """Return the weight of the first n steps of a label, or of an array of them."""
        if self.weights is None:
            return n
        begin, end = self._spans.get(label, (0, 0))
        laps, rest = divmod(n, max(1, end - begin))
        return laps * (self._sums[end] - self._sums[begin]) + self._sums[begin + rest] - self._sums[begin]

    def weight(self, label: int, step: int) -> int:
        """Return the weight of a label by a step."""
        return int(self.sum_of(label, self.count(label, step)))

    def reach(self, label: int, weight: int) -> int:
        """Return the first step by which a label has at least this weight, from 1; `NEVER` if there is none."""
        begin, end = self._spans.get(label, (0, 0))
        if self.weights is None or begin == end:
            return int(self.nth(label, weight))
        sums = self._sums[begin : end + 1]
        laps, rest = divmod(weight - 1, int(sums[-1] - sums[0]))
        return int(self.nth(label, laps * (end - begin) + int(sums.searchsorted(sums[0] + rest, "right"))))

    def support(self, sites: int) -> Sequence[int]:
        return self.kinds

    def named(self) -> tuple[int, int]:
        return min(self._spans), max(self._spans)


class Pairs(Cycle):
    """A plan of pairs of site and item. As a schedule it names the sites; `items` and `cells` are those of the rest.

    Parameters
    ----------
    sites, items
        The site and the item of each step of a lap, whole numbers from 0.
    length
        Number of steps; for ever if left out, which begins the list again and again.
    weights
        The weight of each item of a lap, whole numbers from 1: the number of copies that it counts as. 1 if left out.

    Examples
    --------
    >>> plan = Pairs([0, 1], [7, 7])
    >>> plan.at(4), plan.items.count(7, 4), plan.cells(2).nth(7 * 2 + 1, 2)
    (1, 4, 4)
    """

    __slots__ = ("_cells", "_items", "contents")

    def __init__(
        self, sites: npt.ArrayLike, items: npt.ArrayLike, length: int = NEVER, weights: npt.ArrayLike | None = None
    ) -> None:
        weighed = None if weights is None else np.asarray(weights)
        if weighed is not None and not (
            weighed.shape == np.shape(sites) and weighed.dtype.kind in "iu" and weighed.min(initial=1) >= 1
        ):
            raise ValueError("weights must be whole numbers from 1, one for each site")
        super().__init__(sites, length, None if weighed is None else weighed.astype(np.int64))
        self.contents = numbers(items)
        if self.contents.shape != self.labels.shape or self.contents.min() < 0:
            raise ValueError("items must be whole numbers from 0, one for each site")
        self._items: Cycle | None = None
        self._cells: dict[int, Cycle] = {}

    @property
    def items(self) -> Cycle:
        """The schedule that names the items."""
        if self._items is None:
            self._items = Cycle(self.contents, self.length, self.weights)
        return self._items

    def kinds_at(self, site: int) -> Sequence[int]:
        """Return the items that a site receives, in order."""
        begin, end = self._spans.get(site, (0, 0))
        kinds: Sequence[int] = np.unique(self.contents[self._places[begin:end]]).tolist()
        return kinds

    def cells(self, sites: int) -> Cycle:
        """Return the schedule that names the pairs, as item times the number of sites, plus the site."""
        if sites not in self._cells:
            large = (int(self.contents.max()) + 1) * sites >= 2**63
            contents = self.contents.astype(object) if large else self.contents
            self._cells[sites] = Cycle(contents * sites + self.labels, self.length, self.weights)
        return self._cells[sites]


@lru_cache(maxsize=4096)
def one(site: int, item: int) -> Pairs:
    """Return the plan that gives one site copies of one item without end."""
    return Pairs([site], [item])
