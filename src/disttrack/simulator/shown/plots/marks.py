"""How protocols look in figures: trackers the same in every figure, other kinds by their order in one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

Dashes = str | tuple[float, tuple[float, ...]]
"""As matplotlib names them: a word, or an offset with the lengths of strokes and gaps."""

INK: Final = "#222222"
QUIET: Final = "#666666"
BORDER: Final = "#444444"
DASHES: Final[tuple[Dashes, ...]] = ("-", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (5, 1.5, 1.2, 1.5)))
"""Dashes of the variants of one protocol, the first for its defaults."""
SIZES: Final = (6.0, 4.4, 3.2, 2.3)
"""Sizes of the marks of these variants, smaller one by one, for figures in which no line joins them."""


@dataclass(frozen=True)
class Mark:
    """How a protocol looks.

    Parameters
    ----------
    colour
        A colour of the Okabe-Ito palette, a grey, or a darker one beside them; the trackers that are most often drawn
        together differ by at least 30 of 255 in lightness, so that a grey print keeps them apart.
    marker
        A matplotlib marker, no two kinds of one figure the same.
    """

    colour: str
    marker: str


TRACKERS: Final = {
    "deterministic": Mark("#000000", "s"),
    "randomized": Mark("#E69F00", "^"),
    "robust": Mark("#0072B2", "o"),
    "martingale": Mark("#D55E00", "D"),
    "block": Mark("#CC79A7", "v"),
    "deterministic-rounds": Mark("#777777", "P"),
    "exact": Mark("#AAAAAA", "X"),
    "sketch-switching": Mark("#56B4E9", "<"),
    "difference-estimators": Mark("#009E73", ">"),
    "private-copies": Mark("#A08F00", "h"),
}
"""The trackers of counts."""

_POOL: Final = (
    Mark("#000000", "s"),
    Mark("#0072B2", "o"),
    Mark("#D55E00", "D"),
    Mark("#009E73", ">"),
    Mark("#E69F00", "^"),
    Mark("#CC79A7", "v"),
    Mark("#56B4E9", "<"),
    Mark("#5B3794", "H"),
    Mark("#777777", "P"),
    Mark("#A08F00", "h"),
    Mark("#8C564B", "d"),
    Mark("#AAAAAA", "X"),
    Mark("#7A0026", "p"),
    Mark("#1B5E20", "*"),
    Mark("#B15928", "8"),
)
"""Looks of all other kinds, by their order in a figure."""


def mark(kind: str, others: tuple[str, ...] = (), variant: int = 0) -> Mark:
    """Return the look of a protocol, mechanism, learner, sketch or curator.

    Parameters
    ----------
    others
        All kinds of the figure. Those that are no trackers take the looks that its trackers have not, in this order.
    variant
        Order among the variants of the kind. A kind that is alone and no tracker has a look for each of them.
    """
    if kind in TRACKERS:
        return TRACKERS[kind]
    taken = {TRACKERS[other].colour for other in others if other in TRACKERS}
    free = [look for look in _POOL if look.colour not in taken]
    strangers = [other for other in others if other not in TRACKERS]
    return free[(strangers.index(kind) if len(others) > 1 and kind in strangers else variant) % len(free)]


def lighter(colour: str, white: float) -> str:
    """Return a colour mixed with this share of white.

    >>> lighter("#0072B2", 0.5)
    '#80b8d8'
    """
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    return "#" + "".join(f"{round(255 * (1 - (1 - part) * (1 - white))):02x}" for part in parts)
