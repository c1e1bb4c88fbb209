"""The `halts` figure: how far from its threshold a monitor says top, and how often it misses."""

from __future__ import annotations

import pandas as pd

from disttrack.simulator.plots.description import Axis, Description, Fill, Item, Look, Panel, Region, Rule, Words
from disttrack.simulator.plots.kinds import Halts
from disttrack.simulator.plots.marks import BORDER
from disttrack.simulator.plots.rows import axis_of, height_of, rows_of, spread
from disttrack.simulator.results.fixed import fixed
from disttrack.simulator.results.read import Tables


def describe(plot: Halts, tables: Tables) -> Description:
    """Return the figure."""
    if not {"_result", "_threshold", "_items_at_halt"} <= set(tables.trials.columns):
        raise ValueError("a halts figure needs games of threshold monitors; these games have no column 'items_at_halt'")
    rows = rows_of(tables)
    items: list[Item] = [
        Region(0.5, 1.0, Fill("#000000", 0.06), "x", "right"), Rule(1.0, Look(BORDER, width=1.0, order=1), "x")
    ]  # fmt: skip
    for place, row in enumerate(rows):
        # absent where a game did not halt
        over = row.games["_items_at_halt"].astype(float) / row.games["_threshold"].astype(float)
        items += spread(place, row, over.dropna().to_numpy())
        items.append(Words(1.06, place, _outcomes(row.games)))
    shown = [(float((row.games["_result"] == "right").mean()), row) for row in rows]
    if len(shown) > 8:
        shown = [min(shown, key=lambda each: each[0]), max(shown, key=lambda each: each[0])]
    caption = (
        "Items at the halt of a monitor over its threshold k, a row per monitor, size and adversary, with shares "
        f"of games that are right (halt between 1/2 and 1), early and late. Fixed: {fixed(tables)}. "
        f"{'; '.join(f'{row.label}: {_outcomes(row.games)}' for _, row in shown)}."
    )
    note = "Marks: medians of the games that halt. Thick: 5 % to 95 % of them. Thin: all. Grey: halts that are right."
    x = Axis("items at the halt, over the threshold k", ends=(-0.06, 2.5), ticks=(0, 0.5, 1.0))
    return Description(
        [Panel(items, x, axis_of(rows))], 1, height_of(rows), plot.title or tables.title, fixed(tables), note, caption
    )  # fmt: skip


def _outcomes(games: pd.DataFrame) -> str:
    """Return the shares of the outcomes in words."""
    shares = games["_result"].value_counts(normalize=True)
    there = [name for name in ("right", "early", "late") if name in shares]
    return ", ".join(name if shares[name] == 1 else f"{name} {100 * shares[name]:.3g} %" for name in there)
