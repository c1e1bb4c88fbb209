"""The predictor: its flags by hand, all its outputs by enumeration, and the privacy of its choice."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest

from disttrack.mechanisms.scripted_noise import ScriptedNoise
from disttrack.privacy.mechanisms import PointPredictor
from disttrack.privacy.mechanisms.prediction.base import ZERO
from disttrack.privacy.mechanisms.prediction.enumeration import joint_delta, mirror_law, predictor_law
from disttrack.privacy.mechanisms.prediction.predictor import PredictorRun
from disttrack.privacy.mechanisms.prediction.proper import SparseHistogram

SURE = PointPredictor(3e6, 3e-6, count=2, delay=4, window=3, half=1)
"""Next to no noise, so that it names the point with two labels 1 and then lets no label 0 pass."""
SMALL = PointPredictor(18.0, 0.15, count=3, delay=6, window=6, half=2)


def played(predictor: PointPredictor, letters: str, seed: int = 0) -> tuple[str, PredictorRun]:
    """Play examples: a capital letter is a point with label 1, a small one has label 0."""
    run = predictor.start(np.random.default_rng(seed))
    points = np.array([ord(letter.lower()) - ord("a") for letter in letters])
    labels = np.array([letter.isupper() for letter in letters])
    return "".join("1" if one else "0" for one in run.play(points, labels)), run


def test_flags_by_hand() -> None:
    """k = 2: x* is chosen with the second A. K = 4, L = 1: top is nearly sure from the sixth A on, and not before."""
    predictions, run = played(SURE, "bAbAbAAbAAAAb")
    assert predictions == "0000000001110"
    assert run.facts() == {"flag": 2, "flag1_at": 4, "flag2_at": 10, "flag3_at": None}
    assert run.point == 0
    # one of the first three has label 0: at the first top it gives up
    predictions, run = played(SURE, "AaAAAAAAAA")
    assert predictions == "0000000000"
    assert run.facts() == {"flag": 3, "flag1_at": 3, "flag2_at": None, "flag3_at": 6}
    # beyond the window labels 0 do not count
    assert played(SURE, "AAAaaaaAAA")[0] == "0000011111"
    # so many occurrences before the second label 1 that the mirror answers while it is fed
    predictions, run = played(SURE, "AaaaaaaaAAAA")
    assert (predictions, run.facts()["flag"], run.facts()["flag3_at"]) == ("0" * 12, 3, 9)
    # two points with a label 1 each: neither is named, and there is nothing to mirror
    lone = PointPredictor(3e6, 3e-6, count=2, delay=4, window=3, half=1)
    predictions, run = played(lone, "ABAAAAAAAA")
    assert (run.point, run.flag) in ((ZERO, 1), (0, 2), (1, 1))


def test_a_listing_that_begins_at_the_delay_gives_up_or_predicts_too_soon() -> None:
    """The control of the delay: the counter that begins at K makes the second A the second of the climb."""
    literal = PointPredictor(3e6, 3e-6, count=2, delay=4, window=3, half=1, literal="start")
    ends = [played(literal, "AAAAAAAA", seed)[1].facts() for seed in range(20)]
    assert all(end["flag"] == 3 and end["flag3_at"] == 2 for end in ends)
    assert all(played(SURE, "AAAAAAAA", seed)[1].facts()["flag"] == 2 for seed in range(20))


@pytest.mark.parametrize(("epsilon", "delta", "most"), [(3.0, 0.03, 4.605170186), (12.0, 0.3, 0.575646273)])
def test_how_many_fakes_are_too_many(epsilon: float, delta: float, most: float) -> None:
    """ln(1 / delta') / epsilon' of a third of each: ln(100), ln(10) / 4. Noise is above it with delta' / 2."""
    predictor = PointPredictor(epsilon, delta)
    assert predictor.most_fakes == pytest.approx(most)
    assert predictor.noise.tail(predictor.most_fakes) == pytest.approx(delta / 6)


@pytest.mark.slow
def test_the_usual_constants() -> None:
    """k is 1 + (4 / eps') ln(2 / delta') rounded up, K = 20 k, the window 10 k; failures are O(delta)."""
    for epsilon, delta in ((3.0, 0.03), (12.0, 1e-4)):
        predictor = PointPredictor(epsilon, delta)
        part, tiny = epsilon / 3, delta / 3
        assert predictor.needed == math.ceil(1 + 4 / part * math.log(2 / tiny))
        assert (predictor.mirror.delay, predictor.looks) == (20 * predictor.needed, 10 * predictor.needed)
        assert predictor.limit is not None
        assert predictor.limit.mistakes == predictor.mirror.delay + predictor.mirror.length
        assert predictor.limit.failure <= delta
        assert proved_delta(predictor) <= delta
    assert proved_delta(PointPredictor(3.0, 0.03, count=10, window=11)) > 0.03  # too few looks for the proof


def proved_delta(predictor: PointPredictor) -> float:
    """Return the delta of the proof: those of histogram and mirror, and the error of its simulation.

    The simulation errs if `looks` occurrences of x* have at most k labels 1 among them, and the noisy count of fakes is
    small all the same.
    """
    missed = 1 - predictor.noise.tail(predictor.most_fakes - (predictor.looks - predictor.needed))
    return predictor.share[1] + predictor.mirror.exact_delta + (1 + math.exp(predictor.epsilon)) * missed


@pytest.mark.slow
def test_joint_privacy_of_all_short_inputs_and_its_controls() -> None:
    """Eight examples of one point with either label, and of another with label 0."""
    assert joint_delta(predictor_law(SMALL), 3, 8, SMALL.epsilon) <= SMALL.delta / 3
    for literal, steps in (("start", 8), ("probabilities", 8)):
        wrong = PointPredictor(18.0, 0.15, count=3, delay=6, window=6, half=2, literal=literal)  # type: ignore[arg-type]
        assert joint_delta(predictor_law(wrong), 3, steps, SMALL.epsilon) > SMALL.delta
    soon = PointPredictor(12.0, 0.09, count=4, delay=5, window=5, half=2)  # fakes cannot be told from five looks
    assert joint_delta(predictor_law(soon), 3, 8, 12.0) > 0.09


def test_joint_privacy_by_hand() -> None:
    """An output that repeats its own bit shows nothing to others; one that repeats the bit before shows all."""
    letters = 2

    def own(bits: tuple[int, ...]) -> np.ndarray:
        return _sure(bits)

    def before(bits: tuple[int, ...]) -> np.ndarray:
        return _sure((0, *bits[:-1]))

    assert joint_delta(own, letters, 4, 0.5) == 0
    assert joint_delta(before, letters, 4, 0.5) == 1
    assert mirror_law(SURE.mirror)((1, 0, 1)).tolist() == _sure((0, 0, 0)).tolist()


def _sure(bits: tuple[int, ...]) -> np.ndarray:
    law = np.zeros(1 << len(bits))
    law[int("".join(map(str, bits)), 2)] = 1
    return law


@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 0.1), (3.0, 0.01)])
def test_the_choice_is_private_on_neighbouring_counts(epsilon: float, delta: float) -> None:
    """Exactly, for all counts up to 8 of two points: one example more at a point, less at the other, or both."""
    histogram = SparseHistogram(epsilon, delta)
    laws = {pair: histogram.chances(dict(enumerate(pair))) for pair in product(range(9), repeat=2)}
    worst = half = 0.0
    for (one, other), law in laws.items():
        for near in ((one + 1, other), (one, other + 1), (one + 1, other - 1), (one - 1, other + 1)):
            if near in laws:
                keys = set(law) | set(laws[near])
                gaps = [(law.get(key, 0.0), laws[near].get(key, 0.0)) for key in keys]
                worst = max(worst, sum(max(0.0, p - math.exp(epsilon) * q) for p, q in gaps))
                half = max(half, sum(max(0.0, p - math.exp(epsilon / 4) * q) for p, q in gaps))
    assert worst <= delta
    assert half > delta  # at a quarter of epsilon it would not be


def test_the_choice_is_the_largest_noisy_count_above_the_cut() -> None:
    """A draw of scale 2 / epsilon for each point that has a count, in the order of the points."""
    histogram, counts = SparseHistogram(0.5, 0.1), {9: 6, 3: 5, 11: 0, 8: 7}
    for draws in product((-1.0, 0.5, 2.0, 5.0), repeat=3):
        noisy = {point: counts[point] + 4 * draw for point, draw in zip((3, 8, 9), draws, strict=True)}
        first = max(noisy, key=lambda point: noisy[point])
        source: Any = ScriptedNoise(draws)
        assert histogram.choose(counts, source) == (first if noisy[first] > histogram.cut else ZERO)
        assert source.taken == 3
    assert histogram.choose({}, np.random.default_rng(0)) == ZERO
