"""How protocols look in figures: those that state a mark the same in every figure, others by their order in one."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.kinds.registry import kinds

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
        As ``#0072B2``.
    marker
        A matplotlib marker, no two kinds of one figure the same.
    """

    colour: str
    marker: str


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
"""Looks of kinds that state none, by their order in a figure."""


def mark(kind: str, others: tuple[str, ...] = (), variant: int = 0) -> Mark:
    """Return the look of a protocol, mechanism, learner, sketch or curator.

    Parameters
    ----------
    others
        All kinds of the figure. Those that state no mark take the looks that the others have not, in this order.
    variant
        Order among the variants of the kind. A kind that is alone and states no mark has a look for each of them.
    """
    if own := stated(kind):
        return own
    taken = {look.colour for look in map(stated, others) if look}
    free = [look for look in _POOL if look.colour not in taken]
    strangers = [other for other in others if not stated(other)]
    return free[(strangers.index(kind) if len(others) > 1 and kind in strangers else variant) % len(free)]


def stated(kind: str) -> Mark | None:
    """Return the mark that the class of a registered tracker states; None without one."""
    if kind not in kinds("protocol"):
        return None
    with suppress(ScenarioError):  # of a package that cannot be imported here, results are drawn all the same
        own = vars(kinds("protocol")[kind].load()).get("mark")
        return Mark(*own) if own else None
    return None


def lighter(colour: str, white: float) -> str:
    """Return a colour mixed with this share of white.

    >>> lighter("#0072B2", 0.5)
    '#80b8d8'
    """
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    return "#" + "".join(f"{round(255 * (1 - (1 - part) * (1 - white))):02x}" for part in parts)
