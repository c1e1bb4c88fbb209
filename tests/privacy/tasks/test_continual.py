"""Games with a clock: who is asked when as in the tracking game, verdicts over all steps, and no-number estimates."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from math import inf, isnan, nan
from typing import Any, ClassVar

import numpy as np
import pytest

from disttrack.adversaries import Choice, Rest, RoundRobin, Uniform
from disttrack.adversaries.base import Adversary, View
from disttrack.adversaries.schedules import Schedule
from disttrack.mechanisms import COUNTERS, Binary
from disttrack.mechanisms.base import Mechanism
from disttrack.privacy.adversaries import Biased, Challenge, HardInstance, Scattered
from disttrack.privacy.adversaries import streams as adversary_streams
from disttrack.privacy.mechanisms import PerturbedLeader, ReleaseQueries, SortedQueries, SparseVectorMonitor
from disttrack.privacy.tasks.continual.count import CountReferee
from disttrack.privacy.tasks.continual.experts import RegretReferee
from disttrack.privacy.tasks.continual.monitor import ThresholdMonitor, first_ones
from disttrack.simulator.errors import MoveError, ScenarioError
from disttrack.simulator.game.tasks.duel import play_duel


def test_a_counter_without_a_horizon_takes_the_steps_of_its_game() -> None:
    """A horizon is asked for only where no steps are given either."""
    free = [kind for _, kind in sorted(COUNTERS.items()) if not kind.needs_horizon]
    assert len(free) >= 4
    for kind in free:
        assert play_duel(kind(epsilon=1.0), RoundRobin(), steps=30, seed=2).items == 30
    with pytest.raises(ValueError, match="horizon must be given here"):
        play_duel(free[0](epsilon=1.0), RoundRobin(), seed=2)


def test_referee_by_hand() -> None:
    class Stated(Binary):
        """A counter that states a bound of 1.5, and a variance of 2 per step."""

        def error_bound_throughout(self, steps: int, beta: float) -> float:
            return 1.5

        def variance(self, t: int) -> float:
            return 2.0 * t

    referee = CountReferee(Stated(1.0, 6), 6)
    referee.judge(np.array([1.0, 0, 1]), np.array([1.0, 3.0, 2.0]))
    referee.judge([0.0, 0.0, 1.0], [2.0, 2.0, 0.5])
    row = referee.row()
    assert (row["sent"], row["max_abs_error"], row["first_failure"], row["final_error"]) == (3, 2.5, 2, -2.5)
    assert row["rms_error"] == pytest.approx(math.sqrt((4 + 2.5**2) / 6))
    assert row["square_over_variance"] == pytest.approx((4 / 4 + 2.5**2 / 12) / 6)
    assert row["output_changes"] == 4  # 0 -> 1 -> 3 -> 2, then 0.5
    assert row["verdict"] == "failed"
    assert referee.series == {
        "step": [1, 2, 3, 4, 5, 6],
        "items": [1, 1, 2, 2, 2, 3],
        "output": [1.0, 3.0, 2.0, 2.0, 2.0, 0.5],
        "rel_error": [0.0, 2.0, 0.0, 0.0, 0.0, pytest.approx(-2.5 / 3)],
    }


def test_the_adversary_may_react_to_the_last_output() -> None:
    class Late(Adversary):
        """Sends the item of the challenge in the last step, and guesses after it by the count in memory."""

        kind = "late"
        sees = "state"

        def plan(self, view: Any) -> Schedule | None:
            if view.steps < view.items - 1:
                return Rest(view.items - 1 - view.steps)
            if view.steps == view.items:
                view.guess(view.look()["count"] > 0.5)
                return None
            return Challenge()

    games = [play_duel(Binary(1.0, 9), Late(), steps=9, seed=seed) for seed in range(40)]
    assert all(game.guessed and game.looks == 1 for game in games)
    assert {game.sent for game in games} == {0, 1}  # a fair coin: all equal with probability 2^-39


def test_scattered_items_of_long_streams_reach_each_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of more than a stretch are drawn stretch by stretch."""
    monkeypatch.setattr(adversary_streams, "STRETCH", 8)
    fed = Counter[int]()
    for seed in range(200):
        ones = first_ones(Scattered(count=12), View(sites=1, items=20, rng=np.random.default_rng(seed)), 20)
        assert len(set(ones)) == len(ones) == 12
        fed.update(ones)
    assert set(fed) == set(range(1, 21))


