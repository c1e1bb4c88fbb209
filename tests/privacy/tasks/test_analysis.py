"""Games of adaptive data analysis: what is measured, sample sizes, the worst of many, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from disttrack.mechanisms.noise import Floats
from disttrack.privacy.adversaries.analysts import Analyst, AnalystView, BestOfMany, FixedQueries, Speller
from disttrack.privacy.mechanisms import Empirical, GaussianAnswers, LaplaceAnswers, NoisyArgmax, Splitting
from disttrack.privacy.mechanisms.statistical.base import Coins, Data, FeatureMean, Residual, StatisticalQuery
from disttrack.privacy.tasks.analysis.task import StatisticalQueries, Truth, WorstOfMany, needed
from disttrack.simulator.errors import MoveError
from disttrack.simulator.game.streams import streams
from disttrack.simulator.game.tasks.duel import play_duel


def test_exact_answers_err_by_what_the_sample_errs() -> None:
    """Three features are asked for in turn, so the errors are three numbers, the last of which is the gap."""
    game = play_duel(Empirical(), FixedQueries(), samples=200, queries=5, features=3, seed=1)
    assert game.empirical_error == 0
    assert game.gap == game.final_error
    data = Coins(3).draw(200, streams(1, StatisticalQueries.roles)["sample"])
    errors = [(1 + float(data[number % 3].mean())) / 2 - 0.5 for number in range(5)]
    assert game.max_abs_error == pytest.approx(max(map(abs, errors)))
    assert game.rms_error == pytest.approx(np.sqrt(np.mean(np.square(errors))))
    assert game.gap == pytest.approx(errors[-1])
    for mechanism in (Splitting(), LaplaceAnswers(0.5)):
        game = play_duel(mechanism, FixedQueries(), samples=200, queries=5, features=3, seed=1)
        assert game.within_bound == (game.max_abs_error <= game.bound)


@pytest.mark.false_alarm(1e-6)
def test_truths_without_closed_form_come_from_a_fresh_sample() -> None:
    """The true value is 1/2; 100,000 points err by 0.0016 (a deviation), so 0.009 has a chance below 1e-6."""
    truth = Truth(Coins(3), np.random.default_rng(3))
    assert truth.of(FeatureMean(0)) == 0.5
    query = Residual(0, np.zeros(3))
    fresh = truth.of(query)
    assert 0 < abs(fresh - 0.5) < 0.009
    assert truth.of(query) == fresh  # one sample for all queries


def test_a_name_is_measured_by_its_mean_on_the_sample() -> None:
    game = play_duel(NoisyArgmax(1.0), BestOfMany(candidates=9), samples=50, queries=1, features=5, seed=3)
    assert game.max_abs_error == abs(game.gap)
    assert game.empirical_error == 0


def test_sample_sizes() -> None:
    for alpha in (0.02, 0.03):
        assert needed(Splitting(alpha=alpha), 100, 0) == pytest.approx(100 * (1.96 / 2 / alpha) ** 2, rel=0.15)
    assert needed(GaussianAnswers(std=1.0), 100, 0) is None  # noise that no sample makes less
    one, other = (needed(LaplaceAnswers(0.005), queries, 0) for queries in (10**4, 10**6))
    assert one is not None
    assert other is not None
    assert other / one == pytest.approx(10, rel=0.05)


def test_the_worst_of_many() -> None:
    sizes = {"repetitions": 3, "samples": 60, "queries": 2}
    game = WorstOfMany().game(Empirical(), Speller(), sizes)
    chosen, worst = game.chosen_gap, game.worst_gap
    assert worst > 0.85
    assert chosen <= worst
    stable = WorstOfMany().game(LaplaceAnswers(0.05), Speller(), sizes).worst_gap
    assert abs(stable) < 0.2


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_query_without_a_mean_ends_the_game_with_an_error(value: float) -> None:
    class Boundless(StatisticalQuery):
        def values(self, data: Data) -> Floats:
            return np.full(data.shape[-1], value)

    class Mine(Analyst):
        kind = "mine"

        def move(self, view: AnalystView) -> StatisticalQuery:
            return Boundless()

    with pytest.raises(MoveError, match=f"adversary mine: after step 1: a query of Boundless has the mean {value}"):
        play_duel(Empirical(), Mine(), samples=9, queries=2)
