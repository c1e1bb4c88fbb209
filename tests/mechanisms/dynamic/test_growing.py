"""Insertions only: exact without noise, the counters' own noise for counts, and budgets that are spent to the last."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from disttrack.mechanisms import (
    Binary,
    GrowingFinite,
    GrowingInfinite,
    GrowingSparse,
    GrowingSparseInfinite,
    Hybrid,
    Ledger,
)
from disttrack.mechanisms.scripted_noise import ScriptedNoise

STEPS = 40
KINDS = (GrowingFinite, GrowingInfinite, GrowingSparse, GrowingSparseInfinite)


def made(kind, **more):
    given = {"queries": "points", "domain": 3, "epsilon": 1.0, **more}
    return kind(**given, horizon=STEPS) if kind.needs_horizon else kind(**given)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.kind)
@settings(max_examples=25, deadline=None)
@given(stream=st.lists(st.integers(0, 3), min_size=1, max_size=STEPS))
def test_without_noise_new_answers_are_exact(kind, stream: list[int]) -> None:
    run = made(kind).start(ScriptedNoise())
    for step, code in enumerate(stream, start=1):
        if run.step(code):
            exact = [stream[:step].count(value) for value in (1, 2, 3)]
            np.testing.assert_allclose(run.answers, exact)
        elif kind in (GrowingFinite, GrowingInfinite):
            pytest.fail("each step has new answers")


@pytest.mark.parametrize(
    ("mechanism", "counter"),
    [
        (GrowingFinite(1.0, horizon=21), Binary(1.0, 21)),
        (GrowingInfinite(1.0), Hybrid(1.0)),
    ],
    ids=["binary", "hybrid"],
)
def test_a_count_has_the_noise_of_the_counter_of_that_name(mechanism, counter) -> None:
    """Step by step: the same variance, found by feeding each draw of scale 1 alone."""
    noise = np.zeros(21)
    drawn = 0
    while True:
        source = ScriptedNoise({drawn: 1.0})
        run = mechanism.start(source)
        answers = np.array([(run.step(0), float(run.answers[0]))[1] for _ in range(21)])
        if drawn >= source.taken:
            break
        noise += 2 * answers**2
        drawn += 1
    np.testing.assert_allclose(noise, [counter.variance(t) for t in range(1, 22)])


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.kind)
def test_the_budget_is_spent_and_not_more(kind) -> None:
    run = made(kind).start(np.random.default_rng(0))
    for step in range(STEPS):
        run.step(step % 4)
    spent = run.ledger.spent[0]
    least = {"growing-finite": 1.0, "growing-infinite": 1.0, "growing-sparse": 0.5, "growing-sparse-infinite": 1.0}
    assert least[kind.kind] - 1e-9 <= spent <= 1 + 1e-9


def test_approximate_mechanisms_divide_delta_too() -> None:
    mechanism = GrowingInfinite(1.0, 1e-6, "points", 3, "gaussian")
    run = mechanism.start(np.random.default_rng(0))
    for _ in range(64):
        run.step(1)
    assert run.ledger.spent == (pytest.approx(1.0), pytest.approx(1e-6))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.kind)
def test_nonsense_gets_one_line(kind) -> None:
    run = made(kind).start(np.random.default_rng(0))
    with pytest.raises(ValueError, match=f"{kind.kind} takes insertions only"):
        run.step(-1)
    with pytest.raises(ValueError, match="item 3 is not among the 3 values"):
        run.step(4)
    with pytest.raises(ValueError, match="delta must be above 0 for static gaussian"):
        made(kind, static="gaussian")
    with pytest.raises(ValueError, match="static must be one of"):
        made(kind, static="laplass")
    with pytest.raises(ValueError, match="epsilon must be a number above 0"):
        made(kind, epsilon=0)
    if kind.needs_horizon:
        with pytest.raises(ValueError, match="horizon must be a whole number"):
            kind(1.0)


def test_a_horizon_ends_a_run() -> None:
    run = GrowingInfinite(1.0, horizon=3).start(np.random.default_rng(0), Ledger("own", 1.0))
    for _ in range(3):
        run.step(1)
    with pytest.raises(ValueError, match="step 4 is past the horizon"):
        run.step(1)
