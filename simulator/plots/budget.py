"""The `budget` figure: where the privacy of a game went, as a tree drawn in bars."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final

from simulator.plots.base import Plot

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from simulator.results.read import Line, Tables

DEEPEST: Final = 4
"""Levels of the tree that are drawn."""
MOST: Final = 4
"""Mechanisms in one figure."""
_SHADES: Final = ("#0072B2", "#3E8FC0", "#79B2D6", "#B3D4E8")
"""Of spent budgets, by depth; what is left is white."""
_NARROW: Final = 0.055
"""Share of the width below which a bar has no name."""


@dataclass(frozen=True, kw_only=True)
class Budget(Plot):
    """Each mechanism's budget as a bar, and under it those of its parts, to scale; the filled part of each is spent.

    Parts in sequence stand side by side, as their losses add up; of parts in parallel the costliest stands for all.
    """

    kind: ClassVar[str] = "budget"
    says: ClassVar[str] = "where the privacy of a game went"
    narrow: ClassVar[bool] = False

    def draw(self, tables: Tables) -> Figure:
        from simulator.plots.style import new_figure
        from simulator.results.fixed import fixed

        found = _ledgers(tables)
        note = "Widths: shares of epsilon; filled: spent. Side by side: in sequence. ×: so many in parallel."
        figure = new_figure(1.35 * len(found), self.title or tables.title, fixed(tables), note)
        axes = figure.subplots(len(found), 1, squeeze=False)[:, 0]
        for one, (line, ledger) in zip(axes, found, strict=True):
            spent = f"epsilon {ledger['epsilon']:g}, spent {ledger['spent']:.3g}"
            one.set_title(f"{line.label}: {spent}", loc="left", size=9)
            _draw(one, ledger, 0.0, 1.0 / ledger["epsilon"], 0)
            one.set_xlim(0, 1)
            one.set_ylim(DEEPEST, 0)
            one.set_axis_off()
        return figure

    def caption(self, tables: Tables) -> str:
        from simulator.results.fixed import fixed

        told = [
            f"{line.label} spends {ledger['spent']:.3g} of epsilon {ledger['epsilon']:g}"
            for line, ledger in _ledgers(tables)
        ]
        return (
            "The privacy budget of a game and its parts, to scale; the filled part of each bar is spent. "
            f"Parts in sequence stand side by side. Fixed: {fixed(tables)}. {'; '.join(told)}."
        )


def _ledgers(tables: Tables) -> list[tuple[Line, dict[str, Any]]]:
    """Return the mechanisms with the ledger of the first game of each."""
    from simulator.results.read import lines

    column = "ledger" if "ledger" in tables.trials else "_ledger"
    if column not in tables.trials or tables.trials[column].isna().all():
        raise ValueError("a budget figure needs the ledgers of games on data sets; these games have none")
    found = lines(tables.trials, apart=("adversary",))[:MOST]
    return [(line, json.loads(str(line.games.sort_values("trial").iloc[0][column]))) for line in found]


def _draw(axes: Axes, entry: dict[str, Any], left: float, scale: float, depth: int) -> None:
    """Draw an entry and its parts under it."""
    from simulator.plots.style import BORDER

    width = entry["epsilon"] * scale
    place: dict[str, Any] = {"y": depth + 0.46, "height": 0.86, "left": left}
    axes.barh(width=width, color="white", edgecolor=BORDER, linewidth=0.6, label="given", **place)
    axes.barh(width=entry["spent"] * scale, color=_SHADES[depth], linewidth=0, label="spent", **place)
    if width > _NARROW:
        count, name = entry.get("count", 1), str(entry["name"])
        whole = f"{name} ×{count:,}" if count > 1 else name
        shown = next((text for text in (whole, name, name.split()[-1]) if len(text) <= width * 105), "")
        dark = depth < 2 and entry["spent"] > 0.5 * entry["epsilon"]
        colour = "white" if dark else "#222222"
        axes.text(left + 0.006, depth + 0.46, shown, va="center", size=7.5, color=colour, clip_on=True, gid="part")
    if depth + 1 == DEEPEST:
        return
    at = left
    for part in entry.get("parts", ()):
        _draw(axes, part, at, scale, depth + 1)
        if entry["rule"] != "parallel":
            at += part["epsilon"] * scale
