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
from disttrack.simulator.experiments.results.lines import PLACE, UNUSUAL, Line, lines, lines_of_panels
from disttrack.simulator.experiments.results.read import Tables
from disttrack.simulator.game.columns import label as column_label
from disttrack.simulator.kinds.names import name_of, with_name
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
from disttrack.simulator.shown.plots.kinds import Cost, Error, Measure
from disttrack.simulator.shown.plots.marks import BORDER, DASHES, QUIET, SIZES, lighter, mark
from disttrack.simulator.shown.plots.page import page
from disttrack.simulator.shown.plots.sweep import (
    Bound,
    Curve,
    Floats,
    Values,
    absent,
    axis_label,
    curve_of,
    cut_note,
    infinite_note,
    marks_note,
    missing_note,
    panels,
    place,
    power,
    symbol,
)

FLOOR: Final = 0.1
"""Smaller errors, in units of alpha, are drawn here: how far below the border they are is of no interest."""
FLOOR_NOTE: Final = f" ↓: below the scale, less than {FLOOR:g} α."
_SHARES_NOTE: Final = "Marks: shares of the games. Bands: 95 % intervals."
_POWER_NOTE: Final = "Beside a line: the power of the axis through its marks, with its standard error."
IN_ALPHA: Final = "in units of α"
ABOUT_ONE: Final = (0.3, 1.7)
"""Errors that a scale of errors always shows."""
_DARKNESS: Final = 0.6
"""What is left of a colour in the next variants with the same dashes."""
_LIGHTEST: Final = 0.55
"""The share of white in the lightest of several lines of one protocol."""
_FEW_TICKS: Final = 7
_LINEAR_SPAN: Final = 5.0
"""Values that differ by less than this factor have a linear scale, which begins at 0."""
_THICK: Final = 0.01
"""The width of a line, as a share of the height of a panel."""
_FAR: Final = 6.0
"""A bound this many times above all values may leave the picture."""


def shape(number_of_panels: int) -> tuple[int, int]:
    """Return rows and columns for this number of panels: at most three beside each other.

    >>> shape(1), shape(2), shape(4), shape(7)
    ((1, 1), (1, 2), (2, 2), (3, 3))
    """
    columns = min(number_of_panels, 2 if number_of_panels in (2, 4) else 3)
    if page().narrow:
        columns = 1 if number_of_panels == 1 else 2
    return ceil(number_of_panels / columns), columns


def look_of(line: Line, kinds: tuple[str, ...]) -> Look:
    """Return the look of a line: colour and marker by protocol, dashes and sizes of marks by its variant.

    Where there are more variants than dashes, the others have the same dashes in lighter colours. Later results are
    beneath the first: a smaller, lighter mark on a dark one looks hollow.
    """
    look, (round_, variant) = mark(line.protocol, kinds, line.order), divmod(line.order, len(DASHES))
    by_colour = look.colour != mark(line.protocol, kinds).colour
    colour = look.colour if by_colour or not round_ else lighter(look.colour, 1 - _DARKNESS**round_)
    below = 0.02 * line.order if PLACE in line.games else 0.0
    return Look(colour, look.marker, DASHES[variant], size=SIZES[variant], order=Look.order - below)


def border(at: float = 1.0, name: str | float = "alpha") -> list[Item]:
    """Return the border at an error of alpha, or at another limit, and the part above it."""
    text = "fails: error above α" if name == "alpha" else f"above the limit, {name}"
    words = Words(0.02, 0.95, text, QUIET, shares=True)
    return [Region(at, 1e9, Fill("#000000", 0.05)), Rule(at, Look(BORDER, width=1.0, order=1)), words]


