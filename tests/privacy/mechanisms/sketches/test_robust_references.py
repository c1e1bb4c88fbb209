"""Robust forms against listings of their own: the same answers, update by update, and plainly when they are used up."""

from __future__ import annotations

from math import ceil, log
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from disttrack.mechanisms.above_threshold import AboveThreshold
from disttrack.privacy.mechanisms import Ams, AmsDifference, PrivateMedian, Switched
from disttrack.privacy.mechanisms.sketches.hashes import DenseSigns
from disttrack.privacy.mechanisms.sketches.robust import PLAIN, private_median
from disttrack.privacy.mechanisms.sketches.second_moment import LinearRun


def listed(rules: AmsDifference, updates: list[tuple[int, int]], seed: int) -> tuple[list[float], int]:  # noqa: C901
    """Return the answers of section 3 of Woodruff, Zhou, with sums of squares from whole sign matrices.

    Blocks end by the size of the change too, and a round by that of a long block.
    """
    rng = np.random.default_rng(seed)
    frequencies: dict[int, int] = {}

    def state(run: LinearRun, of: dict[int, int]) -> LinearRun:
        twin = run.twin()
        twin.absorb(of)
        return twin

    def grown(run: LinearRun, start: dict[int, int]) -> tuple[float, float]:
        change = {i: frequencies.get(i, 0) - start.get(i, 0) for i in {*frequencies, *start}}
        since = state(run, change)
        return 2 * state(run, start).product(since) + since.estimate(), since.estimate()

    published, base, rounds, found = 0.0, 0.0, 0, []

    def new_round(published: float) -> tuple[Any, ...]:
        strong = Ams(rules.rows).start(rng)
        here = state(strong, frequencies)
        value = here.estimate() if rounds else published
        block = Ams(rules.rows_of(0)).start(rng)
        return strong, value, [dict(frequencies)], [value], block

    strong, published, ends, answers, block = new_round(0.0)
    base, rounds = published, 1
    for item, change in updates:
        frequencies[item] = frequencies.get(item, 0) + change
        if rounds > rules.rounds:
            found.append(state(strong, frequencies).estimate())
            continue
        moved, apart = grown(block, ends[-1])
        room = rules.alpha / 4 * base
        begin_round = False
        if abs(moved) > room or apart > room or (moved == 0 and base <= 0):
            if abs(moved) > 2 * room or apart > 2 * room or base <= 0:
                begin_round = True
            else:
                number = len(ends)
                level = 0
                while number % 2 ** (level + 1) == 0:
                    level += 1
                ends.append(dict(frequencies))
                if level == rules.levels:
                    begin_round = True
                else:
                    start = number - 2**level
                    if level > 0:
                        moved, apart = grown(Ams(rules.rows_of(level)).start(rng), ends[start])
                    answers.append(answers[start] + moved)
                    published = answers[-1]
                    begin_round = not 0.75 * base <= published <= 2 * base or apart > 2 * 2**level * room
                    if not begin_round:
                        block = Ams(rules.rows_of(0)).start(rng)
        if begin_round:
            strong, published, ends, answers, block = new_round(published)
            base, rounds = published, rounds + 1
        found.append(published)
    return found, rounds


@pytest.mark.parametrize("rounds", [1, 3, 40])
def test_difference_estimators_are_those_of_the_listing(rounds: int) -> None:
    rules, rng = AmsDifference(rounds=rounds, rows=40, alpha=0.5), np.random.default_rng(6)
    updates = np.column_stack((rng.integers(0, 60, 260), rng.choice([1, 1, 1, -1], 260))).tolist()
    updates += [(1000, 30), (1000, -30), (5, -2)]
    expected, begun = listed(rules, updates, 9)
    run = rules.start(np.random.default_rng(9))
    assert [run.step(update) for update in updates] == pytest.approx(expected, rel=1e-9)
    assert run.exhausted == (begun > rounds) == (rounds < 40)


def test_the_private_median_is_that_of_the_listing() -> None:
    rules = PrivateMedian(changes=12, copies=9, rows=200, epsilon=400.0, largest=1e5, alpha=0.4)
    run = rules.start(np.random.default_rng(2))
    signs, coins = np.random.default_rng(2).spawn(2)
    copies = LinearRun(9, 200, DenseSigns(9 * 200, signs))

    def fresh() -> Any:
        return AboveThreshold(400.0, 4.5).start(coins)

    test, published, changes = fresh(), 0.0, 0
    for item in [*range(30), *range(0, 30, 3), 100, 100, *range(40, 70)]:
        run.update(item, 2)
        copies.update(item, 2)
        means = copies.means()
        if changes == 12:
            published = float(np.median(means))
        else:
            off = int((np.abs(means - published) > 0.2 * published).sum())
            if test.step(float(off)):
                published = private_median(means, 0.04, 1e5, 400.0, coins)
                changes += 1
                test = fresh()
        assert run.estimate() == pytest.approx(published)
        assert run.exhausted == (changes == 12)
    assert changes == 12


@pytest.mark.parametrize(("step", "largest", "epsilon"), [(1.0, 100.0, 1.0), (0.3, 50.0, 4.0), (0.3, 2.0, 0.5)])
def test_the_weights_of_the_private_median(step: float, largest: float, epsilon: float) -> None:
    """A uniform number is cut by the weights exp(-epsilon / 2 |values up to g, or from g on, less than half|)."""
    values = np.array([0.0, 0.0, 1.0, 3.0, 3.1, 8.0, 64.0, 70.0, 70.0])
    grid = [0.0, *((1 + step) ** power for power in range(ceil(log(largest) / log(1 + step)) + 1))]
    near = (1 + step) ** 0.5
    utility = []
    for g in grid:
        up_to, from_on = int((values <= g * near).sum()), int((values >= g / near).sum())
        utility.append(min(min(up_to, from_on) - len(values) / 2, 0.0))
    weights = np.exp(epsilon / 2 * np.array(utility))
    edges = np.concatenate(([0.0], np.cumsum(weights / weights.sum())))

    for place, g in enumerate(grid):
        for share in (1e-6, 0.5, 1 - 1e-6):
            draw = edges[place] + share * (edges[place + 1] - edges[place])
            source: Any = SimpleNamespace(random=lambda draw=draw: draw)
            assert private_median(values, step, largest, epsilon, source) == pytest.approx(g)


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
    items, changes = rng.integers(0, 60, 300), 2 * rng.integers(0, 2, 300) - 1
    updates = np.column_stack((items, np.ones_like(changes) if up_only else changes)).tolist()
    run = rules.start(np.random.default_rng(9))
    found = [run.step(update) for update in updates]
    assert found == eager(rules, updates, 9)
    assert len(set(found)) > 1
    if copies == 1:
        assert run.exhausted
