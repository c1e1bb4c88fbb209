"""Plans with content: the site and the item of every step, listed once and repeated for as long as is wanted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from disttrack.adversaries.schedules import NEVER, Integers, Schedule, whole

SMALL: Final = 2**63
"""Limit of numbers of 64 bits."""
HEAVIEST: Final = 2**61
"""What the weights of a plan, and of a game, may add up to."""


def names(of: str, values: object, *, texts: bool = True) -> npt.NDArray[Any]:
    """Return whole numbers of any size, or texts, as an array: of 64 bits if possible, else of Python's values.

    Nothing is converted: the text '7' and the number 7 are two names. `texts` says whether texts are accepted.

    Raises
    ------
    ValueError
        A value is something else, such as a float, which cannot be told from its neighbours.
    """
    if isinstance(values, np.ndarray):
        if values.dtype.kind in "iu" and np.can_cast(values.dtype, np.int64):
            return values.astype(np.int64)
        values = values.tolist()
    if isinstance(values, str | bytes) or not hasattr(values, "__iter__"):
        raise ValueError(f"{of} must be a list, one for each step; got {values!r}")
    listed = list(values)
    known = (int, str) if texts else (int,)
    for kind in (one for one in dict.fromkeys(map(type, listed)) if one not in known):
        if kind is bool or not issubclass(kind, int | np.integer | str) or (issubclass(kind, str) and not texts):
            place = next(place for place, value in enumerate(listed) if type(value) is kind)
            accepted, remedy = "whole numbers", ""
            if texts:
                accepted, remedy = "whole numbers or texts", "; number the values, or name them by str(value)"
            value = f"{kind.__name__} {listed[place]!r}"
            raise ValueError(f"{of} must be {accepted}; got {value} at place {place}{remedy}")
        listed = [value if type(value) is not kind else str(value) if issubclass(kind, str) else int(value)
                  for value in listed]  # fmt: skip
    if {*map(type, listed)} == {int} and -(2**63) <= min(listed) <= max(listed) < 2**63:
        return np.array(listed, dtype=np.int64)
    array = np.empty(len(listed), dtype=object)
    array[:] = listed
    return array


def in_order(name: int | str) -> tuple[bool, int | str]:
    """Return the key by which names are sorted: numbers before texts."""
    return isinstance(name, str), name


class Cycle(Schedule):
    """A list of labels, one per step, that begins again after its end.

    Questions are answered from one sorted index: the n-th step of a label, in any lap, costs one look-up.

    Parameters
    ----------
    labels
        Whole numbers, or texts; must not be changed afterwards.
    length
        Number of steps.
    weights
        The weight of each step of a lap, whole numbers from 1; None if all are 1.
    called
        Returns the name of a label, by which it is asked for; None for the labels themselves.
    """

    __slots__ = (
        "_bounds",
        "_called",
        "_numbered",
        "_places",
        "_spans",
        "_sums",
        "_totals",
        "labels",
        "length",
        "period",
        "weights",
    )

    def __init__(
        self,
        labels: npt.ArrayLike,
        length: int = NEVER,
        weights: Integers | None = None,
        called: Callable[[int], Any] | None = None,
    ) -> None:
        self._list(names("labels", labels), length, weights, called)

    def _list(self, labels: npt.NDArray[Any], length: int, weights: Integers | None, called: Any = None) -> None:
        """Take the parameters, with labels that nobody else has."""
        self.labels = labels
        if self.labels.ndim != 1 or not len(self.labels):
            raise ValueError("labels must be a list of at least one whole number or text")
        self.period = len(self.labels)
        self.length = whole("length of a cycle", length, 1)
        self.weights, self._called = weights, called
        self._numbered: Integers | None = None

    def __getattr__(self, name: str) -> Any:
        """Make the index with the first question that needs it: a plan that is played as a list needs none."""
        weighed = name in ("_sums", "_totals") and self.weights is not None
        if not weighed and name not in ("_bounds", "_places", "_spans"):
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
        numbers, called, weights = self.labels, self._called, self.weights
        if numbers.dtype == object:
            known = sorted({*numbers}, key=in_order)
            called, places = known.__getitem__, {name: place for place, name in enumerate(known)}
            numbers = np.array([places[name] for name in self.labels], dtype=np.int64)
        order = np.argsort(numbers, kind="stable")
        kinds, first = np.unique(numbers[order], return_index=True)
        self._places: Integers = order.astype(np.int64)
        self._bounds: Integers = np.append(first, self.period)
        """Where the places of each kind begin, and the end of them all."""
        ends = self._bounds[1:].tolist()
        called_kinds = kinds.tolist() if called is None else map(called, kinds.tolist())
        self._spans: dict[Any, tuple[int, int]] = dict(
            zip(called_kinds, zip(first.tolist(), ends, strict=True), strict=True)
        )
        if weights is not None:
            self._totals, self._sums = (np.concatenate(([0], listed.cumsum())) for listed in (weights, weights[order]))
        return getattr(self, name)

    @property
    def kinds(self) -> Sequence[Any]:
        """The labels that occur, in order, numbers before texts."""
        return list(self._spans)

    @property
    def numbered(self) -> Integers:
        """The place of each step's label among `kinds`."""
        if self._numbered is None:
            self._numbered = np.empty(self.period, dtype=np.int64)
            self._numbered[self._places] = np.repeat(np.arange(len(self._spans)), np.diff(self._bounds))
        return self._numbered

    def place(self, label: int | str) -> int:
        """Return the place of a label that occurs among `kinds`."""
        return int(self._bounds.searchsorted(self._spans[label][0]))

    def at(self, step: Any) -> Any:
        place = (step - 1) % self.period
        return self.labels[place] if isinstance(step, np.ndarray) else self.labels.item(place)

    def count(self, site: object, step: Any) -> Any:
        begin, end = self._spans.get(site, (0, 0))
        laps, rest = divmod(step, self.period)
        return laps * (end - begin) + int(self._places[begin:end].searchsorted(rest))

    def nth(self, site: object, n: Any) -> Any:
        begin, end = self._spans.get(site, (0, 0))
        if begin == end:
            return NEVER
        laps, place = divmod(n - 1, end - begin)
        if isinstance(n, np.ndarray):
            return laps * self.period + self._places[begin + place] + 1
        step = laps * self.period + self._places.item(begin + place) + 1
        return step if step <= self.length else NEVER

    # ------------------------------------------------------------------ many labels at once, by their places in `kinds`

    def counts(self, step: int) -> Integers:
        """Return how often each label occurs up to a step."""
        laps, rest = divmod(step, self.period)
        return laps * np.diff(self._bounds) + np.bincount(self.numbered[:rest], minlength=len(self._spans))

    def counts_of(self, places: Integers, steps: Integers) -> Integers:
        """Return how often each of some labels occurs up to a step of its own."""
        laps, rest = divmod(steps, self.period)
        ordered = self.numbered[self._places] * self.period + self._places
        return laps * self.laps(places) + ordered.searchsorted(places * self.period + rest) - self._bounds[places]

    def occurrences(self, places: Integers, n: Integers) -> tuple[Integers, Integers]:
        """Return the steps of the n-th occurrences of labels, and the weights of the labels by then."""
        begin = self._bounds[places]
        laps, rest = divmod(n - 1, self.laps(places))
        steps = laps * self.period + self._places[begin + rest] + 1
        return steps, self._weighed(begin, self._bounds[places + 1], n)

    def reaches(self, places: Integers, weights: Integers) -> Integers:
        """Return the first steps by which labels have at least these weights, from 1; `NEVER` if there is none."""
        n, size = weights, self.laps(places)
        if self.weights is not None:
            begin = self._bounds[places]
            laps, rest = divmod(weights - 1, self._sums[self._bounds[places + 1]] - self._sums[begin])
            n = laps * size + self._sums.searchsorted(self._sums[begin] + rest, "right") - begin
        in_time = n <= NEVER // self.period * size  # else steps are too large for an array
        steps, _ = self.occurrences(places, np.where(in_time, n, 1))
        return np.where(in_time & (steps <= self.length), steps, NEVER)

    def copies(self, step: int) -> list[int]:
        """Return the weights of all labels by a step."""
        if len(self._spans) == 1:  # as in the plans of adversaries that react
            return [self.weight(label, step) for label in self._spans]
        weights: list[int] = self.sums(self.counts(step)).tolist()
        return weights

    def sums(self, n: Integers) -> Integers:
        """Return the weights of the first n steps of all labels."""
        sums: Integers = self._weighed(self._bounds[:-1], self._bounds[1:], n)
        return sums

    def laps(self, places: Integers) -> Integers:
        """Return how often each of some labels occurs in one lap."""
        return self._bounds[places + 1] - self._bounds[places]

    # ------------------------------------------------------------------ weights

    def weight_at(self, step: int) -> int:
        """Return the weight of a step."""
        return 1 if self.weights is None else self.weights.item((step - 1) % self.period)

    def total(self, step: Any) -> Any:
        """Return the weight of all steps up to one, or an array of them."""
        if self.weights is None:
            return step
        laps, rest = divmod(step, self.period)
        if not isinstance(step, np.ndarray):  # exact, however large
            return laps * self._totals.item(-1) + self._totals.item(rest)
        return laps * self._totals[-1] + self._totals[rest]

    def sum_of(self, label: int | str, n: Any) -> Any:
        """Return the weight of the first n steps of a label, or of an array of them."""
        return self._weighed(*self._spans.get(label, (0, 1)), n)

    def _weighed(self, begin: Any, end: Any, n: Any) -> Any:
        """Return the weight of the first n steps of the label, or of each of the labels, between these bounds."""
        if self.weights is None:
            return n
        laps, rest = divmod(n, end - begin)
        return laps * (self._sums[end] - self._sums[begin]) + self._sums[begin + rest] - self._sums[begin]

    def weight(self, label: Any, step: int) -> int:
        """Return the weight of a label by a step."""
        return int(self.sum_of(label, self.count(label, step)))

    def reach(self, label: object, weight: int) -> int:
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
        labels = self.labels
        return (
            (labels.item(0),) * 2 if self.period == 1 else (labels.item(labels.argmin()), labels.item(labels.argmax()))
        )


