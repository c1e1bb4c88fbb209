"""The thresholds of the deterministic tracker against the definition in exact arithmetic (papers, section 2.1)."""

from __future__ import annotations

from fractions import Fraction

import pytest

from disttrack.protocols.base import FOREVER
from disttrack.protocols.deterministic import Thresholds


@pytest.mark.parametrize("centred", [False, True])
@pytest.mark.parametrize("alpha", [0.9, 0.5, 0.0552427, 0.01, 1e-6, 1 / 3, 1 / 3000, 1 / 7e5, 1.2345678901234567e-05])
def test_thresholds_are_exact(alpha: float, centred: bool) -> None:
    """floor(m growth) + 1 in exact fractions, for counts of all sizes."""
    rule = Thresholds(alpha, centred)
    part, whole = Fraction(str(alpha)).as_integer_ratio()
    growth = Fraction(whole + part, whole - part if centred else whole)
    counts = [0, 1, 2, 3, 9, 10, 999, 10**6, 2**31, 2**53 + 1, 2**60 - 7, 2**61, FOREVER]
    exact = [int(count * growth) + 1 for count in counts]
    assert [rule.after(count) for count in counts] == exact
