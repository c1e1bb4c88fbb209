"""Powers fitted to the marks of a line, stated only where the marks are those of a power."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Any, Final

import numpy as np

FEWEST: Final = 4
"""Marks that a stated power has at least."""
LEAST: Final = 0.25
"""The least exponent that is stated: a smaller one is a logarithm more often than a power."""
BENT: Final = 0.12
"""The slope from each mark to the next may differ from the exponent by this share of it."""


@dataclass(frozen=True)
class Fit:
    """A power of the axis: y is proportional to x^exponent.

    Parameters
    ----------
    exponent, error
        The slope of the least-squares line through log y over log x, and its standard error.
    """

    exponent: float
    error: float

    def text(self) -> str:
        """Return the exponent with its error, which is rounded up.

        >>> Fit(0.5321, 0.0312).text(), Fit(-1.0, 0.0).text()
        ('0.53 ± 0.04', '-1.00 ± 0.01')
        """
        return f"{self.exponent:.2f} ± {max(1, ceil(100 * self.error - 1e-9)) / 100:.2f}"


def fitted(x: Any, y: Any) -> Fit | None:
    """Return the power through these marks; None where they are too few, or do not lie on one.

    Examples
    --------
    >>> fitted([1, 10, 100, 1000], [3, 30, 300, 3000]).text()
    '1.00 ± 0.01'
    >>> fitted([1, 10, 100], [3, 30, 300])  # three marks
    >>> fitted([2**4, 2**8, 2**12, 2**16], [4, 8, 12, 16])  # a logarithm
    """
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    usable = np.isfinite(x) & np.isfinite(y) & (x > 0) & (y > 0)
    if usable.sum() < FEWEST or len(set(x[usable])) < FEWEST or not usable.all():
        return None
    over, up = np.log(x), np.log(y)
    slope, offset = np.polyfit(over, up, 1)
    between = np.diff(up) / np.diff(over)
    if abs(slope) < LEAST or (np.abs(between - slope) > BENT * abs(slope)).any():
        return None
    rest = up - (slope * over + offset)
    spread = float(((over - over.mean()) ** 2).sum())
    error = float(np.sqrt((rest**2).sum() / (len(x) - 2) / spread))
    return Fit(float(slope), error)
