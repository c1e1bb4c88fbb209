"""What the language of measures and claims refuses: where, what and what is accepted, before anything is played."""

from __future__ import annotations

import contextlib
import time
import tracemalloc
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest
from golden_messages import KNOWN, SWEPT, TABLE
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from disttrack.simulator.experiments.claims.claim import Claim, Control
from disttrack.simulator.experiments.claims.expression_checks import (
    check_condition,
    check_measure,
    column_types,
)
from disttrack.simulator.experiments.claims.expressions import (
    ExpressionError,
    columns_of,
    condition,
    measure,
    outermost,
    parse,
    rows,
)
from disttrack.simulator.experiments.claims.findings import findings_of
from disttrack.simulator.game.columns import TRIALS


def line_of(check: Callable[..., Any], *given_: Any) -> str:
    with pytest.raises(ExpressionError) as caught:
        check(*given_)
    line = str(caught.value)
    assert "\n" not in line
    return line


def test_what_cannot_be_read() -> None:
    assert line_of(parse, "a\x00") == "'a\\x00' cannot be read: source code string cannot contain null bytes"
    assert line_of(parse, "x y" * 40) == f"{('x y' * 40)[:80]!r} cannot be read: invalid syntax"
    parse("1".ljust(2_000))
    assert line_of(parse, "1".ljust(2_001)) == f"{'1'.ljust(40)!r}…: 2,001 letters; at most 2,000"
    parse("-" * 59 + "1")
    assert line_of(parse, "-" * 60 + "1") == f"{'-' * 40!r}…: nested over 60 levels"


def test_names_in_an_expression() -> None:
    assert columns_of("max(a, where=(b > sqrt(c)))") == {"a", "b", "c"}
    assert [outermost(text) for text in ("max(a)", "max(a) + 0", "a")] == ["max", "", ""]


@pytest.mark.parametrize(
    "text",
    [
        "max(9**9**9**9**9)", "max(sites ** 1e308 ** 1e308)", "9" * 1_900, "max(" + "sites ** " * 200 + "9)",
        "max(" + "sites * " * 240 + "1e308)", "fraction(kind == '" + "x" * 1_900 + "')", "'x' * 10**9",
        "fraction(sites in [" + "1, " * 600 + "1])", "fraction(" + "sites < " * 240 + "1)", "(" * 500 + "1" + ")" * 500,
    ],
)  # fmt: skip
def test_no_expression_takes_long_or_much_memory(text: str) -> None:
    """Powers are those of floating-point numbers, and a text has no operators but comparisons."""
    table = {"sites": np.arange(1.0, 1_001), "kind": np.array(["a"] * 1_000)}
    measure("fraction(sites > 1)", table)  # imports scipy
    tracemalloc.start()
    began = time.process_time()
    for evaluate in (lambda: check_measure(text, KNOWN), lambda: measure(text, table)):
        with contextlib.suppress(ExpressionError):
            evaluate()
    assert time.process_time() - began < 2
    assert tracemalloc.get_traced_memory()[1] < 50e6
    tracemalloc.stop()


_LEAVES = st.sampled_from(["ok", "words", "protocol", "1", "-2.5", "'a'", "True", "()", "[]", "[1, 'a']", "10**400"])
_EXPRESSIONS = st.recursive(
    _LEAVES,
    lambda inner: st.one_of(
        st.builds("({} {} {})".format, inner, st.sampled_from(["+", "%", "**", "<", "==", "in", "and"]), inner),
        st.builds("({} {})".format, st.sampled_from(["-", "+", "not"]), inner),
        st.builds("{}({})".format, st.sampled_from(["max", "fraction", "abs", "median", "games"]), inner),
        st.builds("{}({}, {})".format, st.sampled_from(["quantile", "slope"]), inner, inner),
        st.builds("games(where={})".format, inner),
    ),
    max_leaves=6,
)


@pytest.mark.slow
@given(_EXPRESSIONS)
@settings(max_examples=500, deadline=None)
def test_what_passes_the_check_can_be_evaluated(text: str) -> None:
    """On a table of the stated types there is a value, or one line about these values; never another exception."""
    table = {"ok": np.arange(12) % 2 == 0, "words": np.arange(1.0, 13), "protocol": np.array(["a", "b", "c"] * 4)}
    for check, evaluate in ((check_measure, measure), (check_condition, rows)):
        message = ""
        try:
            check(text, column_types(TRIALS, {}, {}))
            evaluate(text, table)
        except ExpressionError as error:
            message = str(error)
        assert "\n" not in message


# ---------------------------------------------------------------------- claims on known columns


def test_the_types_of_columns() -> None:
    assert {name: SWEPT[name] for name in ("ok", "words", "ratio", "spread", "copies", "on", "steps", "task")} == {
        "ok": "truth", "words": "number", "ratio": "unknown", "spread": "text", "copies": "number", "on": "truth",
        "steps": "number", "task": "text",
    }  # fmt: skip
    assert column_types((), {}, {"items": "steps"}) == {}
    assert column_types(("max_lag", "words"), {"words": ["a"]}, {}) == {"max_lag": "number", "words": "text"}


# ---------------------------------------------------------------------- on results


@pytest.mark.parametrize("text", ["a", "kind"])
def test_a_condition_is_none_where_an_unknown_column_turns_out_to_hold_something_else(text: str) -> None:
    message = f"{text!r} is not a condition, such as sites >= 64"
    assert line_of(condition, text, TABLE) == message
    (finding,) = findings_of([Claim(name="c", where=text, measure="games()", at_least=0)], TABLE)
    assert (finding.verdict, finding.note) == ("FAIL", message)


@pytest.mark.parametrize("text", ["fraction(verdict == 'fail')", "games(where=(verdict in ['ok', 'fails']))"])
def test_a_text_that_is_no_verdict_is_refused(text: str) -> None:
    with pytest.raises(ExpressionError, match=r"no verdict 'fails?'; did you mean 'failed'\? \(accepted: ok, "):
        check_measure(text, {"verdict": "text"})
    check_measure("fraction(verdict != 'failed')", {"verdict": "text"})


# ---------------------------------------------------------------------- bounds


ASKS: Final[dict[str, Any]] = {"name": "n", "measure": "fraction(ok)", "at_least": 0.5}
RATIO: Final = "mean(words) / mean(items)"
"""It has no ends, as a share has."""


def claim(**keys: Any) -> Claim:
    return Claim(**{**ASKS, **keys})


def test_a_tolerance_forgives_the_last_digit_and_no_more() -> None:
    low, high = claim(measure="mean(words)", at_least=None, equals=0.0, within=1.0).accepts
    assert (low, high) == (-1 - 1e-12, 1 + 1e-12)


def test_what_a_control_says() -> None:
    control = Control(
        fault="f", sites=64, protocol={"kind": "k", "alpha": 0.5, "inner": {"kind": "i", "b": 1}}, x={"y": 2}
    )
    assert control.says == "fault f, sites 64, protocol k alpha=0.5 inner=i b=1, x y=2"
    assert Control(sites=3).says == "sites 3"
    assert Control(fault="f").says == "fault f"
    assert (Control().says, Control().trials, Control().where) == ("", 5, "")
    with pytest.raises(ValidationError, match="must be a number; got True"):
        Control(trials=True)
