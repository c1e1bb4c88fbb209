"""A fresh hash function for each stream, so that one stream's answers reveal nothing about the next."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from disttrack.mechanisms.checks import Share
from disttrack.privacy.mechanisms.sketches.base import Sketch, SketchRun
from disttrack.privacy.mechanisms.sketches.robust import OverPlain


@dataclass(frozen=True)
class Salted(OverPlain):
    """A sketch of distinct items that draws new hash functions whenever a new stream begins.

    Anything that an adversary learns about the items in one stream is useless in the next. The price: sketches of two
    streams cannot be merged any more, since their hash functions differ.

    Parameters
    ----------
    size
        Size of the sketch: hash values of `kmv`, registers of `hyperloglog`.
    sketch
        Its kind.
    alpha
        Relative error that counts as a failure.

    Source
    ------
    Reviriego, Ting 2020, section IV.
    A salt for each sketch.
    """

    kind = "salted"
    error = "that of the plain sketch, also against adversaries that learn from earlier streams"

    goals = ("distinct",)

    size: int
    sketch: str = "hyperloglog"
    alpha: Share = 0.25

    def start(self, rng: np.random.Generator) -> SaltedRun:
        return SaltedRun(self.inner, rng)


class SaltedRun(SketchRun):
    """A running sketch that discards its hash function with its items."""

    def __init__(self, inner: Sketch, rng: np.random.Generator) -> None:
        self._inner, self._rng = inner, rng
        self._run = inner.start(rng)

    def update(self, item: int, change: int) -> None:
        self._run.update(item, change)

    def estimate(self) -> float:
        return self._run.estimate()

    def reset(self) -> None:
        self._run = self._inner.start(self._rng)