@pytest.mark.false_alarm(1e-6)
def test_monitor_games() -> None:
    quiet = SparseVectorMonitor(k=6, epsilon=0.5, horizon=1 << 22, false_alarm=0.01)
    hard = [play_duel(quiet, HardInstance(), steps=1 << 22, seed=seed) for seed in range(60)]
    assert sum(game.ok for game in hard) <= 9  # each with probability below 0.02: 10 or more have a chance of 1e-6
    large = SparseVectorMonitor(k=1000, epsilon=0.5)
    game = play_duel(large, RoundRobin(), steps=1 << 30)
    assert game.ok
    assert game.halted_at == game.items_at_halt == game.sent
    empty = play_duel(large, Scattered(count=0), steps=1000)
    assert (empty.result, empty.halted_at, empty.sent) == ("right", None, 0)
    with pytest.raises(ScenarioError, match=r"must be at least 2\^\(k \+ 1\) - 2 = 126 for hard-instance"):
        play_duel(quiet, HardInstance(), steps=100)


@dataclass(frozen=True)
class Last(Mechanism):
    """A monitor that halts in the last step of what it is shown."""

    k: int = 3
    kind: ClassVar[str] = "last"

    def halt(self, ones: tuple[int, ...], steps: int, rng: np.random.Generator) -> int:
        return steps


def test_a_monitor_is_shown_the_stream_up_to_the_last_one_that_counts() -> None:
    for steps, wanted in ((9, (3, 3, 3, "right")), (2, (2, 2, 2, "right")), (1, (1, 1, 1, "early"))):
        game = ThresholdMonitor().game(Last(), RoundRobin(), {"steps": steps})
        assert (game.halted_at, game.items_at_halt, game.sent, game.result) == wanted


def test_query_games() -> None:
    exact = play_duel(ReleaseQueries(0.999999), Uniform(), values=50, points=200, queries=300, seed=1)
    assert exact.items == 300
    assert exact.max_abs_error <= 2
    assert exact.ok
    with pytest.raises(MoveError, match="query must be at least the one before"):
        play_duel(SortedQueries(1.0), Uniform(), values=50, points=20, queries=100)
    # an adversary that walks by the answers
    bisect = Choice(lambda view: 25 if view.output < 100 else 24)
    assert play_duel(ReleaseQueries(0.5), bisect, values=50, points=200, queries=30).items == 30


def test_expert_games() -> None:
    game = play_duel(PerturbedLeader(4, 600), Biased(0.2), experts=4, steps=600, seed=3)
    assert game.regret == game.plain_regret
    assert game.price == 0
    assert game.paid is None
    private = play_duel(PerturbedLeader(4, 600, epsilon=1.0), Biased(0.2), experts=4, steps=600, seed=3)
    assert private.plain_regret == game.regret  # the same costs, the same head starts
    assert private.best == game.best
    assert private.paid == pytest.approx((private.regret - game.regret) / private.price)
    charged = play_duel(PerturbedLeader(3, 300), RoundRobin(), experts=3, steps=300)
    assert charged.best == 100
    chased = play_duel(PerturbedLeader(3, 300), Choice(lambda view: int(view.output) % 3), experts=3, steps=300)
    assert chased.engine == "step"
    assert chased.plain_regret is None
    assert chased.items == 300


def test_one_that_reacts_states_costs_round_by_round() -> None:
    class Chasing(Biased):
        oblivious = False

        def costs(self, view: View, rounds: int) -> np.ndarray[Any, np.dtype[np.float64]]:
            return np.eye(view.sites)[[int(view.output)] * rounds]

    games = [play_duel(PerturbedLeader(3, 300), Chasing(), experts=3, steps=300, seed=seed) for seed in range(5)]
    assert {game.engine for game in games} == {"step"}
    assert min(game.best for game in games) > 0, "asked once for all rounds, it would charge the first expert only"


def test_the_regret_by_hand() -> None:
    """Two blocks of rounds; the combiner follows 0, 1, 1 and 0, and the first choice counts as a change."""
    referee = RegretReferee(PerturbedLeader(2, 4), None, reacts=False)
    referee.judge(np.array([[1.0, 0.0], [1.0, 0.5]]), np.array([0, 1]))
    referee.judge([np.array([0.0, 1.0]), np.array([1.0, 0.0])], [1, 0])
    row = referee.row()
    assert (row["cost"], row["best"], row["regret"], row["plain_regret"]) == (3.5, 1.5, 2.0, 2.0)
    assert row["output_changes"] == 3


@pytest.mark.parametrize("stream", [np.array, list])
def test_an_estimate_that_is_no_number_is_infinitely_wrong(stream: Any) -> None:
    referee = CountReferee(Binary(1.0, 4), 4)
    referee.judge(stream([1.0, 1.0, 1.0, 1.0]), stream([1.0, 2.0, nan, 4.5]))
    row = referee.row()
    assert (row["max_abs_error"], row["first_failure"], row["rms_error"]) == (inf, 3, inf)
    assert (row["verdict"], row["final_error"]) == ("failed", 0.5)
    assert [isnan(output) for output in referee.series["output"]] == [False, False, True, False]