class Pairs(Cycle):
    """A plan of pairs of site and item. As a schedule it names the sites; `items` and `cells` are those of the rest.

    Parameters
    ----------
    sites, items
        The site of each step of a lap, a whole number from 0, and its item: a whole number of any size, or a text. 7
        and '7' are two items.
    length
        Number of steps; for ever if left out, which begins the list again and again.
    weights
        The weight of each item of a lap, whole numbers from 1: the number of copies that it counts as. 1 if left out.
        They add up to 2^61 at most.

    Examples
    --------
    >>> plan = Pairs([0, 1], [7, 7])
    >>> plan.at(4), plan.items.count(7, 4), plan.cells(2).nth((7, 1), 2)
    (1, 4, 4)
    """

    __slots__ = ("_cells", "_cells_at", "_items", "contents", "pair")

    def __init__(
        self, sites: npt.ArrayLike, items: npt.ArrayLike, length: int = NEVER, weights: npt.ArrayLike | None = None
    ) -> None:
        self.pair = _pair(sites, items) if weights is None else None
        """The site and the item of a plan of one number each, whose arrays are made when they are asked for."""
        if self.pair:
            self.period, self.length = 1, length if length is NEVER else whole("length of a cycle", length, 1)
            self.weights = self._called = self._numbered = None
        else:
            fed, self.contents = names("sites", sites, texts=False), names("items", items)
            self._list(fed, length, None if weights is None else _weights(weights, len(fed)))
            if len(self.contents) != self.period:
                raise ValueError(f"items must be one for each site; got {len(self.contents)} for {self.period} sites")
        self._items: Cycle | None = None
        self._cells: dict[int, Cycle] = {}
        self._cells_at: dict[int, dict[int, Integers]] = {}

    def __getattr__(self, name: str) -> Any:
        if name not in ("contents", "labels"):
            return super().__getattr__(name)
        self.labels, self.contents = (np.array([one], dtype=np.int64) for one in self.pair or ())
        return getattr(self, name)

    def named(self) -> tuple[int, int]:
        return (self.pair[0],) * 2 if self.pair else super().named()

    @property
    def items(self) -> Cycle:
        """The schedule that names the items."""
        if self._items is None:
            self._items = Cycle(self.contents, self.length, self.weights)
        return self._items

    @property
    def types(self) -> frozenset[type]:
        """The types of the items' names: int, str, or both."""
        if self.pair:
            return frozenset({int})
        return frozenset(map(type, self.contents)) if self.contents.dtype == object else frozenset({int})

    def cells_at(self, site: int, sites: int) -> Integers:
        """Return the places of a site's pairs among the `kinds` of `cells`, in the order of their items."""
        if sites not in self._cells_at:
            of = np.array([number for _, number in self.cells(sites).kinds])
            order = of.argsort(kind="stable")
            known, first = np.unique(of[order], return_index=True)
            self._cells_at[sites] = dict(zip(known.tolist(), np.split(order, first[1:]), strict=True))
        return self._cells_at[sites].get(site, np.empty(0, dtype=np.int64))

    def cells(self, sites: int) -> Cycle:
        """Return the schedule that names the pairs of an item and a site."""
        if sites not in self._cells:
            kinds = self.items.kinds
            self._cells[sites] = Cycle(
                self.items.numbered * sites + self.labels, self.length, self.weights,
                lambda cell: (kinds[cell // sites], cell % sites),
            )  # fmt: skip
        return self._cells[sites]


def _pair(sites: Any, items: Any) -> tuple[int, int] | None:
    """Return the site and the item of lists of one number of 64 bits each; None for others."""
    if type(sites) is type(items) is list and len(sites) == len(items) == 1:
        site, item = sites[0], items[0]
        if type(site) is type(item) is int and -SMALL <= site < SMALL and -SMALL <= item < SMALL:
            return site, item
    return None


def _weights(values: npt.ArrayLike, steps: int) -> Integers:
    """Return the weights of a plan; ValueError unless they are whole numbers from 1, and not too many."""
    try:
        weights = names("weights", values, texts=False)
    except ValueError:
        weights = np.empty(0)
    if weights.ndim != 1 or weights.dtype != np.int64 or len(weights) != steps or weights.min(initial=1) < 1:
        raise ValueError("weights must be whole numbers from 1, one for each site, that add up to at most 2^61")
    if int(weights.max(initial=0)) * steps > HEAVIEST and (total := sum(weights.tolist())) > HEAVIEST:
        raise ValueError(f"weights must add up to at most 2^61; got {total:,}")
    return weights


@lru_cache(maxsize=2**16)
def one(site: int, item: int | str) -> Pairs:
    """Return the plan that gives one site copies of one item without end."""
    return Pairs([site], [item])
