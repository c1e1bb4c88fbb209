"""Robust forms: copies made late are copies kept from the first, and each form goes on plainly when it is used up."""

from __future__ import annotations

from itertools import product
from math import exp, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from disttrack.adversaries.sketching import AmsAttack, FlipFlop
from disttrack.mechanisms.sketches import (
    Ams,
    AmsDifference,
    ComputationPaths,
    PrivateMedian,
    Rounded,
    Salted,
    Sketch,
    Switched,
)
from disttrack.mechanisms.sketches.private_median import private_median
from disttrack.mechanisms.sketches.robust import PLAIN, plain, rounded
from disttrack.simulator.tasks.sketching import play_sketch


def eager(rules: Switched, updates: list[tuple[int, int]], seed: int) -> list[float]:
    """Sketch switching as it is listed: all copies from the first update on, each update to all of them."""
    coins = np.random.default_rng(seed).spawn(rules.copies)
    copies = [rules.inner.start(coin) for coin in coins]
    published, active, found = 0.0, 0, []
    for item, change in updates:
        for copy in copies:
            copy.update(item, change)
        run = copies[min(active, rules.copies - 1)]
        if active == rules.copies:
            published = run.estimate()
        elif abs(run.estimate() - published) > rules.alpha / 2 * run.scale():
            published = run.estimate()
            active += 1
        found.append(published)
    return found


@pytest.mark.parametrize("kind", PLAIN)
@pytest.mark.parametrize("copies", [1, 4, 40])
def test_copies_that_are_made_late_give_the_same_transcript(kind: str, copies: int) -> None:
    size = {"ams": 32, "kmv": 16, "hyperloglog": 128, "count-sketch": 8, "count-min": 8}[kind]
    rules = Switched(copies=copies, size=size, sketch=kind, alpha=0.02)
    rng = np.random.default_rng(4)
    up_only = kind in ("kmv", "hyperloglog", "count-min")
    updates = [
        (int(item), 1 if up_only else int(change))
        for item, change in zip(rng.integers(0, 60, 300), 2 * rng.integers(0, 2, 300) - 1, strict=True)
    ]
    run = rules.start(np.random.default_rng(9))
    found = []
    for update in updates:
        run.update(*update)
        found.append(run.estimate())
    assert found == eager(rules, updates, 9)
    assert len(set(found)) > 1
    if copies == 1:
        assert run.exhausted


def test_all_forms_refuse_nonsense() -> None:
    with pytest.raises(ValueError, match="sketch must be one of ams, kmv"):
        Switched(copies=3, size=3, sketch="asm")
    with pytest.raises(ValueError, match="size must be a power of two"):
        Switched(copies=3, size=129, sketch="hyperloglog")
    with pytest.raises(ValueError, match="sketch must count distinct items"):
        Salted(size=3, sketch="ams")
    with pytest.raises(ValueError, match="sketch must estimate what is never negative"):
        Rounded(size=3, sketch="count-sketch")
    with pytest.raises(ValueError, match="changes must be at most updates"):
        ComputationPaths(changes=3, updates=2)
    assert plain("kmv", 5, 0.1).total_rows == 5


def test_rounded_answers_stand_while_they_are_near() -> None:
    run = Rounded(size=64, alpha=0.5).start(np.random.default_rng(0))
    seen = []
    for frequency in range(1, 13):
        run.update(1, 1)
        seen.append(run.estimate())
        assert frequency**2 / 1.125 <= seen[-1] <= frequency**2 * 1.125  # one item is estimated exactly
    assert len(set(seen)) == 12  # each square is beyond the room of the one before
    run.update(2, 1)  # 145 for 144: within the room
    assert run.estimate() == seen[-1]
    plainly = Rounded(size=64, sticky=False).start(np.random.default_rng(0))
    plainly.update(1, 12)
    assert plainly.estimate() == rounded(144.0, 0.125)


@pytest.mark.slow
def test_the_private_median_is_private_and_a_sharper_choice_is_not() -> None:
    """Frequencies of 4,000 draws on neighbouring values: every grid point within e^epsilon, up to 6 deviations."""
    epsilon, runs = 1.0, 4000
    one, other = np.array([1.0] * 5 + [64.0] * 5), np.array([1.0] * 4 + [64.0] * 6)

    def share(values: np.ndarray, at_least: float, sharp: float) -> float:
        rng = np.random.default_rng(2)
        return float(np.mean([private_median(values, 1.0, 100.0, sharp, rng) >= at_least for _ in range(runs)]))

    room = 6 * 0.5 / np.sqrt(runs)
    for at_least in (2.0, 64.0, 100.0):
        assert share(other, at_least, epsilon) <= exp(epsilon) * share(one, at_least, epsilon) + 2 * room
    # the control: with 20 times the epsilon the neighbour is told apart by more than that
    assert share(other, 2.0, 20.0) > exp(epsilon) * share(np.array([1.0] * 6 + [64.0] * 4), 2.0, 20.0) + 2 * room
    assert private_median(np.zeros(50), 0.1, 1e6, 2.0, np.random.default_rng(0)) == 0


