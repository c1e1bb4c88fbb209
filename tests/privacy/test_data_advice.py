"""Advice on private answers: the ranking is that of stated errors, which games keep; what is refused."""

from __future__ import annotations

import pytest
from commands import disttrack

from disttrack.privacy.adversaries import GrowAndDelete
from disttrack.privacy.advice import LONGEST, Wanted, advise, candidates
from disttrack.simulator.game.tasks.duel import play_duel

pytestmark = pytest.mark.usefixtures("folder")


def test_its_answer_holds_when_it_is_played() -> None:
    words = ("--queries", "points", "--domain", "16", "--steps", "3000", "--delta", "1e-6", "--every", "10")
    shown = disttrack("advise", "data", *words, "--out", "mine.yaml").stdout
    assert "least stated:  factorised-difference static=gaussian every=10" in shown
    assert "verify:        disttrack run mine.yaml" in shown
    played = disttrack("run", "mine.yaml", "--no-figures").stdout
    assert "PASS     the largest error is within the stated one" in played
    with open("mine.yaml") as file:
        file.readline()  # says what wrote it
        assert file.read() in disttrack("advise", "data", *words).stdout


@pytest.mark.parametrize(
    "wanted",
    [
        Wanted("points", 16, 2000, 1.0, 1e-6, size=100, every=20, lifetime=500),
        Wanted("marginals:2", 16, 500, 4.0, 1e-5, size=50),
        Wanted("count", 1, 1, 1.0),
    ],
)
def test_the_ranking_is_by_stated_errors_and_the_first_is_the_best_of_other_games_too(wanted: Wanted) -> None:
    ranked = advise(wanted, seed=3)
    stated = [one.game.bound for one in ranked]
    assert stated == sorted(stated)
    assert len(ranked) == (6 if wanted.delta else 3)
    for one in ranked:
        assert one.game.spent <= wanted.epsilon * (1 + 1e-9)
        assert one.mechanism.delta == (wanted.delta if "gaussian" in one.label else 0.0)
    stream = GrowAndDelete(peak=200, rest=20)
    errors = {one.label: play_duel(one.mechanism, stream, steps=wanted.played, seed=4) for one in ranked}
    best = errors[ranked[0].label]
    assert best.max_abs_error <= best.bound
    if wanted.steps > 1:
        assert best.rms_error < errors["fully-dynamic static=laplace"].rms_error


def test_long_streams_are_played_for_some_steps_with_noise_for_all() -> None:
    wanted = Wanted("count", 1, 10**7, 1.0, 1e-6)
    assert wanted.played == LONGEST
    assert all(mechanism.horizon == 10**7 for mechanism, _ in candidates(wanted))