def curves(
    plot: Cost | Error | Measure, tables: Tables, label: str, values: Values, bound: Bound | None = None, *,
    more: Sequence[Item] = (), low: float = -inf, linear: bool = False, always: Sequence[float] = (), note: str = "",
    by: str = "", judged: bool = True, looks: Mapping[str, Look] | None = None, theory: str = "theory",
) -> Description:  # fmt: skip
    """Return a figure of lines along the axis `plot.x`, a panel per adversary, on common scales.

    Parameters
    ----------
    label
        Of the y axis.
    values, bound, judged, by
        As for `curve_of` and `panels`.
    more
        Further items of each panel; the last one has their labels.
    low
        The lower edge of the scale.
    linear
        Whether the scale is linear for all values.
    always
        Values that the scale has in any case.
    note
        Further sentences for the foot.
    looks, theory
        Those of lines that have one already, by their labels; and the name of the bounds in the foot.
    """
    if place(tables.trials, plot.x).isna().all():
        raise ValueError(f"x: {plot.x!r} has words for values, and a line needs numbers")
    drawn = []
    groups = panels(tables, by)
    for (title, _), mine in zip(groups, lines_of_panels([games for _, games in groups], plot.x), strict=True):
        every = [curve_of(line, plot.x, values, bound, judged=judged) for line in mine]
        if part := [curve for curve in every if len(curve.x)]:
            drawn.append((title, part))
    if not drawn:
        raise ValueError(f"a figure of {label!r} needs games that have it; these have none")
    all_curves = [curve for _, part in drawn for curve in part]
    rows, columns = shape(len(drawn))
    last_place = max(float(curve.x[-1]) for curve in all_curves)
    # the label of a line that ends earlier would lie across the panel, over other lines
    named = columns < 3 and not any(curve.x[-1] < last_place for curve in all_curves)
    lengths = [one.y for one in more if isinstance(one, Series)]
    shown = np.concatenate([*(np.r_[curve.low, curve.high] for curve in all_curves), *lengths, always])
    bounds = np.concatenate([curve.bound for curve in all_curves])
    kept = bounds[bounds <= _FAR * shown.max()]
    y = value_axis(label, np.r_[shown, kept], edges_of(shown, low), linear=linear)
    x = swept_axis(axis_label(plot.x, tables), np.concatenate([curve.x for curve in all_curves]), columns)
    looks = looks_of_lines((curve.line for curve in all_curves), tables.protocols) | dict(looks or {})
    made, letter = [], symbol(plot.x, x.label) if named else ""
    for number, (title, part) in enumerate(drawn, 1):
        last = named and (number % columns == 0 or number == len(drawn))
        items = _of_panel(part, looks, letter, low, named=last)
        made.append(Panel([*items, *(more if last else map(_unlabelled, more))], x, y, title))
    found = values(tables.trials[place(tables.trials, plot.x).notna()])
    notes = _notes(all_curves, looks, found, y, theory, powers=named and not page().narrow)
    return Description(
        made, columns, _height(rows, columns, len(looks)),
        note=" ".join(one.strip() for one in (*notes[:-1], note, _lacking(plot, tables, found), notes[-1]) if one),
        legend=[] if named else [(look, text) for text, look in looks.items()], games=[*found.dropna().index],
    )  # fmt: skip


def _notes(
    every: Sequence[Curve], looks: Mapping[str, Look], values: pd.Series[float], y: Axis, theory: str, *, powers: bool
) -> list[str]:
    """Return what marks, bands and dashes mean, each empty where there are none; last what infinite values are."""
    low, bands = y.edges[0], any(len(one.x) > 1 and apart(y, one.low, one.high).any() for one in every)
    inside = any(_inside(y, one.bound).any() for one in every)
    off = [one for one in every if (_inside(y, one.bound) & apart(y, one.bound, one.middle)).any()]
    single = [np.isfinite(one.bound).sum() == 1 for one in off]
    dashes = "Thin dashes and short strokes" if any(single) and not all(single) else "Thin dashes"
    dashes = "Short strokes" if single and all(single) else dashes
    seen = [(one, _inside(y, one.bound)) for one in every]
    cut = [one for one, within in seen if within.any() and (np.isfinite(one.bound) & ~within).any()]
    return [
        _dashes_note(every, looks),
        _SHARES_NOTE if values.dtype == bool else marks_note(every, bands=bands),
        _POWER_NOTE if powers and any(curve.fit for curve in every if curve.middle.min() > low) else "",
        f"{dashes}: {theory}, in the colour of its line." if off else f"On the lines: {theory}." if inside else "",
        cut_note(f"{theory}, of {one.line.label}" for one in cut),
        FLOOR_NOTE if any((curve.middle <= low).any() for curve in every) else "",
        infinite_note(values),
    ]


