"""Numbers for readers: one way for each purpose, also at the edges."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import numpy as np
import pytest

from disttrack.simulator.results.formats import (
    cell,
    duration,
    in_bytes,
    interval,
    number,
    percent,
    setting,
    short,
    span,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"), (1e6, "1,000,000"), (0.5, "0.5"), (1234.56, "1,234.6"), (-1234.56, "-1,234.6"),
        (2**62, "4,611,686,018,427,387,904"), (None, ""), (nan, ""), (inf, "infinite"), (-inf, "-infinite"),
        (1e-13, "0"), (np.float64(2.0), "2"), (np.int64(4096), "4,096"),
    ],
)  # fmt: skip
def test_numbers_of_tables(value: Any, text: str) -> None:
    assert number(value) == text
    assert cell(value) == text


def test_what_is_no_number_stays_as_it_is() -> None:
    assert [cell(value) for value in ("freeze", True, np.bool_(False), "1e6")] == ["freeze", "True", "False", "1e6"]


def test_two_ends() -> None:
    assert (interval(0.5, 0.75), interval(2, 2), interval(nan, 1), interval(None, None)) == (
        "0.5 … 0.75",
        "2 … 2",
        "",
        "",
    )
    assert (span([3]), span([1, 2, 0.5]), span([])) == ("3", "0.5 … 2", "")


def test_two_settings_never_look_alike() -> None:
    assert setting(0.03125) != setting(0.0312)
    assert (setting(10**6), setting(1e6), setting("tight")) == ("1,000,000", "1,000,000", "tight")


def test_times_and_sizes() -> None:
    assert [duration(value) for value in (0.5, 59, 60, 3599.9, 86400)] == [
        "0.50 s", "59.0 s", "1 min 0 s", "1 h 0 min", "24 h 0 min",
    ]  # fmt: skip
    assert [in_bytes(size) for size in (12, 1.5e3, 2.5e6, 123e9, 4.2e15)] == [
        "12 B",
        "2 kB",
        "2.5 MB",
        "123 GB",
        "4,200 TB",
    ]
    assert (percent(0.5), percent(1e-5)) == ("50 %", "0.001 %")


def test_counts_in_few_letters() -> None:
    assert [short(value) for value in (0.5, 999, 1000, 9_999, 10_000, 1.5e9)] == [
        "0.5",
        "999",
        "1k",
        "10k",
        "10k",
        "1.5G",
    ]
