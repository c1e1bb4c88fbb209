"""Insertions only: exact without noise, the counters' own noise for counts, and budgets that are spent to the last."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from disttrack.mechanisms import Binary, Hybrid
from disttrack.mechanisms.scripted_noise import ScriptedNoise
from disttrack.privacy.mechanisms import GrowingFinite, GrowingInfinite, GrowingSparse, GrowingSparseInfinite

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
