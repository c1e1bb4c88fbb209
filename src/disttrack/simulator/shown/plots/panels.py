"""Panels of lines over a swept axis, and their scales: of `cost`, `error` and `measure` figures."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import ceil, inf
from typing import Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from disttrack.simulator.errors import nearest
from disttrack.simulator.experiments.results.formats import short, swept_ticks
from disttrack.simulator.experiments.results.lines import Line, lines
from disttrack.simulator.experiments.results.read import ITEMS_SENT, Tables
from disttrack.simulator.experiments.scenario.settings import SIDES
from disttrack.simulator.game.columns import label as column_label
from disttrack.simulator.kinds.names import name_of, with_name
from disttrack.simulator.shown.plots.base import page
from disttrack.simulator.shown.plots.description import (
    THIN,
    Area,
    Axis,
    Description,
    Fill,
    Item,
    Look,
    Panel,
    Region,
    Rule,
    Series,
    Words,
)
from disttrack.simulator.shown.plots.kinds import NO_BAND, NO_LOG, NO_NUMBERS, Cost, Error, Measure
from disttrack.simulator.shown.plots.marks import BORDER, QUIET, mark, variant_of
from disttrack.simulator.shown.plots.sweep import (
    Bound,
    Curve,
    Floats,
    Spread,
    Values,
    absent,
    axis_label,
    curve_of,
    cut_note,
    estimate,
    facets,
    infinite_note,
    missing_note,
    place,
    power,
    symbol,
)

FLOOR: Final = 0.1
"""Smaller errors, in units of alpha, are drawn here: how far below the border they are is of no interest."""
HOLLOW_NOTE: Final = "Hollow: at least half of the games failed."
FLOOR_NOTE: Final = f" ↓: below the scale, less than {FLOOR:g} α."
IN_ALPHA: Final = "in units of α"
ABOUT_ONE: Final = (0.3, 1.7)
"""Errors that a scale of errors always shows."""
_LETTERS: Final = 34
"""Letters of a label in one line; a longer one would leave the lines no room."""
_TICKED: Final = 30
"""Swept values that all have a tick; numbers are left out where they would touch."""
_MOST_TICKS: Final = 7
"""Ticks of an axis with more values."""
_LINEAR_SPAN: Final = 5.0
"""Values that differ by less than this factor have a linear scale, which begins at 0."""


def shape(number_of_panels: int) -> tuple[int, int]:
    """Return rows and columns for this number of panels: at most three beside each other.

    >>> shape(1), shape(2), shape(4), shape(7)
    ((1, 1), (1, 2), (2, 2), (3, 3))
    """
    columns = min(number_of_panels, 2 if number_of_panels in (2, 4) else 3)
    if page().narrow:
        columns = 1 if number_of_panels == 1 else 2
    return ceil(number_of_panels / columns), columns


def border(at: float = 1.0, name: str | float = "alpha") -> list[Item]:
    """Return the border at an error of alpha, or at another limit, and the part above it."""
    text = "fails: error above α" if name == "alpha" else f"above the limit, {name}"
    words = Words(0.02, 0.95, text, QUIET, shares=True)
    return [Region(at, 1e9, Fill("#000000", 0.05)), Rule(at, Look(BORDER, width=1.0, order=1)), words]


def curves(
    plot: Cost | Error | Measure, tables: Tables, label: str, values: Values, bound: Bound | None = None, *,
    more: Sequence[Item] = (), low: float = -inf, scale: str = "", always: Sequence[float] = (), note: str = "",
    by: str = "", judged: bool = True, looks: Mapping[str, Look] | None = None, theory: str = "theory",
    more_note: str = "", spread: Spread | None = None,
) -> Description:  # fmt: skip
    """Return a figure of lines along the axis `plot.x`, in panels by `facets`, on common scales.

    Theory has no part in the scales.

    Parameters
    ----------
    label
        Of the y axis.
    values, bound, judged, spread, by
        As for `curve_of` and `facets`.
    more, more_note
        Further items of each panel, of which the last one has their labels, and a sentence on them. They have no part
        in the scales either: lines beyond the panel are left out.
    low
        The lower edge of the scale.
    scale
        linear or log, for all values; empty for what suits them.
    always
        Values that the scale has in any case.
    note
        Further sentences for the foot.
    looks, theory
        Those of lines that have one already, by their labels; and the name of the bounds in the foot.
    """
    if place(tables.trials, plot.x).isna().all():
        raise ValueError(NO_NUMBERS.format(plot.x))
    known = values(tables.trials[place(tables.trials, plot.x).notna()])
    shares = known.dtype == bool
    if shares and plot.band == "games":
        raise ValueError(NO_BAND.format(label))
    panels, crowded = facets(tables, plot.x, by)
    drawn = []
    for facet in panels:
        every = [
            curve_of(line, plot.x, values, bound, judged=judged, band=plot.band, spread=spread) for line in facet.lines
        ]
        if part := [curve for curve in every if len(curve.x)]:
            drawn.append((facet.title, part))
    if not drawn:
        raise ValueError(f"these games have no {label!r}")
    all_curves = [curve for _, part in drawn for curve in part]
    rows, columns = shape(len(drawn))
    last_place = max(float(curve.x[-1]) for curve in all_curves)
    # the label of a line that ends earlier would lie across the panel, over other lines
    named = columns < 3 and not any(curve.x[-1] < last_place for curve in all_curves)
    named = named and len({frozenset(curve.line.label for curve in part) for _, part in drawn}) == 1
    ends = [np.r_[curve.low, curve.middle, curve.high] for curve in all_curves]
    shown = np.concatenate([*(one[~np.isnan(one)] for one in ends), always])
    y = value_axis(label, shown, edges_of(shown, low), scale=scale)
    x = swept_axis(axis_label(plot.x, tables), np.concatenate([curve.x for curve in all_curves]))
    within, beyond = _within(more, y, last_place)
    looks = looks_of_lines((curve.line for curve in all_curves), tables.protocols) | dict(looks or {})
    powers = all(curve.fit and curve.middle.min() > low for curve in all_curves)
    made, letter = [], symbol(plot.x, x.label) if named and powers else ""
    for number, (title, part) in enumerate(drawn, 1):
        last = named and (number % columns == 0 or number == len(drawn))
        items = _of_panel(part, looks, letter, plot.band, shares=shares, named=last)
        made.append(Panel([*items, *(within if last else map(_unlabelled, within))], x, y, title))
    notes = [*_notes(all_curves, known, y, theory, beyond), more_note * bool(within)]
    notes += [note, _lacking(plot, tables, known), crowded]
    return Description(
        made, columns, _height(rows, columns, len(looks)),
        marks=estimate(all_curves, plot.band, shares=shares),
        note=" ".join(one.strip() for one in notes if one),
        legend=[] if named else [(look, text) for text, look in looks.items()], games=[*known.dropna().index],
    )  # fmt: skip


def _within(more: Sequence[Item], y: Axis, last_place: float) -> tuple[list[Item], list[str]]:
    """Return the items of which a part is in the panel, and the names of lines that end beyond it.

    Only a line that ends at the last place has its label: another would lie across the panel, or outside of it.
    """
    kept: list[Item] = []
    cut = []
    for item in more:
        if not isinstance(item, Series):
            kept.append(item)
            continue
        inside = _inside(y, np.asarray(item.y, dtype=float))
        if not inside[-1]:
            cut.append(f"{item.role}, {item.label}")
        if inside.any():
            ends = inside[-1] and item.x[-1] >= last_place
            kept.append(item if ends else replace(item, label=""))
    return kept, cut


def _notes(every: Sequence[Curve], values: pd.Series[float], y: Axis, theory: str, beyond: Sequence[str]) -> list[str]:
    """Return what marks that are not standard mean, each empty where there are none; `beyond` names items cut off."""
    low, inside = y.edges[0], [_inside(y, one.bound) for one in every]
    cut = [one for one, within in zip(every, inside, strict=True) if (np.isfinite(one.bound) & ~within).any()]
    return [
        HOLLOW_NOTE if any(one.broken.any() for one in every) else "",
        f"Dashes: {theory}." if any(within.any() for within in inside) else "",
        cut_note([*(f"{theory}, of {one.line.label}" for one in cut), *beyond]),
        FLOOR_NOTE if any((curve.middle <= low).any() for curve in every) else "",
        infinite_note(values),
    ]


def _inside(axis: Axis, values: Floats) -> npt.NDArray[np.bool_]:
    low, high = (float(end or 0) for end in axis.ends)
    return (values >= low) & (values <= high)


def _without(x: str, trials: pd.DataFrame) -> str:
    """Return what is left out: protocols and adversaries without the parameter, and values without a place."""
    stated = trials[x].notna() & ((trials[x] != 0) | (x != "alpha"))  # whose α is 0 has none
    names = [name for side in SIDES for name in sorted({*trials[side]} - {*trials[side][stated]})]
    worded = sorted({*trials[x][place(trials, x).isna() & stated].astype(str)} - {"nan"})
    notes = [f"Left out, without {name_of(x).replace('_', ' ')}: {', '.join(names)}."] if names else []
    notes += [f"Left out, not on the axis: {with_name(x, ' and '.join(worded))}."] if worded else []
    return " ".join(notes)


def _lacking(plot: Cost | Error | Measure, tables: Tables, values: pd.Series[float]) -> str:
    """Return which lines have no values, and how many games of the others, of those with a place on the axis."""
    known, every = values.dropna().index, lines(tables.trials.loc[values.index], plot.x)
    drawn = [values[line.games.index] for line in every if line.games.index.isin(known).any()]
    why = "without α" if plot.kind == "error" else "without a value"
    return f"{_without(plot.x, tables.trials)}{absent(every, known, why)}{missing_note(pd.concat(drawn))}"


def _unlabelled(item: Item) -> Item:
    return replace(item, label="") if isinstance(item, Series) else item


def _height(rows: int, columns: int, names: int) -> float:
    """Return the height of all panels: more where many names are beside one row of them."""
    return 3.9 + 0.25 * max(0, names - 9) if rows == 1 else (3.0 if columns == 2 else 2.6) * rows


def looks_of_lines(every: Iterable[Line], kinds: tuple[str, ...]) -> dict[str, Look]:
    """Return the look of each line by its label: colour and marker by protocol, shade and marker by its variant."""
    each = {line.label: line for line in every}
    own = {line.protocol: mark(line.protocol, kinds) for line in each.values()}
    taken, last = frozenset(one.marker for one in own.values()), max(line.order for line in each.values())
    if len({result for line in each.values() for result in line.games.result.unique()}) > 1:
        last = max(last, 2)  # the second of two results keeps so much of the colour that its kind is recognised
    marks = {label: variant_of(own[line.protocol], line.order, last, taken) for label, line in each.items()}
    return {label: Look(one.colour, one.marker) for label, one in marks.items()}


def _of_panel(
    part: Sequence[Curve], looks: Mapping[str, Look], letter: str, band: str, *, shares: bool, named: bool
) -> list[Item]:
    """Return the lines of a panel; without its name a power is known by its colour, which variants share."""
    variants = Counter(curve.line.protocol for curve in part)
    letters = [letter * (named or variants[curve.line.protocol] == 1) for curve in part]
    role = "interval" if shares or band == "interval" else "range"
    pairs = zip(part, letters, strict=True)
    return [item for curve, one in pairs for item in _items(curve, looks[curve.line.label], one, role, named=named)]


def _items(curve: Curve, look: Look, letter: str, role: str, *, named: bool) -> list[Item]:
    """Return one line with marks, band or intervals, and bound; beside it its name, and its power of the axis."""
    name = curve.line.label
    items: list[Item] = []
    if curve.ranged:
        items.append(Area(name, curve.x, curve.low, curve.high, Fill(look.colour, 0.18), role))
    if np.isfinite(curve.bound).any():
        thin = Look(look.colour, "", THIN, 0.9, order=1.5)
        if np.isfinite(curve.bound).sum() == 1:  # a line through one place is not seen
            thin = replace(thin, marker="_", size=12)
        items.append(Series(name, curve.x, curve.bound, thin, "bound"))
    broken = textwrap.fill(name, _LETTERS, break_on_hyphens=False, break_long_words=False)
    label = f"{broken * named} {power(curve, letter) if letter else ''}".strip()
    items.append(
        Series(name, curve.x, curve.middle, look, low=curve.low, high=curve.high, label=label, power=curve.fit)
    )
    at = curve.broken
    if at.any():
        hollow = replace(look, dashes="", hollow=True, edge=1.4, order=3.1)
        items.append(Series(name, curve.x[at], curve.middle[at], hollow, "fails"))
    return items


def measured_label(column: str, tables: Tables) -> str:
    """Return the label of an axis that shows a column of trials.csv: that of the task's `labels`, or its name."""
    return tables.task.label(column) or column_label(column)


