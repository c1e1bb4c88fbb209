"""The row of a game that failed, of one whose parts could not be made, and of one without items."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pytest
from scripted_protocol import Scripted

from disttrack.adversaries import RoundRobin, Uniform
from disttrack.protocols import Deterministic, Randomized
from disttrack.simulator import play
from disttrack.simulator.game.network import Latency, Network
from disttrack.simulator.game.outcome import Game


class _Unmade(Deterministic):
    kind: ClassVar[str] = ""

    def server(self, *args: Any, **keys: Any) -> Any:
        raise RuntimeError("no server")


def test_a_game_whose_parts_could_not_be_made() -> None:
    game = play(_Unmade(0.1), Uniform(), sites=3, items=10, start=4, seed=7, on_error="record")
    zeros = ("items", "output_changes", "rounds", "messages", "words", "words_up", "words_down", "bits", "broadcasts",
             "max_rel_error", "highest", "lowest", "failing_fraction", "steps", "max_lag", "max_lag_error", "lost",
             "restarts", "messages_link", "words_link")  # fmt: skip
    assert {getattr(game, name) for name in zeros} == {0}
    assert (game.protocol, game.adversary, game.verdict, game.ok) == ("_Unmade", "uniform", "error", False)
    assert (game.sites, game.start, game.seed, game.alpha, game.first_failure) == (3, 4, 7, 0.1, None)
    assert game.error is not None
    assert game.error.endswith("RuntimeError: no server\n")
    assert 0 < game.seconds < 60
    with pytest.raises(RuntimeError, match="no server"):
        play(_Unmade(0.1), Uniform(), sites=3, items=10)


@pytest.mark.parametrize("engine", ["step", "leap"])
def test_a_game_that_fails(engine: str) -> None:
    standing = Scripted(lambda heard: 10)
    game = play(standing, RoundRobin(), sites=2, items=20, start=10, engine=engine, record=True)
    # 10 stand against 11, 12, …: wrong from 12 on
    assert (game.verdict, game.first_failure, game.first_failing_step, game.steps) == ("failed", 12, 2, 20)
    assert (game.failing_fraction, game.items, game.alpha) == (19 / 20, 20, 0.1)
    assert (game.max_rel_error, game.highest, game.lowest) == pytest.approx((2 / 3, -1 / 11, -2 / 3))
    assert (game.max_lag_error, game.max_lag, game.lost, game.coins) == (game.max_rel_error, 0, 0, True)
    assert (game.link_factor, game.engine, game.engine_reason) == (1.0, engine, "asked for")
    assert game.turns.columns.tolist() == ["step", "sent", "output", "changes", "plan"]
    late = play(standing, RoundRobin(), sites=2, items=20, start=10, engine=engine, network=Network(Latency(1), 5))
    assert (late.first_failure, late.first_failing_step, late.failing_fraction) == (16, 6, 15 / 20)


def test_a_seed_that_is_given_is_the_one_that_is_played() -> None:
    one, two, other = (play(Randomized(0.1), Uniform(), sites=9, items=3000, seed=seed) for seed in (3, 3, 4))
    assert (one.words, one.seed, one.coins) == (two.words, 3, True)
    assert one.words != other.words
    nothing = play(Deterministic(0.1), RoundRobin(), sites=2, items=0)
    assert (nothing.items, nothing.steps, nothing.verdict, nothing.coins) == (0, 0, "undecided", False)
    with pytest.raises(ValueError, match=r"^not recorded: play with record=True$"):
        _ = one.transcript


@pytest.mark.parametrize(
    ("values", "kept"),
    [([1, 2], [1, 2]), ([1, 2.5], [1.0, 2.5]), ([np.int64(3), 2], [3, 2]), ([2**70, 1], [2**70, 1]), ([], [])],
    ids=str,
)
def test_lists_hold_what_the_tables_hold(values: list[Any], kept: list[Any]) -> None:
    """Plain values, a column of several types as one type: so a record needs no table."""
    game = Game("mine", "other", sites=1, _timeline={"step": values})
    series, kinds = game.lists()
    assert [(type(one), one) for one in series["step"]] == [(type(one), one) for one in kept]
    assert series["step"] == game.series["step"].tolist()
    assert {name: game.kinds[name].tolist() for name in game.kinds} == kinds
