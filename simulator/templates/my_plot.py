"""MyPlot: a figure of my own.

Run it:  disttrack run my_plot.yaml
In a scenario:  plots: [{kind: my_plot.py:MyPlot, x: sites, bins: 12}]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from disttrack import Plot

# A scenario is checked with this class before anything runs. What draws is heavy, and is imported where it is used.
if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from simulator.results.read import Tables


@dataclass(frozen=True, kw_only=True)
class MyPlot(Plot):
    """How the largest errors of games are spread, a histogram per protocol.

    Parameters
    ----------
    bins
        Bars from the least error to the largest, at least 2.
    """

    kind: ClassVar[str] = "my-plot"
    says: ClassVar[str] = "how the largest errors of games are spread"

    # The fields are the keys beside `kind` under `plots:`. Every plot has `where` and `title` as well; one with a field
    # `x: str` is drawn along an axis that the scenario sweeps, and is refused any other.
    bins: int = 20

    def __post_init__(self) -> None:
        # Whatever is refused here is reported in one line, before any game starts.
        if not isinstance(self.bins, int) or self.bins < 2:
            raise ValueError(f"bins must be a whole number of at least 2; got {self.bins!r}")

    def draw(self, tables: Tables) -> Figure:
        """Return the figure.

        tables.trials is a pandas table with a row per game that meets `where`; a column `result` names the result.
        Raise a ValueError, one line, if the games do not have what is to be shown.
        """
        from simulator.plots.style import mark, new_figure

        games = tables.trials.dropna(subset=["max_rel_error"])
        if games.empty:
            raise ValueError("needs games with a largest relative error")
        kinds = tuple(dict.fromkeys(games["protocol"]))
        least, largest = games["max_rel_error"].min(), games["max_rel_error"].max()
        # a figure in the style of the others: height in inches, title, line under it, note at the foot
        figure = new_figure(3.5, self.title or tables.title, note="Bars: games. A colour per protocol.")
        axes = figure.subplots()
        for kind in kinds:
            errors = games.loc[games["protocol"] == kind, "max_rel_error"]
            look = {"color": mark(kind, kinds).colour, "label": kind, "alpha": 0.6}
            axes.hist(errors, bins=self.bins, range=(least, largest), **look)
        axes.set_xlabel("largest relative error")
        axes.set_ylabel("games")
        axes.legend()
        return figure
