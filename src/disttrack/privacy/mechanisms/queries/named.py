"""Families by name, as in scenario files: ``count``, ``intervals:500``, ``marginals:3``."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

from disttrack.nearest import nearest
from disttrack.privacy.mechanisms.queries.base import Family
from disttrack.privacy.mechanisms.queries.binary import Halves, Marginals
from disttrack.privacy.mechanisms.queries.ordered import Intervals
from disttrack.privacy.mechanisms.queries.plain import Axes, Count, Points, Rows

FAMILIES: Final[dict[str, type[Any]]] = {
    one.kind: one for one in (Count, Points, Axes, Rows, Intervals, Marginals, Halves)
}
"""The families by name."""
FORMS: Final = "count, points, axes:ROWS, rows:ROWS, intervals[:NUMBER], marginals[:ORDER], halves[:NUMBER]"


@lru_cache(maxsize=64)
def family(queries: str, domain: int) -> Family:
    """Return the family with this name, over the values 0 ... domain - 1.

    Parameters
    ----------
    queries
        A name, for some with a number behind a colon: the rows of `axes` and `rows`, the number of `intervals` (default
        all) or `halves` (100), the bits of `marginals` (2).
    domain
        Number of values.

    Raises
    ------
    ValueError
        There is no such family, or it does not fit the domain.

    Examples
    --------
    >>> family("halves:500", 1024).number
    500
    """
    if not isinstance(queries, str):
        raise ValueError(f"queries must be one of {FORMS}; got {queries!r}")
    kind, colon, argument = queries.partition(":")
    if kind not in FAMILIES:
        raise ValueError(f"queries must be one of {FORMS}; got {queries!r}{nearest(kind, FAMILIES)}")
    if (colon and (kind in ("count", "points") or not argument.isdecimal() or int(argument) < 1)) or (
        kind in ("axes", "rows") and not colon
    ):
        raise ValueError(f"queries must be one of {FORMS}; got {queries!r}")
    made: Family = FAMILIES[kind](domain, *([int(argument)] if colon else []))
    return made
