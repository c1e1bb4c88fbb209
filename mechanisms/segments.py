"""Noise that changes at every step with the same distribution: one Laplace variable per dyadic segment.

Each of the steps 0 ... 2^h - 1 lies in h segments, of lengths 2^(h-1), ..., 2, 1. The noise of a step is the sum
over the segments that contain it. A segment's noise is drawn when the segment begins and erased when it
ends, so a view of the state reveals no noise that hid the past or will hide the future.
"""

from __future__ import annotations

import numpy as np

from disttrack.mechanisms.noise import Draws, Floats


class SegmentNoise:
    """The noise of the segments, step by step: Figure 1 of Dwork, Naor, Pitassi, Rothblum 2010 without its count.

    Parameters
    ----------
    levels
        Levels of segments, h; 0 for no noise.
    draws
        Source of the noise. It must not be drawn ahead if the state is to be private.
    """

    __slots__ = ("_draws", "_levels", "_one", "_segments", "_sums", "t")

    def __init__(self, levels: int, draws: Draws) -> None:
        self._levels = levels
        self._draws = draws
        self._one = draws.one
        self._segments: list[float] = []
        self._sums = [0.0]  # running sums of the noises in force
        self.t = 0
        """Steps taken so far."""

    @property
    def in_force(self) -> tuple[float, ...]:
        """The noises in memory between two steps, longest segment first; those of ended segments are erased."""
        return tuple(self._segments)

    def one(self) -> float:
        """Return the noise of the next step, and erase the noise of the segments that end with it."""
        sums = self._sums
        while len(sums) <= self._levels:  # each segment that begins with this step
            noise = self._one()
            self._segments.append(noise)
            sums.append(sums[-1] + noise)
        total = sums[-1]
        self.t = t = self.t + 1
        ended = min((t & -t).bit_length(), self._levels)
        if ended:  # erase the noise of each segment that ends with this step
            del sums[-ended:], self._segments[-ended:]
        return total

    def many(self, size: int) -> Floats:
        """Return the noise of the next `size` steps; equivalent to `size` calls of `one`."""
        before, after, top = self.t, self.t + size, self._levels
        if not top or not size:
            self.t = after
            return np.zeros(size)
        steps = np.arange(before, after)
        drawn = np.zeros(size, dtype=np.int64)  # draws before each step, counted from `before`
        for level in range(top):
            drawn += (steps + (1 << level) - 1) >> level
        drawn -= drawn[0]
        first = [-(-before >> level) for level in range(top)]  # the first segment that begins in the block
        begun = [-(-after >> level) - first[level] for level in range(top)]
        draws = self._draws.many(sum(begun))
        sums, segments = np.zeros(0), [np.empty(0)] * top
        for level in reversed(range(top)):
            opening = np.arange(first[level], first[level] + begun[level]) << level
            depth = np.minimum(np.bitwise_count((opening & -opening) - 1), top - 1)
            depth[opening == 0] = top - 1
            noise = draws[drawn[opening - before] + depth - level]  # the longest segment draws first
            carried = (before >> level) << level < before
            above = np.zeros(len(noise) + carried)
            if level < top - 1:
                above = np.repeat(sums, 2)[(before >> level) & 1 :]
            if carried:
                place = top - 1 - level
                sums = np.concatenate(([self._sums[place + 1]], above[1 : len(noise) + 1] + noise))
                noise = np.concatenate(([self._segments[place]], noise))
            else:
                sums = above[: len(noise)] + noise
            segments[level] = noise
        self._keep(segments, after)
        return sums

    def _keep(self, segments: list[Floats], after: int) -> None:
        """Keep the segments that continue after step `after`, and erase the rest."""
        self.t = after
        ended = min((after & -after).bit_length(), self._levels)
        self._segments = [float(segments[level][-1]) for level in reversed(range(ended, self._levels))]
        self._sums = [0.0]
        for noise in self._segments:
            self._sums.append(self._sums[-1] + noise)
