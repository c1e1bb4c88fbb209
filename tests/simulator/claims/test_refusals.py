"""What the language of measures refuses, each with its whole line, and the edges up to which it goes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

from simulator.claims.claim import Claim
from simulator.claims.columns import Holds
from simulator.claims.expressions import (
    arguments,
    check_condition,
    check_measure,
    check_rows,
    condition,
    measure,
    rows,
)
from simulator.claims.grammar import ExpressionError, Part, Shape, parse
from simulator.claims.judge import judge

KNOWN: Final[dict[str, Holds]] = {"sites": "number", "ok": "truth", "kind": "text"}
TABLE: Final = {
    "a": np.array([1, 2, 3]),
    "kind": np.array(["x", "y", "x"]),
    "o": np.array([True, None, False], dtype=object),
}
NO_NUMBER: Final = "kind is not a number"
NO_TRUTH: Final = "sites is neither true nor false"
CHAIN: Final = "'in' does not stand in a chain of comparisons; join them by and"
NO_LIST: Final = "after 'in' stands a list, for example ['robust', 'block']"
UNLIKE: Final = "a number is compared with a text"
LIST: Final = "a list stands after 'in' only, as in protocol in ['robust', 'block']"
OTHERWISE: Final = "only columns, numbers, texts, + - * / **, comparisons, and, or, not, in, and measures"
NAMES: Final = "(accepted: fraction, median, mean, max, min, total, quantile, slope, crossing, games, log, sqrt, abs)"


def line_of(check: Callable[..., Any], *given: Any) -> str:
    with pytest.raises(ExpressionError) as caught:
        check(*given)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("kind + 1", NO_NUMBER),
        ("1 - kind", NO_NUMBER),
        ("-kind", NO_NUMBER),
        ("+kind", NO_NUMBER),
        ("log(kind)", NO_NUMBER),
        ("mean(kind)", NO_NUMBER),
        ("fraction(kind)", NO_NUMBER),
        ("quantile(sites, 'a')", "'a' is not a number"),
        ("not sites", NO_TRUTH),
        ("ok and sites", NO_TRUTH),
        ("sites or ok", NO_TRUTH),
        ("crossing(sites, sites, sites, ok)", NO_TRUTH),
        ("crossing(sites, sites, ok, sites)", NO_TRUTH),
        ("mean(sites, where=sites)", NO_TRUTH),
        ("'a' in ok < 3", CHAIN),
        ("ok < 3 in [1]", CHAIN),
        ("1 in ok", NO_LIST),
        ("kind in []", NO_LIST),
        ("kind not in ()", NO_LIST),
        ("kind in ('a', sites)", "a list holds numbers and texts; got sites"),
        ("sites in [1 + 1]", "a list holds numbers and texts; got 1 + 1"),
        ("kind in ['a', -1]", UNLIKE),
        ("sites in [1, 'a']", UNLIKE),
        ("ok in ['a']", UNLIKE),
        ("kind == 1", UNLIKE),
        ("1 == kind", UNLIKE),
        ("1 < 2 < kind", UNLIKE),
        ("sites is 1", "compare with ==, !=, <, <=, >, >= or in"),
        ("log(1, 2)", "log takes one value"),
        ("log()", "log takes one value"),
        ("sqrt(sites, where=ok)", "sqrt takes one value"),
        ("foo(sites)", f"there is no measure 'foo' {NAMES}"),
        ("meadian(sites)", f"there is no measure 'meadian'; did you mean 'median'? {NAMES}"),
        ("sqr(sites)", f"there is no measure 'sqr'; did you mean 'sqrt'? {NAMES}"),
        ("[1]", LIST),
        ("(1, 2)", LIST),
        ("~sites", OTHERWISE),
        ("sites @ 2", OTHERWISE),
        ("sites // 2", OTHERWISE),
        ("None", OTHERWISE),
        ("1j", OTHERWISE),
        ("f.g(1)", OTHERWISE),
        ("mean(sites, sites)", "mean is written mean(column)"),
        ("quantile(sites)", "quantile is written quantile(column, share)"),
        ("games(ok)", "games is written games()"),
        ("fraction(sites)", "sites is neither true nor false; write a condition on it"),
        ("fraction(1)", "fraction sums a column up; 1 is one value"),
        ("mean(mean(sites))", "mean sums a column up; mean(sites) is one value"),
        ("slope(sites, 2)", "slope sums a column up; 2 is one value"),
        ("crossing(sites, sites, True, ok)", "crossing sums a column up; True is one value"),
        ("quantile(sites, sites)", "quantile takes one share, a number from 0 to 1; sites is a column"),
        ("mean(sites, when=ok)", "mean takes no 'when'; a condition is written where=(…)"),
        ("mean(sites, where=ok, where=ok)", "mean takes one condition; join several by and"),
    ],
)
def test_what_is_no_part_of_the_language(text: str, said: str) -> None:
    assert line_of(check_rows, text, KNOWN) == f"{text!r}: {said}"


@pytest.mark.parametrize(
    ("check", "text", "said"),
    [
        (check_measure, "ok", "is a column, not a measure; sum it up, for example median(ok)"),
        (check_measure, " sites > 1 ", "is a column, not a measure; sum it up, for example median(sites > 1)"),
        (check_measure, "'a'", "is a text, not a measure"),
        (check_condition, "sites + 1", "is neither true nor false of a game; for example: sites >= 64"),
        (check_condition, "kind", "is neither true nor false of a game; for example: sites >= 64"),
        (check_condition, "mean(sites) > 1", "sums columns up; a condition speaks of one row at a time"),
        (check_rows, "games()", "sums columns up; a condition speaks of one row at a time"),
    ],
)
def test_what_is_asked_for_is_something_else(check: Callable[..., None], text: str, said: str) -> None:
    assert line_of(check, text, KNOWN) == f"{text!r} {said}"


@pytest.mark.parametrize("text", ["unknown", "ok", "True", "not unknown", "sites in (1, -2)", "kind != 'a'"])
def test_conditions(text: str) -> None:
    check_condition(text, KNOWN)
    check_rows(text, KNOWN)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("True", Part("truth", True)),
        ("1", Part("number", True)),
        ("1.5", Part("number", True)),
        ("'a'", Part("text", True)),
        ("sites", Part("number", False)),
        ("else_where", Part("unknown", False)),
        ("not ok", Part("truth", False)),
        ("not True", Part("truth", True)),
        ("-sites", Part("number", False)),
        ("-ok", Part("number", False)),  # a truth value counts as 0 or 1
        ("+1", Part("number", True)),
        ("1 + sites", Part("number", False)),
        ("sites + 1", Part("number", False)),
        ("1 + 1", Part("number", True)),
        ("True and ok", Part("truth", False)),
        ("True or False", Part("truth", True)),
        ("1 < 2", Part("truth", True)),
        ("1 < 2 < sites", Part("truth", False)),
        ("1 < sites < 2", Part("truth", False)),
        ("sites < 1 < 2", Part("truth", False)),
        ("1 in [1, 2]", Part("truth", True)),
        ("sites in [1, 2]", Part("truth", False)),
        ("log(sites)", Part("number", False)),
        ("log(2)", Part("number", True)),
        ("games()", Part("number", True)),
        ("mean(sites, where=ok)", Part("number", True)),
    ],
)
def test_each_part_has_a_type_and_is_one_value_or_one_per_row(text: str, part: Part) -> None:
    shape = Shape(text, KNOWN)
    assert shape.of(parse(text)) == part
    assert shape.sums_up == any(name in text for name in ("games", "mean"))


def test_what_cannot_be_read() -> None:
    assert line_of(parse, "sites +") == "'sites +' cannot be read: invalid syntax"
    assert line_of(parse, "a\x00") == "'a\\x00' cannot be read: source code string cannot contain null bytes"
    assert line_of(parse, "x y" * 40) == f"{('x y' * 40)[:80]!r} cannot be read: invalid syntax"


def test_length_and_depth_have_an_end() -> None:
    parse("1".ljust(2_000))
    assert line_of(parse, "1".ljust(2_001)) == f"{'1'.ljust(40)!r}… has 2,001 letters; at most 2,000 are read"
    parse("-" * 59 + "1")
    said = f"{'-' * 40!r}…: its parts stand more than 60 deep in one another"
    assert line_of(parse, "-" * 60 + "1") == said


@pytest.mark.filterwarnings("error")
def test_an_escape_that_is_none_is_read_without_a_warning() -> None:
    assert rows("kind == 'a\\d'", TABLE).tolist() == [False] * 3


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("mean(b)", "there is no column 'b' (accepted: a, kind, o)"),
        ("mean(kinds)", "there is no column 'kinds'; did you mean 'kind'? (accepted: a, kind, o)"),
        ("max(kind)", "kind is not a number"),
        ("max(kind + 1)", "kind is not a number"),
        ("fraction(not a)", "a is neither true nor false"),
        ("fraction(a > kind)", "a number is compared with a text"),
        ("fraction(a)", "fraction() takes a column that is true or false"),
        ("quantile(a, 2)", "a quantile is between 0 and 1; got 2.0"),
        ("slope(a - 1, a)", "slope() needs values above 0 (it is fitted in logarithms)"),
        ("slope(a, a - 1)", "slope() needs values above 0 (it is fitted in logarithms)"),
        ("slope(a, 1 + 0 * a)", "slope() needs at least two different values of x"),
        ("mean(a, where=(a > 5))", "no games to measure"),
        ("fraction(o, where=(a > 5))", "no games to measure"),
        ("mean(log(-a))", "some of the games have no value in this column"),
        (
            "crossing(a, a, a > 1, a < 1)",
            "crossing() needs at least two values of x at which both groups have games",
        ),
        ("crossing(a, a, a > 0, a > 0)", "no crossing: the first group is never below"),
    ],
)
def test_what_the_values_do_not_bear(text: str, said: str) -> None:
    assert line_of(measure, text, TABLE) == f"{text!r}: {said}"


def test_a_condition_is_none_where_an_unknown_column_turns_out_to_hold_numbers() -> None:
    """Numbers would choose rows by their places, or none."""
    said = "'a': where must be a condition, true or false of each game"
    assert line_of(arguments, "max(a, where=a)", TABLE) == said
    assert line_of(measure, "max(a, where=a)", TABLE) == said
    assert line_of(condition, "a", TABLE) == said
    assert line_of(condition, "kind", TABLE) == said.replace("a'", "kind'", 1)
    assert condition("o", TABLE).tolist() == [True, False, False]
    assert condition("a", {"a": np.array([])}).tolist() == []
    claim = Claim(name="c", where="a", measure="games()", at_least=0)
    (finding,) = judge([claim], TABLE)
    assert (finding.verdict, finding.note) == ("FAIL", said)
