"""Values that a scale does not show: drawn at its edge with a sign; pointer, tables and captions have the true ones."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any, Final

import numpy as np
from matplotlib.axes import Axes

TRUE: Final = "true_values"
"""Attribute of an artist that was drawn at an edge: the values of its points, or the two ends of its area."""
INFINITE: Final = 1.25
"""Infinite values stand at this multiple of the largest finite one."""


@dataclass(frozen=True)
class Edges:
    """What the scale of an axis shows: smaller values are drawn at `low`, larger ones at `high`."""

    low: float = -inf
    high: float = inf

    def clipped(self, values: Any) -> Any:
        """Return values as they are drawn."""
        return np.clip(np.asarray(values, dtype=float), self.low, self.high)

    def kept(self, artist: Any, *values: Any) -> None:
        """Keep with an artist the values that it shows, if it is drawn elsewhere because of an edge."""
        plain = [np.asarray(each, dtype=float) for each in values]
        if any(not np.array_equal(self.clipped(each), each, equal_nan=True) for each in plain):
            setattr(artist, TRUE, plain)

    def plot(self, axes: Axes, x: Any, y: Any, **look: Any) -> None:
        """Draw a line or marks."""
        (drawn,) = axes.plot(x, self.clipped(y), **look)
        self.kept(drawn, y)

    def arrows(self, axes: Axes, x: Any, y: Any, colour: Any, **look: Any) -> None:
        """Put an arrow below each mark that stands at the lower edge, and ∞ above one at the upper edge."""
        x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
        for there, place, marker, gid in (
            (y <= self.low, self.low / 1.17, r"$\downarrow$", "below-scale"),
            (y >= self.high, self.high * 1.17, r"$\infty$", "above-scale"),
        ):
            if there.any():
                marks: dict[str, Any] = {"linestyle": "", "marker": marker, "markersize": 9, "clip_on": False}
                (drawn,) = axes.plot(
                    x[there], np.full(int(there.sum()), place), color=colour, zorder=3.2, gid=gid, **marks, **look
                )
                setattr(drawn, TRUE, [y[there]])


def edges_of(values: Any, low: float = -inf, least: float = 0.0) -> Edges:
    """Return edges for values of which some may be infinite.

    Parameters
    ----------
    low
        The lower edge.
    least
        The upper edge, if there is one, stands above this value.
    """
    values = np.asarray(values, dtype=float)
    finite = values[np.isfinite(values)]
    high = INFINITE * max(least, float(finite.max(initial=least))) if np.isposinf(values).any() else inf
    return Edges(low, high)


def infinite_note(values: Any) -> str:
    """Return in words how many of these games are infinite; empty if none is.

    >>> infinite_note([1.0, float("inf")]), infinite_note([1.0])
    (' ∞: infinite, in 1 of 2 games.', '')
    """
    values = np.asarray(values, dtype=float)
    values = values[~np.isnan(values)]
    many = int(np.isinf(values).sum())
    return f" ∞: infinite, in {many:,} of {len(values):,} games." if many else ""
