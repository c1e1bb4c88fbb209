"""The `budget` figure: a privacy budget and its parts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Final, NotRequired, TypedDict

from disttrack.privacy.plots.kinds import Budget
from disttrack.simulator.experiments.results.formats import number
from disttrack.simulator.experiments.results.lines import lines
from disttrack.simulator.experiments.results.read import Tables
from disttrack.simulator.shown.plots.base import WIDTH, page
from disttrack.simulator.shown.plots.description import Axis, Bars, Description, Fill, Item, Panel, Words
from disttrack.simulator.shown.plots.marks import BORDER


class Entry(TypedDict):
    """A budget of a privacy ledger: what is given and spent, and its parts, in sequence or in parallel."""

    name: str
    rule: str
    epsilon: float
    spent: float
    count: NotRequired[int]
    parts: NotRequired[list[Entry]]


DEEPEST: Final = 4
"""Levels of the tree that are drawn."""
_SPENT: Final = Fill("#79B2D6", edge=BORDER, width=0.6)
_LEFT: Final = Fill("#FFFFFF", edge=BORDER, width=0.6)
_SLIVER: Final = 0.02
"""Share of the width below which parts beside each other are drawn as one bar."""
_NARROW: Final = 0.055
"""Share of the width below which a bar has no name."""
_EMS: Final = 75.0
"""Width of a figure for a screen, in units of the size of a bar's name."""
_BUDGET_NOTE: Final = (
    "Widths: shares of epsilon; filled: spent. Side by side: in sequence, the narrowest as one. ×: parts in parallel."
)


def budget(plot: Budget, tables: Tables) -> Description:
    """Return a `budget` figure."""
    column = "ledger" if "ledger" in tables.trials else "_ledger"
    if column not in tables.trials or tables.trials[column].isna().all():
        raise ValueError("a budget figure needs the ledgers of games on data sets; these games have none")
    panels = []
    for line in lines(tables.trials):
        ledger = json.loads(str(line.games.sort_values("trial").iloc[0][column]))
        title = f"{line.label}: epsilon {number(ledger['epsilon'])}, spent {number(ledger['spent'])}"
        items = list(_budget_items(ledger, 0.0, 1.0 / ledger["epsilon"], 0))
        panels.append(Panel(items, Axis(ends=(0, 1)), Axis(ends=(DEEPEST - 0.5, -0.5)), title, framed=False))
    seen = "; ".join(panel.title for panel in panels)
    return Description(
        panels, 1, 1.35 * len(panels), "Privacy budgets, and what is spent of them", note=_BUDGET_NOTE,
        caption=f"The privacy budget of a first game and its parts: {seen}.",
        legend=[(_SPENT, "spent"), (_LEFT, "left")], share=("none", "none"),
    )  # fmt: skip


def _budget_items(entry: Entry, left: float, scale: float, depth: int) -> Iterator[Item]:
    """Yield an entry and its parts under it."""
    width = entry["epsilon"] * scale
    yield Bars("given", [left], [width], [depth], _LEFT)
    yield Bars("spent", [left], [entry["spent"] * scale], [depth], replace(_SPENT, width=0.0))
    if width > _NARROW:
        count, name = entry.get("count", 1), str(entry["name"])
        whole = f"{name} ×{count:,}" if count > 1 else name
        room = width * _EMS * (page().width or WIDTH) / WIDTH - 0.5
        shown = next((text for text in (whole, name) if _ems(text) <= room), "")
        yield Words(left + 0.006, depth, shown, size=7.5)
    for part in _merged(entry, scale) if depth + 1 < DEEPEST else ():
        yield from _budget_items(part, left, scale, depth + 1)
        if entry["rule"] != "parallel":
            left += part["epsilon"] * scale


def _ems(text: str) -> float:
    """Return about how wide a text is, in units of its size."""
    return sum(0.34 if letter in "fijlrt.,:-' " else 0.63 for letter in text)


def _merged(entry: Entry, scale: float) -> Iterator[Entry]:
    """Yield the parts of an entry; those too narrow for a bar of their own are one part if in sequence."""
    narrow: Entry = {"name": "", "rule": "sequence", "epsilon": 0.0, "spent": 0.0}
    for part in entry.get("parts", ()):
        if entry["rule"] == "parallel" or part["epsilon"] * scale >= _SLIVER:
            yield part
        else:
            narrow["epsilon"] += part["epsilon"]
            narrow["spent"] += part["spent"]
    if narrow["epsilon"] > 0:
        yield narrow
