"""The advice on a misspelt name: the nearest of those that there are."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

MEANT: Final = "; did you mean "
"""Beginning of the advice at the end of a message on a name that is near to one that there is."""


def near(name: object, names: Iterable[str], cutoff: float = 0.5) -> str:
    """Return the name that is nearest to a misspelt one; empty if none is as near as `cutoff`, from 0 to 1.

    Examples
    --------
    >>> near("robst", ["robust", "block"]), near("pusj", ["oops", "Push"]), near("quicksort", ["robust", "block"])
    ('robust', 'Push', '')

    A parameter that is named with its side has its own name in tables.

    >>> near("adversary.patience", ["adversary", "patience"])
    'patience'
    """
    written, known = str(name).lower(), list(names)
    side, _, inner = str(name).rpartition(".")
    if inside := [one for one in known if side and one in (inner, f"{side}_{inner}")]:
        return inside[-1]
    by_small: dict[str, str] = {}
    for one in known:
        by_small.setdefault(one.lower(), one)
    close = get_close_matches(written, by_small, n=4, cutoff=cutoff)
    # of near ones, letters that changed places are the likeliest slip (itmes is items, not sites), then a plural
    close.sort(key=lambda other: (sorted(other) != sorted(written), f"{other}s" != written))
    return by_small[close[0]] if close else ""


def nearest(name: object, names: Iterable[str], cutoff: float = 0.5) -> str:
    """Return advice for a misspelt name, or nothing if none is near.

    Examples
    --------
    >>> nearest("robst", ["robust", "block"]), nearest("quicksort", ["robust", "block"])
    ("; did you mean 'robust'?", '')
    """
    meant = near(name, names, cutoff)
    return f"{MEANT}{meant!r}?" if meant else ""
