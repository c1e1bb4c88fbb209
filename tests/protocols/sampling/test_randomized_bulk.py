"""The bulk form of the tracker that samples: by hand, and its outputs against what its own reports say."""

from __future__ import annotations

from typing import Any

import numpy as np

from disttrack.protocols import Randomized
from disttrack.protocols.bulk import BulkForm, Integers, Segment


class ListedStream:
    """The stream of a list of labels: the site of each step."""

    def __init__(self, labels: Integers, k: int) -> None:
        self._labels = labels
        self._k = k

    @property
    def k(self) -> int:
        """Number of sites."""
        return self._k

    def at(self, steps: Integers) -> Integers:
        """Return the site fed in each of these steps."""
        sites: Integers = self._labels[steps - 1]
        return sites

    def counts(self, step: int) -> Integers:
        """Return the items of each site by the end of a step."""
        return np.bincount(self._labels[:step], minlength=self._k).astype(np.int64)

    def count(self, sites: Integers, steps: Integers) -> Integers:
        """Return the items of each of these sites by the end of its step."""
        return np.array([np.count_nonzero(self._labels[:s] == i) for i, s in zip(sites, steps, strict=True)], dtype=int)

    def nth(self, sites: Integers, n: Integers) -> Integers:
        """Return the step of the n-th item of each of these sites, beyond the list where there is none."""
        own = [np.flatnonzero(self._labels == site) for site in range(self._k)]
        beyond = len(self._labels) + 1
        return np.array(
            [own[i][m - 1] + 1 if m <= len(own[i]) else beyond for i, m in zip(sites, n, strict=True)], dtype=int
        )


class Half:
    """Stands for a generator: each exponential draw is 1/2."""

    def standard_exponential(self, size: int) -> Any:
        return np.full(size, 0.5)


def segments(form: BulkForm, stream: Any, items: int, length: int) -> list[Segment]:
    """Return the segments of a game of so many items, none longer than `length`."""
    found: list[Segment] = []
    while (now := found[-1].end if found else 0) < items:
        found.append(form.advance(stream, now, min(items, now + length)))
    return found


def test_a_game_of_one_site_by_hand() -> None:
    """alpha = c = 1/2, one site: 1/p is the largest power of two up to the number announced, and E = 1/2 at each draw.

    A gap is floor(-E / ln(1 - p)) + 1: at p = 1, 1/2, 1/4, 1/8 it is 1, 1, 2, 4; a coin of bias 1/2 succeeds, so all
    reports are kept. Items 1 to 4 are reported, then 6, 8, 12 and 16. The count doubles at 1, 2, 4, 8, 16, where a
    segment ends. The output is L - 1 + 1/p, with the new p where a segment ends.
    """
    stream = ListedStream(np.zeros(16, dtype=np.int64), 1)
    found = segments(Randomized(alpha=0.5, confidence=0.5).bulk_form(1, Half(), None), stream, 16, 16)
    assert [segment.end for segment in found] == [1, 2, 4, 8, 16]
    reports = [segment.batches[0].steps.tolist() for segment in found]
    assert reports == [[1], [2], [3, 4], [6, 8], [12, 16]]
    assert [segment.batches[1].steps.tolist() for segment in found] == [[1], [2], [4], [8], [16]]
    outputs = [list(zip(segment.steps.tolist(), segment.outputs.tolist(), strict=True)) for segment in found]
    assert outputs == [
        [(1, 1), (1, 1)],
        [(2, 2), (2, 3)],
        [(3, 4), (4, 5), (4, 7)],
        [(6, 9), (8, 11), (8, 15)],
        [(12, 19), (16, 23), (16, 31)],
    ]
    kinds = [[(one.direction, one.message.kind, list(one.sites)) for one in segment.exchange] for segment in found]
    kept: list[int] = []
    assert kinds[0] == [("down", "total", [0])]  # p is 1 before and after
    assert kinds[1:] == [[("down", "total", [0]), ("up", "adjust", kept)]] * 4
