"""Algorithm 3 at one node: exact without noise, restarts where half is gone, shares that add up, the halt."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from disttrack.mechanisms.laplace_sums import laplace_sum_quantile
from disttrack.mechanisms.scripted_noise import ScriptedNoise
from disttrack.privacy.mechanisms import LaplaceQueries, PrivacyLedger
from disttrack.privacy.mechanisms.dynamic.interval_tree import NodeMechanism, Shares, deletion_bound

STATIC = LaplaceQueries(1.0, queries="points", domain=3)
PRECISE = Shares(2000.0, 0.0, 0.05)


def node(counts, shares=PRECISE, rng=None) -> NodeMechanism:
    ledger = PrivacyLedger("node", shares.epsilon)
    return NodeMechanism(STATIC, shares, np.array(counts, dtype=float), rng or ScriptedNoise(), ledger, segment=4)


def test_the_shares_of_all_rounds_add_up_to_the_nodes() -> None:
    rounds = [Shares(1.0, 1e-6, 0.05).of_round(number) for number in range(1, 20_000)]
    assert math.fsum(4 * one.epsilon for one in rounds) == pytest.approx(1.0, abs=1e-4)
    assert math.fsum(3 * one.delta for one in rounds) == pytest.approx(1e-6, rel=1e-4)
    assert math.fsum(2 * one.beta for one in rounds) == pytest.approx(0.05 / 3, rel=1e-4)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_without_noise_answers_are_exact_until_it_halts(seed: int) -> None:
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 60, 3)
    left = np.repeat(np.arange(3), counts).tolist()
    mechanism = node(counts)
    while left and not mechanism.halted:
        rng.shuffle(left)
        gone = [left.pop() for _ in range(min(len(left), int(rng.integers(0, 9))))]
        mechanism.close_segment(gone)
        exact = np.bincount(left, minlength=3) if left else np.zeros(3)
        if mechanism.halted:
            assert len(left) < 2 * deletion_bound(99, mechanism.share.epsilon, mechanism.share.beta)
            assert not mechanism.answers.any()
        else:
            np.testing.assert_allclose(mechanism.answers, exact, atol=1e-9)


def test_it_restarts_when_half_is_gone_and_not_before() -> None:
    """Without noise: at most log2(n) + 1 rounds, each begun with at most half of the items of the one before."""
    mechanism = node([1024, 0, 0])
    sizes = [mechanism.at_restart]
    for _ in range(1024):
        gamma = deletion_bound(mechanism.segments + 1, mechanism.share.epsilon, mechanism.share.beta)
        half = mechanism.at_restart / 2 + 2 * gamma
        before, deleted = mechanism.round, mechanism.gone + 1
        mechanism.close_segment([0])
        if not mechanism.halted:
            assert (mechanism.round > before) == (deleted > half)
        if mechanism.round > before:
            sizes.append(mechanism.at_restart)
    assert all(after <= before / 2 for before, after in pairwise(sizes))
    assert 5 <= len(sizes) <= 11


@pytest.mark.parametrize(("low", "gone", "due"), [(60, 30, 1), (10, 46, 1), (2, 50, 2), (0, 51, 2)])
def test_a_round_is_due_if_half_of_the_items_are_gone(low: int, gone: int, due: int) -> None:
    """A noisy size `low` below the 100 items lets the next round begin early; only from 50 deletions on it is due."""
    first = PRECISE.of_round(1).epsilon
    mechanism = node([100, 0, 0], rng=ScriptedNoise({0: -low * first}))
    mechanism.close_segment([0] * gone)
    assert (mechanism.round, mechanism.due) == (2, due)


@pytest.mark.parametrize("steps", [0, 1, 2, 3, 4, 5, 8, 100])
def test_the_bound_on_deletions_is_that_of_the_worst_step_of_the_epoch(steps: int) -> None:
    power = int(math.log2(max(1, steps)))
    exact = laplace_sum_quantile([(2 / 0.7, power + 1), (2 / 0.7 * max(1, power), power)], 0.03)
    assert deletion_bound(steps, 0.7, 0.03) == pytest.approx(exact)
