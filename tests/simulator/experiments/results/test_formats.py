"""Numbers for readers at the edges; the docstrings of the functions have the usual cases."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, nan
from typing import Any

import numpy as np
import pytest

from disttrack.simulator.experiments.results.formats import (
    cell,
    duration,
    exact,
    in_bytes,
    in_short,
    interval,
    number,
    short,
    span,
)
from disttrack.simulator.kinds.names import setting
from disttrack.simulator.shown.plots.description import rounded


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"), (0.5, "0.5"), (-1234.56, "-1,234.6"), (2**62, "4,611,686,018,427,387,904"), (None, ""), (nan, ""),
        (inf, "infinite"), (-inf, "-infinite"), (1e-13, "0"), (np.float64(2.0), "2"), (np.int64(4096), "4,096"),
    ],
)  # fmt: skip
def test_numbers_of_tables(value: Any, text: str) -> None:
    assert number(value) == cell(value) == text


def test_other_numbers_at_their_edges() -> None:
    assert [cell(value) for value in (np.bool_(False), "1e6")] == ["False", "1e6"]
    assert (interval(nan, 1), span([1, 2, 0.5])) == ("", "0.5 … 2")
    assert setting(0.03125) != setting(0.0312), "two settings never look alike"
    times = ["0.50 s", "59.0 s", "1 min 0 s", "1 h 0 min", "24 h 0 min"]
    assert [duration(value) for value in (0.5, 59, 60, 3599.9, 86400)] == times
    sizes = ["1.5 kB", "2.5 MB", "123.0 GB", "4.2 PB"]
    assert [in_bytes(size) for size in (1.5e3, 2.5e6, 123e9, 4.2e15)] == sizes
    assert [short(value) for value in (0, 0.5, 999, 1000, 9_999, 1.5e9)] == ["0", "0.5", "999", "1k", "10k", "1.5G"]


@pytest.mark.parametrize("write", [number, cell, exact, setting, duration, in_bytes, short])
@pytest.mark.parametrize(
    "value", [0, 2**61, 10**19, 1e19, -1e19, 1e300, -1e300, 1.7e308, 5e-324, 2.0**200, 1e22, inf, -inf]
)
def test_no_number_is_a_long_text(write: Callable[[float], str], value: float) -> None:
    assert 0 < len(write(value)) <= 32


@pytest.mark.parametrize("write", [number, cell, duration, in_bytes, short])
@pytest.mark.parametrize("value", [10**400, -(10**400)], ids=["above", "below"])
def test_no_whole_number_is_too_large_to_be_written(write: Callable[[float], str], value: int) -> None:
    assert 0 < len(write(value)) <= 32


def test_a_median_of_two_counts_is_written_alike_by_tables_pairs_and_captions() -> None:
    for half in (100.5, 718.5, 719.5, 950.5, 999.5):
        assert in_short(half) == number(half) == rounded(half) == f"{round(half):,}"
    assert in_short(1042.5) == "1,042"