def apart(axis: Axis, one: npt.ArrayLike, other: npt.ArrayLike, least: float = _THICK) -> npt.NDArray[np.bool_]:
    """Return at which places two curves can be told apart: by more than this share of the axis, a line's width."""
    ends = np.array(axis.ends, dtype=float)
    drawn = [np.clip(np.clip(values, *axis.edges), *ends) for values in (one, other)]
    if axis.scale == "log":
        ends, drawn = np.log(ends), [np.log(values) for values in drawn]
    told: npt.NDArray[np.bool_] = np.abs(drawn[0] - drawn[1]) > least * (ends[1] - ends[0])
    return told


def _inside(axis: Axis, values: Floats) -> npt.NDArray[np.bool_]:
    low, high = (float(end or 0) for end in axis.ends)
    return (values >= low) & (values <= high)


def _without(x: str, trials: pd.DataFrame) -> str:
    """Return what is left out: protocols and adversaries without the parameter, and values without a place."""
    there = place(trials, x).notna()
    names = [name for side in ("protocol", "adversary") for name in sorted({*trials[side]} - {*trials[side][there]})]
    worded = sorted({*trials[x][~there & trials[x].notna()].astype(str)} - {"nan"})
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
    """Return the look of each line by its label; those of one colour are lighter one by one.

    A bound has the colour of its line and no mark: only lightness says to which of them it belongs. Figures without
    bounds have the same colours. Dashes that all lines share say nothing: these are solid.
    """
    looks = {line.label: look_of(line, kinds) for line in every}
    alike: dict[str, list[str]] = {}
    for label, look in looks.items():
        alike.setdefault(look.colour, []).append(label)
    for colour, labels in alike.items():
        for order, label in enumerate(labels[1:], 1):
            looks[label] = replace(looks[label], colour=lighter(colour, _LIGHTEST * order / (len(labels) - 1)))
    if len({look.dashes for look in looks.values()}) == 1:
        looks = {label: replace(look, dashes="-") for label, look in looks.items()}
    return looks


def _dashes_note(every: Sequence[Curve], looks: Mapping[str, Look]) -> str:
    """Return what dashes mean that tell no lines of one protocol apart: parameters other than the defaults."""
    labels = {curve.line.label: curve.line for curve in every if PLACE not in curve.line.games}
    alone = Counter(line.protocol for line in labels.values())
    odd = {
        looks[label].dashes
        for label, line in labels.items()
        if alone[line.protocol] == 1 and looks[label].dashes != "-" and line.games[UNUSUAL["protocol"]].any()
    }
    dots = " and dots" * bool(odd - {DASHES[1]})
    return f"Thick dashes{dots}: parameters that differ from the defaults." if odd else ""


def _of_panel(part: Sequence[Curve], looks: dict[str, Look], letter: str, low: float, *, named: bool) -> list[Item]:
    """Return the lines of a panel; without its name a power is known by its colour, which variants share."""
    variants = Counter(curve.line.protocol for curve in part)
    letters = [letter * (named or variants[curve.line.protocol] == 1) for curve in part]
    pairs = zip(part, letters, strict=True)
    return [item for curve, one in pairs for item in _items(curve, looks[curve.line.label], one, low, named=named)]


