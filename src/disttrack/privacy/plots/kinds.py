"""The figures `size`, `budget` and `ratio` as scenarios ask for them. Light: scenarios are checked with these classes.

What describes a figure is imported when it is drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from disttrack.simulator.shown.plots.base import Plot

if TYPE_CHECKING:
    from disttrack.simulator.experiments.results.read import Tables
    from disttrack.simulator.shown.plots.description import Description


@dataclass(frozen=True, kw_only=True)
class SizeOverTime(Plot):
    """Error and size in the course of games on data sets: a line per mechanism and a panel per adversary.

    The first game of each line is shown. Where errors lie above the dashed size, answers of 0 are better.
    """

    kind: ClassVar[str] = "size"

    @property
    def needs(self) -> tuple[str, ...]:
        return ("series.csv", "max_abs_error")

    def describe(self, tables: Tables) -> Description:
        from disttrack.privacy.plots.over_time import over_time

        return over_time(self, tables, ratio=False)


@dataclass(frozen=True, kw_only=True)
class Budget(Plot):
    """Each mechanism's budget as a bar, and under it those of its parts, to scale; the filled part of each is spent.

    Parts in sequence are side by side, as their losses add up; parts in parallel begin at one place.
    """

    kind: ClassVar[str] = "budget"
    narrow: ClassVar[bool] = False

    @property
    def needs(self) -> tuple[str, ...]:
        return ("ledger",)

    def describe(self, tables: Tables) -> Description:
        from disttrack.privacy.plots.budget import budget

        return budget(tables)


@dataclass(frozen=True, kw_only=True)
class Ratio(Plot):
    """Estimate over truth against updates: medians of the games, a line per protocol and a panel per adversary."""

    kind: ClassVar[str] = "ratio"

    @property
    def needs(self) -> tuple[str, ...]:
        return ("series.csv",)

    def describe(self, tables: Tables) -> Description:
        from disttrack.privacy.plots.over_time import over_time

        return over_time(self, tables, ratio=True)
