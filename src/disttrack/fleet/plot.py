"""The `windows` figure as scenarios ask for it. Light: scenarios are checked with it before anything runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from disttrack.simulator.shown.plots.base import Plot

if TYPE_CHECKING:
    from disttrack.simulator.experiments.results.read import Tables
    from disttrack.simulator.shown.plots.description import Description


@dataclass(frozen=True, kw_only=True)
class Windows(Plot):
    """What was admitted in the course of the first windows of games of quotas: a line per protocol, and the limit.

    Parameters
    ----------
    count
        Number of windows.
    """

    kind: ClassVar[str] = "windows"

    count: int = 2

    @property
    def needs(self) -> tuple[str, ...]:
        return "series.csv", "overshoot"

    def describe(self, tables: Tables) -> Description:
        from disttrack.fleet.figure import windows

        return windows(tables, self.count)
