"""MyPlot: a figure of my own.

Run it:  disttrack run my_plot.yaml
In a scenario:  plots: [{kind: my_plot.py:MyPlot, x: sites, bins: 12}]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from disttrack import Plot

# A scenario is checked with this class before anything runs. What is heavy is imported where it is used.
if TYPE_CHECKING:
    from disttrack.simulator.experiments.results.read import Tables
    from disttrack.simulator.shown.plots.description import Description


@dataclass(frozen=True, kw_only=True)
class MyPlot(Plot):
    """How the largest errors of games are spread, a line per protocol.

    Parameters
    ----------
    bins
        Intervals from the least error to the largest, at least 2.
    """

    kind: ClassVar[str] = "my-plot"

    # The fields are the keys beside `kind` under `plots:`. Every plot has `where` and `title` as well; one with a field
    # `x: str` is drawn along an axis that the scenario sweeps, and is refused any other.
    bins: int = 20

    def __post_init__(self) -> None:
        # Whatever is refused here is reported in one line, before any game starts.
        if not isinstance(self.bins, int) or self.bins < 2:
            raise ValueError(f"bins must be a whole number of at least 2; got {self.bins!r}")

    def describe(self, tables: Tables) -> Description:
        """Return what the figure shows, as data: panels, their series, axes and texts.

        tables.trials is a pandas table with a row per game that meets `where`; a column `result` names the result.
        Raise a ValueError, one line, if the games do not have what is to be shown.
        """
        import numpy as np

        from disttrack.simulator.shown.plots.description import Axis, Description, Panel, Series, looks_of

        errors = tables.trials["max_rel_error"].dropna()
        if errors.empty:
            raise ValueError("needs games with a largest relative error")
        ends = np.linspace(errors.min(), errors.max(), self.bins + 1)
        protocols = tables.trials["protocol"][errors.index]
        series = []
        looks = looks_of(protocols)
        for kind, look in looks.items():
            counts, _ = np.histogram(errors[protocols == kind], ends)
            series.append(Series(kind, (ends[1:] + ends[:-1]) / 2, counts, look))
        return Description(
            [Panel(series, Axis("largest relative error"), Axis("games"))],
            note="Marks: games in an interval of errors.",
            caption=f"Largest relative errors of {len(errors)} games in {self.bins} intervals.",
            legend=[(look, kind) for kind, look in looks.items()],
        )  # fmt: skip
