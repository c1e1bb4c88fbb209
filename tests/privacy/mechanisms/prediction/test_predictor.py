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
from disttrack.privacy.mechanisms.prediction.predictor import PredictorRun
from disttrack.privacy.mechanisms.prediction.proper import SparseHistogram

SURE = PointPredictor(3e6, 3e-6, count=2, delay=4, window=3, half=1)
"""Next to no noise, so that it names the point with two labels 1 and then lets no label 0 pass."""
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


@pytest.mark.parametrize(("epsilon", "delta", "most"), [(3.0, 0.03, 4.605170186), (12.0, 0.3, 0.575646273)])
def test_how_many_fakes_are_too_many(epsilon: float, delta: float, most: float) -> None:
    """ln(1 / delta') / epsilon' of a third of each: ln(100), ln(10) / 4. Noise is above it with delta' / 2."""
    predictor = PointPredictor(epsilon, delta)
    assert predictor.most_fakes == pytest.approx(most)
    assert predictor.noise.tail(predictor.most_fakes) == pytest.approx(delta / 6)
