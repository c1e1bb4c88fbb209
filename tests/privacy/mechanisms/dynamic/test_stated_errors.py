"""The stated errors of dynamic mechanisms, from the definitions: which releases make up an answer, at which share."""

from __future__ import annotations

from math import log2, pi
from typing import Any

import numpy as np
import pytest

from disttrack.mechanisms import PrivatePartition  # fmt: skip
from disttrack.mechanisms.scripted_noise import ScriptedNoise
from disttrack.privacy.mechanisms import (
    FullyDynamic,
    GrowingFinite,
    GrowingInfinite,
    GrowingSparse,
    GrowingSparseInfinite,
    LaplaceQueries,
)
from disttrack.privacy.mechanisms.dynamic.fully_dynamic import HALF
from disttrack.privacy.mechanisms.static import multiplicative_weights

EPSILON, BETA, DOMAIN = 1.5, 0.03, 3
GIVEN: dict[str, Any] = {"epsilon": EPSILON, "queries": "points", "domain": DOMAIN, "beta": 0.2}


def stated(releases: list[tuple[float, int]], beta: float) -> float:
    """Return the error of the largest of `DOMAIN` sums of releases, given as epsilon and how many of it."""
    return LaplaceQueries(1.0, queries="points", domain=DOMAIN).error_of_sum(
        [(LaplaceQueries(epsilon, queries="points", domain=DOMAIN), many) for epsilon, many in releases], 9, beta
    )


def hybrid(epsilon: float, steps: int) -> list[tuple[float, int]]:
    """Return the releases of the worst of so many steps: closed epochs at half, and a tree over the open one."""
    if not steps:
        return []
    power = int(log2(steps))
    return [(epsilon / 2, power + 1), (epsilon / 2 / max(1, power), power)]


@pytest.mark.parametrize("steps", [1, 2, 3, 4, 7, 8, 21])
def test_of_answers_at_each_step(steps: int) -> None:
    expected = {
        GrowingFinite(**GIVEN, horizon=21): lambda steps: stated([(EPSILON / 5, 5)], BETA / steps),
        GrowingInfinite(**GIVEN): lambda steps: stated(hybrid(EPSILON, steps), BETA / steps),
    }
    for mechanism, bound in expected.items():
        run = mechanism.start(ScriptedNoise())
        assert run.error_bound(9, BETA) == pytest.approx(bound(1))
        for _ in range(steps):
            run.step(1)
        assert run.error_bound(9, BETA) == pytest.approx(bound(steps))


def part(number: int) -> float:
    """Return the share of beta of one segment of endlessly many."""
    return 6 / (pi * number) ** 2


def cut_short(patch: pytest.MonkeyPatch, every: int = 3) -> None:
    """Let partitions close a segment at each third step, whatever the noise."""

    class Regular:
        segments = now = 0

        def step(self, update: bool) -> int | None:
            self.now += 1
            if self.now % every:
                return None
            self.segments += 1
            return self.segments

    patch.setattr(PrivatePartition, "start", lambda partition, rng: Regular())


@pytest.mark.parametrize("kind", [GrowingSparse, GrowingSparseInfinite])
def test_of_answers_at_each_segment(kind: type[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    cut_short(monkeypatch)
    horizon = 40 if kind is GrowingSparse else None
    mechanism = kind(**GIVEN, horizon=horizon)
    assert mechanism.partition == PrivatePartition(EPSILON / 2, horizon, 0.2)
    run = mechanism.start(ScriptedNoise())
    for step in range(1, 23):
        segments = (step - 1) // 3
        deadline = horizon or max(2, (3 * segments) ** 2)
        items = mechanism.partition.most_items(segments + 1, deadline, BETA / 2 * part(segments + 1))
        noise = stated(hybrid(EPSILON / 2, segments), BETA / 2 * part(segments)) if segments else 0.0
        assert run.error_bound(9, BETA) == pytest.approx(noise + items)
        assert run.step(1) == (step % 3 == 0)
        np.testing.assert_allclose(run.answers, [step - step % 3, 0, 0])


def test_of_the_interval_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    """The costliest due round of each level, the halted nodes, and the open segment at half of beta."""
    cut_short(monkeypatch)
    mechanism = FullyDynamic(**GIVEN)
    assert mechanism.partition == PrivatePartition(EPSILON * HALF, None, 0.1)
    for level in (1, 2, 5):
        share = 6 / (pi * level) ** 2
        made = mechanism.shares(level)
        assert made.epsilon == pytest.approx(EPSILON * (1 - HALF) * share)
        assert made.delta == 0
        assert made.beta == pytest.approx(0.1 * share)
    assert FullyDynamic(1.0, 1e-3, static="gaussian").shares(2).delta == pytest.approx(1e-3 * 6 / (2 * pi) ** 2)
    run = mechanism.start(ScriptedNoise())
    assert run.error_bound(9, BETA) == pytest.approx(mechanism.partition.most_items(1, 2, BETA / 2 * part(1)))
    for step in range(1, 25):
        run.step(1 + step % 3)
    segments = 8
    releases: list[tuple[float, int]] = []
    for level, seen in run.history.items():
        share = mechanism.shares(level).of_round(seen.due)
        releases += [(share.epsilon, 1), *hybrid(share.epsilon, seen.segments)]
    items = mechanism.partition.most_items(segments + 1, 24**2, BETA / 2 * part(segments + 1))
    expected = stated(releases, BETA / 2 * part(segments)) + items
    assert run.error_bound(9, BETA) == pytest.approx(expected)
    run.history[1].halted, run.history[2].halted = 5.0, 2.0
    assert run.error_bound(9, BETA) == pytest.approx(expected + 7.0)


@pytest.mark.parametrize(("delta", "power"), [(0.0, 2 / 3), (1e-6, 1 / 2)])
def test_with_weights_the_stated_error_grows_by_the_powers_of_the_paper(
    delta: float, power: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A chain of eight levels, from 2^36 to 2^48 items, with as many rounds of weights as are best; the control has a
    hundred at most, as played."""
    cut_short(monkeypatch, every=1)
    run = FullyDynamic(1.0, delta, "halves:20", 32, "pmw").start(ScriptedNoise())
    for _ in range(255):
        run.step(0)
    assert len(run.history) == 8

    def slope() -> float:
        low, high = (run.error_bound(1 << items, BETA) for items in (36, 48))
        return log2(high / low) / 12

    assert slope() == pytest.approx(1, abs=0.01)
    monkeypatch.setattr(multiplicative_weights, "MOST_ROUNDS", 1 << 100)
    multiplicative_weights._best_rounds.cache_clear()
    try:
        assert slope() == pytest.approx(power, abs=0.05)
    finally:
        multiplicative_weights._best_rounds.cache_clear()
