"""The figures `size`, `budget` and `ratio` as scenarios ask for them: scenarios are checked with these."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from disttrack.simulator.shown.plots.base import Plot


@dataclass(frozen=True, kw_only=True)
class SizeOverTime(Plot):
    """Error and size in the course of games on data sets: a line per mechanism and a panel per adversary.

    The first game of each line is shown. Where errors lie above the dashed size, answers of 0 are better.
    """

    kind: ClassVar[str] = "size"
    home: ClassVar[str] = "over_time:over_time"
    needs = ("series.csv", "max_abs_error")


@dataclass(frozen=True, kw_only=True)
class Budget(Plot):
    """Each mechanism's budget as a bar, and under it those of its parts, to scale; the filled part of each is spent.

    Parts in sequence are side by side, as their losses add up; parts in parallel begin at one place.
    """

    kind: ClassVar[str] = "budget"
    home: ClassVar[str] = "budget:budget"
    narrow: ClassVar[bool] = False
    needs = ("ledger",)


@dataclass(frozen=True, kw_only=True)
class Ratio(Plot):
    """Estimate over truth against updates: medians of the games, a line per protocol and a panel per adversary."""

    kind: ClassVar[str] = "ratio"
    home: ClassVar[str] = "over_time:over_time"
    needs = ("series.csv",)
