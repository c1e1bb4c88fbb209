"""The columns of the picture: a site each, or several neighbouring sites together where there are many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

MOST: Final = 64
"""Columns that can be told apart on a screen."""


@dataclass(frozen=True)
class Columns:
    """How the sites of a game share columns.

    Parameters
    ----------
    sites
        Number of sites.
    each
        Sites in a column; the last one may have fewer.
    """

    sites: int
    each: int

    @property
    def number(self) -> int:
        """Return how many columns there are."""
        return -(-self.sites // self.each)

    def label(self, column: int) -> str:
        """Return the sites of a column: ``7``, or ``8-15``.

        >>> Columns(256, 4).label(2), Columns(3, 1).label(2)
        ('8-11', '2')
        """
        first, last = column * self.each, min(self.sites, (column + 1) * self.each) - 1
        return f"{first}" if first == last else f"{first}-{last}"


def columns_of(sites: int, most: int = MOST) -> Columns:
    """Return the columns of so many sites: at most so many, each of equally many sites.

    >>> columns_of(64).each, columns_of(65).each, columns_of(1024).number
    (1, 2, 64)
    """
    return Columns(sites, -(-sites // most))
