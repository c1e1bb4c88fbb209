"""Streams of independent random sites without drawing each item: plain labels first, then a tree of counts.

The first items of a stream are drawn one by one. From the position `switch` on, which depends on the number of sites
only, the stream is a `RandomStream`: counts by site and time in a tree whose nodes are drawn where somebody looks
(`stream_tree`). A game then costs its messages, and not its items. The stream is a function of the generator's seed,
the number of sites and the distribution: neither the tracker, nor what was asked before, nor the length of the game is
in it, and a longer game begins with a shorter one. Numba, where it is installed, changes its speed only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from disttrack.adversaries.schedules import NEVER, Integers, Schedule
from disttrack.adversaries.stream_tree import (
    AT,
    COUNT,
    COUNTS,
    DEPTH,
    HALF,
    KEY,
    LEFT,
    LEVELS,
    NTH,
    SPREAD,
    USED,
    VISITS,
    look,
)
from disttrack.mechanisms.compiler import available, compiled, is_kept
from disttrack.mechanisms.keyed_draws import exponential, logarithm

LABELS: Final = 2**26
"""Items that are drawn one by one in any stream, at least."""
LABELS_PER_SITE: Final = 2**16
"""The same per site: to find a message in the tree takes the time of some 2,000 labels, and deterministic trackers send
one per site in each alpha-fraction of the stream."""
KEYS: Final = 2**62
WORDS: Final = 2**22
"""Numbers in the pool of a stream, if it has few sites: 32 MB."""
NODES: Final = 48, 4096
"""Least and largest number of nodes in the pool: a path from a block to where sites are looked at singly, and more."""
PLAIN: Final = 1000
"""Questions about one site that plain Python answers before functions are compiled: in about the time of this."""
SITES_OF_A_QUESTION: Final = 20
"""Sites that are counted, with all others, in about the time of a question about one."""
WEIGHT: Final = 2.0**60
"""The sum of all weights is at most this number."""


def switch(sites: int) -> int:
    """Return the position, a power of two, from which on a stream over this number of sites is a tree.

    Tests replace this function by one of a small power of two.
    """
    return 1 << (max(LABELS, LABELS_PER_SITE * sites) - 1).bit_length()


def zipf_weights(sites: int, exponent: float) -> Integers:
    """Return whole numbers proportional to (i + 1)^-exponent, up to the rounding of the probabilities to 2^-60.

    By functions whose results are the same everywhere, which is not true of powers of a library.
    """
    shares = [exponential(-exponent * logarithm(float(site))) for site in range(1, sites + 1)]
    scale = WEIGHT / (2.0 * sum(shares))
    return np.array([int(share * scale) for share in shares])


class RandomStream(Schedule):
    """Independent random sites, from a position of a stream on.

    Parameters
    ----------
    key
        Whole number below 2^62, of which the stream is a function.
    weights
        Whole numbers to which the probabilities of the sites are proportional; their sum is below 2^61.
    first
        The position of the first item of all, counted from 0: a power of two.
    begin
        The position of step 1.

    Examples
    --------
    >>> stream = RandomStream(5, np.ones(4, dtype=np.int64), 2**10, 2**10)
    >>> [stream.at(step) for step in range(1, 13)]
    [0, 0, 2, 2, 0, 3, 3, 0, 3, 3, 1, 2]
    >>> stream.nth(0, 3), stream.count(0, 9)
    (5, 4)
    >>> [int(stream.count(site, 10**15)) for site in range(4)]
    [250000017857737, 249999993267874, 249999987864364, 250000001010025]
    """

    __slots__ = (
        "_arrays", "_before", "_begun", "_head", "_links", "_look", "_plain", "_pool", "_roots", "_weights",
        "begin", "first", "key", "length", "sites",
    )  # fmt: skip

    def __init__(self, key: int, weights: Integers, first: int, begin: int) -> None:
        self.key, self.first, self.begin, self.sites = key, first, begin, len(weights)
        self.length = NEVER - begin
        depth = max(1, (self.sites - 1).bit_length())
        half = 1 << depth
        self._weights = np.zeros(2 * half, dtype=np.int64)
        self._weights[half : half + self.sites] = weights
        for part in range(half - 1, 0, -1):
            self._weights[part] = self._weights[2 * part] + self._weights[2 * part + 1]
        nodes = min(max(WORDS // (2 * half), NODES[0]), NODES[1])
        self._head = np.zeros(4, dtype=np.int64)
        self._head[[KEY, HALF, DEPTH]] = key, half, depth
        self._pool = np.empty((nodes, 2 * half), dtype=np.int64)
        self._links = np.empty((nodes, 2), dtype=np.int64)
        work = np.empty((2, max(LEVELS, 2 * half)), dtype=np.int64)
        self._arrays = self._head, self._pool, self._links, self._weights, work
        """What `look` reads and keeps."""
        self._look: Callable[..., int] = look
        self._plain = PLAIN
        self._roots: dict[int, int] = {}
        """The places of blocks in the pool, by their levels."""
        self._before = [np.zeros(self.sites, dtype=np.int64)]
        """The items of each site before each block, as far as it was asked for."""
        self._begun = self._counts(begin)

    def at(self, step: Any) -> Any:
        if isinstance(step, np.ndarray):
            return np.array([self.at(one) for one in step.tolist()], dtype=np.int64)
        position = self.begin + step - 1
        return self._ask(AT, position.bit_length() - 1, 0, position)

    def count(self, site: Any, step: Any) -> Any:
        if isinstance(step, np.ndarray):
            return np.array([self.count(site, one) for one in step.tolist()], dtype=np.int64)
        return self._count(site, self.begin + step) - int(self._begun[site]) if site < self.sites else 0

    def counts(self, step: int) -> Integers:
        """Return the items of each site by the end of a step, 0 <= step <= length."""
        return self._counts(self.begin + step) - self._begun

    def nth(self, site: Any, n: Any) -> Any:
        if isinstance(n, np.ndarray):
            return np.array([self.nth(site, one) for one in n.tolist()], dtype=np.int64)
        if site >= self.sites:
            return NEVER
        n += int(self._begun[site])
        block = 1
        while (before := self._before_block(block)) is not None and before[site] < n:
            block += 1
        if before is None:
            return NEVER
        rank = n - int(self._before[block - 1][site])
        return self._ask(NTH, self._level(block - 1), site, rank) - self.begin + 1

    def support(self, sites: int) -> None:
        return None

    def named(self) -> tuple[int, int]:
        return 0, self.sites - 1

    def first_step(self, site: int) -> int:
        return 1

    def _level(self, block: int) -> int:
        return self.first.bit_length() - 1 + block

    def _before_block(self, block: int) -> Integers | None:
        """Return the items of each site before a block; None beyond the last one."""
        while len(self._before) <= block:
            level = self._level(len(self._before) - 1)
            if 2 << level > NEVER:
                return None
            root, half = self._root(level), int(self._head[HALF])
            self._before.append(self._before[-1] + self._pool[root, half : half + self.sites])
        return self._before[block]

    def _count(self, site: int, position: int) -> int:
        """Return the items of a site from the first position of all to one before this."""
        before, level = self._block_of(position)
        return int(before[site]) + (self._ask(COUNT, level, site, position) if position > 1 << level else 0)

    def _counts(self, position: int) -> Integers:
        before, level = self._block_of(position)
        counts = before.copy()
        if position > 1 << level:
            self._ask(COUNTS, level, 0, position, counts)
        return counts

    def _block_of(self, position: int) -> tuple[Integers, int]:
        """Return the items of each site before the block of a position, and the level of the block."""
        level = position.bit_length() - 1
        before = self._before_block(level - self._level(0))
        assert before is not None, "a position beyond the last block"
        return before, level

    def _ask(self, what: int, level: int, site: int, number: int, counts: Integers | None = None) -> int:
        if self._plain:
            self._prepare(1 if counts is None else 1 + self.sites // SITES_OF_A_QUESTION)
        counts = self._before[0] if counts is None else counts
        return int(self._look(*self._arrays, counts, what, self._root(level), level, site, number))

    def _root(self, level: int) -> int:
        """Return the place of a block in the pool, from which all nodes are dropped when it is full."""
        if self._head[USED] + 2 > len(self._pool):
            self._head[USED] = 0
            self._roots.clear()
        root = self._roots.get(level)
        if root is None:
            root = self._roots[level] = int(self._head[USED])
            self._head[USED] += 1
            self._links[root, LEFT], self._links[root, VISITS] = -1, 0
            self._look(*self._arrays, self._before[0], SPREAD, root, level, 0, 0)
        return root

    def _prepare(self, questions: int) -> None:
        """Take the compiled form of `look` where it is at hand, or where enough was asked."""
        first, self._plain = self._plain == PLAIN, max(0, self._plain - questions)
        if available() and (not self._plain or (first and is_kept(look))):
            self._plain = 0
            self._look = compiled(look, _types)


def _types(numba: Any) -> Any:
    row, rows, number = numba.int64[::1], numba.int64[:, ::1], numba.int64
    return row, rows, rows, row, rows, row, number, number, number, number, number
