"""How games are cut into batches: costly ones first, short ones together, all workers done at the same time."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from disttrack.simulator.runs.batches import Batches
from disttrack.simulator.runs.jobs import Job


def batches(costs: list[float], slots: int, seconds_a_unit: float) -> list[list[Job]]:
    scenario_point: Any = type("P", (), {"number": 0, "own": frozenset()})()
    jobs = [Job(str(n), scenario_point, n, n, cost) for n, cost in enumerate(costs)]
    plan = Batches(jobs, slots)
    made = []
    while plan:
        batch = plan.next()
        made.append(batch)
        for job in batch:
            plan.learn(job, seconds_a_unit * job.cost)
    return made


def test_short_games_share_hand_overs_and_long_ones_do_not() -> None:
    short = batches([1.0] * 1000, 4, 0.001)  # a millisecond each
    assert len(short) <= 60
    assert len(short[-1]) <= 3  # the last ones are small, so that all workers end together
    assert max(len(batch) for batch in short) <= Batches.MOST
    long = batches([1.0] * 20, 4, 2.0)
    assert [len(batch) for batch in long] == [1] * 20


def test_one_game_of_each_point_comes_first_then_the_costly_ones() -> None:
    made = batches([1.0, 50.0, 3.0, 100.0], 2, 1.0)
    order = [job.cost for batch in made for job in batch]
    assert order == [1.0, 100.0, 50.0, 3.0]


def test_the_time_left_goes_by_what_each_point_has_taken() -> None:
    slow, quick = (type("P", (), {"number": number, "own": frozenset()})() for number in (0, 1))
    jobs = [Job(f"{n}", slow, n, n, 1.0) for n in range(3)] + [Job(f"q{n}", quick, n, n, 1.0) for n in range(5)]
    plan = Batches(jobs, 4)  # four slots: two workers
    assert plan.left() == 0  # nothing is known
    taken = {0: 7.0, 1: 0.6}
    first, second = plan.next(), plan.next()  # one of each point
    for job in (*first, *second):
        plan.learn(job, taken[job.point.number])
    assert plan.left() == pytest.approx((2 * 7.0 + 4 * 0.6) / 2)


def test_withdrawn_games_are_not_handed_over() -> None:
    points: list[Any] = [type("P", (), {"number": number, "own": frozenset()})() for number in range(2)]
    plan = Batches([Job(f"{n}-{t}", points[n], t, t, 1.0) for n in range(2) for t in range(3)], 2)
    (first,) = plan.next()
    assert len(plan.withdraw(first.point.number)) == 2
    left = []
    while plan:
        left += plan.next()
    assert {job.point.number for job in left} == {1 - first.point.number}
    assert len(left) == 3


def test_games_with_different_code_of_the_users_are_in_no_batch_together_and_follow_each_other() -> None:
    own = [frozenset(), frozenset({"a.py"}), frozenset(), frozenset({"a.py"}), frozenset({"b.py"})]
    points: list[Any] = [type("P", (), {"number": number, "own": code})() for number, code in enumerate(own)]
    plan = Batches([Job(f"{n}-{t}", points[n], t, t, 1.0 + n) for n in range(5) for t in range(20)], 2)
    order = []
    while plan:
        batch = plan.next()
        (code,) = {job.point.own for job in batch}
        order.append(code)
        for job in batch:
            plan.learn(job, 1e-3)
    changes = sum(one != other for one, other in pairwise(order))
    assert changes <= 5  # the first game of each point, then the others
