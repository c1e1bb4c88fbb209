"""The largest size of a game."""

from __future__ import annotations

from typing import Final

from disttrack.mechanisms.checks import plain

MOST_ITEMS: Final = 2**61
"""Items of a game, including those counted before it: schedules count in 64 bits, and twice this must fit."""


def counted(value: object) -> object:
    """Return a float that is a whole number as one, as in a scenario file, a number of numpy's as Python's.

    Examples
    --------
    >>> counted(1e5), counted(2.5), counted(7)
    (100000, 2.5, 7)
    """
    value = plain(value)
    return int(value) if isinstance(value, float) and value.is_integer() else value
