"""Measures, their intervals, the language that they are written in, and the verdicts on claims."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from simulator.claims.claim import Claim
from simulator.claims.expressions import check_measure, check_rows, measure, rows
from simulator.claims.grammar import ExpressionError
from simulator.claims.judge import judge, meets
from simulator.claims.statistics import clopper_pearson, mean, quantile, slope

TABLE = {
    "protocol": np.array(["a", "a", "b", "b"]),
    "sites": np.array([1.0, 4.0, 1.0, 4.0]),
    "words": np.array([10.0, 40.0, 10.0, 20.0]),
    "ok": np.array([True, True, False, True]),
    "first_failure": np.array([np.nan, np.nan, 3.0, np.nan]),
}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("fraction(ok)", 0.75),
        ("fraction(words >= 20)", 0.5),
        ("median(words)", 15),
        ("mean(words)", 20),
        ("max(words) - min(words)", 30),
        ("total(words)", 80),
        ("quantile(words, 1)", 40),
        ("quantile(words, 0)", 10),
        ("games()", 4),
        ("median(words / sites)", 10),
        ("median(words, where=(protocol == 'a')) / median(words, where=(protocol == 'b'))", 25 / 15),
        ("slope(words, sites, where=(protocol == 'a'))", 1),
        ("slope(words, sites, where=(protocol == 'b'))", 0.5),
        ("slope(words, 1 / sites, where=(protocol == 'b'))", -0.5),
        ("max(sqrt(sites)) ** 2", 4),
        ("max(log(sites))", math.log(4)),
        ("max(-words)", -10),
        ("2 * 3 - 1", 5),
    ],
)
def test_measures(text: str, value: float) -> None:
    assert measure(text, TABLE).value == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("median(error)", 0.3),
        ("quantile(error, 0.7)", math.inf),
        ("quantile(error, 0.9)", math.inf),
        ("max(error)", math.inf),
    ],
)
def test_an_infinite_error_is_measured_as_one(text: str, value: float) -> None:
    """Interpolating between two infinite values gives no number, and no claim about such games would hold."""
    assert measure(text, {"error": np.array([0.1, 0.2, 0.3, math.inf, math.inf])}).value == value


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("sites > 1", [0, 1, 0, 1]),
        ("1 < sites <= 4 and protocol != 'b'", [0, 1, 0, 0]),
        ("protocol in ['b', 'c'] or words == 40", [0, 1, 1, 1]),
        ("protocol not in ['b']", [1, 1, 0, 0]),
        ("not ok", [0, 0, 1, 0]),
        ("words / sites >= 10", [1, 1, 1, 0]),
        ("words % 20 == 0", [0, 1, 0, 1]),
        ("True", [1, 1, 1, 1]),
    ],
)
def test_conditions(text: str, chosen: list[int]) -> None:
    assert rows(text, TABLE).astype(int).tolist() == chosen


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("words", r"is a column, not a measure; sum it up, for example median\(words\)"),
        ("frction(ok)", "did you mean 'fraction'"),
        ("fraction(ok, words)", r"is written fraction\(condition\)"),
        ("fraction(ok, by=3)", "takes no 'by'"),
        ("__import__('os')", "there is no measure '__import__'"),
        ("ok.mean()", "only columns"),
        ("(lambda: 1)()", "only columns"),
        ("[x for x in ok]", "only columns"),
        ("words[0]", "only columns"),
        ("max(words", "cannot be read"),
        ("max(words) if ok else 1", "only columns"),
        ("max(words in 3)", "stands a list"),
        ("max(words is 3)", "compare with"),
    ],
)
def test_what_is_no_measure(text: str, said: str) -> None:
    with pytest.raises(ExpressionError, match=said):
        check_measure(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("fraction(okay)", "there is no column 'okay'; did you mean 'ok'"),
        ("fraction(words)", "true or false"),
        ("median(protocol)", "is not a number"),
        ("median(first_failure)", "have no value"),
        ("slope(words, ok)", "above 0"),
        ("median(words, where=(sites > 9))", "no games"),
        ("quantile(words, 2)", "between 0 and 1"),
        ("max(protocol + 1)", "is not a number"),
        ("fraction(protocol < 3)", "compared with a text|is not"),
    ],
)
def test_what_cannot_be_measured(text: str, said: str) -> None:
    with pytest.raises(ExpressionError, match=said):
        measure(text, TABLE)


def test_a_condition_does_not_sum_up() -> None:
    with pytest.raises(ExpressionError, match="one row at a time"):
        check_rows("words > median(words)")


@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_clopper_pearson_is_scipys(case: tuple[int, int]) -> None:
    successes, trials = case
    expected = stats.binomtest(successes, trials).proportion_ci(0.95, method="exact")
    assert clopper_pearson(successes, trials) == pytest.approx((expected.low, expected.high), abs=1e-9)


@given(st.integers(1, 60), st.sampled_from([0.1, 0.5, 0.9]))
def test_intervals_of_quantiles_cover_in_at_least_95_of_100_cases(n: int, share: float) -> None:
    # of n ordered values, the number below the true quantile is binomial: the coverage is exact, no sampling needed
    found = quantile(n, np.arange(n, dtype=float), share)
    if found.low is None or found.high is None:
        # then no two order statistics would do: even the outermost leave out more than 2.5 % on one side
        assert max(share**n, (1 - share) ** n) > 0.025
        return
    low, high = int(found.low), int(found.high)
    covered = stats.binom.cdf(high, n, share) - stats.binom.cdf(low, n, share)
    assert covered >= 0.95 - 1e-12
    if low + 1 < high:  # and not wider than needed: one step in on either side covers too little
        assert stats.binom.cdf(low + 1, n, share) > 0.025
        assert stats.binom.sf(high - 1, n, share) > 0.025


def test_slope_and_its_interval_are_those_of_the_regression() -> None:
    rng = np.random.default_rng(5)
    x = np.repeat([1.0, 10.0, 100.0], 4)
    y = 3 * x**0.7 * np.exp(rng.normal(0, 0.1, len(x)))
    expected = stats.linregress(np.log(x), np.log(y))
    found = slope(len(x), y, x)
    half = expected.stderr * stats.t.ppf(0.975, len(x) - 2)
    assert (found.value, found.low, found.high) == pytest.approx(
        (expected.slope, expected.slope - half, expected.slope + half)
    )


def claim(**keys: Any) -> Claim:
    return Claim(**{"name": "c", "measure": "fraction(ok)", **keys})


def test_a_claim_passes_exactly_when_the_value_meets_the_bound() -> None:
    verdicts = [judge([claim(at_least=bound)], TABLE)[0].verdict for bound in (0.74, 0.75, 0.76)]
    assert verdicts == ["PASS", "PASS", "FAIL"]
    verdicts = [judge([claim(at_most=bound)], TABLE)[0].verdict for bound in (0.74, 0.75, 0.76)]
    assert verdicts == ["FAIL", "PASS", "PASS"]
    assert meets(claim(equals=0.7, within=0.05), 0.75)
    assert not meets(claim(equals=0.7, within=0.04), 0.75)
    assert meets(claim(equals=0.7, within="10%"), 0.76)
    assert not meets(claim(equals=0.7, within="5%"), 0.76)
    assert not meets(claim(at_least=0), float("nan"))
    assert meets(claim(at_least=0.1, at_most=0.9), 0.5)
    assert not meets(claim(at_least=0.1, at_most=0.9), 0.95)


def test_each_makes_a_finding_a_group() -> None:
    found = judge([claim(each="protocol", at_least=1)], TABLE)
    assert [(one.group, one.value, one.games, one.verdict) for one in found] == [
        ("protocol == 'a'", 1.0, 2, "PASS"),
        ("protocol == 'b'", 0.5, 2, "FAIL"),
    ]
    assert len(judge([claim(each=["protocol", "sites"], at_least=0)], TABLE)) == 4


def test_games_without_a_value_are_one_group() -> None:
    table = {"ok": np.array([True, False, True]), "looks": np.array([1.0, np.nan, np.nan])}
    found = judge([claim(each="looks", at_least=0.9)], table)
    assert [(one.group, one.games) for one in found] == [("looks == 1.0", 1), ("looks == None", 2)]


def test_a_claim_that_no_game_speaks_to_fails() -> None:
    (found,) = judge([claim(where="sites > 100", at_least=0)], TABLE)
    assert (found.verdict, found.note) == ("FAIL", "no game meets the condition")
    (found,) = judge([claim(where="protocol == 'b'", measure="median(words_none)", at_least=0)], TABLE)
    assert found.verdict == "FAIL"
    assert "no column" in found.note


def test_where_is_shown_and_intervals_are_kept() -> None:
    (found,) = judge([claim(where="protocol == 'a'", at_least=0.9)], TABLE)
    assert found.where == "protocol == 'a'"
    assert (found.value, found.high) == (1.0, 1.0)
    assert found.low == pytest.approx(0.025 ** (1 / 2))  # 2 of 2: the 2.5 % point is the square root


def test_the_interval_of_a_mean_is_students() -> None:
    """By hand for 1, 2, 3, 6: mean 3, variance 14/3 with three degrees of freedom (not 14/4), t = 3.18245."""
    found = mean(4, np.array([1.0, 2.0, 3.0, 6.0]))
    half = 3.182446305 * math.sqrt(14 / 3 / 4)
    assert (found.value, found.low, found.high) == pytest.approx((3, 3 - half, 3 + half))
    alone = mean(1, np.array([5.0]))
    assert (alone.value, alone.low, alone.high) == (5, None, None)


@pytest.mark.parametrize(
    "text",
    ["not (x > 1)", "x <= 1", "1 < y < x", "x in [1, 2]", "x != 1", "ok and x > 1", "not ok or x > 1", "0 * (x > 1)"],
)
def test_a_measure_of_a_comparison_needs_values_in_all_games(text: str) -> None:
    """A comparison with a missing value is neither true nor false: a claim on it fails, whatever its bound."""
    table = {"x": np.array([np.nan, 2.0, np.nan]), "y": np.array([5.0, 5.0, 5.0]), "ok": np.ones(3, dtype=bool)}
    (found,) = judge([claim(measure=f"fraction({text})", at_least=0)], table)
    assert found.verdict == "FAIL"
    assert "some of the games have no value for" in found.note
    (known,) = judge([claim(measure=f"fraction({text}, where=(x > 0))", at_least=0)], table)
    assert (known.verdict, known.note) == ("PASS", "")
    (without,) = judge([claim(where="not x > 0", measure="games()", equals=2)], table)
    assert without.verdict == "PASS"


@pytest.mark.parametrize(
    ("text", "share"), [("y > 5 and x > 1", 0), ("ok or x > 1", 1), ("not (y > 5 and x > 1)", 1), ("9 < y < x", 0)]
)
def test_a_missing_value_does_not_matter_where_others_decide(text: str, share: float) -> None:
    table = {"x": np.array([np.nan, 2.0, np.nan]), "y": np.array([5.0, 5.0, 5.0]), "ok": np.ones(3, dtype=bool)}
    assert measure(f"fraction({text})", table).value == share
