"""Games in rows, one per protocol, variant and adversary: what `spread` and `halts` figures have in common."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from disttrack.simulator.plots.description import Axis, Look, Series
from disttrack.simulator.plots.marks import Mark, mark
from disttrack.simulator.results.formats import swept_ticks
from disttrack.simulator.results.read import Line, Tables, lines, said

MOST: Final = 40
"""Rows for which there is room."""
_LONG: Final = 10**7
"""From here on whole numbers are written as powers."""
_COLUMNS: Final = 3
"""Adversaries with a column each."""


@dataclass(frozen=True)
class Row:
    """The games of one row.

    Parameters
    ----------
    label
        What sets them apart.
    games
        Rows of trials.csv.
    look
        The look of their protocol.
    """

    label: str
    games: pd.DataFrame
    look: Mark

    def against(self, adversary: str) -> Row:
        """Return the row with its games against one adversary; all of them if none is named."""
        games = self.games[self.games["adversary"] == adversary] if adversary else self.games
        return Row(self.label, games, self.look)


def rows_of(tables: Tables, apart: bool = False) -> list[Row]:
    """Return the rows, in the order of the scenario; adversaries are named where there are several.

    Parameters
    ----------
    apart
        Whether adversaries have columns of their own, and so no rows.

    Raises
    ------
    ValueError
        There is no room for so many rows.
    """
    kinds = tuple(dict.fromkeys(tables.trials["protocol"]))
    by = ["result"] + ["adversary"] * (not apart)
    several = tables.trials["adversary"].nunique() > 1 and not apart
    found = []
    for line in lines(tables.trials, apart=("adversary",)):
        variant = _variant(line)
        for values, games in line.games.groupby(by, sort=False):
            parts = [str(values[0])] * tables.several + [line.protocol] + [variant] * bool(variant)
            label = ", ".join(parts + [f"against {values[-1]}"] * several)
            found.append(Row(label, games, mark(line.protocol, kinds)))
    if len(found) > MOST:
        raise ValueError(
            f"a figure with a row per protocol, variant and adversary has room for {MOST}; got {len(found)}"
        )
    return found


def columns_of(tables: Tables) -> list[str]:
    """Return the adversaries that have a column each: two or three; none where there are fewer or more."""
    adversaries = [str(name) for name in dict.fromkeys(tables.trials["adversary"])]
    return adversaries if 1 < len(adversaries) <= _COLUMNS else []


def _variant(line: Line) -> str:
    """Return what sets a line apart, without what moves with another part of it, long numbers as powers."""
    kept: list[str] = []
    for axis in line.free:
        moving = any(line.all_games.groupby(other)[axis].nunique().max() <= 1 for other in kept)
        if not moving:
            kept.append(axis)
    return ", ".join(_setting(axis, line.games[axis].iloc[0], set(line.all_games[axis])) for axis in kept)


def _setting(axis: str, value: Any, values: set[Any]) -> str:
    """Return a swept value with its name, in the style that the largest of all its values wants."""
    whole = all(isinstance(each, int | np.integer) for each in values)
    if whole and max(values) >= _LONG:
        ordered = sorted(int(each) for each in values)
        return f"{axis} {swept_ticks(ordered)[ordered.index(int(value))]}"
    return said(axis, value)


def height_of(rows: Sequence[Row]) -> float:
    """Return the height in inches that so many rows want."""
    return 0.85 + 0.3 * max(3, len(rows))


def axis_of(rows: Sequence[Row]) -> Axis:
    """Return the axis with the labels of the rows, the first on top."""
    return Axis(names=[row.label for row in rows], ends=(len(rows) - 0.45, -0.55))


def spread(place: int, row: Row, values: Any, centre: str = "median") -> Iterator[Series]:
    """Yield the games of a row: all of them as a thin line, 5 % to 95 % as a thick one, their centre."""
    if not len(values):
        return
    colour = row.look.colour
    low, high = np.quantile(values, (0.05, 0.95))
    if len(values) > 1:
        ends = [float(np.min(values)), float(np.max(values))]
        yield Series(row.label, ends, [place, place], Look(colour, width=0.9, order=2), "range")
        thick = Look(colour, width=4, alpha=0.35, order=2.1)
        yield Series(row.label, [float(low), float(high)], [place, place], thick, "5 % to 95 %")
    middle = float(np.mean(values) if centre == "mean" else np.median(values))
    yield Series(row.label, [middle], [place], Look(colour, row.look.marker, ""))
