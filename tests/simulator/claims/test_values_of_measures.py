"""Values of measures and conditions, and what columns hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from simulator.claims.expressions import arguments, column_of, measure, rows
from tests.simulator.claims.test_refusals import TABLE


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("max(a / 0)", np.inf),
        ("min(log(a - 1))", -np.inf),
        ("fraction(o)", 1 / 3),
        ("mean(o)", 1 / 3),
        ("fraction(a < 9223372036854775807)", 1),
        ("fraction(a < 9223372036854775808)", 1),
        ("9223372036854775808 * games()", np.inf),
        ("games() % 2 + 2 ** games() - -1 - +2", 8),
        ("fraction(kind in ['x', 'z'] and not o)", 1 / 3),
        ("fraction(a not in [1, -2])", 2 / 3),
        ("fraction(1 < a <= 2)", 1 / 3),
        ("fraction(3 > a >= 2 != 1)", 1 / 3),
        ("fraction(o or kind == 'y' or a == 9)", 2 / 3),
        ("fraction(a < 3 and a > 1 and kind == 'y')", 1 / 3),
        ("games(where=(kind == 'x'))", 2),
        ("mean(0 * a + 2)", 2),
        ("quantile(a, 0.5 + 0.5)", 3),
        ("quantile(a, fraction(a < 3, where=(a < 3)))", 3),  # a share may be a measure itself
        ("abs(0 - games())", 3),
        ("sqrt(games() + 1)", 2),
    ],
)
def test_values(text: str, value: float) -> None:
    assert measure(text, TABLE).value == value


def test_whole_numbers_are_compared_as_they_are() -> None:
    assert measure("fraction(a == 9007199254740993)", {"a": np.array([2**53, 2**53 + 1])}).value == 0.5


def test_a_measure_has_its_interval_and_what_is_made_of_several_has_none() -> None:
    assert measure("fraction(o)", TABLE).low is not None
    whole = measure("fraction(o) + 0", TABLE)
    assert (whole.value, whole.low, whole.high) == (1 / 3, None, None)


def test_what_is_one_value_is_that_of_each_row() -> None:
    found = rows("1 < 2", TABLE)
    assert found.tolist() == [True] * 3
    found[0] = False  # a table of its own
    assert rows("a", {"a": TABLE["a"]}).tolist() == [1, 2, 3]
    assert rows("1", {}).tolist() == []
    assert measure("games()", {}).value == 0


def test_arguments_of_a_measure() -> None:
    chosen, given = arguments("quantile(2 * a, 0.5)", TABLE)
    assert chosen.tolist() == [True] * 3
    assert [each.tolist() for each in given] == [[2, 4, 6], [0.5] * 3]
    chosen, given = arguments("fraction(a > 2, where=(kind == 'x'))", TABLE)
    assert chosen.tolist() == [True, False, True]
    assert [each.tolist() for each in given] == [[False, True]]


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
    found = column_of(values)
    assert found.dtype.kind == kind
    np.testing.assert_array_equal(found, np.array(column, dtype=found.dtype))
