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
_LIGHT: Final = 0.4
"""Kinds with lighter colours have darker variants, others lighter ones: all are seen on white."""
_SHADES: Final = 0.6
"""The share of white, or of black, in the last variant of a kind."""


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
    Mark("#0072B2", "o"),
    Mark("#D55E00", "D"),
    Mark("#009E73", ">"),
    Mark("#000000", "s"),
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


def mark(kind: str, others: tuple[str, ...] = ()) -> Mark:
    """Return the look of a protocol, mechanism, learner, sketch or curator.

    Parameters
    ----------
    others
        All kinds of the figure. Those that state no mark take the looks that the others have not, in this order.
    """
    if own := stated(kind):
        return own
    taken = {look.colour for look in map(stated, others) if look}
    free = [look for look in _POOL if look.colour not in taken]
    strangers = [other for other in others if not stated(other)]
    return free[(strangers.index(kind) if kind in strangers else 0) % len(free)]


def variant_of(own: Mark, order: int, last: int, taken: frozenset[str]) -> Mark:
    """Return the look of a variant of a kind: a shade of its colour, and a marker that no kind of the figure has.

    Parameters
    ----------
    own
        The look of the kind, which its first variant has.
    order, last
        Number of the variant, and of the last one in the figure, from 0.
    taken
        Markers of the kinds of the figure.
    """
    if not order:
        return own
    free = [look.marker for look in _POOL if look.marker not in taken] or [look.marker for look in _POOL]
    return Mark(shade(own.colour, _SHADES * order / last), free[(order - 1) % len(free)])


def stated(kind: str) -> Mark | None:
    """Return the mark that the class of a registered tracker states; None without one."""
    if kind not in kinds("protocol"):
        return None
    with suppress(ScenarioError):  # of a package that cannot be imported here, results are drawn all the same
        own = vars(kinds("protocol")[kind].load()).get("mark")
        return Mark(*own) if own else None
    return None


def shade(colour: str, share: float) -> str:
    """Return a colour mixed with this share of white, or of black if it is light.

    >>> shade("#0072B2", 0.5), shade("#E69F00", 0.5)
    ('#80b8d8', '#735000')
    """
    light = lightness(colour) > _LIGHT
    parts = [(1 - share) * part + share * (not light) for part in _parts(colour)]
    return "#" + "".join(f"{round(255 * part):02x}" for part in parts)


def lightness(colour: str) -> float:
    """Return how light a colour is in a grey print, from 0 for black to 1 for white.

    >>> round(lightness("#FFFFFF"), 9), lightness("#000000")
    (1.0, 0.0)
    """
    return sum(share * part for share, part in zip((0.299, 0.587, 0.114), _parts(colour), strict=True))


def _parts(colour: str) -> list[float]:
    """Return red, green and blue of a colour, from 0 to 1."""
    return [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
