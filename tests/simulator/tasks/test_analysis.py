"""Games of adaptive data analysis: what is measured, sample sizes, the worst of many, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from disttrack.adversaries.analysts import BestOfMany, FixedQueries, GradientAnalyst, SignCorrelation, Speller
from disttrack.mechanisms.statistical import Empirical, GaussianAnswers, LaplaceAnswers, NoisyArgmax, Splitting
from disttrack.simulator.errors import MoveError
from disttrack.simulator.scenario.document import Document
from disttrack.simulator.scenario.load import build
from disttrack.simulator.tasks.analysis import play_analysis
from disttrack.simulator.tasks.analysis.sample_size import needed
from disttrack.simulator.tasks.analysis.worst_of_many import worst_of_many


def test_exact_answers_err_by_what_the_sample_errs() -> None:
    game = play_analysis(Empirical(), FixedQueries(), samples=200, queries=5, features=3, seed=1)
    assert len(game.asked) == 5
    assert game.empirical_error == 0
    assert game.max_abs_error == max(abs(one.sample - 0.5) for one in game.asked)
    assert game.asked[0] == game.asked[3]  # the features come round
    assert game.gap == game.final_error == game.asked[-1].sample - 0.5


def test_a_seed_gives_one_game_and_another_seed_another() -> None:
    mechanism = GaussianAnswers(std=0.1)
    games = [play_analysis(mechanism, SignCorrelation(), samples=50, queries=9, features=9, seed=s) for s in (1, 1, 2)]
    assert games[0].asked == games[1].asked != games[2].asked


def test_an_exact_answer_gives_the_sample_away() -> None:
    settings = {"samples": 50, "queries": 2, "features": 500, "seed": 3}
    game = play_analysis(Empirical(), Speller(), **settings)
    assert game.asked[-1].sample == 1
    assert game.gap > 0.89
    noisy = play_analysis(LaplaceAnswers(0.5), Speller(), **settings)
    assert abs(noisy.gap) < 0.2


def test_truths_without_closed_form_come_from_a_fresh_sample() -> None:
    """The first weights are 0, so the true values are 1/2; 100,000 points err by 0.0008 (a deviation)."""
    game = play_analysis(Empirical(), GradientAnalyst(), samples=50, queries=4, features=3, seed=3)
    assert [one.truth for one in game.asked[:3]] == pytest.approx([0.5] * 3, abs=0.005)
    assert any(one.truth != 0.5 for one in game.asked[:3])
    assert game.asked[3].truth == 0.5


def test_a_name_is_measured_by_its_mean_on_the_sample() -> None:
    game = play_analysis(NoisyArgmax(1.0), BestOfMany(candidates=9), samples=50, queries=1, features=5, seed=3)
    assert game.asked[0].answer is None
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
    found = worst_of_many(Empirical(), Speller(), repetitions=3, samples=60, queries=2, seed=0)
    assert found.worst > 0.85
    assert found.gap <= found.worst
    stable = worst_of_many(LaplaceAnswers(0.05), Speller(), repetitions=3, samples=60, queries=2, seed=0)
    assert abs(stable.worst) < 0.2


def scenario(**keys: object) -> object:
    data = {
        "name": "s", "task": "statistical-queries", "samples": 9, "queries": 3, "protocol": {"kind": "empirical"},
        "adversary": {"kind": "fixed-queries"}, **keys,
    }  # fmt: skip
    return build(Document("s.yaml", Path.cwd(), data))


def test_a_sample_that_is_too_large_to_spell_out_is_said() -> None:
    with pytest.raises(MoveError, match="empirical against speller: samples must be below 65,536"):
        play_analysis(Empirical(), Speller(), samples=70_000, queries=2, features=10)
