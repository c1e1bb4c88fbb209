"""Powers fitted to the marks of a line, stated only where the marks are those of a power."""

from __future__ import annotations

from math import ceil
from typing import Any, Final

import numpy as np

FEWEST: Final = 4
"""Marks that a stated power has at least."""
LEAST: Final = 0.25
"""The least exponent that is stated: a smaller one is a logarithm more often than a power."""
BENT: Final = 0.12
"""The slope from each mark to the next may differ from the exponent by this share of it."""


def fitted(x: Any, y: Any) -> str:
    """Return the exponent of the power through these marks; empty where they are too few, or do not lie on one.

    The exponent is the slope of the least-squares line through log y over log x. Its standard error is rounded up.

    Examples
    --------
    >>> fitted([1, 10, 100, 1000], [3, 30, 300, 3000])
    '1.00 ± 0.01'
    >>> fitted([1, 10, 100], [3, 30, 300])  # three marks
    ''
    >>> fitted([2**4, 2**8, 2**12, 2**16], [4, 8, 12, 16])  # a logarithm
    ''
    """
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    usable = np.isfinite(x) & np.isfinite(y) & (x > 0) & (y > 0)
    if usable.sum() < FEWEST or len(set(x[usable])) < FEWEST or not usable.all():
        return ""
    over, up = np.log(x), np.log(y)
    (slope, _), covariance = np.polyfit(over, up, 1, cov=True)
    between = np.diff(up) / np.diff(over)
    if abs(slope) < LEAST or (np.abs(between - slope) > BENT * abs(slope)).any():
        return ""
    error = float(np.sqrt(covariance[0, 0]))
    return f"{slope:.2f} ± {max(1, ceil(100 * error - 1e-9)) / 100:.2f}"