def _items(curve: Curve, look: Look, letter: str, low: float, *, named: bool) -> list[Item]:
    """Return one line with marks, band and bound; beside it its name, and its power of the axis if above `low`."""
    name = curve.line.label
    items: list[Item] = []
    if np.any(curve.high > curve.low):
        items.append(Area(name, curve.x, curve.low, curve.high, Fill(look.colour, 0.18)))
    if np.isfinite(curve.bound).any():
        thin = Look(look.colour, "", THIN, 0.9, order=1.5)
        if np.isfinite(curve.bound).sum() == 1:  # a line through one place is not seen
            thin = replace(thin, marker="_", size=12)
        items.append(Series(name, curve.x, curve.bound, thin, "bound"))
    # a longer name in one line would leave the lines no room
    label = " ".join(
        [textwrap.fill(name, 34) * named, power(curve, letter) if letter and curve.middle.min() > low else ""]
    ).strip()
    items.append(Series(name, curve.x, curve.middle, look, low=curve.low, high=curve.high, label=label))
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
        known = [each.lstrip("_") for each in trials.columns if pd.api.types.is_numeric_dtype(trials[each])]
        raise ValueError(
            f"{key} must be a column of numbers of trials.csv ({', '.join(known)}); got {name!r}{nearest(name, known)}"
        )
    return column


def swept_axis(label: str, places: Floats, columns: int) -> Axis:
    """Return the axis of swept values: logarithmic where all are above 0, with ticks at them where they are few."""
    values = sorted({float(f"{value:.9g}") for value in places})
    texts = dict(zip(values, swept_ticks(values), strict=True))

    def text(value: float) -> str:
        return texts.get(float(f"{value:.9g}")) or swept_ticks([value])[0]

    most = _FEW_TICKS if columns == 1 else _FEW_TICKS // columns + 1
    # counted from the last
    ticks = values[:: -ceil(len(values) / most)] if len(values) <= 2 * _FEW_TICKS else None
    if values[0] <= 0:
        return Axis(label, ticks=ticks, text=text)
    apart = (values[-1] / values[0]) ** 0.035
    ends = (values[0] / apart, values[-1] * apart) if len(values) > 1 else (None, None)
    return Axis(label, "log", ends, ticks, most, text=text)


def edges_of(values: npt.ArrayLike, low: float = -inf) -> tuple[float, float]:
    """Return the edges of a scale: infinite values are drawn at 1.25 times the largest finite one.

    >>> edges_of([1.0, 4.0]), edges_of([1.0, 4.0, inf], 0.1)
    ((-inf, inf), (0.1, 5.0))
    """
    values = np.asarray(values, dtype=float)
    finite = values[np.isfinite(values)]
    return low, 1.25 * float(finite.max(initial=low)) if np.isposinf(values).any() else inf


def value_axis(
    label: str, values: npt.ArrayLike, edges: tuple[float, float] = (-inf, inf), *, linear: bool = False, most: int = 9
) -> Axis:
    """Return the scale of these values: logarithmic if they are above 0 and differ much, else linear from 0 on.

    >>> value_axis("overshoot", [0.0, 0.0], (0.5, inf)).edges
    (-inf, inf)
    """
    values = np.asarray(values, dtype=float)
    drawn = np.clip(values, *edges)
    low, high = float(drawn.min()), float(drawn.max())
    if low > 0 and high > _LINEAR_SPAN * low and not linear:
        return Axis(label, "log", (low / 1.4, high * 1.4), most=most, text=short, edges=edges)
    # a linear scale has 0, so that no value is below it; a mark at 0 is drawn whole
    edges = (-inf, edges[1])
    drawn = np.clip(values, *edges)
    low, high = float(drawn.min()), float(drawn.max())
    around = 0.05 * (high - low)
    top = 1.08 * max(high, 1e-9) if high > 0 else 1.0
    ends = (-0.03 * top if low < 0.03 * top else 0.0, top) if low >= 0 else (low - around, high + around)
    return Axis(label, ends=ends, most=most, text=short, edges=edges)
