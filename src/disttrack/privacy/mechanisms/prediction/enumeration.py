"""Exact joint privacy by enumeration: the distribution of all outputs on each short input, and the largest divergence.

Outputs are bits, one per step; a distribution is an array whose entry b is the probability of the outputs given by the
binary digits of b, the first step first.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from itertools import permutations, product

import numpy as np

from disttrack.mechanisms.noise import Floats
from disttrack.privacy.mechanisms.prediction.base import ZERO
from disttrack.privacy.mechanisms.prediction.mirror import JdpMirror
from disttrack.privacy.mechanisms.prediction.predictor import PointPredictor

Law = Callable[[tuple[int, ...]], Floats]
"""Maps an input, a tuple of letters 0, 1, ..., one per step, to the distribution of the outputs."""


def joint_delta(law: Law, letters: int, steps: int, epsilon: float) -> float:
    """Return the least delta for which a mechanism is (epsilon, delta)-jointly private on inputs of `steps` steps.

    The maximum, over all inputs, all steps and all other letters there, of the hockey-stick divergence of the outputs
    in all other steps.

    Source
    ------
    Definition B.2 of Cohen, Lyu, Nelson, Sarlos, Stemmer 2024.
    """
    inputs = list(product(range(letters), repeat=steps))
    laws = np.array([law(each) for each in inputs])
    shape = (letters,) * steps
    growth = math.exp(epsilon)
    worst = 0.0
    for step in range(steps):
        shown = laws.reshape(len(inputs), 1 << step, 2, -1).sum(axis=2).reshape(*shape, -1)
        slices = [shown.take(letter, axis=step) for letter in range(letters)]
        for here, there in permutations(slices, 2):
            worst = max(worst, float(np.maximum(here - growth * there, 0).sum(axis=-1).max()))
    return worst


def mirror_law(mirror: JdpMirror) -> Law:
    """Return the distribution of a mirror's answers to bits."""

    def law(bits: tuple[int, ...]) -> Floats:
        return _coins([mirror.chance(sum(bits[: place + 1])) if bit else 0.0 for place, bit in enumerate(bits)])

    return law


def predictor_law(predictor: PointPredictor) -> Law:
    """Return the distribution of the predictions on examples; the letter 2x + y is the point x with label y."""

    @cache
    def choice(counts: tuple[tuple[int, int], ...]) -> dict[int, float]:
        return predictor.histogram.chances(dict(counts))

    def law(letters: tuple[int, ...]) -> Floats:
        points, labels = [letter // 2 for letter in letters], [letter % 2 for letter in letters]
        probabilities = np.zeros(1 << len(letters))
        due = [place for place, label in enumerate(labels) if label][: predictor.needed]
        if len(due) < predictor.needed:
            probabilities[0] = 1.0
            return probabilities
        for point, chance in choice(tuple(sorted(Counter(points[place] for place in due).items()))).items():
            if point == ZERO:
                probabilities[0] += chance
            else:
                probabilities += chance * _mirrored(predictor, points, labels, due[-1], point)
        return probabilities

    return law


def _mirrored(
    predictor: PointPredictor, points: Sequence[int], labels: Sequence[int], chosen_at: int, point: int
) -> Floats:
    """Return the distribution of the predictions given that `point` is chosen after the step `chosen_at`, from 0."""
    places = [place for place, each in enumerate(points) if each == point]
    chances = [predictor.mirror.chance(number) for number in range(1, len(places) + 1)]
    quiet = math.prod(1 - chance for place, chance in zip(places, chances, strict=True) if place <= chosen_at)
    probabilities = np.zeros(1 << len(points))
    probabilities[0] = 1 - quiet  # Flag 3 at once
    silent = quiet  # the probability that the mirror has answered bottom so far
    for number, (place, chance) in enumerate(zip(places, chances, strict=True)):
        if place <= chosen_at or not chance:
            continue
        fakes = sum(not labels[each] for each in places[: min(number, predictor.looks)])
        given_up = predictor.noise.tail(predictor.most_fakes - fakes)
        later = np.zeros(len(points))
        later[place] = 1.0
        later[places[number + 1 :]] = chances[number + 1 :]
        probabilities[0] += silent * chance * given_up
        probabilities += silent * chance * (1 - given_up) * _coins(later.tolist())
        silent *= 1 - chance
    probabilities[0] += silent
    return probabilities


def _coins(chances: Sequence[float]) -> Floats:
    """Return the distribution of independent bits."""
    probabilities = np.ones(1)
    for chance in chances:
        probabilities = np.multiply.outer(probabilities, np.array([1 - chance, chance])).ravel()
    return probabilities
