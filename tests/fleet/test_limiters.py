"""Limiters of other libraries do what their form here does, or differ for a reason that the benchmark states."""

from __future__ import annotations

from importlib.util import find_spec

import pytest
from benchmarks.limiters import LIMITERS, rows

MISSING = sorted({limiter.package for limiter in LIMITERS if find_spec(limiter.library) is None})


@pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}")
def test_what_limiters_admit_is_as_predicted() -> None:
    """Of each the largest count in any window is that of the game, but for stated reasons, some of which are met."""
    played = list(rows(LIMITERS, 20, 250, 4))
    assert [row for row, well in played if not well] == []
    assert len({row[-1] for row, _ in played}) >= 3
