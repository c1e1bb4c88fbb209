"""Learners: round by round and at once, stated distributions against simulated ones, and the examples they err on.

False alarms: Hoeffding at 1e-6 for each probability that is compared; seeds are fixed.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from disttrack.mechanisms import (
    LEARNERS,
    ExpertsPrivate,
    Exponential,
    Guessing,
    Learner,
    Plain,
    PointPredictor,
    PrivateProper,
)
from disttrack.mechanisms.prediction import halving, insertion
from disttrack.mechanisms.prediction.base import examples
from disttrack.mechanisms.prediction.insertion import MASS, most_ones, zeros_of

POINTS, ROUNDS = 40, 300
ALL: list[Learner] = [
    Plain(),
    Guessing(POINTS, 0.7),
    PrivateProper(8.0, ROUNDS, delta=0.1),
    ExpertsPrivate(2.0, POINTS, ROUNDS),
    Exponential(8.0, POINTS, ROUNDS),
    PointPredictor(60.0, 0.3),
]
FALSE_ALARM = 1e-6


def stream(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    points = rng.integers(0, POINTS, ROUNDS)
    points[rng.random(ROUNDS) < 0.5] = 7
    return points, (points == 7) ^ (rng.random(ROUNDS) < 0.05 * (seed % 2))


def test_the_registry_is_whole() -> None:
    assert {type(learner) for learner in ALL} == set(LEARNERS.values())
    for kind, learner in LEARNERS.items():
        assert learner.kind == kind
        assert learner.error
        assert learner.source
        assert learner.reveals in ("hypotheses", "predictions")


@pytest.mark.parametrize("learner", ALL, ids=lambda each: each.kind)
@pytest.mark.parametrize("seed", range(4))
def test_round_by_round_and_at_once_are_the_same_game(learner: Learner, seed: int) -> None:
    points, labels = stream(seed)
    single = learner.start(np.random.default_rng(seed))
    expected = []
    for point, label in zip(points.tolist(), labels.tolist(), strict=True):
        expected.append(single.predict(point))
        single.learn(point, label)
    for cuts in ([], [0, 1, 1, 20, 150]):
        many = learner.start(np.random.default_rng(seed))
        pieces = [
            many.play(each, told) for each, told in zip(np.split(points, cuts), np.split(labels, cuts), strict=True)
        ]
        assert np.concatenate(pieces).tolist() == expected
        assert many.facts() == single.facts()
    assert any(expected) or seed % 2  # labels turned round make the predictor give up


def test_learners_by_hand() -> None:
    points, labels = np.array([3, 5, 3, 5, 5]), np.array([False, True, False, True, True])
    assert Plain().start(np.random.default_rng(0)).release(points, labels).tolist() == [-1, -1, 5, 5, 5]
    sure = PrivateProper(1e6, 100, delta=1e-9)  # next to no noise: fires at the second one
    assert sure.test.threshold == pytest.approx(1, abs=0.01)
    run = sure.start(np.random.default_rng(0))
    assert run.release(points, labels).tolist() == [-1, -1, -1, -1, 5]
    assert run.facts() == {"fired_at": 4}


@pytest.mark.parametrize("horizon", [2**10, 2**16, 2**22])
def test_the_private_learner_pays_eight_logarithms(horizon: int) -> None:
    """Its threshold grows by 6 / epsilon for each e-fold of time, and lets labels 0 pass in 99 of 100 games."""
    near, far = (PrivateProper(1.0, rounds).test.threshold for rounds in (horizon, round(horizon * math.e)))
    assert 5.5 < far - near < 6.5
    assert near < 8 * math.log(horizon) + 20


def test_the_exponential_learner_spends_its_budget() -> None:
    """The composition of its rounds is epsilon; a quarter more a round is not."""
    learner = Exponential(2.0, POINTS, 10_000)

    def total(loss: float) -> float:
        return 10_000 * loss * math.expm1(loss) + loss * math.sqrt(2 * 10_000 * math.log(1 / learner.delta))

    assert total(learner.loss) == pytest.approx(2.0, rel=1e-6)
    assert total(1.25 * learner.loss) > 2.4
    assert Exponential(0.001, POINTS, 1).loss == pytest.approx(0.001)  # a single round needs no composition


KNOWN: list[Learner] = [
    Guessing(POINTS),
    PrivateProper(4.0, 60, delta=0.1, false_alarm=0.3),
    Exponential(30.0, POINTS, 60),
]


@pytest.mark.slow
@pytest.mark.parametrize("learner", KNOWN, ids=lambda each: each.kind)
@pytest.mark.parametrize("ones", [(), (1,), (10, 11, 30, 59), tuple(range(1, 41))])
@pytest.mark.false_alarm(4e-6)
def test_stated_first_times_are_the_simulated_ones(learner: Learner, ones: tuple[int, ...]) -> None:
    rng = np.random.default_rng(5)
    zeros = rng.integers(1, POINTS, 60)
    exact = learner.first_time(zeros, 0, 5, rng)
    runs = 4_000
    sampled = Learner.first_time(learner, zeros, 0, 5, rng, runs)
    error = math.sqrt(math.log(2 / FALSE_ALARM) / (2 * runs))
    parts = [(5, 5), (5, 20), (21, 31), (32, 60), (5, 60)]
    for first, last in parts:
        assert exact.halting(ones, first, last) == pytest.approx(sampled.halting(ones, first, last), abs=error)
    whole = sum(exact.halting(ones, step, step) for step in range(5, 61))
    assert whole == pytest.approx(exact.halting(ones, 5, 60), abs=1e-9)


@pytest.mark.slow
def test_a_wrong_first_time_would_be_seen() -> None:
    """The same comparison, with the distribution of a learner of half the epsilon."""
    rng = np.random.default_rng(5)
    zeros, ones = rng.integers(1, POINTS, 60), tuple(range(1, 41))
    wrong = Exponential(15.0, POINTS, 60).first_time(zeros, 0, 5, rng)
    sampled = Learner.first_time(KNOWN[2], zeros, 0, 5, rng, 4_000)
    assert abs(wrong.halting(ones, 5, 20) - sampled.halting(ones, 5, 20)) > 0.05


@pytest.mark.slow
@pytest.mark.parametrize("learner", [Guessing(POINTS), Exponential(30.0, POINTS, 25)], ids=lambda each: each.kind)
def test_stated_masses_are_the_simulated_ones(learner: Learner) -> None:
    """A mass is a sum of five probabilities, so the mean of n runs errs as that of n numbers from 0 to 5."""
    rng = np.random.default_rng(6)
    zeros, runs = zeros_of(25, rng), 4_000
    found = np.mean([Learner.mass(learner, zeros, 5, rng) for _ in range(runs)], axis=0)
    spread = np.sqrt(learner.mass(zeros, 5, rng) / runs)  # a count of nearly independent rare events
    assert np.abs((found - learner.mass(zeros, 5, rng)) / spread).max() < 6
    other = np.full((5, 5), 5 / 200)
    assert np.abs((found - other) / spread).max() > 6


@pytest.mark.parametrize("learner", [Guessing(20_000), PrivateProper(0.5, 256), Exponential(0.5, 20_000, 256)])
@pytest.mark.parametrize("build", [insertion, halving])
def test_the_construction_adds_up(learner: Learner, build: object) -> None:
    """Three solvers: c_total is the direct sum over all rounds before the last cut, to 1e-9."""
    found = build(learner, 20_000, 256, np.random.default_rng(2))  # type: ignore[operator]
    assert found.target is not None
    assert len(found.ones) == most_ones(256 if build is halving else 16)
    assert found.points[found.labels].tolist() == [found.target] * len(found.ones)
    assert not np.any(found.points[~found.labels] == found.target)
    zeros = np.where(found.labels, 0, found.points)
    times = learner.first_time(zeros, found.target, 1, np.random.default_rng(2))
    last = found.ones[-1]
    upto = sum(times.halting(found.ones, step, step) for step in range(1, last + 1))
    assert upto - 1e-9 <= found.escape == pytest.approx(found.direct, abs=1e-9)
    assert found.escape <= 0.2816


@pytest.mark.slow
@pytest.mark.false_alarm(1e-6)
def test_learners_err_as_often_as_the_construction_says() -> None:
    """A learner that misses no one has shown the target before: exact binomial at 1e-6, with a control."""
    learner = Exponential(60.0, 2_000, 256)
    rng = np.random.default_rng(4)
    found = halving(learner, 2_000, 256, rng)
    last = found.ones[-1]
    runs = 400
    escaped = 0
    for seed in range(runs):
        shown = learner.start(np.random.default_rng(seed)).release(found.points[:last], found.labels[:last])
        escaped += bool((shown == found.target).any())
    times = learner.first_time(np.where(found.labels, 0, found.points), found.target or 0, 1, rng)
    chance = times.halting(found.ones, 1, last)
    assert 0.01 < chance < 0.9
    assert stats.binomtest(escaped, runs, chance).pvalue > FALSE_ALARM
    assert stats.binomtest(escaped, runs, 1 - (1 - chance) ** 4).pvalue < FALSE_ALARM


class OnlySampled(Exponential):
    """The exponential learner, of whose distribution nothing is stated."""

    kind = "only-sampled"
    mass = Learner.mass
    first_time = Learner.first_time


@pytest.mark.slow
@pytest.mark.false_alarm(1e-6)
def test_the_construction_works_on_simulated_runs_too() -> None:
    """A learner that states nothing: what is added up from simulated runs, against the exact probability.

    The question at the end is a share of 500 runs, which errs by 0.12 with probability 1e-6 (Hoeffding).
    """
    given = {"epsilon": 20.0, "points": 200, "horizon": 60}
    rng = np.random.default_rng(9)
    found = halving(OnlySampled(**given), 200, 60, rng, runs=500)  # type: ignore[arg-type]
    assert len(found.ones) == most_ones(60) == 4
    zeros = np.where(found.labels, 0, found.points)
    times = Exponential(**given).first_time(zeros, found.target or 0, 1, rng)  # type: ignore[arg-type]
    last = found.ones[-1]
    exact = times.halting(found.ones, 1, last)
    error = math.sqrt(math.log(2 / FALSE_ALARM) / (2 * 500))
    assert found.direct == pytest.approx(exact, abs=error)
    small = insertion(ExpertsPrivate(0.5, 26, 25), 26, 25, rng, sequences=5, runs=50)
    assert small.target is None or len(small.ones) == most_ones(5)


def test_who_hides_nothing_escapes_and_who_looks_everywhere_pays() -> None:
    rng = np.random.default_rng(3)
    found = insertion(Plain(), 300, 256, rng)
    assert found.escape == found.direct == 1
    assert int((Plain().start(rng).play(found.points, found.labels) != found.labels).sum()) == 1
    gambling = insertion(Guessing(300), 300, 256, rng)
    assert gambling.target is None
    assert not gambling.labels.any()
    assert gambling.least_mass == pytest.approx(16 / 300)
    assert gambling.mistakes_on_zeros == pytest.approx(256 / 300)
    assert gambling.mistakes_on_zeros >= MASS * 16
    # a point each in the phases of 16 rounds: nothing to see for a learner that is sure of 300 points
    assert insertion(Guessing(300, 0.01), 300, 256, rng).target is not None


def test_the_phases_have_their_own_points() -> None:
    """The published ranges overlap by one; here phase j has (j - 1) w + 1, ..., j w."""
    zeros = zeros_of(103, np.random.default_rng(0))
    for round_, point in enumerate(zeros.tolist()):
        phase = min(round_ // 10, 9)
        assert 10 * phase < point <= 10 * (phase + 1)
    assert len(set(zeros.tolist())) > 50


def test_examples_that_are_there_are_replaced() -> None:
    points, labels = examples(np.array([4, 4, 4, 4]), 2, (1, 3))
    assert points.tolist() == [2, 4, 2, 4]
    assert labels.tolist() == [True, False, True, False]


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Guessing(0), "points must be a whole number"),
        (lambda: Guessing(3, 1.5), "rate must be a number between 0 and 1"),
        (lambda: PrivateProper(0.0, 9), "epsilon must be a number above 0"),
        (lambda: PrivateProper(1.0, 9, share=1.0), "share must be a number between 0 and 1"),
        (lambda: Exponential(1e6, 9, 10_000), "epsilon must be such that a weight is a float"),
        (lambda: ExpertsPrivate(1.0, 1, 9), "points must be a whole number of at least 2"),
        (lambda: PointPredictor(1.0, window=10_000), "window must be at most the delay"),
        (lambda: insertion(Plain(), 200, 256, np.random.default_rng(0)), "points must be at least 257"),
    ],
)
def test_nonsense_is_refused(make: object, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        make()  # type: ignore[operator]