def column_of(trials: pd.DataFrame, key: str, name: str) -> str:
    """Return the column of numbers that a key of the figure names; a task's own have an underscore before them."""
    column = name if name in trials else f"_{name}"
    if column not in trials or not pd.api.types.is_numeric_dtype(trials[column]):
        numbers = [each for each in trials.columns if pd.api.types.is_numeric_dtype(trials[each])]
        known = [each.lstrip("_") for each in numbers if each != ITEMS_SENT]
        raise ValueError(
            f"{key} must be a column of numbers of trials.csv ({', '.join(known)}); got {name!r}{nearest(name, known)}"
        )
    return column


def swept_axis(label: str, places: Floats) -> Axis:
    """Return the axis of swept values: logarithmic where all are above 0, with ticks at all of them."""
    values = sorted({float(f"{value:.9g}") for value in places})
    texts = dict(zip(values, swept_ticks(values), strict=True))

    def text(value: float) -> str:
        return texts.get(float(f"{value:.9g}")) or swept_ticks([value])[0]

    ticks = values if len(values) <= _TICKED else None
    if values[0] <= 0:
        return Axis(label, ticks=ticks, most=_MOST_TICKS, text=text)
    apart = (values[-1] / values[0]) ** 0.035
    ends = (values[0] / apart, values[-1] * apart) if len(values) > 1 else (None, None)
    return Axis(label, "log", ends, ticks, _MOST_TICKS, text=text)


