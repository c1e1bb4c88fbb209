"""Commands and calls with the kinds of this wing: lists, flags, `play`, the arena, and advice on private answers."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from commands import disttrack, refused
from core_kinds import kinds_of

from disttrack import Binary, RoundRobin, arena, play_duel
from disttrack.privacy.adversaries import GrowAndDelete
from disttrack.privacy.advice import LONGEST, Wanted, advise, candidates
from disttrack.privacy.mechanisms import MECHANISMS
from disttrack.simulator.kinds.registry import kinds

pytestmark = pytest.mark.usefixtures("folder")


def test_the_kinds_of_the_wing_are_listed() -> None:
    for sort, names in {"adversaries": ("churn", "contrary"), "mechanisms": ("ams", "holdout")}.items():
        shown = disttrack("list", sort).stdout
        assert not [name for name in names if f"\n{name} " not in shown]
    games = " ".join(disttrack("list").stdout.split())
    assert "Tracking (count, generalisation, audit-tracker):" in games
    assert re.search(
        r"Online prediction \(prediction, mirror, joint-privacy\): .*experts-private.* against contrary", games
    )


def test_a_name_of_a_task_and_a_scenario_asks_which() -> None:
    said = refused("describe", "experts")
    assert "experts means 2 things: disttrack describe task experts or disttrack describe scenario experts" in said


def test_the_kinds_of_a_game_of_data_are_listed() -> None:
    shown = disttrack("list", "distinct-count").stdout
    names = re.findall(r"^(?!kind |Task )([\w-]+) ", shown, flags=re.MULTILINE)
    task = kinds("task")["distinct-count"].load()
    plays = [name for name, kind in task.kinds("adversary").items() if kind.load().plays_in("distinct-count")]
    assert names == [*task.kinds("protocol"), *plays]
    assert {"kmv", "hyperloglog", "quiet-items", "fresh-items"} <= set(names)
    assert not {"ams", "count-min", "random-items", "freeze"} & set(names)


def test_a_task_is_described() -> None:
    shown = disttrack("describe", "task", "experts").stdout
    assert "  experts (at least 2, must be given, column sites): Experts whose advice is combined.\n" in shown
    assert "columns:       regret, plain_regret" in shown


def test_each_mechanism_states_its_error() -> None:
    assert len(MECHANISMS) >= 50
    assert all(maker.error for maker in MECHANISMS.values())


@pytest.mark.parametrize(("family", "least"), [("protocol", 50), ("adversary", 30), ("task", 19)])
def test_there_are_as_many_kinds_as_were_counted(family: str, least: int) -> None:
    assert len(kinds_of(family, "privacy")) >= least  # type: ignore[arg-type]


def test_its_scenarios_are_listed_game_by_game() -> None:
    shown = disttrack("list", "scenarios").stdout
    names = ("counters", "monitor", "dynamic", "ams", "overfitting", "mirror", "audit")
    order = [shown.index(f"\n{name} ") for name in names]
    assert order == sorted(order)


def test_the_task_is_that_of_a_counter() -> None:
    result = disttrack("play", "--protocol", "binary:epsilon=1", "--set", "steps=50")
    assert result.exit_code == 0, result.output
    assert "largest absolute error:" in result.stdout
    assert "50 steps" in result.stdout


@pytest.mark.parametrize(("adversary", "asked"), [("uniform", "asks for"), ("round-robin", "asks for 0 after 99")])
def test_an_order_of_queries_is_checked_before_the_game(adversary: str, asked: str) -> None:
    words = ["--set", "values=100", "--set", "points=10", "--set", "queries=200", "--adversary", adversary]
    said = refused("play", "--protocol", "sorted-queries:epsilon=1", *words)
    assert said.startswith("adversary.kind: ")
    assert asked in said
    assert "increasing order only" in said
    result = disttrack("play", "--protocol", "sorted-queries:epsilon=1", *words[:4], "--set", "queries=100")
    assert result.exit_code == 0, result.output


def test_an_audit_takes_parameters_in_words_of_their_own() -> None:
    apart, joined = (
        disttrack("audit", *words, "--budget") for words in (["robust", "alpha=0.2"], ["robust:alpha=0.2"])
    )
    assert (apart.exit_code, apart.stdout) == (0, joined.stdout)


def test_steps_may_be_floats_that_are_whole() -> None:
    assert play_duel(Binary(epsilon=1.0, horizon=64), RoundRobin(), steps=64.0).sent == 64


def test_a_game_of_counters_takes_numbers_of_numpys() -> None:
    counter = Binary(epsilon=np.float32(1), horizon=np.int64(8))  # type: ignore[arg-type]
    assert play_duel(counter, RoundRobin(), steps=np.int64(8), seed=np.int64(1)).ok


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
