"""The axes of a panel: scale, range, ticks and what stands beside them."""

from __future__ import annotations

import re
from math import log10
from typing import Any, Final

from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator

from simulator.plots.interactive.looks import numbers, plain, text

_NUMBER: Final = re.compile(
    r"[\d,.\s+−-]*(?:e[+−-]?\d+)?\s*[kMGTα%]?|[−-]?\d*\s*×?\s*10\^[−-]?\d+|\d+ (?:million|billion)|∞"
)


class Unsupported(ValueError):
    """A figure has something that cannot be shown interactively; its picture is shown instead."""


def scale(axes: Axes, which: str) -> tuple[dict[str, Any], bool]:
    """Return one axis of a panel, "x" or "y", in plotly's words, and whether its ticks are named by words.

    Raises
    ------
    Unsupported
        Its scale is neither linear nor logarithmic.
    """
    axis = axes.xaxis if which == "x" else axes.yaxis
    kind = axis.get_scale()
    if kind not in ("linear", "log"):
        raise Unsupported(f"a scale of kind {kind!r}")
    low, high = (float(end) for end in (axes.get_xlim() if which == "x" else axes.get_ylim()))
    ends = [log10(low), log10(high)] if kind == "log" else [low, high]
    shown = axis.get_tick_params()
    near, far = ("labelbottom", "labeltop") if which == "x" else ("labelleft", "labelright")
    found: dict[str, Any] = {
        "type": kind,
        "range": ends,
        "title": {"text": text(axis.get_label_text())},
        "showgrid": bool(shown.get("gridOn", True)),
        "showticklabels": bool(shown.get(near, True) or shown.get(far, False)),
        "visible": bool(axes.axison),
    }
    if shown.get(far) and not shown.get(near, True):
        found["side"] = "top" if which == "x" else "right"
    ticks, words = _ticks(axes, which)
    return found | ticks, words


def _ticks(axes: Axes, which: str) -> tuple[dict[str, Any], bool]:
    """Return ticks where the figure sets or names them itself, nothing where any good ones will do; words or not."""
    axis = axes.xaxis if which == "x" else axes.yaxis
    low, high = sorted(axes.get_xlim() if which == "x" else axes.get_ylim())
    places = [float(place) for place in axis.get_majorticklocs() if low <= place <= high]
    names = list(axis.get_major_formatter().format_ticks(places))
    words = not all(_NUMBER.fullmatch(plain(name)) for name in names)
    if not words and not isinstance(axis.get_major_locator(), FixedLocator):
        return {}, False
    return {"tickmode": "array", "tickvals": numbers(places), "ticktext": [text(name) for name in names]}, words
