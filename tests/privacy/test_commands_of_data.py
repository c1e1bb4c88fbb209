"""Commands and calls with the kinds of this wing: lists, flags, `play`, the arena, and advice on private answers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from commands import disttrack
from core_kinds import kinds_of

from disttrack import arena, play_duel
from disttrack.privacy.adversaries import GrowAndDelete
from disttrack.privacy.advice import LONGEST, Wanted, advise, candidates
from disttrack.simulator.kinds.registry import kinds

pytestmark = pytest.mark.usefixtures("folder")


def test_the_kinds_of_a_game_of_data_are_listed() -> None:
    shown = disttrack("list", "distinct-count").stdout
    names = re.findall(r"^(?!kind |Task )([\w-]+) ", shown, flags=re.MULTILINE)
    task = kinds("task")["distinct-count"].load()
    plays = [name for name, kind in task.kinds("adversary").items() if kind.load().plays_in("distinct-count")]
    assert names == [*task.kinds("protocol"), *plays]
    assert {"kmv", "hyperloglog", "quiet-items", "fresh-items"} <= set(names)
    assert not {"ams", "count-min", "random-items", "freeze"} & set(names)


@pytest.mark.parametrize(("family", "least"), [("protocol", 50), ("adversary", 30), ("task", 19)])
def test_there_are_as_many_kinds_as_were_counted(family: str, least: int) -> None:
    assert len(kinds_of(family, "privacy")) >= least  # type: ignore[arg-type]


def test_an_audit_takes_parameters_in_words_of_their_own() -> None:
    apart, joined = (
        disttrack("audit", *words, "--budget") for words in (["robust", "alpha=0.2"], ["robust:alpha=0.2"])
    )
    assert (apart.exit_code, apart.stdout) == (0, joined.stdout)


def test_a_tracker_meets_the_streams_of_trackers_only(tmp_path: Path) -> None:
    sizes = {"sites": 4, "items": 60, "trials": 1, "workers": 1, "game_timeout": 60}
    own = arena({"kind": "deterministic", "alpha": 0.2}, **sizes, out=tmp_path / "arena").own  # type: ignore[arg-type]
    assert not {"contrary", "churn", "sliding", "in-the-air"} & set(own["adversary"])
    early = own.set_index("adversary")["ended_early"]
    assert {name for name, games in early.items() if games} == {"scattered"}, "it plays a short game of its own"


def test_its_answer_holds_when_it_is_played() -> None:
    words = ("--queries", "points", "--domain", "16", "--steps", "3000", "--delta", "1e-6", "--every", "10")
    shown = disttrack("advise", "data", *words, "--out", "mine.yaml").stdout
    assert "least stated:  factorised-difference static=gaussian every=10" in shown
    assert "verify:        disttrack run mine.yaml" in shown
    played = disttrack("run", "mine.yaml", "--no-figures", "--workers", "1").stdout
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
