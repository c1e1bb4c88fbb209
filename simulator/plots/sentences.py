"""Sentences of captions: what is drawn against what, what is fixed, and what there is to see, in numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from disttrack.simulator.plots.sweep import MANY, Curve, Drawn, axis_label, symbol
from disttrack.simulator.results.fixed import fixed
from disttrack.simulator.results.formats import number, swept_ticks
from disttrack.simulator.results.read import Tables

_MOST: Final = 8
"""Lines that a caption names one by one; of more only the least and the most."""


def of_curves(tables: Tables, what: str, axis: str, drawn: Drawn, more: str = "", floor: float = 0.0) -> str:
    """Return the caption of lines along an axis.

    Parameters
    ----------
    what
        The measure.
    drawn
        The lines of each panel with its title.
    more
        Further sentences on what is drawn.
    floor
        Values there are below the scale.
    """
    places = [float(x) for _, part in drawn for curve in part for x in curve.x]
    along = f"{axis_label(axis)} ({' to '.join(swept_ticks([min(places), max(places)]))})"
    each = ", a panel per adversary" if len(drawn) > 1 else ""
    games = int(tables.trials.groupby(["result", "point"]).size().max())
    marks = (
        f"medians of {games} games with their {'5 % to 95 %' if games > MANY else 'range'}" if games > 1 else "one game"
    )
    first = f"{capital(what)} against {along}, a line per protocol{each}; marks: {marks}.{more}"
    # the games of a point are stated already
    same = fixed(tables, axis).rpartition(" · ")[0]
    return f"{first} {f'Fixed: {same}. ' if same else ''}{_seen(drawn, axis, floor)}"


def capital(text: str) -> str:
    """Return a text with a capital at its beginning."""
    return text[:1].upper() + text[1:]


def rounded(value: float) -> str:
    """Return a measured value with three digits.

    >>> rounded(36_998.5), rounded(0.02345), rounded(2.0)
    ('37,000', '0.0234', '2')
    """
    return number(float(f"{value:.3g}"))


def _seen(drawn: Drawn, axis: str, floor: float) -> str:
    """Return what there is to see: how each line goes, panel by panel, or the extremes of many."""
    sentences = []
    few = sum(len(part) for _, part in drawn) <= _MOST
    for title, part in drawn:
        head = f"{capital(title)}: " if len(drawn) > 1 else ""
        seen = [_course(curve, axis, floor) for curve in part] if few else [_extremes(part, axis)]
        text = f"{head}{'; '.join(seen)}."
        sentences.append(capital(text) if text.startswith("at ") else text)
    return " ".join(sentences)


def _course(curve: Curve, axis: str, floor: float) -> str:
    """Return how one line goes."""
    broken = curve.broken
    failing = " and fails everywhere" if broken.all() else " and fails in part" if broken.any() else ""
    values = float(curve.middle[0]), float(curve.middle[-1])
    first, last = (f"below {floor:g}" if value <= floor and floor else rounded(value) for value in values)
    if len(curve.x) == 1 or first == last:
        stays = "is" if len(curve.x) == 1 or last.startswith(("below", "infinite")) else "stays at"
        return f"{curve.line.label} {stays} {last}{failing}"
    letter = symbol(axis) if len(symbol(axis)) == 1 else f"({symbol(axis)})"
    law = f" as {letter}^({curve.fit.text()})" if curve.fit is not None else ""
    return f"{curve.line.label} goes from {first} to {last}{law}{failing}"


def _extremes(part: Sequence[Curve], axis: str) -> str:
    """Return which lines end lowest and highest, at the last place that all of them have."""
    last = max(float(curve.x[-1]) for curve in part)
    there = sorted((curve for curve in part if curve.x[-1] == last), key=lambda curve: float(curve.middle[-1]))
    low, high = there[0], there[-1]
    failing = [curve.line.label for curve in part if curve.broken.any()]
    fails = f"; failing: {', '.join(failing)}" if failing else ""
    (place,) = swept_ticks([last])
    if low is high:
        return f"at {symbol(axis)} = {place} {_at_end(low)}{fails}"
    return f"at {symbol(axis)} = {place} from {_at_end(low)} to {_at_end(high)}{fails}"


def _at_end(curve: Curve) -> str:
    """Return a line with its last value."""
    return f"{rounded(float(curve.middle[-1]))} ({curve.line.label})"