def test_private_median_without_noise_is_the_median() -> None:
    rules = PrivateMedian(changes=50, copies=21, rows=16)
    run, copies = rules.start(np.random.default_rng(1), silent=True), 0
    for item in range(1, 200):
        before = run.estimate()
        run.update(item, 1)
        if run.estimate() != before:
            copies += 1
    assert copies >= 5
    assert rules.theorem_copies(1000) > 100_000  # what the proof asks for, and nobody has


def test_difference_estimators_add_up_to_the_second_moment() -> None:
    """An answer may stand alpha / 4 of a base 4/3 of itself, so 0.17 off; chance adds 0.03 a part (a deviation)."""
    rules = AmsDifference(rounds=60, rows=3000, alpha=0.5)
    assert rules.levels == 3
    assert [rules.rows_of(level) for level in range(3)] == [3000, 6000, 12000]
    # a strong estimate, a finest one for each of 8 blocks, 2 of twice and 1 of four times the size
    assert rules.total_rows == 60 * (3000 + 8 * 3000 + 2 * 6000 + 1 * 12000)
    game = play_sketch(rules, FlipFlop(size=200), updates=500, seed=3)
    assert game.max_rel_error < 0.45
    assert game.output_changes > 40


@pytest.mark.false_alarm(1e-50)
def test_a_block_ends_when_its_data_are_replaced_though_the_second_moment_stands_still() -> None:
    """A window of 100 items slides by 150: |v|^2 grows by 2 a slide, and the rows of a block are for 12.5.

    A block is twice as long with a chance of 2 exp(-rows / 24) at most. Where blocks end by growth only (what this test
    would catch), the answer hardly changes, and its noise has a deviation of 5.
    """
    run = AmsDifference(rounds=30, rows=3000, alpha=0.5).start(np.random.default_rng(1))
    run.absorb(dict.fromkeys(range(100), 1))
    answers = set()
    for item in range(150):
        run.update(item, -1)
        run.update(item + 100, 1)
        answers.add(run.estimate())
    assert len(answers) > 10


def spread_of_a_difference(f: np.ndarray, v: np.ndarray) -> float:
    """Return the exact standard deviation of 2 <Af, Av> + |Av|^2 for one row, over all signs."""
    signs = np.array(list(product((-1, 1), repeat=len(f))))
    return float((2 * (signs @ f) * (signs @ v) + (signs @ v) ** 2).std())


@settings(max_examples=60, deadline=None)
@given(pairs=st.lists(st.tuples(st.integers(-4, 4), st.integers(-4, 4)), min_size=2, max_size=6))
def test_a_difference_spreads_little_where_the_change_and_the_growth_are_small(pairs: list[tuple[int, int]]) -> None:
    """The bound of the class, for any frequencies; the control: by the growth alone a replaced window had none."""
    f, v = np.array(pairs, dtype=float).T
    second = float(f @ f)
    if second:
        g = max(float(v @ v), abs(float(2 * f @ v + v @ v))) / second
        assert spread_of_a_difference(f, v) <= (2 * sqrt(g + g * g) + sqrt(2) * g) * second * (1 + 1e-9)
    old, new = np.repeat((1.0, 0.0), 3), np.repeat((-1.0, 1.0), 3)
    assert 2 * old @ new + new @ new == 0
    assert spread_of_a_difference(old, new) > 2


@pytest.mark.parametrize(
    "form",
    [Switched(copies=5, size=64), AmsDifference(rounds=5, rows=64), PrivateMedian(changes=5, copies=65, rows=32)],
    ids=lambda form: form.kind,
)
def test_used_up_forms_publish_plain_estimates(form: Sketch) -> None:
    game = play_sketch(form, AmsAttack(rows=64, burn=20), updates=100, seed=1)
    assert game.exhausted_at is not None
    assert game.exhausted_at <= 12
    assert game.output_changes > 60  # every update moves a plain estimate
    fresh = play_sketch(form, AmsAttack(rows=64), updates=100, seed=1)
    assert fresh.exhausted_at is None
    assert fresh.output_changes < 10


def test_the_rows_of_a_union_over_paths_grow_with_the_changes() -> None:
    few, many = (ComputationPaths(changes=changes, updates=2000) for changes in (5, 50))
    assert few.paths < many.paths
    assert few.total_rows < many.total_rows
    assert isinstance(few.inner, Ams)
    # one path in two updates: no change at the first, one of a few answers at the second
    assert ComputationPaths(changes=1, updates=2, largest=4).paths == pytest.approx(np.log(2 * 14))
