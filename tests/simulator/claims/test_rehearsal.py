"""Claims are typed before anything is played: what could not be evaluated on the results is refused by then."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from simulator.claims.claim import Claim
from simulator.claims.columns import TRIALS
from simulator.claims.expressions import check_condition, check_measure, measure, rows
from simulator.claims.grammar import ExpressionError
from simulator.claims.rehearsal import _made_up, held, ill_typed

KNOWN = held((*TRIALS, "found"), {"spread": ["wide", "narrow"], "copies": [1, 2]}, {"items": "steps"})


def _fault(measured: str, where: str = "") -> str:
    """Return why a claim is refused; nothing if it is not."""
    try:
        claim = Claim(name="c", where=where, measure=measured, at_least=0)
    except ValidationError as error:
        return str(error.errors()[0]["msg"])
    found = ill_typed(claim, KNOWN)
    return found[1] if found else ""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("max(5)", "5 is one value"),
        ("fraction(True)", "True is one value"),
        ("quantile(words, words)", "takes one share"),
        ("games(where=(sites))", "sites is neither true nor false"),
        ("games(where=(-1))", "-1 is neither true nor false"),
        ("games(where=ok, where=ok)", "one condition"),
        ("[1, 2]", "after 'in' only"),
        ('"a"', "is a text"),
        ("-(())", "after 'in' only"),
        ('+(-("a"))', "is not a number"),
        ("[[], []]", "after 'in' only"),
        ("abs([1, []])", "after 'in' only"),
        ("median(protocol)", "protocol is not a number"),
        ("max(spread)", "spread is not a number"),
        ("fraction(words)", "words is neither true nor false"),
        ("fraction(protocol == 3)", "compared with a text"),
        ("fraction(steps < 'a')", "compared with a text"),
        ("crossing(words, sites, ok, alpha)", "alpha is neither true nor false"),
        ("max(words in [1] in [2])", "chain"),
        ("max(" + "-" * 100 + "words)", "deep in one another"),
        ("max(words)" + " + 1" * 600, "letters"),
    ],
)
def test_measures_that_could_not_be_evaluated(text: str, said: str) -> None:
    assert said in _fault(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("sites", "neither true nor false"),
        ("1", "neither true nor false"),
        ("'a'", "neither true nor false"),
        ("spread > 3", "compared with a text"),
        ("sites in []", "stands a list"),
        ("sites in [4, words]", "a list holds numbers and texts"),
        ("-(())", "after 'in' only"),
    ],
)
def test_conditions_that_could_not_be_evaluated(text: str, said: str) -> None:
    assert said in _fault("games()", text)


@pytest.mark.parametrize(
    "text",
    [
        "fraction(ok)",
        "fraction(found)",
        "fraction(not ok and words > 3)",
        "max(words, where=(spread in ['wide'])) / 10**400",
        "median(max_rel_error / alpha)",
        "slope(words - words_up, sites)",
        "max(words) < 3",
        "fraction(found == 'a')",
        "quantile(words, 1 / 2)",
    ],
)
def test_what_can_be_evaluated_is_left_alone(text: str) -> None:
    assert _fault(text) == ""


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
    ast.parse(text, mode="eval")
    table = {name: _made_up(KNOWN[name]) for name in ("ok", "words", "protocol")}
    for check, evaluate in ((check_measure, measure), (check_condition, rows)):
        said = ""
        try:
            check(text, KNOWN)
            evaluate(text, table)
        except ExpressionError as error:
            said = str(error)
        assert "\n" not in said
