"""The `budget` figure: the privacy budget of a game and its parts, as a tree drawn in bars."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from disttrack.simulator.plots.description import Axis, Bars, Description, Fill, Item, Panel, Words
from disttrack.simulator.plots.kinds import Budget
from disttrack.simulator.plots.marks import BORDER
from disttrack.simulator.results.parameters import fixed
from disttrack.simulator.results.read import Tables, lines

DEEPEST: Final = 4
"""Levels of the tree that are drawn."""
_SPENT: Final = "#79B2D6"
_NARROW: Final = 0.055
"""Share of the width below which a bar has no name."""
_NOTE: Final = "Widths: shares of epsilon; filled: spent. Side by side: in sequence. ×: number of parts in parallel."


def describe(plot: Budget, tables: Tables) -> Description:
    """Return the figure."""
    column = "ledger" if "ledger" in tables.trials else "_ledger"
    if column not in tables.trials or tables.trials[column].isna().all():
        raise ValueError("a budget figure needs the ledgers of games on data sets; these games have none")
    panels = []
    for line in lines(tables.trials):
        ledger = json.loads(str(line.games.sort_values("trial").iloc[0][column]))
        title = f"{line.label}: epsilon {ledger['epsilon']:g}, spent {ledger['spent']:.3g}"
        items = list(_items(ledger, 0.0, 1.0 / ledger["epsilon"], 0))
        panels.append(Panel(items, Axis(ends=(0, 1)), Axis(ends=(DEEPEST - 0.5, -0.5)), title, framed=False))
    seen = "; ".join(panel.title for panel in panels)
    return Description(
        panels, 1, 1.35 * len(panels), plot.title or tables.title, fixed(tables), _NOTE,
        f"The privacy budget of a first game and its parts: {seen}.", share=("none", "none"),
    )  # fmt: skip


def _items(entry: dict[str, Any], left: float, scale: float, depth: int) -> Iterator[Item]:
    """Yield an entry and its parts under it."""
    width = entry["epsilon"] * scale
    yield Bars("given", [left], [width], [depth], Fill("#FFFFFF", edge=BORDER, width=0.6))
    yield Bars("spent", [left], [entry["spent"] * scale], [depth], Fill(_SPENT))
    if width > _NARROW:
        count, name = entry.get("count", 1), str(entry["name"])
        whole = f"{name} ×{count:,}" if count > 1 else name
        shown = next((text for text in (whole, name) if len(text) <= width * 105), "")
        yield Words(left + 0.006, depth, shown, size=7.5)
    for part in entry.get("parts", ()) if depth + 1 < DEEPEST else ():
        yield from _items(part, left, scale, depth + 1)
        if entry["rule"] != "parallel":
            left += part["epsilon"] * scale
