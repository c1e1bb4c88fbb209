"""The `budget` figure: where the privacy of a game went, as a tree drawn in bars."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from disttrack.simulator.plots.description import Axis, Bars, Description, Fill, Item, Panel, Words
from disttrack.simulator.plots.kinds import Budget
from disttrack.simulator.plots.marks import BORDER, INK
from disttrack.simulator.results.fixed import fixed
from disttrack.simulator.results.read import Line, Tables, lines

DEEPEST: Final = 4
"""Levels of the tree that are drawn."""
MOST: Final = 4
"""Mechanisms in one figure."""
_SHADES: Final = ("#0072B2", "#3E8FC0", "#79B2D6", "#B3D4E8")
"""Of spent budgets, by depth; what is left is white."""
_NARROW: Final = 0.055
"""Share of the width below which a bar has no name."""


def describe(plot: Budget, tables: Tables) -> Description:
    """Return the figure."""
    found = _ledgers(tables)
    panels = [
        Panel(
            list(_items(ledger, 0.0, 1.0 / ledger["epsilon"], 0)), Axis(ends=(0, 1)), Axis(ends=(DEEPEST, 0)),
            f"{line.label}: epsilon {ledger['epsilon']:g}, spent {ledger['spent']:.3g}", 9, framed=False,
        )
        for line, ledger in found
    ]  # fmt: skip
    seen = [f"{line.label} spends {ledger['spent']:.3g} of epsilon {ledger['epsilon']:g}" for line, ledger in found]
    caption = (
        "The privacy budget of a game and its parts, to scale; the filled part of each bar is spent. "
        f"Parts in sequence stand side by side. Fixed: {fixed(tables)}. {'; '.join(seen)}."
    )
    note = "Widths: shares of epsilon; filled: spent. Side by side: in sequence. ×: so many in parallel."
    return Description(
        panels, 1, 1.35 * len(found), plot.title or tables.title, fixed(tables), note, caption, share=("none", "none")
    )  # fmt: skip


def _ledgers(tables: Tables) -> list[tuple[Line, dict[str, Any]]]:
    """Return the mechanisms with the ledger of the first game of each."""
    column = "ledger" if "ledger" in tables.trials else "_ledger"
    if column not in tables.trials or tables.trials[column].isna().all():
        raise ValueError("a budget figure needs the ledgers of games on data sets; these games have none")
    found = lines(tables.trials, apart=("adversary",))[:MOST]
    return [(line, json.loads(str(line.games.sort_values("trial").iloc[0][column]))) for line in found]


def _items(entry: dict[str, Any], left: float, scale: float, depth: int) -> Iterator[Item]:
    """Yield an entry and its parts under it."""
    width, at = entry["epsilon"] * scale, depth + 0.46
    yield Bars("given", [left], [width], [at], Fill("#FFFFFF", edge=BORDER, width=0.6), thickness=0.86)
    yield Bars("spent", [left], [entry["spent"] * scale], [at], Fill(_SHADES[depth]), thickness=0.86)
    if width > _NARROW:
        count, name = entry.get("count", 1), str(entry["name"])
        whole = f"{name} ×{count:,}" if count > 1 else name
        shown = next((text for text in (whole, name, name.split()[-1]) if len(text) <= width * 105), "")
        dark = depth < 2 and entry["spent"] > 0.5 * entry["epsilon"]
        yield Words(left + 0.006, at, shown, "white" if dark else INK, 7.5)
    if depth + 1 == DEEPEST:
        return
    for part in entry.get("parts", ()):
        yield from _items(part, left, scale, depth + 1)
        if entry["rule"] != "parallel":
            left += part["epsilon"] * scale
