"""The outcome of a game of counters has the face of all games: its error is absolute, and it costs no words."""

from __future__ import annotations

from typing import Any

from disttrack import Binary, RoundRobin, play_duel
from tests.simulator.game.tasks.test_face import check_face


def test_a_game_of_counters(tmp_path: Any) -> None:
    duel = play_duel(Binary(epsilon=1.0, horizon=100), RoundRobin(), steps=100)
    check_face(duel, tmp_path)
    assert (duel.max_error, duel.words) == (duel.max_abs_error, None)
