"""Games on data sets: the referee against a slow one, who sees what, records, and one line for what is wrong."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from disttrack.privacy.adversaries import Churn, Grow, GrowAndDelete, UpdateStream
from disttrack.privacy.mechanisms import (
    MECHANISMS,
    DynamicMechanism,
    FullyDynamic,
    GrowingInfinite,
    InsertedMinusDeleted,
    LaplaceQueries,
)
from disttrack.privacy.mechanisms.accounting import lines
from disttrack.privacy.mechanisms.queries import family
from disttrack.privacy.tasks.dynamic.referee import QueryReferee
from disttrack.simulator.errors import MoveError
from disttrack.simulator.game.tasks.duel import play_duel


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_the_referee_is_the_slow_one(seed: int) -> None:
    """Every step on its own, with the answers and the data that stood at its end."""
    rng = np.random.default_rng(seed)
    of, steps = family("intervals", 4), int(rng.integers(1, 80))
    referee = QueryReferee(of, steps)
    counts, answers = np.zeros(4), np.zeros(of.number)
    errors, late, zero, sizes = [], [], [], []
    inserted: list[list[int]] = [[] for _ in counts]
    for step in range(1, steps + 1):
        code, released = 0, None
        if rng.random() < 0.6:
            item, sign = int(rng.integers(4)), 1 if counts.sum() == 0 or rng.random() < 0.6 else -1
            item = item if sign > 0 else int(np.flatnonzero(counts)[0])
            counts[item] += sign
            code = item + 1 if sign > 0 else -inserted[item].pop()
            if sign > 0:
                inserted[item].append(step)
        if rng.random() < 0.4:
            answers = rng.normal(0, 5, of.number)
            released = answers
        referee.judge([code], [released])
        truth = of.evaluate(counts)
        np.testing.assert_allclose(referee.truth(), truth)
        errors.append(np.abs(truth - answers).max())
        sizes.append(counts.sum())
        if step > 0.9 * steps:
            late.append(errors[-1])
            zero.append(truth.max())
    row = referee.row()
    assert row["max_abs_error"] == pytest.approx(max(errors))
    assert row["rms_error"] == pytest.approx(np.sqrt(np.mean(np.square(errors))))
    assert row["late_error"] == pytest.approx(max(late))
    assert row["late_zero"] == pytest.approx(max(zero))
    assert (row["size"], row["peak"]) == (sizes[-1], max(sizes))
    assert referee.series["step"][-1] == steps
    assert referee.series["rel_error"][-1] == pytest.approx(errors[-1] / max(1, sizes[-1]))
    assert referee.series["items"][-1] == sizes[-1]


def test_answers_that_are_no_numbers_are_infinitely_wrong() -> None:
    referee = QueryReferee(family("count", 1), 10)
    referee.judge([0] * 10, [None, None, np.array([np.nan]), *[None] * 7])
    assert referee.row()["max_abs_error"] == np.inf


DYNAMIC = {kind: one for kind, one in MECHANISMS.items() if issubclass(one, DynamicMechanism)}


@pytest.mark.parametrize("kind", DYNAMIC)
def test_the_same_seed_gives_the_same_game_and_another_seed_another(kind: str) -> None:
    given = {"horizon": 600} if DYNAMIC[kind].needs_horizon else {}
    mechanism = DYNAMIC[kind](2.0, queries="points", domain=5, **given)
    stream = Churn(peak=150) if mechanism.deletes else Grow()
    games = [play_duel(mechanism, stream, steps=600, seed=seed) for seed in (1, 1, 2)]
    facts = [(game.max_abs_error, game.rms_error, game.output_changes, game.ledger) for game in games]
    assert facts[0] == facts[1] != facts[2]
    assert games[0].spent <= 2 * (1 + 1e-9)
    assert games[0].ok


def test_a_game_says_where_its_epsilon_went() -> None:
    game = play_duel(FullyDynamic(2.0), Churn(peak=300), steps=3000, seed=1)
    said = "\n".join(lines(json.loads(game.ledger)))
    assert said.startswith(f"fully-dynamic: {game.spent:.4g} of epsilon 2, in sequence")
    for part in ("partition: 1 of epsilon 1", "tree:", "level 1:", "node:", "round 1:", "size:", "deletions:"):
        assert f"  {part}" in said, part


class Watching(UpdateStream):
    """Inserts for ever, and notes when it was asked and what it then saw."""

    kind = "watching"
    oblivious = False
    asked: list[tuple[int, int, float]]

    def __init__(self, oblivious: bool, notes: list) -> None:
        self.oblivious = oblivious
        self.notes = notes

    def __deepcopy__(self, memo):
        return self

    def updates(self, view):
        self.notes.append((view.steps, view.changes, float(view.truth[0])))
        return [1] * 100


def test_who_reacts_is_asked_when_answers_are_new_and_the_rest_of_its_plan_is_dropped() -> None:
    notes: list = []
    game = play_duel(GrowingInfinite(1.0), Watching(False, notes), steps=40)
    assert [step for step, _, _ in notes] == list(range(40))
    assert [changes for _, changes, _ in notes] == list(range(40))
    assert [truth for _, _, truth in notes] == list(range(40))
    assert game.output_changes == 40
    oblivious: list = []
    play_duel(GrowingInfinite(1.0), Watching(True, oblivious), steps=250)
    assert [step for step, _, _ in oblivious] == [0, 100, 200]


def test_void_deletions_are_counted() -> None:
    game = play_duel(InsertedMinusDeleted(1.0), Churn(peak=50, void=0.5), steps=1000, seed=3)
    assert 100 < game.ignored < 400
    assert game.updates == 1000


def test_a_static_game_is_one_release() -> None:
    mechanism = LaplaceQueries(1.0, queries="points", domain=8)
    game = play_duel(mechanism, GrowAndDelete(peak=200, rest=50), steps=350, seed=2)
    assert (game.size, game.updates, game.number, game.sensitivity) == (50, 350, 8, 1.0)
    assert 0 < game.max_abs_error < 30  # 8 Laplace variables of scale 1: beyond 30 with probability 1e-12
    assert game.spent == 1.0
    assert game.bound == mechanism.error_bound(50, 0.05)


@pytest.mark.parametrize(("share", "kept"), [(1e9, True), (1e-9, False)])
def test_the_bound_is_that_of_the_most_items_at_any_time_and_decides(share: float, kept: bool) -> None:
    class Noted(FullyDynamic):
        """States a share of the number of items as its bound."""

        def start(self, rng, ledger=None):
            run = super().start(rng, ledger)
            run.error_bound = lambda items, beta: items * share
            return run

    game = play_duel(Noted(1.0), GrowAndDelete(peak=200, rest=50), steps=350, seed=1)
    assert (game.bound, game.peak, game.size, game.ok) == (200 * share, 200, 50, kept)


def test_an_item_outside_the_domain_is_the_adversarys_fault() -> None:
    stream = Watching(True, [])
    stream.updates = lambda view: [7]
    with pytest.raises(MoveError, match="watching: step 1: item 6 is not among the 1 values"):
        play_duel(FullyDynamic(1.0), stream, steps=5)
