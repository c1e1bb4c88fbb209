"""The `halts` figure: how far from its threshold a monitor says top, and how often it misses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from simulator.plots.base import Plot

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from simulator.plots.rows import Row
    from simulator.results.read import Tables


@dataclass(frozen=True, kw_only=True)
class Halts(Plot):
    """Items at the halt over the threshold k, a row per monitor, size and adversary, with shares of the outcomes.

    From 1/2 to 1 a halt is right. A game that passes k without one is late, one that halts below k / 2 early.
    """

    kind: ClassVar[str] = "halts"
    says: ClassVar[str] = "how far from its threshold a monitor halts, and how often it misses"
    narrow: ClassVar[bool] = False

    def draw(self, tables: Tables) -> Figure:
        from simulator.plots.rows import draw_spread, height_of, name_rows
        from simulator.plots.style import BORDER, INK, new_figure
        from simulator.results.fixed import fixed

        rows = _rows(tables)
        note = (
            "Marks: medians of the games that halt. Thick: 5 % to 95 % of them. Thin: all. Grey: halts that are right."
        )
        figure = new_figure(height_of(rows), self.title or tables.title, fixed(tables), note)
        axes = figure.subplots()
        axes.axvspan(0.5, 1.0, color="#000000", alpha=0.06, linewidth=0, zorder=0, gid="right")
        axes.axvline(1.0, color=BORDER, linewidth=1.0, zorder=1)
        for place, row in enumerate(rows):
            halted = _over_threshold(row.games).dropna()
            if len(halted):
                draw_spread(axes, place, row, halted)
            text: dict[str, Any] = {"va": "center", "size": 8, "color": INK, "gid": "outcome"}
            axes.text(1.06, place, _outcomes(row.games), **text)
        name_rows(axes, rows)
        axes.set_xlim(-0.06, 2.5)
        axes.set_xticks([0, 0.5, 1.0])
        axes.set_xlabel("items at the halt, over the threshold k", loc="left")
        return figure

    def caption(self, tables: Tables) -> str:
        from simulator.results.fixed import fixed

        told = [(float((row.games["_result"] == "right").mean()), row) for row in _rows(tables)]
        if len(told) > 8:
            told = [min(told, key=lambda each: each[0]), max(told, key=lambda each: each[0])]
        seen = "; ".join(f"{row.label}: {_outcomes(row.games)}" for _, row in told)
        return (
            "Items at the halt of a monitor over its threshold k, a row per monitor, size and adversary, with shares "
            f"of games that are right (halt between 1/2 and 1), early and late. Fixed: {fixed(tables)}. {seen}."
        )


def _rows(tables: Tables) -> list[Row]:
    """Return the rows; refuse games of other tasks."""
    from simulator.plots.rows import rows_of

    if not {"_result", "_threshold", "_items_at_halt"} <= set(tables.trials.columns):
        raise ValueError("a halts figure needs games of threshold monitors; these games have no column 'items_at_halt'")
    return rows_of(tables)


def _over_threshold(games: pd.DataFrame) -> pd.Series[float]:
    """Return the items at the halt of each game over its threshold, absent where it did not halt."""
    return games["_items_at_halt"].astype(float) / games["_threshold"].astype(float)


def _outcomes(games: pd.DataFrame) -> str:
    """Return the shares of the outcomes in words."""
    shares = games["_result"].value_counts(normalize=True)
    there = [name for name in ("right", "early", "late") if name in shares]
    return ", ".join(name if shares[name] == 1 else f"{name} {100 * shares[name]:.3g} %" for name in there)
