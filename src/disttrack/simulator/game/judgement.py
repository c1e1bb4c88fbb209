"""The verdict on a game, which all judges of outputs reach by the same rule."""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from functools import lru_cache
from typing import Literal

Verdict = Literal["ok", "failed", "undecided", "error"]


class Judgement:
    """What a judge has found.

    Attributes
    ----------
    alpha
        The promised relative error; None if nothing is promised.
    failing_steps
        Number of steps whose error exceeded it.
    """

    __slots__ = ()
    alpha: Fraction | None
    failing_steps: int

    @property
    @abstractmethod
    def judged(self) -> bool:
        """Whether any step was judged."""

    def verdict(self) -> Verdict:
        """Return ok, failed, or undecided if nothing is promised or no step was judged."""
        if self.alpha is None or not self.judged:
            return "undecided"
        return "failed" if self.failing_steps else "ok"


@lru_cache(maxsize=32)
def promised(alpha: float | None) -> Fraction | None:
    """Return a promised relative error as the decimal number that it is written as."""
    return None if alpha is None else Fraction(str(alpha))
