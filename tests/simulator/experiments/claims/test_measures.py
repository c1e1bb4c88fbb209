"""Values of measures and conditions, with missing values, and what columns hold."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest

from disttrack.simulator.experiments.claims.claim import Claim
from disttrack.simulator.experiments.claims.expressions import column_of, condition, measure, rows
from disttrack.simulator.experiments.claims.findings import findings_of
from disttrack.simulator.experiments.claims.jackknife import observe

TABLE: Final = {
    "protocol": np.array(["a", "a", "b", "b"]),
    "sites": np.array([1.0, 4.0, 1.0, 4.0]),
    "words": np.array([10.0, 40.0, 10.0, 20.0]),
    "ok": np.array([True, True, False, True]),
    "mixed": np.array([True, None, False, True], dtype=object),
}


def test_empty_tables_have_no_rows() -> None:
    assert rows("1", {}).tolist() == []
    assert condition("a", {"a": np.array([])}).tolist() == []
    assert measure("games()", {}).value == 0


def test_rows_are_a_copy() -> None:
    rows("words", TABLE)[0] = 0
    assert TABLE["words"][0] == 10


def test_whole_numbers_are_compared_exactly() -> None:
    assert measure("fraction(a == 9007199254740993)", {"a": np.array([2**53, 2**53 + 1])}).value == 0.5


def test_a_measure_has_its_interval_and_one_made_of_several_has_none() -> None:
    assert measure("fraction(ok)", TABLE).low is not None
    whole = measure("fraction(ok) + 0", TABLE)
    assert (whole.value, whole.low, whole.high) == (0.75, None, None)


def test_the_argument_of_a_measure() -> None:
    whole = observe("max(2 * words)", TABLE)
    assert (len(whole.games["words"]), whole.values.tolist()) == (4, [20, 80, 20, 40])
    part = observe("fraction(words > 20, where=(protocol == 'a'))", TABLE)
    assert (part.games["protocol"].tolist(), part.values.tolist()) == (["a", "a"], [False, True])


@pytest.mark.parametrize(
    ("values", "kind", "column"),
    [
        ([], "f", []),
        ([None], "f", [np.nan]),
        ([True, False], "b", [True, False]),
        ([np.True_, None, float("nan")], "b", [True, False, False]),
        ([True, 2], "f", [1, 2]),
        ([1, None, 2.5, np.int64(3)], "f", [1, np.nan, 2.5, 3]),
        (["a", None, 1, float("nan"), True], "U", ["a", "", "1", "", "True"]),
    ],
)
def test_columns_hold_truth_values_or_numbers_or_texts(values: list[Any], kind: str, column: list[Any]) -> None:
    result = column_of(values)
    assert result.dtype.kind == kind
    np.testing.assert_array_equal(result, np.array(column, dtype=result.dtype))


# ---------------------------------------------------------------------- missing and infinite values

GAPS: Final = {
    "x": np.array([np.nan, 2.0, np.nan]),
    "y": np.array([5.0, 5.0, 5.0]),
    "ok": np.ones(3, dtype=bool),
    "none": np.full(3, np.nan),
}


@pytest.mark.parametrize(
    "text",
    ["not (x > 1)", "x <= 1", "1 < y < x", "x in [1, 2]", "x != 1", "ok and x > 1", "not ok or x > 1", "0 * (x > 1)"],
)
def test_a_measure_of_a_comparison_needs_values_in_all_games(text: str) -> None:
    """A comparison with a missing value is neither true nor false: a claim on it fails, whatever its bound."""
    (result,) = findings_of([Claim(name="c", measure=f"1 + fraction({text})", at_least=1)], GAPS)
    assert result.verdict == "FAIL"
    assert "some games have no value for" in result.note
    (known,) = findings_of([Claim(name="c", measure=f"fraction({text}, where=(x > 0))", at_least=0.5)], GAPS)
    assert known.verdict in ("PASS", "FAIL")
    assert known.note == ""
