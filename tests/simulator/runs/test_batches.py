"""How games are cut into batches: one of each point first, costly ones before short ones, all workers done together."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from disttrack.simulator.runs.batches import Batches
from disttrack.simulator.runs.jobs import Job


def jobs_of(point: int, many: int, cost: float = 1.0, own: frozenset[str] = frozenset()) -> list[Job]:
    made: Any = type("P", (), {"number": point, "own": own})()
    return [Job(f"{point}-{trial}", made, trial, trial, cost) for trial in range(many)]


def played(jobs: list[Job], workers: int, seconds_per_cost: float) -> list[list[Job]]:
    plan = Batches(jobs)
    plan.workers = workers
    made = []
    while plan:
        made.append(plan.next())
        for job in made[-1]:
            plan.learn(job, seconds_per_cost * job.cost)
    assert sorted(job.key for batch in made for job in batch) == sorted(job.key for job in jobs)
    return made


def test_short_games_share_hand_overs_and_long_ones_do_not() -> None:
    short = played(jobs_of(0, 1000), 2, 0.001)  # a millisecond each
    assert len(short) <= 40
    assert len(short[-1]) <= 3  # the last ones are small, so that all workers end together
    assert max(len(batch) for batch in short) == Batches.MOST
    assert max(len(batch) for batch in played(jobs_of(0, 1000), 2, 0.01)) == 50  # half a second
    assert [len(batch) for batch in played(jobs_of(0, 20), 2, 2.0)] == [1] * 20


def test_one_game_of_each_point_comes_first_then_the_costly_ones() -> None:
    made = played([job for point, cost in enumerate((1.0, 50.0, 3.0)) for job in jobs_of(point, 3, cost)], 1, 1.0)
    assert [job.cost for batch in made for job in batch] == [50, 3, 1, 50, 50, 3, 3, 1, 1]


def test_the_time_left_goes_by_what_each_point_has_taken() -> None:
    plan = Batches([*jobs_of(0, 3), *jobs_of(1, 5)])
    plan.workers = 2
    assert plan.left() == 0  # nothing is known
    for job in (*plan.next(), *plan.next()):  # one of each point
        plan.learn(job, {0: 7.0, 1: 0.6}[job.point.number])
    assert plan.left() == pytest.approx((2 * 7.0 + 4 * 0.6) / 2)


def test_games_that_are_withdrawn_are_not_handed_over_and_those_put_back_are() -> None:
    plan = Batches([*jobs_of(0, 3), *jobs_of(1, 3)])
    (first,), (second,) = plan.next(), plan.next()
    assert len(plan.withdraw(first.point.number)) == 2
    plan.put_back([second])
    left = []
    while plan:
        left += plan.next()
    assert left[0] == second
    assert sorted(job.trial for job in left) == [0, 1, 2]
    assert {job.point.number for job in left} == {second.point.number}


def test_games_with_the_same_code_of_the_users_follow_each_other() -> None:
    own = [frozenset(), frozenset({"a.py"}), frozenset(), frozenset({"a.py"}), frozenset({"b.py"})]
    jobs = [job for point, code in enumerate(own) for job in jobs_of(point, 20, 1.0 + point, code)]
    order = [batch[0].point.own for batch in played(jobs, 1, 1e-3)]
    assert sum(one != other for one, other in pairwise(order)) <= 5  # the first game of each point, then the others
