"""The `spread` figure: a measured column of every game, a row per protocol and adversary, beside what it must keep."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np

from simulator.plots.base import Plot
from simulator.plots.measure import column_of, measured_label

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from simulator.plots.rows import Row
    from simulator.results.read import Tables

_ALSO: Final = (("X", "#555555"), ("2", "#222222"))
"""Markers and colours of further columns, by order."""
_WIDE: Final = 20.0
"""From this ratio of the largest value to the least on, the axis is logarithmic."""
_TOLD: Final = 8
"""Rows that a caption names one by one."""


@dataclass(frozen=True, kw_only=True)
class Spread(Plot):
    """A measured column, a row per protocol, variant and adversary: median, 5 % to 95 %, least to largest of the games.

    Parameters
    ----------
    y
        The column of trials.csv.
    limit
        What the games of a row must keep: a column, whose median is drawn, or a number; empty for none.
    limit_says
        What that is, for the legend.
    also
        Further columns, drawn as marks at their medians, with commas between; two at most.
    centre
        What the mark of a row is: median, or mean where the limit is one of means.
    """

    kind: ClassVar[str] = "spread"
    says: ClassVar[str] = "a measured column of all games, a row per protocol and adversary"
    narrow: ClassVar[bool] = False

    y: str
    limit: str | float = ""
    limit_says: str = ""
    also: str = ""
    centre: str = "median"

    def __post_init__(self) -> None:
        if self.centre not in ("median", "mean"):
            raise ValueError(f"centre must be median or mean; got {self.centre!r}")

    @property
    def name(self) -> str:
        return f"spread-{self.y}"

    def draw(self, tables: Tables) -> Figure:
        from matplotlib.lines import Line2D

        from simulator.plots.rows import columns_of, height_of, name_rows
        from simulator.plots.style import INK, Legend, new_figure
        from simulator.results.fixed import fixed

        rows = self._rows(tables, apart=bool(columns_of(tables)))
        entries: list[tuple[Any, str]] = []
        if self.limit != "":
            handle = Line2D([], [], color=INK, marker="|", markersize=12, markeredgewidth=2, linestyle="")
            entries.append((handle, self._limit_name))
        for column, (marker, colour) in zip(self._also, _ALSO, strict=False):
            handle = Line2D([], [], color=colour, marker=marker, markersize=6, linestyle="")
            entries.append((handle, measured_label(column)))
        most = int(tables.trials.groupby(["result", "point"]).size().max())
        note = (
            f"Marks: {self.centre}s. Thick: 5 % to 95 % of the games. Thin: all."
            if most > 1
            else "Marks: one game each."
        )
        note += self._infinite(tables)
        legends = [Legend("", entries)]
        figure = new_figure(height_of(rows), self.title or tables.title, fixed(tables), note, legends=legends)
        columns = columns_of(tables)
        made = figure.subplots(1, max(1, len(columns)), sharex=True, sharey=True, squeeze=False)[0]
        for one, column in zip(made, columns or [""], strict=True):
            one.set_title(f"against {column}" if column else "")
            self._draw_column(one, rows, column)
            one.set_xlabel(measured_label(self.y, tables))
        name_rows(made[0], rows)
        _scale(made)
        return figure

    def _draw_column(self, axes: Axes, rows: list[Row], adversary: str) -> None:
        """Draw the rows of one adversary, or of all."""
        from simulator.plots.rows import draw_spread, of_adversary
        from simulator.plots.style import INK

        for place, row in enumerate(rows):
            mine = of_adversary(row, adversary)
            draw_spread(axes, place, row, self._values(mine), self.centre)
            limit = self._limit(mine) if len(mine.games) else None
            if limit is not None:
                look: dict[str, Any] = {"marker": "|", "markersize": 15, "markeredgewidth": 2, "linestyle": ""}
                axes.plot([limit], [place], color=INK, zorder=2.5, gid="limit", **look)
            for column, (marker, colour) in zip(self._also, _ALSO, strict=False):
                other = float(mine.games[column_of(mine.games, "also", column)].astype(float).median())
                axes.plot([other], [place], color=colour, marker=marker, linestyle="", zorder=2.9, gid="also")
        axes.grid(visible=False, axis="y")
        axes.tick_params(axis="y", length=0)

    def caption(self, tables: Tables) -> str:
        from simulator.plots.telling import rounded
        from simulator.results.fixed import fixed

        rows = self._rows(tables)
        told = []
        for row in rows:
            mine = self._values(row)
            limit = self._limit(row)
            against = f" ({rounded(limit)})" if limit is not None else ""
            middle = float(np.mean(mine) if self.centre == "mean" else np.median(mine))
            told.append((middle, f"{row.label} {rounded(middle)}{against}"))
        if len(told) > _TOLD:
            ordered = sorted(told)
            seen = f"from {ordered[0][1]} to {ordered[-1][1]}"
        else:
            seen = "; ".join(text for _, text in told)
        marks = (
            "medians, 5 % to 95 % and range of the games"
            if max(len(row.games) for row in rows) > 1
            else "one game each"
        )
        limited = f", beside {self._limit_name} (bar; in brackets below)" if self.limit != "" else ""
        also = f", and {' and '.join(map(measured_label, self._also))}" if self._also else ""
        what = measured_label(self.y, tables)
        return (
            f"{what[:1].upper()}{what[1:]}, a row per protocol and adversary: {marks}{limited}{also}."
            f"{self._infinite(tables)} Fixed: {fixed(tables)}. {self.centre.capitalize()}s: {seen}."
        )

    @property
    def _also(self) -> list[str]:
        """Return the further columns."""
        return [column.strip() for column in self.also.split(",") if column.strip()][: len(_ALSO)]

    @property
    def _limit_name(self) -> str:
        """Return what the games must keep, in words."""
        return self.limit_says or (str(self.limit) if isinstance(self.limit, str) else f"{self.limit:g}")

    def _rows(self, tables: Tables, *, apart: bool = False) -> list[Row]:
        """Return the rows whose games have numbers."""
        from simulator.plots.rows import rows_of

        column_of(tables.trials, "y", self.y)
        found = [row for row in rows_of(tables, apart) if len(self._values(row))]
        if not found:
            raise ValueError(f"a spread figure needs numbers in {self.y!r}; these games have none")
        return found

    def _infinite(self, tables: Tables) -> str:
        """Return how many games have no finite value, and so no place on the axis."""
        values = tables.trials[column_of(tables.trials, "y", self.y)].dropna().astype(float)
        many = int(np.isinf(values).sum())
        return f" Left out of all marks: infinite values, in {many:,} of {len(values):,} games." if many else ""

    def _values(self, row: Row) -> Any:
        """Return what is shown of the games of a row."""
        column = row.games[column_of(row.games, "y", self.y)] if len(row.games) else np.empty(0)
        values = np.asarray(column, dtype=float)
        return values[np.isfinite(values)]

    def _limit(self, row: Row) -> float | None:
        """Return what the games of a row must keep."""
        if self.limit == "":
            return None
        if not isinstance(self.limit, str):
            return float(self.limit)
        column: pd.Series[float] = row.games[column_of(row.games, "limit", self.limit)].astype(float)
        return None if column.isna().all() else float(column.median())


def _scale(made: Any) -> None:
    """Give the x axis the scale that its values want, with one style of numbers."""
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

    from simulator.results.formats import short

    values = np.concatenate([np.asarray(line.get_xdata(), dtype=float) for one in made for line in one.lines])
    values = values[np.isfinite(values)]
    low, high = float(values.min()), float(values.max())
    for axes in made:
        if low > 0 and high > _WIDE * low:
            axes.set_xscale("log")
            axes.set_xlim(low / 1.4, high * 1.4)
            between = (1.0, 2.0, 5.0) if high < 100 * low else (1.0,)
            axes.xaxis.set_major_locator(LogLocator(10, subs=between, numticks=9 if len(made) == 1 else 6))
            axes.xaxis.set_minor_locator(NullLocator())
        else:
            axes.xaxis.set_major_locator(MaxNLocator(8 if len(made) == 1 else 4))
            if low >= 0:
                axes.set_xlim(-0.02 * high if low == 0 else 0, max(high, 1e-9) * 1.06)
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: short(value) if value > 0 else f"{value:.3g}"))
