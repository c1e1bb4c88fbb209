"""Every schedule against the plain list of its moves: the slow, obvious reference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disttrack.adversaries import NEVER, Burst, Labels, Rest, Rotation, Runs, Schedule

HORIZON = 40
"""Steps of an endless plan that are looked at."""

SITES = 9
"""Sites of the game; the plans below feed some of the first six."""

Moves = list[int | None]

def moves_of_runs(sites: Sequence[int], lengths: Sequence[int]) -> Moves:
    return [None if site < 0 else site for site, length in zip(sites, lengths, strict=True) for _ in range(length)]


site_numbers = st.integers(0, 5)
short = st.integers(1, 12)
bursts = st.tuples(site_numbers, short).map(lambda p: (Burst(p[0], p[1]), [p[0]] * p[1]))
endless_bursts = site_numbers.map(lambda site: (Burst(site), [site] * HORIZON))
rests = short.map(lambda length: (Rest(length), [None] * length))
rotations = st.tuples(st.integers(1, 6), st.integers(0, 20)).map(
    lambda p: (Rotation(p[0], p[1]), [(p[1] + step) % p[0] for step in range(HORIZON)])
)
labels = st.tuples(
    st.lists(site_numbers, min_size=1, max_size=HORIZON),
    st.sampled_from([None, SITES]),
    st.sampled_from([np.uint16, np.uint32, np.int64]),
).map(lambda p: (Labels(np.array(p[0], dtype=p[2]), p[1]), list(p[0])))
runs = st.lists(st.tuples(st.integers(-1, 5), st.integers(1, 6)), min_size=1, max_size=8).map(
    lambda pairs: (Runs(*zip(*pairs, strict=True)), moves_of_runs(*zip(*pairs, strict=True)))
)
any_schedule = st.one_of(bursts, endless_bursts, rests, rotations, labels, runs)


@given(any_schedule)
def test_answers_are_those_of_the_list(case: tuple[Schedule, Moves]) -> None:
    """Moves, sites named, and the items of each site and of all, at each step."""
    schedule, moves = case
    fed = [step for step, site in enumerate(moves, start=1) if site is not None]
    named = sorted({site for site in moves if site is not None})
    assert schedule.length in (len(moves), NEVER)
    assert [schedule.at(step) for step in range(1, len(moves) + 1)] == moves
    assert schedule.skips == (None in moves)
    assert sorted(schedule.support(SITES) or ()) == named
    assert schedule.named() == ((named[0], named[-1]) if named else (0, -1))
    assert [schedule.first_step(site) for site in named] == [moves.index(site) + 1 for site in named]
    assert [schedule.step_of(n) for n in range(1, len(fed) + 1)] == fed
    assert schedule.length == NEVER or schedule.step_of(len(fed) + 1) >= NEVER
    truths: list[list[int]] = []
    for step in range(len(moves) + 1):
        truth = [moves[:step].count(site) for site in range(SITES)]
        one_by_one = [schedule.count(site, step) for site in range(SITES)]
        assert one_by_one == truth
        assert all(isinstance(number, int) for number in one_by_one)
        assert schedule.sent(step) == sum(truth)
        truths.append(truth)
    at_once = [schedule.count(site, np.arange(len(truths))).tolist() for site in range(SITES)]
    assert at_once == [[truth[site] for truth in truths] for site in range(SITES)]


@given(any_schedule)
def test_steps_of_items_are_those_of_the_list(case: tuple[Schedule, Moves]) -> None:
    schedule, moves = case
    asked: list[tuple[int, int]] = []
    truth: list[int] = []
    for site in range(SITES):
        steps = [step for step, fed in enumerate(moves, start=1) if fed == site]
        # an endless plan has further items behind the horizon; a finite one must say that there are none
        beyond = 0 if schedule.length == NEVER and steps else 3
        asked += [(site, n) for n in range(1, len(steps) + beyond + 1)]
        truth += steps + [NEVER] * beyond
    assert len(asked) > SITES
    one_by_one = [schedule.nth(site, n) for site, n in asked]
    assert all(isinstance(step, int) for step in one_by_one)
    assert [min(step, NEVER) for step in one_by_one] == truth
    for site in range(SITES):
        there = [(n, step) for (fed, n), step in zip(asked, truth, strict=True) if fed == site and step < NEVER]
        if there:
            at_once = schedule.nth(site, np.array([n for n, _ in there]))
            assert at_once.tolist() == [step for _, step in there]


@given(any_schedule)
def test_a_number_of_items_too_large_for_any_game_has_no_step(case: tuple[Schedule, Moves]) -> None:
    """2^62 + 1 items is what a site asks for that will never speak; it must not wrap around at 63 bits."""
    schedule, _ = case
    for site in range(SITES):
        assert schedule.nth(site, NEVER + 1) >= NEVER
        assert schedule.nth(site, 19 * 2**61) >= NEVER  # of a site whose threshold is 19 times the most items


def test_rotation_over_all_sites_needs_no_list_of_them() -> None:
    assert Rotation(7).support(7) is None
    assert Rotation(7).support(9) == range(7)


def test_rotation_keeps_exact_count_far_out() -> None:
    """By hand: 10^15 = 7 · 142857142857142 + 6, so the first 6 of 7 sites have one more than the last."""
    counts = [Rotation(7).count(site, 10**15) for site in range(7)]
    assert counts == [142857142857143] * 6 + [142857142857142]
    assert Rotation(7).nth(6, 142857142857142) == 7 * 142857142857142


def test_runs_far_longer_than_memory() -> None:
    """By hand: site 1 has steps 10^12 + 1 … 2·10^12 and the last 5 of 3·10^12 + 5."""
    plan = Runs([0, 1, -1, 1], [10**12, 10**12, 10**12, 5])
    assert plan.length == 3 * 10**12 + 5
    assert plan.nth(1, 10**12) == 2 * 10**12
    assert plan.nth(1, 10**12 + 1) == 3 * 10**12 + 1
    assert plan.count(1, 3 * 10**12 + 2) == 10**12 + 2
    assert plan.sent(3 * 10**12) == 2 * 10**12
    assert plan.step_of(2 * 10**12 + 1) == 3 * 10**12 + 1


@pytest.mark.parametrize("number", [np.int64, np.uint8, np.int32])
def test_whole_numbers_of_numpy_are_accepted(number: Any) -> None:
    plans = [Burst(number(2), number(3)), Rotation(number(3), number(2)), Runs(np.array([2], number), [number(3)])]
    for plan in (*plans, Labels(np.array([2, 2], number))):
        assert plan.at(1) == 2
        assert type(plan.at(1)) is int
    assert Rest(number(4)).length == 4


@pytest.mark.parametrize(
    ("plan", "step"), [(Burst(-3), 1), (Labels([0, -3, -3]), 2), (Runs([-1, -3, 2, -3], [4, 1, 1, 1]), 5)]
)
def test_a_site_below_zero_is_named_so_that_the_game_can_refuse_it(plan: Schedule, step: int) -> None:
    assert plan.named()[0] == -3
    assert plan.first_step(-3) == step


@pytest.mark.parametrize("sites", [256, 257, 2**16, 2**16 + 1])
def test_labels_are_sorted_alike_whatever_the_number_of_sites(sites: int) -> None:
    """Numbers of 8 and of 16 bits are sorted by their digits, greater ones by comparisons."""
    labels = np.random.default_rng(3).integers(sites - 5, sites, size=200)
    plan = Labels(labels, sites)
    for site in range(sites - 6, sites):
        steps = np.flatnonzero(labels == site) + 1
        assert [plan.nth(site, n + 1) for n in range(len(steps))] == steps.tolist()
        assert [plan.count(site, step) for step in range(201)] == [int((steps <= step).sum()) for step in range(201)]


def test_labels_below_zero_have_no_items() -> None:
    with pytest.raises(ValueError, match="labels must not be negative; got -2"):
        Labels([0, -2]).count(0, 1)
