"""Jobs: their keys and seeds; batches: one game of each point first, costly ones before short ones."""

from __future__ import annotations

import time
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest

from disttrack.simulator.experiments.runs.jobs import Batches, InPlay, Job, game_seed, plan
from disttrack.simulator.experiments.scenario.load import load
from disttrack.simulator.game.tasks.tracking import Count


def jobs_of(point: int, many: int, cost: float = 1.0, own: frozenset[str] = frozenset(), sides: str = "") -> list[Job]:
    known = {"number": point, "own": own, "items": 10_000, "describe": lambda _: f"game {point}"}
    side = SimpleNamespace(kind=sides or str(point))
    made: Any = type("P", (), {**known, "protocol": side, "adversary": side})()
    return [Job(f"{point}-{trial}", made, trial, trial, cost, {}) for trial in range(many)]


def played(jobs: list[Job], workers: int, seconds_per_cost: float) -> list[list[Job]]:
    batches = Batches(jobs)
    batches.workers = workers
    made = []
    while batches:
        made.append(batches.next())
        for job in made[-1]:
            batches.learn(job, seconds_per_cost * job.cost)
    assert sorted(job.key for batch in made for job in batch) == sorted(job.key for job in jobs)
    return made


def test_short_games_share_hand_overs_and_long_ones_do_not() -> None:
    short = played(jobs_of(0, 4000), 2, 0.001)  # a millisecond each
    assert len(short) <= 40
    assert len(short[-1]) <= 3  # the last ones are small, so that all workers end together
    assert max(len(batch) for batch in short) == 500  # half a second
    assert [len(batch) for batch in played(jobs_of(0, 20), 2, 2.0)] == [1] * 20


def test_one_game_of_each_point_comes_first_then_the_costly_ones() -> None:
    made = played([job for point, cost in enumerate((1.0, 50.0, 3.0)) for job in jobs_of(point, 3, cost)], 1, 1.0)
    assert [job.cost for batch in made for job in batch] == [50, 3, 1, 50, 50, 3, 3, 1, 1]


def test_no_two_workers_begin_with_the_same_sides_as_long_as_there_are_others() -> None:
    """Each would compile the functions of its first game by itself, in five seconds."""
    costs = {"a": 9.0, "A": 8.0, "b": 7.0, "B": 6.0}
    batches = Batches(
        [
            job
            for number, (name, cost) in enumerate(costs.items())
            for job in jobs_of(number, 2, cost, sides=name.lower())
        ]
    )
    (first,), (second,), (third,) = batches.next(), batches.next(), batches.next()
    assert [job.cost for job in (first, second, third)] == [9, 7, 8]  # there is nothing else than "A" for the third
    batches.learn(second, 1.0)
    assert batches.next()[0].cost == 6


def test_the_time_left_goes_by_what_each_point_has_taken() -> None:
    batches = Batches([*jobs_of(0, 3), *jobs_of(1, 5)])
    batches.workers = 2
    assert batches.left() == pytest.approx((3 + 5) / 2)  # estimated at a second each
    for job in (*batches.next(), *batches.next()):  # one of each point
        batches.learn(job, {0: 7.0, 1: 0.6}[job.point.number])
    assert batches.left() == pytest.approx((2 * 7.0 + 4 * 0.6) / 2)


def test_a_long_game_counts_what_is_left_of_it_and_is_named_once() -> None:
    """However many workers there are, none ends before its game; beyond the estimate its items count."""
    batches = Batches([*jobs_of(0, 1, 20.0), *jobs_of(1, 2, 0.5)])
    batches.workers = 4
    assert batches.left() == 20
    (long,) = batches.next()
    batches.in_play = lambda: [InPlay(long, time.monotonic() - 15)]
    assert batches.left() == pytest.approx(5, abs=0.1)
    assert batches.overdue() == []
    batches.in_play = lambda: [InPlay(long, time.monotonic() - 201, 0.01)]
    assert batches.left() == pytest.approx(201, rel=0.01)  # 10,000 items are two times 100 on the scale of logarithms
    (line,) = batches.overdue()
    assert line.startswith("game 0, trial 0: in play for 3 min 21 s, expected 20.0 s; 1 % of its items sent; --game-t")
    assert batches.overdue() == []
    batches.learn(long, 201)
    batches.in_play = tuple
    assert batches.left() == pytest.approx(0.5 * 201 / 20)  # as much slower than its estimate


@pytest.mark.parametrize(("then", "now", "left"), [((10, 0.02), (30, 0.06), 470), ((120, 0.01), (140, 0.04), 75)])
def test_the_items_of_a_game_count_by_the_law_that_its_looks_agree_with(
    then: tuple[float, float], now: tuple[float, float], left: float
) -> None:
    """A game that costs its items, and one of 10,000 items that costs their logarithm; also before the estimate ends.

    Another game of the point takes as long.
    """
    batches = Batches(jobs_of(0, 2, 200.0))
    (game,) = batches.next()
    for seconds, share in (then, now):
        batches.in_play = lambda seconds=seconds, share=share: [InPlay(game, time.monotonic() - seconds, share)]  # type: ignore[misc]
        shown = batches.left()
    assert shown == pytest.approx(left + max(200, now[0] + left), rel=0.02)


def test_withdrawn_games_are_not_handed_out_and_those_of_a_dead_worker_are_each_alone() -> None:
    batches = Batches([*jobs_of(0, 3), *jobs_of(1, 9)])
    (first,), (second,) = batches.next(), batches.next()
    assert len(batches.withdraw(first.point.number)) == 2
    batches.learn(second, 0.001)
    batch = batches.next()
    assert len(batch) == 4
    batches.put_back(batch)
    assert [batches.next() for _ in batch] == [[job] for job in batch]
    rest = []
    while batches:
        rest += batches.next()
    assert sorted(job.key for job in (second, *batch, *rest)) == [f"1-{trial}" for trial in range(9)]


def test_games_with_the_same_code_of_the_users_follow_each_other() -> None:
    own = [frozenset(), frozenset({"a.py"}), frozenset(), frozenset({"a.py"}), frozenset({"b.py"})]
    jobs = [job for point, code in enumerate(own) for job in jobs_of(point, 20, 1.0 + point, code)]
    order = [batch[0].point.own for batch in played(jobs, 1, 1e-3)]
    assert sum(one != other for one, other in pairwise(order)) <= 5  # the first game of each point, then the others


def test_keys_differ_in_all_that_determines_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    def keys(seed: int = 1, **changes: Any) -> list[str]:
        one = {"sites": 2, "items": 50, "protocol": {"kind": "randomized", "alpha": 0.2}, "adversary": "uniform"}
        scenario = load({**one, **changes})
        return [job.key for job in plan([(scenario.points[0], 3, seed)], scenario.task)]

    protocol = {"kind": "randomized", "alpha": 0.25}
    others = [{}, {"seed": 2}, {"sites": 3}, {"items": 51}, {"adversary": "freeze"}, {"protocol": protocol}]
    known = [key for changes in others for key in keys(**changes)]
    assert len(set(known)) == 3 * len(others)
    assert keys() == known[:3]
    monkeypatch.setattr(Count, "rules", 1000)
    assert set(keys()).isdisjoint(known)


def test_seeds_are_53_bits_and_differ() -> None:
    seeds = [game_seed(seed, trial) for seed in range(20) for trial in range(50)]
    assert len(set(seeds)) == 1000
    assert all(0 <= seed < 2**53 for seed in seeds)
    assert max(seeds).bit_length() == 53
    # numpy's SeedSequence is the same on all machines and versions; were this to move, every result would
    assert game_seed(2023, 0) == 1875281521038037