def rescaled(described: Description, scales: Mapping[str, str]) -> Description:
    """Return a figure with other scales; ValueError if an axis cannot have one."""
    panels = list(described.panels)
    for which, scale in scales.items():
        share = described.share[which == "y"]
        for number, panel in enumerate(described.panels):
            beside = [one for other, one in enumerate(described.panels) if _shares(share, number, other, described)]
            axis: Axis = getattr(panel, which)
            lines = [one for each in beside for one in each.of(Series) if one.role != "bound"]
            values = np.concatenate([getattr(one, which) for one in lines] or [[]])
            values = np.clip(values[~np.isnan(values)], *axis.edges)
            if axis.names or not panel.framed or not len(values):
                raise ValueError(f"scale: the {which} axis has no numbers; leave {which} out")
            if scale == "log" and values.min() <= 0:
                raise ValueError(NO_LOG.format(which, values.min()))
            if scale != axis.scale:
                made = value_axis(axis.label, values, axis.edges, scale=scale)
                axis = replace(made, ticks=axis.ticks, text=axis.text or made.text)
            panels[number] = replace(panels[number], x=axis) if which == "x" else replace(panels[number], y=axis)
    return replace(described, panels=panels)


def _shares(share: str, number: int, other: int, described: Description) -> bool:
    """Return whether two panels have one axis."""
    columns = described.columns
    alike = {"all": True, "row": number // columns == other // columns, "col": number % columns == other % columns}
    return alike.get(share, number == other)


def edges_of(values: npt.ArrayLike, low: float = -inf) -> tuple[float, float]:
    """Return the edges of a scale: infinite values are drawn at 1.25 times the largest finite one.

    >>> edges_of([1.0, 4.0]), edges_of([1.0, 4.0, inf], 0.1)
    ((-inf, inf), (0.1, 5.0))
    """
    values = np.asarray(values, dtype=float)
    finite = values[np.isfinite(values)]
    return low, 1.25 * float(finite.max(initial=low)) if np.isposinf(values).any() else inf


def value_axis(
    label: str, values: npt.ArrayLike, edges: tuple[float, float] = (-inf, inf), *, scale: str = "", most: int = 9
) -> Axis:
    """Return the scale of these values: logarithmic if they are above 0 and differ much, else linear from 0 on.

    Parameters
    ----------
    scale
        linear, or log where it can be, in place of the rule.

    >>> value_axis("overshoot", [0.0, 0.0], (0.5, inf)).edges
    (-inf, inf)
    """
    values = np.asarray(values, dtype=float)
    drawn = np.clip(values, *edges)
    low, high = float(drawn.min()), float(drawn.max())
    if low > 0 and scale != "linear" and (scale or high > _LINEAR_SPAN * low):
        return Axis(label, "log", (low / 1.4, high * 1.4), most=most, text=short, edges=edges)
    # a linear scale has 0, so that no value is below it; a mark at 0 is drawn whole
    edges = (-inf, edges[1])
    drawn = np.clip(values, *edges)
    low, high = float(drawn.min()), float(drawn.max())
    around = 0.05 * (high - low)
    top = 1.08 * max(high, 1e-9) if high > 0 else 1.0
    ends = (-0.03 * top if low < 0.03 * top else 0.0, top) if low >= 0 else (low - around, high + around)
    return Axis(label, ends=ends, most=most, text=short, edges=edges)
