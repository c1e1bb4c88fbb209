"""Noise that changes at every step with the same distribution: one Laplace variable per dyadic segment.

Each of the steps 0 ... 2^h - 1 lies in h segments, of lengths 2^(h-1), ..., 2, 1. The noise of a step is the sum
over the segments that contain it. A segment's noise is drawn when the segment begins and erased when it
ends, so a view of the state reveals no noise that hid the past or will hide the future.
"""

from __future__ import annotations

from itertools import accumulate

import numpy as np

from disttrack.mechanisms.noise import Draws, Floats


class SegmentNoise:
    """The noise of the segments, step by step: Figure 1 of Dwork, Naor, Pitassi, Rothblum 2010 without its count.

    Comments give the numbers of its statements.

    Parameters
    ----------
    levels
        Levels of segments, h; 0 for no noise.
    draws
        Source of the noise. It must not be drawn ahead if the state is to be private.
    """

    __slots__ = ("_draws", "_levels", "_one", "_segments", "_sums", "spacing", "t")

    def __init__(self, levels: int, draws: Draws) -> None:
        self._levels = levels
        self._draws = draws
        self.spacing = draws.spacing
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
        while len(sums) <= self._levels:  # 2: each segment that begins with this step
            noise = self._one()
            self._segments.append(noise)
            sums.append(sums[-1] + noise)
        total = sums[-1]  # 3
        self.t = t = self.t + 1
        ended = min((t & -t).bit_length(), self._levels)
        if ended:  # 4: erase the noise of each segment that ends with this step
            del sums[-ended:], self._segments[-ended:]
        return total

    def many(self, size: int) -> Floats:
        """Return the noise of the next `size` steps; equivalent to `size` calls of `one`."""
        if not size:
            return np.zeros(0)
        widths = [1 << min(level, 62) for level in reversed(range(self._levels))]  # the longest segment draws first
        stretches = [(-self.t % width, width) for width in widths]
        counts = np.zeros(size, dtype=np.int64)
        for first, width in stretches:
            counts[first::width] += 1
        draws, places = self._draws.many(int(counts.sum())), np.cumsum(counts) - counts
        path, in_force = np.zeros(size), []
        for place, (first, width) in enumerate(stretches):
            begun = self._segments[place] if first else 0.0  # before these steps
            noise = draws[places[first::width]]
            places[first::width] += 1
            path[:first] += begun
            path[first:] += np.repeat(noise, min(width, size))[: max(0, size - first)]
            in_force.append(float(noise[-1]) if len(noise) else begun)
        self.t = t = self.t + size
        self._segments = in_force[: self._levels - min((t & -t).bit_length(), self._levels)]
        self._sums = [0.0, *accumulate(self._segments)]
        return path
