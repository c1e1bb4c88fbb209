"""Sentences of captions: what is drawn against what, what is fixed, and what there is to see, in numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from simulator.plots.fits import fitted
from simulator.plots.sweep import MANY, Curve, axis_label, symbol
from simulator.results.fixed import fixed
from simulator.results.formats import number
from simulator.results.read import Tables

_MOST: Final = 8
"""Lines that a caption names one by one; of more only the least and the most."""


def of_curves(
    tables: Tables, what: str, axis: str, drawn: Sequence[tuple[str, Sequence[Curve]]], more: str = ""
) -> str:
    """Return the caption of lines along an axis.

    Parameters
    ----------
    what
        The measure.
    drawn
        The lines of each panel with its title.
    more
        Further sentences on what is drawn.
    """
    places = [float(x) for _, part in drawn for curve in part for x in curve.x]
    along = f"{axis_label(axis)} ({number(min(places))} to {number(max(places))})"
    each = ", a panel per adversary" if len(drawn) > 1 else ""
    games = int(tables.trials.groupby(["result", "point"]).size().max())
    marks = (
        f"medians of {games} games with their {'5 % to 95 %' if games > MANY else 'range'}" if games > 1 else "one game"
    )
    first = f"{what[:1].upper()}{what[1:]} against {along}, a line per protocol{each}; marks: {marks}.{more}"
    return f"{first} Fixed: {fixed(tables, axis)}. {_seen(drawn, axis)}"


def _seen(drawn: Sequence[tuple[str, Sequence[Curve]]], axis: str) -> str:
    """Return what there is to see: how each line goes, panel by panel, or the extremes of many."""
    said = []
    few = sum(len(part) for _, part in drawn) <= _MOST
    for title, part in drawn:
        head = f"{title[:1].upper()}{title[1:]}: " if len(drawn) > 1 else ""
        told = [_told(curve, axis) for curve in part] if few else [_extremes(part, axis)]
        said.append(f"{head}{'; '.join(told)}.")
    return " ".join(said)


def _told(curve: Curve, axis: str) -> str:
    """Return how one line goes."""
    fit = fitted(curve.x, curve.middle)
    broken = curve.broken
    failing = " and fails everywhere" if broken.all() else " and fails in part" if broken.any() else ""
    first, last = number(float(curve.middle[0])), number(float(curve.middle[-1]))
    if len(curve.x) == 1 or first == last:
        return f"{curve.line.label} {'is' if len(curve.x) == 1 else 'stays at'} {last}{failing}"
    law = f" as {symbol(axis)}^({fit.text()})" if fit is not None else ""
    return f"{curve.line.label} goes from {first} to {last}{law}{failing}"


def _extremes(part: Sequence[Curve], axis: str) -> str:
    """Return which lines end lowest and highest, at the last place that all of them have."""
    last = max(float(curve.x[-1]) for curve in part)
    there = sorted((curve for curve in part if curve.x[-1] == last), key=lambda curve: float(curve.middle[-1]))
    low, high = there[0], there[-1]
    failing = [curve.line.label for curve in part if curve.broken.any()]
    fails = f"; failing: {', '.join(failing)}" if failing else ""
    if low is high:
        return f"at {symbol(axis)} = {number(last)} {_at_end(low)}{fails}"
    return f"at {symbol(axis)} = {number(last)} from {_at_end(low)} to {_at_end(high)}{fails}"


def _at_end(curve: Curve) -> str:
    """Return a line with its last value."""
    return f"{number(float(curve.middle[-1]))} ({curve.line.label})"
