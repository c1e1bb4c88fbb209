"""Distributions that are enumerated: the choice, the outputs of the predictor, and examples put where it hurts."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy import integrate, stats

from disttrack.privacy.mechanisms import PointPredictor
from disttrack.privacy.mechanisms.prediction.base import ZERO
from disttrack.privacy.mechanisms.prediction.enumeration import joint_delta, predictor_law
from disttrack.privacy.mechanisms.prediction.proper import SparseHistogram


@pytest.mark.parametrize("counts", [{1: 3, 2: 9, 5: 8}, {1: 40, 2: 1}, {3: 7, 4: 0, 5: 7}, {3: 30}, {3: 1}, {}])
def test_the_chances_of_the_sparse_histogram_are_integrals(counts: dict[int, int]) -> None:
    histogram = SparseHistogram(0.8, 0.1)
    cut, scale = 1 + 2.5 * math.log(20), 2.5
    assert histogram.cut == pytest.approx(cut)
    held = {point: count for point, count in counts.items() if count}
    found = histogram.chances(counts)
    assert set(found) == {*held, ZERO}
    for point, count in held.items():
        others = [stats.laplace(other, scale) for place, other in held.items() if place != point]
        mine = stats.laplace(count, scale)

        def density(x: float, mine: object = mine, others: list[object] = others) -> float:
            return mine.pdf(x) * math.prod(other.cdf(x) for other in others)  # type: ignore[attr-defined]

        top = max(cut, *held.values()) + 50 * scale
        corners = sorted({cut, top, *(c for c in held.values() if c > cut)})
        exact = sum(integrate.quad(density, low, high)[0] for low, high in pairwise(corners))
        assert found[point] == pytest.approx(exact, abs=1e-9)
        if len(held) == 1:
            assert histogram.named(count) == pytest.approx(exact, abs=1e-9)
    assert sum(found.values()) == pytest.approx(1)
    assert histogram.named(0) == 0.0
    assert stats.laplace(histogram.enough(0.05), scale).cdf(cut) == pytest.approx(0.05)


def by_definition(predictor: PointPredictor, letters: tuple[int, ...]) -> np.ndarray:
    """Return the distribution of the predictions, by the flags of Algorithm 3 and every coin of the mirror."""
    found = np.zeros(1 << len(letters))
    told = [(letter // 2, letter % 2) for letter in letters]

    def play(step: int, flag: int, point: int, seen: int, fakes: int, shown: int, chance: float) -> None:
        if chance == 0:
            return
        if step == len(told):
            found[shown] += chance
            return
        here, label = told[step]
        if flag == 0:
            if sum(one for _, one in told[: step + 1]) < predictor.needed:
                play(step + 1, 0, point, seen, fakes, 2 * shown, chance)
                return
            counts: dict[int, int] = {}
            for place, one in told[: step + 1]:
                counts[place] = counts.get(place, 0) + one
            for chosen, likely in predictor.histogram.chances(counts).items():
                past = [one for place, one in told[: step + 1] if place == chosen]
                quiet = math.prod(1 - predictor.mirror.chance(number) for number in range(1, len(past) + 1))
                lies = sum(not one for one in past[: predictor.looks])
                play(step + 1, 1, chosen, len(past), lies, 2 * shown, chance * likely * quiet)
                play(step + 1, 3, chosen, len(past), lies, 2 * shown, chance * likely * (1 - quiet))
            return
        if flag == 3 or here != point:
            play(step + 1, flag, point, seen, fakes, 2 * shown, chance)
            return
        top = predictor.mirror.chance(seen + 1)
        lies = fakes + (not label and seen < predictor.looks)
        play(step + 1, flag, point, seen + 1, lies, 2 * shown, chance * (1 - top))
        if flag == 2:
            play(step + 1, 2, point, seen + 1, lies, 2 * shown + 1, chance * top)
        else:
            up = predictor.noise.tail(predictor.most_fakes - fakes)
            play(step + 1, 3, point, seen + 1, lies, 2 * shown, chance * top * up)
            play(step + 1, 2, point, seen + 1, lies, 2 * shown + 1, chance * top * (1 - up))

    play(0, 0, ZERO, 0, 0, 0, 1.0)
    return found


@pytest.mark.parametrize(
    "letters",
    ["AAAAAAAA", "AAAbAAAA", "aAAAaaaa", "AABaaaaa", "AaAaAaAa", "aaaaaAAA", "ABABABAA", "AAbb", "aabA"],
)
def test_the_enumeration_of_the_predictor_is_the_definition(letters: str) -> None:
    predictor = PointPredictor(18.0, 0.15, count=3, delay=3, window=3, half=2)
    coded = tuple(2 * (ord(each.lower()) - ord("a")) + each.isupper() for each in letters)
    found = predictor_law(predictor)(coded)
    np.testing.assert_allclose(found, by_definition(predictor, coded), atol=1e-12)
    assert found.sum() == pytest.approx(1)


def test_joint_delta_is_the_worst_divergence_of_what_others_see() -> None:
    """Random distributions on three steps of three letters, step by step from definition B.2."""
    rng = np.random.default_rng(0)
    laws: dict[tuple[int, ...], np.ndarray] = {}

    def law(letters: tuple[int, ...]) -> np.ndarray:
        return laws.setdefault(letters, rng.dirichlet(np.full(8, 0.7)))

    found = joint_delta(law, 3, 3, 0.4)
    assert len(laws) == 27
    worst = 0.0
    for one, here in laws.items():
        for other, there in laws.items():
            differ = [step for step in range(3) if one[step] != other[step]]
            if len(differ) != 1:
                continue
            own = 2 - differ[0]  # the place of the bit that only that step sees
            gaps = {}
            for shown in range(8):
                key = shown & ~(1 << own)
                gaps[key] = gaps.get(key, 0.0) + here[shown] - math.exp(0.4) * there[shown]
            worst = max(worst, sum(max(0.0, gap) for gap in gaps.values()))
    assert found == pytest.approx(worst)
    assert 0.1 < worst < 1
