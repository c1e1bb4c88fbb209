"""Trackers in blocks: the block size, the position of a site's items in its blocks, and the doubling of counts.

A site's items of a round, counted from 1, are divided into blocks of equal size. In each of them it signals once, and
the server counts a signal as a block of items.

Source
------
Xiong, Zhu, Huang 2023, overview and Algorithm 1, with the offsets in a block counted from 1: its lines 3, 4 and 7 put
the last item of a block at offset 0 of the next one. Comments give its lines.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Counts = TypeVar("Counts", int, NDArray[np.int64])
"""A whole number, or an array of whole numbers."""


@dataclass(frozen=True, slots=True)
class BlockSizes:
    """The block size of the tracker `block`, D = floor(alpha M / (c sqrt k)) in a round begun with M items.

    Parameters
    ----------
    alpha, confidence, sites
        Relative error aimed at, the c above, and the number of sites k.
    """

    alpha: float
    confidence: float
    sites: int

    @property
    def share(self) -> float:
        """Block size as a share of a round's initial items: alpha / (c sqrt k)."""
        return self.alpha / (self.confidence * sqrt(self.sites))

    @property
    def early(self) -> float:
        """Items below which a block would be less than one item: c sqrt(k) / alpha."""
        return self.confidence * sqrt(self.sites) / self.alpha

    @property
    def first(self) -> int:
        """Least number of items for which `size` is an item: `early` rounded up, where rounding may miss it by one."""
        total = max(1, int(self.early))
        while not self.size(total):
            total += 1
        return total

    def size(self, total: int) -> int:
        """Return the block size in a round begun with `total` items; 0 if every item is to be forwarded.

        Examples
        --------
        >>> [BlockSizes(0.1, 3.0, 4).size(total) for total in (59, 60, 600)]
        [0, 1, 10]
        """
        return int(self.share * total)


def size_within(alpha: float, total: float, budget: float) -> int:
    """Return the largest size for which `budget` blocks are at most alpha · total items; 0 if less than an item.

    Examples
    --------
    >>> size_within(0.5, 100, 8.0)
    6
    """
    return int(alpha * total / budget)


def full_blocks(count: Counts, size: int) -> Counts:
    """Return the items of all blocks of this size that are begun by the first `count` items, once they are full.

    Examples
    --------
    >>> [full_blocks(count, 4) for count in (0, 1, 4, 5)]
    [0, 4, 4, 8]
    """
    return (count + size - 1) // size * size


class BlockLayout:
    """The positions of a site's blocks, for one number or an array.

    Parameters
    ----------
    size
        Items in a block.

    Examples
    --------
    >>> layout = BlockLayout(4)
    >>> [(layout.block(count), layout.within(count)) for count in (1, 4, 5)]
    [(1, 1), (1, 4), (2, 1)]
    >>> [layout.full(count) for count in (0, 1, 4, 5)]
    [0, 4, 4, 8]
    """

    __slots__ = ("size",)

    def __init__(self, size: int) -> None:
        self.size = size

    def block(self, count: Counts) -> Counts:
        """Return the block, from 1, of a site's item with this number in the round; 0 for 0."""
        return (count + self.size - 1) // self.size  # l. 3

    def within(self, count: Counts) -> Counts:
        """Return the place in its block, from 1 to `size`, of a site's item with this number in the round."""
        return (count - 1) % self.size + 1  # l. 4 and 7

    def full(self, count: Counts) -> Counts:
        """Return the items of all blocks begun by the first `count` items, once these blocks are full."""
        return full_blocks(count, self.size)

    def items(self, signals: Counts) -> Counts:
        """Return the items that the server counts for `signals` signals."""
        return self.size * signals

    def signals(self, items: Any) -> Any:
        """Return the expected number of signals of a site, or of all sites, after `items` items in total."""
        return items / self.size

    def signals_to_double(self, total: int) -> int:
        """Return the signals after which the server's estimate of a round begun with `total` has doubled."""
        return -(-total // self.size)


def next_double(reported: Counts) -> Counts:
    """Return the next number to report after `reported`: twice that, at least 1.

    The doubling tracker: each site reports its count when it has doubled since its last report, and the sum of these
    reports is announced to the sites when it has doubled since it was last announced. So the announced number is at
    most the number of items, which stays below four times it. Takes one number or an array.

    Source
    ------
    Huang, Yi, Zhang 2012, section 2, recalled.

    Examples
    --------
    >>> [next_double(reported) for reported in (0, 1, 2, 5)]
    [1, 2, 4, 10]
    """
    return np.maximum(1, 2 * reported) if isinstance(reported, np.ndarray) else doubled(reported)


def doubled(reported: int) -> int:
    """Return `next_double` of one number."""
    return max(1, 2 * reported)
