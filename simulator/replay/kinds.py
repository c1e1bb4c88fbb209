"""How kinds of messages look: a colour, a dash and a letter each, so that no difference is one of colour alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

COLOURS: Final = ("#0072B2", "#B84A00", "#00795A", "#A0457F", "#7A6600", "#4A4A4A")
"""On white: hues of the Okabe-Ito palette, each with a contrast above 4.5."""
DARK: Final = ("#56B4E9", "#FF9E57", "#2FD1A5", "#E59AC6", "#F0E442", "#DDDDDD")
"""The same on black."""
DASHES: Final = ((), (7, 3), (2, 2), (8, 2, 2, 2), (1, 3), (12, 4))
"""Lengths of strokes and gaps in pixels; empty for an unbroken line."""


def looks(kinds: Sequence[str]) -> list[dict[str, Any]]:
    """Return the look of each kind; from the seventh on colours come again, with another dash.

    >>> [look["letter"] for look in looks(["report", "round", "poll"])]
    ['r', 'o', 'p']
    """
    taken: list[str] = []
    styles: list[dict[str, Any]] = []
    for place, kind in enumerate(kinds):
        spare = (letter for letter in [*kind, *"abcdefghijklmnopqrstuvwxyz0123456789"] if letter.strip())
        taken.append(next((letter for letter in spare if letter not in taken), "?"))
        lap, colour = divmod(place, len(COLOURS))
        dash = DASHES[(colour + lap) % len(DASHES)]
        styles.append(
            {"name": kind, "letter": taken[-1], "light": COLOURS[colour], "dark": DARK[colour], "dash": list(dash)}
        )
    return styles
