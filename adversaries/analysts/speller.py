"""An analyst that reads the whole sample from the digits of one exact answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from disttrack.adversaries.analysts.base import Analyst, AnalystView
from disttrack.adversaries.scripts import Scripted
from disttrack.mechanisms.statistical.queries import DIGIT, Members, Spelled, SpellOut, StatisticalQuery


@dataclass
class Speller(Scripted, Analyst):
    """Asks one query whose exact mean encodes the cells of all points, and then the share of points in the cells read.

    Points are uniform among many more cells than there are points, so the true value of the second query is small. On
    the sample it is 1 if the first answer was exact, and far from it if noise has covered all but its first
    digits.
    """

    kind: ClassVar[str] = "speller"
    source: ClassVar[str] = (
        "Dwork, Feldman, Hardt, Pitassi, Reingold, Roth 2015 (one exact answer can hold the sample); digits: derived"
    )
    points: ClassVar = "cells"

    def script(self, view: AnalystView) -> Iterator[StatisticalQuery]:
        yield SpellOut(view.features)
        yield Members(read(view.answers[0], view.samples, view.features) > 0)


def read(answer: Any, samples: int, cells: int) -> NDArray[np.int64]:
    """Return the number of points in each cell, from the digits of an answer.

    Examples
    --------
    >>> read(SpellOut(5).mean(np.array([4, 1, 1])), 3, 5).tolist()
    [0, 2, 0, 0, 1]
    """
    if isinstance(answer, Spelled):
        numerator = answer.numerator
    else:
        # a float has 53 binary digits; a value outside [0, 1) is no mean
        value = min(max(float(answer), 0.0), 1 - 2.0**-53)
        numerator = int(Fraction(value) * samples * 2**64)
        numerator = (numerator << DIGIT * cells) >> 64
    numerator = min(numerator, (1 << DIGIT * cells) - 1)
    return np.frombuffer(numerator.to_bytes(2 * cells, "big"), dtype=">u2").astype(np.int64)
