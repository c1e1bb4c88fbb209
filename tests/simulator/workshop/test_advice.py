"""Advice: which trackers are ranked, by which words, and where the answer changes."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from disttrack import play, run
from disttrack.adversaries import Freeze, RoundRobin
from disttrack.simulator.cli import main
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.workshop.advice import GAMES, SHORT, SHORTER, Candidate, Situation, advise, candidates

SMALL = Situation(sites=40, items=200_000, alpha=0.1)
of_small = cache(partial(advise, SMALL))
"""Its advice, computed once."""


def words(one: Candidate, sites: int, items: int) -> int:
    """Return the most words of a game against round-robin and of one against freeze."""
    return max(play(one.protocol, side, sites=sites, items=items).words for side in (RoundRobin(), Freeze()))


def test_the_first_few_are_ranked_by_the_words_of_whole_games() -> None:
    advice = of_small()
    played = [one for one in advice.ranked if one.games and one.whole]
    assert len(played) == 6
    assert [one.words for one in played] == [words(one, 40, 200_000) for one in played]
    assert list(advice.ranked) == sorted(advice.ranked, key=lambda one: one.words)
    bounds = [one for one in advice.ranked if not one.games]
    assert all(one.words == one.protocol.cost_bound(40, 200_000) for one in bounds if one.label != "exact")


@pytest.mark.quick_cases(3)
@pytest.mark.parametrize(
    ("against", "sites", "items"),
    [("outputs", 1, 10), ("nothing", 4, 1_000), ("state", 1, 1), ("outputs", 7, 30), ("nothing", 2_000, 50)],
)
def test_few_items_have_an_answer_which_is_the_cheapest_in_games(sites: int, items: int, against: str) -> None:
    """Also where the number of sites at which the answer changes is below 20: the search for it once went on for ever.

    A tracker may be cheapest in its games though its bound is above the number of items.
    """
    situation = Situation(sites, items, 0.1, against=against)
    advice = advise(situation)
    sides = (RoundRobin(), Freeze())[: 1 + (against != "nothing")]
    measured = {
        one.label: max(play(one.protocol, side, sites=sites, items=items).words for side in sides)
        for one in candidates(situation)
    }
    assert measured[advice.best.label] == min(measured.values())
    assert sites > 1 or items < 10 or advice.best.label == "deterministic centred=True"


@pytest.mark.slow
@settings(max_examples=10, deadline=None, derandomize=True)
@given(
    st.floats(0, 6), st.floats(0, 13), st.floats(0.001, 0.9), st.sampled_from(["nothing", "outputs", "state"])
)  # fmt: skip
def test_any_situation_has_an_answer_after_a_few_seconds(sites: float, items: float, alpha: float, power: str) -> None:
    """Their games are bounded by messages; and none of the trackers is cheaper by more than 5 % in whole games."""
    situation = Situation(round(10**sites), round(10**items), alpha, against=power)
    advice = advise(situation)
    for kind, most in (("round-robin", SHORT), ("freeze", SHORTER)):
        games = [game for one in advice.ranked for game in one.games if game.adversary == kind]
        assert sum(game.messages for game in games) <= 1.5 * GAMES * most
    measured = {
        one.label: play(one.protocol, RoundRobin(), sites=situation.sites, items=situation.items).words
        for one in advice.ranked[:4]
        if one.protocol.cost_bound(situation.sites, situation.items) < SHORT
    }
    if power == "nothing" and advice.best.label in measured:
        assert measured[advice.best.label] <= 1.05 * min(measured.values())


@pytest.mark.parametrize(
    ("against", "there", "missing"),
    [
        ("nothing", {"deterministic", "martingale", "randomized"}, {"block", "private-copies"}),
        ("outputs", {"deterministic", "martingale", "robust"}, {"randomized", "block", "private-copies"}),
        ("state", {"deterministic", "exact"}, {"martingale", "robust", "randomized"}),
    ],
)
def test_only_promises_that_hold_there_are_ranked(against: str, there: set[str], missing: set[str]) -> None:
    kinds = {one.protocol.kind for one in advise(Situation(8, 1_000, 0.2, against=against)).ranked}
    assert there <= kinds
    assert not missing & kinds


def test_the_games_of_advice_are_counted_as_they_end() -> None:
    shown: list[tuple[int, int, float]] = []
    advise(
        Situation(5, 2000, 0.3, 0.05, "outputs"),
        on_progress=lambda progress: shown.append((progress.played, progress.games, progress.left)),
    )
    played = [number for number, _, _ in shown]
    assert played[0] == 0
    assert played == sorted(played)
    assert played[-1] >= 3
    assert all(number <= games for number, games, _ in shown)
    assert all(left >= 0 for _, _, left in shown)
    assert len(set(played)) == played[-1] + 1


@pytest.mark.drawn(3)
@pytest.mark.parametrize(
    ("sites", "against"), [(64, "nothing"), (64, "state"), (20, "outputs"), (300, "nothing"), (5, "state")]
)
def test_another_answer_is_that_of_games_with_as_many_sites(sites: int, against: str) -> None:
    """In short games bounds grow by other factors than words, by which the answer for 160 sites was predicted of 64."""
    situation = Situation(sites, 3_000, 0.2, against=against)
    advice = advise(situation)
    for change in filter(None, (advice.below, advice.above)):
        there = advise(replace(situation, sites=change[0]))
        assert there.best.label == change[1].label != advice.best.label


def test_games_beyond_the_change_prefer_its_tracker() -> None:
    """At twice the stated number of sites its tracker is cheaper in games, and at half of it the best one is."""
    advice = of_small()
    assert advice.below is None
    assert advice.above is not None
    sites, other = advice.above
    assert words(other, 2 * sites, 200_000) < words(advice.best, 2 * sites, 200_000)
    assert words(other, sites // 2, 200_000) > words(advice.best, sites // 2, 200_000)


def test_a_delta_of_its_own_is_in_the_label_and_a_wrong_one_is_refused() -> None:
    labels = [one.label for one in advise(Situation(8, 1_000, 0.2, delta=0.01)).ranked]
    assert "martingale delta=0.01" in labels
    with pytest.raises(ScenarioError, match="delta: must be a number between 0 and 1, both excluded; got 2"):
        advise(Situation(8, 1_000, 0.2, delta=2))
    with pytest.raises(ScenarioError, match="against must be one of nothing, outputs, state; got 'all'"):
        advise(Situation(8, 1_000, 0.2, against="all"))


@pytest.mark.parametrize("items", ["60", "2e3"])
def test_the_scenario_verifies_the_recommendation(items: str, folder: Path) -> None:
    """The cheapest tracker is `exact` at first, which takes no alpha."""
    asked = ["advise", "count", "--sites", "8", "--items", items, "--alpha", "0.2", "--out", "mine.yaml"]
    with pytest.raises(SystemExit):
        main(asked)
    results = run("mine.yaml", workers=1)
    assert list(results.claims["verdict"]) == ["PASS"]
    assert set(results.trials["adversary"]) == {"round-robin", "freeze", "drain"}
