"""The `spread` figure: a measured column of every game, a row per protocol and adversary, beside what it must keep."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from disttrack.simulator.plots.columns import column_of, measured_label
from disttrack.simulator.plots.description import Axis, Description, Fill, Look, Panel, Series
from disttrack.simulator.plots.kinds import Spread
from disttrack.simulator.plots.rows import Row, axis_of, columns_of, height_of, rows_of, spread
from disttrack.simulator.plots.sentences import capital, rounded
from disttrack.simulator.results.fixed import fixed
from disttrack.simulator.results.formats import short
from disttrack.simulator.results.read import Tables

_ALSO: Final = (Look("#555555", "X", "", order=2.9), Look("#222222", "2", "", order=2.9))
"""Marks of further columns, by order."""
_WIDE: Final = 20.0
"""From this ratio of the largest value to the least on, the axis is logarithmic."""
_NAMED: Final = 8
"""Rows that a caption names one by one."""


def describe(plot: Spread, tables: Tables) -> Description:
    """Return the figure."""
    columns = columns_of(tables)
    column = column_of(tables.trials, "y", plot.y)
    rows = _rows(plot, tables, column, apart=bool(columns))
    also = [name.strip() for name in plot.also.split(",") if name.strip()][: len(_ALSO)]
    limit_name = plot.limit_says or (str(plot.limit) if isinstance(plot.limit, str) else f"{plot.limit:g}")
    what, y = measured_label(plot.y, tables), axis_of(rows)
    entries: list[tuple[Look | Fill, str]] = []
    if plot.limit != "":
        entries.append((Look(marker="|", dashes="", size=12, edge=2), limit_name))
    entries += [(look, measured_label(name)) for name, look in zip(also, _ALSO, strict=False)]
    contents = [
        [item for place, row in enumerate(rows) for item in _items(plot, place, row.against(adversary), column, also)]
        for adversary in columns or [""]
    ]
    x = _axis(what, np.concatenate([one.x for items in contents for one in items]), len(contents))
    panels = [
        Panel(items, x, y, f"against {adversary}" if adversary else "")
        for items, adversary in zip(contents, columns or [""], strict=True)
    ]
    values = tables.trials[column].dropna().astype(float)
    many = int(np.isinf(values).sum())
    infinite = f" Left out of all marks: infinite values, in {many:,} of {len(values):,} games." if many else ""
    one_each = int(tables.trials.groupby(["result", "point"]).size().max()) == 1
    several = f"Marks: {plot.centre}s. Thick: 5 % to 95 % of the games. Thin: all."
    note = "Marks: one game each." if one_each else several
    limited = f", beside {limit_name} (bar; in brackets below)" if plot.limit != "" else ""
    limited += f", and {' and '.join(map(measured_label, also))}" if also else ""
    rows_in_words = _rows(plot, tables, column)
    alone = max(len(row.games) for row in rows_in_words) == 1
    marks = "one game each" if alone else "medians, 5 % to 95 % and range of the games"
    caption = (
        f"{capital(what)}, a row per protocol and adversary: {marks}{limited}.{infinite} Fixed: {fixed(tables)}. "
        f"{plot.centre.capitalize()}s: {_seen(plot, rows_in_words, column)}."
    )
    return Description(
        panels, len(panels), height_of(rows), plot.title or tables.title, fixed(tables), note + infinite, caption,
        entries,
    )  # fmt: skip


def _rows(plot: Spread, tables: Tables, column: str, *, apart: bool = False) -> list[Row]:
    """Return the rows whose games have numbers."""
    found = [row for row in rows_of(tables, apart) if len(_values(row, column))]
    if not found:
        raise ValueError(f"a spread figure needs numbers in {plot.y!r}; these games have none")
    return found


def _values(row: Row, column: str) -> Any:
    """Return what is shown of the games of a row."""
    values = row.games[column].to_numpy(dtype=float)
    return values[np.isfinite(values)]


def _limit(plot: Spread, row: Row) -> float | None:
    """Return what the games of a row must keep."""
    if plot.limit == "" or not len(row.games):
        return None
    if not isinstance(plot.limit, str):
        return float(plot.limit)
    column = row.games[column_of(row.games, "limit", plot.limit)].astype(float)
    return None if column.isna().all() else float(column.median())


def _items(plot: Spread, place: int, row: Row, column: str, also: list[str]) -> list[Series]:
    """Return one row: its games, what they must keep, further columns."""
    items = list(spread(place, row, _values(row, column), plot.centre))
    limit = _limit(plot, row)
    if limit is not None:
        bar = Look(marker="|", dashes="", size=15, edge=2, order=2.5)
        items.append(Series(row.label, [limit], [place], bar, "limit"))
    for name, look in zip(also, _ALSO, strict=False):
        other = float(row.games[column_of(row.games, "also", name)].astype(float).median())
        items.append(Series(row.label, [other], [place], look, measured_label(name)))
    return items


def _seen(plot: Spread, rows: list[Row], column: str) -> str:
    """Return the centres of the rows with what they must keep; of many the least and the largest."""
    seen = []
    for row in rows:
        values, limit = _values(row, column), _limit(plot, row)
        middle = float(np.mean(values) if plot.centre == "mean" else np.median(values))
        seen.append((middle, f"{row.label} {rounded(middle)}" + (f" ({rounded(limit)})" if limit is not None else "")))
    if len(seen) > _NAMED:
        return f"from {min(seen)[1]} to {max(seen)[1]}"
    return "; ".join(text for _, text in seen)


def _axis(label: str, values: Any, columns: int) -> Axis:
    """Return the scale that the values want, with one style of numbers."""
    values = values[np.isfinite(values)]
    low, high = float(values.min()), float(values.max())

    def text(value: float) -> str:
        return short(value) if value > 0 else f"{value:.3g}"

    if low > 0 and high > _WIDE * low:
        steps = (1.0, 2.0, 5.0) if high < 100 * low else (1.0,)
        return Axis(label, "log", (low / 1.4, high * 1.4), most=9 if columns == 1 else 6, steps=steps, text=text)
    ends = (-0.02 * high if low == 0 else 0.0, max(high, 1e-9) * 1.06) if low >= 0 else (None, None)
    return Axis(label, ends=ends, most=8 if columns == 1 else 4, text=text)
