"""Panels of lines over a swept axis: the part that `cost`, `error` and `measure` figures have in common."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any, Final

import numpy as np

from disttrack.simulator.plots.description import THIN, Area, Axis, Description, Fill, Item, Look, Panel, Series
from disttrack.simulator.plots.marks import DASHES, mark
from disttrack.simulator.plots.style import page
from disttrack.simulator.plots.sweep import Curve, Drawn, axis_label
from disttrack.simulator.results.fixed import fixed
from disttrack.simulator.results.formats import swept_ticks
from disttrack.simulator.results.read import Line, Tables

_FEW_TICKS: Final = 7
_LONGEST: Final = 34
"""Letters of a label in one line."""


def shape(number_of_panels: int) -> tuple[int, int]:
    """Return rows and columns for so many panels: at most three beside each other.

    >>> shape(1), shape(2), shape(4), shape(7)
    ((1, 1), (1, 2), (2, 2), (3, 3))
    """
    columns = min(number_of_panels, 2 if number_of_panels in (2, 4) else 3)
    if page().narrow:
        columns = 1 if number_of_panels == 1 else 2
    return ceil(number_of_panels / columns), columns


def room_for_labels(number_of_panels: int) -> bool:
    """Tell whether each line can have its name and fitted power at its end."""
    return shape(number_of_panels)[1] < 3 and not page().narrow


def look_of(line: Line, kinds: tuple[str, ...], **more: Any) -> Look:
    """Return how a line is drawn: colour and marker by protocol, dashes and size of marks by its variant."""
    look = mark(line.protocol, kinds)
    own = {"dashes": DASHES[line.order % len(DASHES)], "size": 6 if line.order == 0 else 4.5, "marker": look.marker}
    return Look(look.colour, **(own | more))


@dataclass(frozen=True)
class Curves:
    """Lines along a swept axis, in panels on common scales.

    Parameters
    ----------
    tables
        The games that are shown.
    x
        The swept axis.
    drawn
        The lines of each panel with its title.
    y
        The axis of what is measured.
    beside
        Returns what stands at the end of a line, after its name.
    signed
        Whether values beyond the edges of the scale get a sign.
    """

    tables: Tables
    x: str
    drawn: Drawn
    y: Axis
    beside: Callable[[Curve], str]
    signed: bool = False

    def description(
        self,
        title: str,
        note: str,
        caption: str,
        more: Callable[[int], Sequence[Item]] = lambda _: (),
        legend: Sequence[tuple[Look | Fill, str]] = (),
    ) -> Description:
        """Return the figure.

        Parameters
        ----------
        more
            Returns what else is in a panel, by its number.
        legend
            What else is in the legend, where there is one.
        """
        kinds = tuple(dict.fromkeys(self.tables.trials["protocol"]))
        rows, columns = shape(len(self.drawn))
        x = self._axis(columns)
        panels = []
        for place, (heading, curves) in enumerate(self.drawn):
            named = (place + 1) % columns == 0 or place == len(self.drawn) - 1
            items = [item for curve in curves for item in self._items(curve, kinds, named)]
            panels.append(Panel([*items, *more(place)], x, self.y, heading if len(self.drawn) > 1 else ""))
        entries: dict[str, tuple[Look | Fill, str]] = {}
        if not room_for_labels(len(self.drawn)):
            for _, curves in self.drawn:
                for curve in curves:
                    entries.setdefault(curve.line.label, (look_of(curve.line, kinds), curve.line.label))
        most = max(len(curves) for _, curves in self.drawn)
        height = 3.9 + 0.25 * max(0, most - 9) if rows == 1 else (3.0 if columns == 2 else 2.6) * rows
        return Description(
            panels, columns, height, title or self.tables.title, fixed(self.tables, self.x), note.strip(), caption,
            [*entries.values(), *legend] if entries else (),
        )  # fmt: skip

    def _axis(self, columns: int) -> Axis:
        """Return the x axis: logarithmic, with ticks at the swept values where they are few."""
        values = sorted({float(x) for _, curves in self.drawn for curve in curves for x in curve.x})
        most = _FEW_TICKS if columns == 1 else _FEW_TICKS // columns + 1
        few = len(values) <= 2 * _FEW_TICKS
        step = ceil(len(values) / most)
        ticks = values[::-1][::step][::-1] if few else None  # counted from the last
        return swept_axis(self.x, values, ticks, 0 if few else most, 0.035)

    def _items(self, curve: Curve, kinds: tuple[str, ...], named: bool) -> list[Item]:
        """Return one line with its marks, its band and its bound."""
        name, look = curve.line.label, look_of(curve.line, kinds)
        items: list[Item] = []
        if np.any(curve.high > curve.low):
            items.append(Area(name, curve.x, curve.low, curve.high, Fill(look.colour, 0.18)))
        if np.isfinite(curve.bound).any():
            items.append(Series(name, curve.x, curve.bound, Look(look.colour, "", THIN, 0.9, order=1.5), "bound"))
        label = ""
        if room_for_labels(len(self.drawn)):
            # a longer one would leave the lines no room
            label = f"{textwrap.fill(name, _LONGEST)}  " if named else ""
            label += self.beside(curve)
            label = label.rstrip() + (", fails" if curve.broken.mean() >= 0.5 else "")
        ends: dict[str, Any] = {"low": curve.low, "high": curve.high, "label": label.strip(), "signed": self.signed}
        items.append(Series(name, curve.x, curve.middle, look, **ends))
        at = curve.broken
        if at.any():
            hollow = look_of(curve.line, kinds, dashes="", hollow=True, edge=1.4, order=3.1)
            items.append(Series(name, curve.x[at], curve.middle[at], hollow, "fails"))
        return items


def swept_axis(axis: str, values: Sequence[float], ticks: Sequence[float] | None, most: int, room: float) -> Axis:
    """Return the axis of swept values, logarithmic where all are above 0, with `room` at both ends as a power."""
    texts = dict(zip((float(f"{value:.9g}") for value in values), swept_ticks(values), strict=True))

    def text(value: float) -> str:
        shown = float(f"{value:.9g}")
        return texts.get(shown) or swept_ticks([shown])[0]

    if values[0] <= 0:
        return Axis(axis_label(axis), ticks=ticks, text=text)
    apart = (values[-1] / values[0]) ** room
    ends = (values[0] / apart, values[-1] * apart) if len(values) > 1 else (None, None)
    return Axis(axis_label(axis), "log", ends, ticks, most, text=text)
