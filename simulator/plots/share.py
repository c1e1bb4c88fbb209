"""The `share` figure: the share of games in which something is so, with its interval, along an axis or in rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from simulator.plots.base import Plot

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from simulator.results.read import Line, Tables


@dataclass(frozen=True, kw_only=True)
class Share(Plot):
    """The share of games with a true column against a swept axis, with 95 % intervals, a line per protocol.

    Parameters
    ----------
    x
        The axis: any swept parameter.
    y
        A column of trials.csv that is true or false.
    level
        A share to compare with, drawn as a line; empty for none.
    level_says
        What that is, for the legend.
    y_says
        What the column says, for the axis.
    """

    kind: ClassVar[str] = "share"
    says: ClassVar[str] = "the share of games in which a column is true, along a swept axis"

    x: str
    y: str = "ok"
    level: str | float = ""
    level_says: str = ""
    y_says: str = ""

    @property
    def name(self) -> str:
        return f"share-{self.x}-{self.y}"

    def draw(self, tables: Tables) -> Figure:
        from matplotlib.lines import Line2D

        from simulator.plots.marks import mark
        from simulator.plots.panels import shape
        from simulator.plots.style import BORDER, DASHES, Legend, new_figure
        from simulator.plots.sweep import axis_label
        from simulator.results.fixed import fixed

        drawn = self._drawn(tables)
        kinds = tuple(dict.fromkeys(tables.trials["protocol"]))
        entries: dict[str, Any] = {}
        for _, part in drawn:
            for line, _ in part:
                look = mark(line.protocol, kinds)
                style: dict[str, Any] = {"color": look.colour, "marker": look.marker}
                entries.setdefault(line.label, Line2D([], [], linestyle=DASHES[line.order % len(DASHES)], **style))
        handles: list[tuple[Any, str]] = [(handle, label) for label, handle in entries.items()]
        if self.level != "":
            handles.append((Line2D([], [], color=BORDER, linestyle=(0, (4, 2))), self.level_says or str(self.level)))
        rows, columns = shape(len(drawn))
        note = "Marks: shares of the games. Bars: intervals of 95 % (Clopper, Pearson)."
        figure = new_figure(
            3.4 * rows, self.title or tables.title, fixed(tables, self.x), note, legends=[Legend("", handles)]
        )
        made = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
        for one, (title, part) in zip(made.flat, drawn, strict=False):
            one.set_title(title if len(drawn) > 1 else "")
            for place, (line, table) in enumerate(part):
                _draw(one, line, table, kinds, 1 + 0.02 * (place - (len(part) - 1) / 2))
            if self.level != "":
                one.axhline(
                    float(self.level), color=BORDER, linewidth=1.1, linestyle=(0, (4, 2)), zorder=1, gid="level"
                )
            one.set_xlabel(axis_label(self.x))
        for one in made.flat[len(drawn) :]:
            one.set_visible(False)
        made[0, 0].set_ylabel(self._what)
        _scale(made[0, 0], [float(x) for _, part in drawn for _, table in part for x in table["x"]])
        return figure

    def caption(self, tables: Tables) -> str:
        from simulator.plots.sweep import axis_label, symbol
        from simulator.results.fixed import fixed
        from simulator.results.formats import swept_ticks

        told = []
        drawn = self._drawn(tables)
        for title, part in drawn:
            head = f"{title} " if len(drawn) > 1 else ""
            for line, table in part:
                places, shares = (np.asarray(table[key], dtype=float) for key in ("x", "share"))
                at = [f"{symbol(self.x)} = {swept_ticks([float(x)])[0]}" for x in places]
                values = [f"{share:.1%} at {place}" for share, place in zip(shares, at, strict=True)]
                same = table["share"].nunique() == 1 and len(table) > 1
                told.append(
                    f"{head}{line.label}: {f'{table.share.iloc[0]:.1%} at each' if same else ', '.join(values)}"
                )
        level = f" Dashed: {self.level_says or self.level} ({float(self.level):.3g})." if self.level != "" else ""
        return (
            f"{self._what[:1].upper()}{self._what[1:]} against {axis_label(self.x)}, with 95 % intervals, a line per "
            f"protocol.{level} Fixed: {fixed(tables, self.x)}. {'; '.join(told)}."
        )

    @property
    def _what(self) -> str:
        """Return what is shown, as the label of the axis."""
        return self.y_says or ("share of games that are right" if self.y == "ok" else f"share of games: {self.y}")

    def _drawn(self, tables: Tables) -> list[tuple[str, list[tuple[Line, pd.DataFrame]]]]:
        """Return the lines of each panel with their shares."""
        from simulator.plots.sweep import panels
        from simulator.results.read import lines

        column = self.y if self.y in tables.trials else f"_{self.y}"
        if column not in tables.trials:
            raise ValueError(f"y must be a column of trials.csv that is true or false; got {self.y!r}")
        drawn = []
        for title, games in panels(tables):
            part = [(line, _shares(line.games, self.x, column)) for line in lines(games, self.x)]
            drawn.append((title, [(line, table) for line, table in part if len(table)]))
        drawn = [(title, part) for title, part in drawn if part]
        if not drawn:
            raise ValueError(f"a share figure needs games with {self.y!r}; these have none")
        return drawn


def _shares(games: pd.DataFrame, axis: str, column: str) -> pd.DataFrame:
    """Return the share at each place, with its interval."""
    import pandas as pd
    from scipy.stats import beta

    from simulator.plots.sweep import place

    games = games[games[column].notna() & (games["verdict"] != "error")]
    # True and False, or 1 and 0: tables know both
    true = games[column].map(lambda value: value is True or str(value) in ("True", "1", "1.0")).astype(float)
    groups = pd.DataFrame({"x": place(games, axis), "true": true}).dropna().groupby("x")["true"]
    hits, count = groups.sum(), groups.count()
    low = np.nan_to_num(beta.ppf(0.025, hits, count - hits + 1), nan=0.0)
    high = np.nan_to_num(beta.ppf(0.975, hits + 1, count - hits), nan=1.0)
    return pd.DataFrame({"x": hits.index, "share": hits / count, "low": low, "high": high}).reset_index(drop=True)


def _draw(axes: Axes, line: Line, table: pd.DataFrame, kinds: tuple[str, ...], aside: float) -> None:
    """Draw one line, a little to the side of the others."""
    from simulator.plots.style import DASHES, mark

    look = mark(line.protocol, kinds)
    x, y = table["x"].to_numpy(dtype=float) * aside, table["share"].to_numpy(dtype=float)
    bars = np.vstack((np.maximum(0, y - table["low"]), np.maximum(0, table["high"] - y)))
    style: dict[str, Any] = {"color": look.colour, "marker": look.marker, "linestyle": DASHES[line.order % len(DASHES)]}
    axes.errorbar(x, y, yerr=bars, linewidth=1.4, elinewidth=1.1, capsize=2.5, zorder=3, label=line.label, **style)


def _scale(axes: Axes, places: list[float]) -> None:
    """Put a tick at each place of the axis, and shares from 0 to 1."""
    from matplotlib.ticker import FixedLocator, NullLocator

    from simulator.results.formats import swept_ticks

    distinct = sorted(set(places))
    if distinct[0] > 0:
        axes.set_xscale("log")
        axes.set_xlim(distinct[0] / 1.25, distinct[-1] * 1.25)
    axes.xaxis.set_major_locator(FixedLocator(distinct))
    axes.xaxis.set_minor_locator(NullLocator())
    texts = dict(zip(distinct, swept_ticks(distinct), strict=True))
    axes.xaxis.set_major_formatter(lambda value, _: texts.get(value, swept_ticks([value])[0]))
    axes.set_ylim(-0.03, 1.03)
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
