"""JDP-Mirror: the climb by hand, its privacy against brute force, its mistakes exactly, and what the listing breaks."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from disttrack.privacy.mechanisms import JdpMirror
from disttrack.privacy.mechanisms.prediction.enumeration import joint_delta, mirror_law
from disttrack.privacy.mechanisms.prediction.mirror import composed_delta, mended, mirror_mistakes


def half_length_of_claim(step: float, edge: float) -> int:
    """Return an L that pure steps of this size reach: 1 + ceil(ln(1 / (2 edge)) / step)."""
    return 1 + math.ceil(math.log(1 / (2 * edge)) / step - 1e-12)


@pytest.mark.parametrize(
    ("edge", "step", "half", "largest"), [(0.01, 1.0, 5, 0.978), (0.001, 0.5, 14, 0.478), (1e-6, 0.1, 133, 0.0994)]
)
def test_the_climb_by_hand(edge: float, step: float, half: int, largest: float) -> None:
    """L = 1 + ceil(ln(1 / (2 delta')) / eps'), and then e1 = ln(1 / (2 delta')) / (L - 1)."""
    assert half_length_of_claim(step, edge) == half
    climb = mended(half, edge)
    assert climb.largest_step == pytest.approx(largest, abs=6e-4)
    assert climb.largest_step <= step
    assert mended(half - 1, edge).largest_step > step  # one step fewer, and it is too large
    values = climb.values
    assert values[0] == 0
    assert values[-1] == 1
    assert len(values) == 2 * half + 2
    assert values[1] == edge
    assert values[2 * half] == 1 - edge
    assert values[half] == pytest.approx(0.5)
    assert values[half + 1] == pytest.approx(0.5)
    assert [one + other for one, other in zip(values, reversed(values), strict=True)] == pytest.approx(
        [1] * len(values)
    )


@pytest.mark.parametrize(("half", "edge", "epsilon"), [(1, 0.1, 1.0), (2, 0.05, 0.7), (3, 0.02, 1.5), (3, 0.1, 0.1)])
def test_composition_is_what_brute_force_finds(half: int, edge: float, epsilon: float) -> None:
    """All outcomes of 2L + 1 coins. The grid can only err upwards, and by less than a thousandth."""
    values = mended(half, edge).values
    steps = list(itertools.pairwise(values))
    exact = 0.0
    for outcome in range(1 << len(steps)):
        bits = [outcome >> place & 1 for place in range(len(steps))]
        here = math.prod(p if bit else 1 - p for bit, (p, _) in zip(bits, steps, strict=True))
        there = math.prod(q if bit else 1 - q for bit, (_, q) in zip(bits, steps, strict=True))
        exact += max(0.0, here - math.exp(epsilon) * there)
    found = composed_delta(values[:-1], values[1:], epsilon)
    assert exact - 1e-12 <= found <= exact * 1.001 + 1e-12
    assert composed_delta(values[1:], values[:-1], epsilon) == pytest.approx(found, rel=1e-9)  # pi is symmetric


@pytest.mark.parametrize("seed", range(5))
def test_who_reacts_decides_on_zeros_only_which_change_nothing(seed: int) -> None:
    """A stream chosen answer by answer, zeros after each top and now and then: the same answers to its ones as to ones
    alone, so that a reacting adversary causes no mistake more. The same coins otherwise: another seed differs."""
    mirror = JdpMirror(epsilon=1.0, delta=0.01, delay=5)
    many = mirror.delay + mirror.length
    run, adversary = mirror.start(np.random.default_rng(seed)), np.random.default_rng(seed + 100)
    answers: list[bool] = []
    while len(answers) < many:
        if (answers and answers[-1] and adversary.random() < 0.7) or adversary.random() < 0.2:
            assert not run.step(False)
        answers.append(run.step(True))
    alone, other = (mirror.start(np.random.default_rng(one)).release(np.ones(many, dtype=bool)) for one in (seed, 99))
    assert answers == alone.tolist() != other.tolist()


def hits(chances: np.ndarray, delta: float) -> int:
    """Return the number of the rarer answers that is passed with probability `delta` at most, exactly."""
    law = np.ones(1)
    for chance in np.minimum(chances, 1 - chances):
        law = np.convolve(law, [1 - chance, chance])
    return int(np.argmax(1 - np.cumsum(law) <= delta))


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize(
    ("step", "delta"), [(1.0, 1e-2), (1.0, 1e-4), (1.0, 1e-8), (0.3, 1e-4), (0.1, 1e-2), (0.1, 1e-8), (0.03, 1e-2)]
)
def test_the_steps_that_target_charging_counts_are_enough(step: float, delta: float) -> None:
    """A step is counted if the rarer of its two answers comes: 1 / eps' of them on average, and with probability
    1 - delta no more than of the order of max(1 / eps', ln(1 / delta)). Advanced composition of these covers the exact
    loss of all steps, so that eps' of the order of epsilon^2 / ln(1 / delta) is enough.

    The wrong alternatives: a climb in equal differences, of whose steps a quarter is counted; all steps, which advanced
    composition charges more than twice as much.
    """
    climb = mended(half_length_of_claim(step, delta / 4), delta / 4)
    inner, loss = climb.chances[1:-1], climb.largest_step

    def composed(steps: int) -> float:
        return loss * math.sqrt(2 * steps * math.log(1 / delta)) + steps * loss * math.expm1(loss)

    def counted(chances: np.ndarray) -> float:
        return float(np.minimum(chances, 1 - chances).sum())

    charged = hits(inner, delta)
    assert counted(inner) <= 1 + 1 / loss < counted(np.linspace(inner[0], inner[-1], len(inner)))
    assert charged <= 2.5 * max(1 / loss, math.log(1 / delta))
    assert climb.delta(composed(charged)) <= delta
    assert composed(len(inner)) > 2 * composed(charged)
    assert climb.delta(1.5 * math.sqrt(loss * math.log(1 / delta))) <= delta < climb.delta(loss)


def test_joint_privacy_by_enumeration_and_its_controls() -> None:
    """All streams of 9 bits, without the answer in the changed step."""
    mirror = JdpMirror(epsilon=2.0, delta=0.1, delay=2)
    assert mirror.length <= 6  # so that nine steps hold all of the climb
    found = joint_delta(mirror_law(mirror), 2, 9, 2.0)
    assert found == pytest.approx(mirror.exact_delta, rel=1e-3)
    assert found <= 0.1
    wrong = JdpMirror(epsilon=2.0, delta=0.1, delay=2, literal="probabilities")
    assert joint_delta(mirror_law(wrong), 2, 9, 2.0) > 0.5
    short = JdpMirror(epsilon=2.0, delta=0.1, delay=2, half=1)
    assert joint_delta(mirror_law(short), 2, 9, 2.0) > 0.1


@pytest.mark.parametrize("literal", ["nothing", "start"])
def test_delay_and_mistakes_of_all_runs(literal: str) -> None:
    """Never more than 2L mistakes and never top before K ones; the listing that begins at K keeps neither delay."""
    mirror = JdpMirror(epsilon=1.0, delta=0.01, delay=50, literal=literal)  # type: ignore[arg-type]
    assert mirror.expected_mistakes == pytest.approx(mirror.length / 2, abs=1e-9)
    runs = [mirror.start(np.random.default_rng(seed)) for seed in range(200)]
    answers = np.array([run.release(np.ones(300, dtype=bool)) for run in runs])
    early = answers[:, :50].any()
    assert early == (literal == "start")
    mistakes = [mirror_mistakes(300, 50, row) for row in answers]
    assert max(mistakes) <= mirror.length
    # the mean of 200 sums of coins: six standard errors, 2e-9
    chances = mirror.steps.chances[1:-1]
    error = 6 * math.sqrt(float((chances * (1 - chances)).sum()) / 200)
    near = abs(np.mean(mistakes) - mirror.length / 2) < error
    assert near == (literal == "nothing")
    assert all(run.first_top == int(np.flatnonzero(row)[0]) + 1 for run, row in zip(runs, answers, strict=True))
