"""Games in rows, one per protocol, variant and adversary: what `spread`, `share` and `halts` figures have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from simulator.plots.marks import Mark, mark
from simulator.results.read import Tables, lines

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

MOST: Final = 40
"""Rows for which there is room."""


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


def rows_of(tables: Tables) -> list[Row]:
    """Return the rows, in the order of the scenario; adversaries are named where there are several.

    Raises
    ------
    ValueError
        There is no room for so many rows.
    """
    kinds = tuple(dict.fromkeys(tables.trials["protocol"]))
    several = tables.trials["adversary"].nunique() > 1
    found = []
    for line in lines(tables.trials, apart=("adversary",)):
        for (result, adversary), games in line.games.groupby(["result", "adversary"], sort=False):
            parts = [str(result)] * tables.several + [line.label] + [f"against {adversary}"] * several
            found.append(Row(", ".join(parts), games, mark(line.protocol, kinds)))
    if len(found) > MOST:
        raise ValueError(f"a figure with a row per protocol, variant and adversary has room for {MOST}; got {len(found)}")
    return found


def height_of(rows: Sequence[Row]) -> float:
    """Return the height in inches that so many rows want."""
    return 0.85 + 0.3 * max(3, len(rows))


def name_rows(axes: Axes, rows: Sequence[Row]) -> None:
    """Put the labels beside the rows, the first on top."""
    axes.set_yticks(range(len(rows)), [row.label for row in rows])
    axes.set_ylim(len(rows) - 0.45, -0.55)
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0)


def draw_spread(axes: Axes, place: int, row: Row, values: Any) -> None:
    """Draw the games of a row: all of them as a thin line with dots if few, 5 % to 95 % as a thick one, the median."""
    values = np.asarray(values, dtype=float)
    colour = row.look.colour
    if len(values) > 1:
        low, high = np.quantile(values, (0.05, 0.95))
        axes.plot([values.min(), values.max()], [place, place], color=colour, linewidth=0.9, zorder=2, gid="range")
        axes.plot([low, high], [place, place], color=colour, linewidth=4, alpha=0.35, zorder=2.1, gid="middle")
    axes.plot([np.median(values)], [place], color=colour, marker=row.look.marker, linestyle="", zorder=3, gid="median")
