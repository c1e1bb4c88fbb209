"""Games of sketches: the referee against a plain loop, both engines alike, and what is refused."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from disttrack.privacy.adversaries import RESET, AmsAttack, Attacker, ObliviousStream, RandomItems
from disttrack.privacy.adversaries.sketching.base import Updates
from disttrack.privacy.mechanisms import Ams, CountMin, Kmv, ResetSample, Switched
from disttrack.privacy.tasks.sketching.truth import Truth, UpdateReferee
from disttrack.simulator.errors import MoveError, ScenarioError
from disttrack.simulator.game.tasks.duel import play_duel


@pytest.mark.parametrize("pieces", [1, 3, 50])
def test_the_referee_is_a_plain_loop(pieces: int) -> None:
    rng = np.random.default_rng(0)
    outputs = np.round(rng.normal(10, 6, 50)).tolist()
    moves = [(int(item), 1) for item in rng.integers(0, 30, 50)]
    referee = UpdateReferee(Kmv(size=9, alpha=0.5), Truth("distinct"), 50)
    for begin in range(0, 50, -(-50 // pieces)):
        part = slice(begin, begin + -(-50 // pieces))
        referee.judge(moves[part], outputs[part])
    values = [len(set(moves[:count])) for count in range(1, 51)]
    errors = [abs(out - value) / value for out, value in zip(outputs, values, strict=True)]
    wrong = [number for number, error in enumerate(errors, start=1) if error > 0.5]
    below = [n for n, (out, value) in enumerate(zip(outputs, values, strict=True), 1) if 2 * out < value]
    ratios = [out / value for out, value in zip(outputs, values, strict=True)]
    row = referee.row()
    assert (row["max_rel_error"], row["first_failure"], row["failing_fraction"]) == (
        max(errors),
        wrong[0],
        len(wrong) / 50,
    )
    assert (row["half_at"], row["made"], row["touched"]) == (below[0], 50, values[-1])
    assert (row["least_ratio"], row["most_ratio"], row["last_ratio"]) == (min(ratios), max(ratios), ratios[-1])
    assert row["output_changes"] == sum(a != b for a, b in zip([0.0, *outputs[:-1]], outputs, strict=True))
    assert referee.series["step"] == list(range(1, 51))
    assert np.abs(referee.series["rel_error"]).tolist() == errors


def test_the_truth_is_exact() -> None:
    updates = [(1, 2), (0, 1), (1, -2), (2, 5), (0, 3), (3, -1)]
    truths = Truth("second-moment"), Truth("frequency", "two"), Truth("frequency", "one")
    last = [tuple(numbers[-1] for numbers in truth.follow(updates)) for truth in truths]
    assert last == [(16 + 25 + 1, 42), (4, pytest.approx(42**0.5)), (4, 4 + 5 + 1)]
    distinct = Truth("distinct")
    assert distinct.follow([(item, 1) for item in (1, 2, 1)])[0].tolist() == [1, 2, 2]
    assert distinct.follow([(5, 1), RESET, (7, 1)])[0].tolist() == [3, 0, 1]
    assert distinct.touched == 1
    values, scales = Truth("sum").follow([(1, 2), (2, 5), (3, 0), (2, 0), (2, 1)])
    assert (values.tolist(), scales.tolist()) == ([2, 7, 7, 2, 3], [2, 7, 7, 7, 7])


def test_an_error_of_ones_own_stream_is_no_invalid_move() -> None:
    class Own(ObliviousStream):
        kind = "own"

        def stretch(self, begun: int, length: int, rng: np.random.Generator) -> tuple[Updates, Updates]:
            raise ValueError("a fault of mine")

    for engine in ("step", "arrays"):
        with pytest.raises(ValueError, match=r"^a fault of mine$") as caught:
            play_duel(Ams(rows=9), Own(), updates=9, engine=engine)
        assert not isinstance(caught.value, MoveError)


@dataclass
class Clumsy(Attacker):
    """Makes one wrong move at its third step."""

    kind = "clumsy"
    wrong: object = None

    def move(self, view):
        return self.wrong if view.steps == 2 else (view.steps, 1)


class Resets(Clumsy):
    """Makes them to resettable counters."""

    plays = ("resettable-sum",)


@pytest.mark.parametrize("wrong", [(-3, 1), (3, 0), (1.5, 1), (1, 0.5)])
def test_moves_that_are_none_stop_the_game(wrong: object) -> None:
    with pytest.raises(MoveError, match=r"adversary clumsy: after step 2: move\(\) returned .*; accepted: an item"):
        play_duel(Ams(rows=3), Clumsy(wrong), updates=9)


def test_what_a_sketch_cannot_take_stops_the_game() -> None:
    with pytest.raises(MoveError, match="after step 2: a sketch of distinct items takes changes of at least 1"):
        play_duel(Kmv(size=9), Clumsy((1, -1)), updates=9)
    with pytest.raises(MoveError, match="after step 2: CountMinRun cannot begin a new stream"):
        play_duel(CountMin(width=9), Clumsy(RESET), updates=9)
    with pytest.raises(ScenarioError, match="random-items plays second-moment, frequency, not distinct-count"):
        play_duel(Kmv(size=9), RandomItems(), updates=99)
    with pytest.raises(MoveError, match="after step 2: a resettable counter takes increments above 0"):
        play_duel(ResetSample(size=9), Resets((1, -1)), updates=9)
    game = play_duel(ResetSample(size=9), Resets((1, 0)), updates=9)
    assert (game.made, game.touched, game.max_rel_error, game.output_changes) == (9, 8, 0, 9)


def test_a_new_stream_begins_for_both() -> None:
    """Two items, a new stream, six items: a sketch that keeps nine hash values is exact."""
    game = play_duel(Kmv(size=9), Clumsy(RESET), updates=9)
    assert (game.made, game.touched, game.max_rel_error) == (9, 6, 0)


def test_a_robust_form_is_said_to_hold_until_it_is_used_up() -> None:
    for seed in range(6):
        game = play_duel(Switched(copies=2, size=8), AmsAttack(rows=8, burn=2), updates=400, seed=seed)
        assert game.exhausted_at == 2
        assert game.first_failure is not None
        assert not game.ok
        assert game.held == (game.first_failure > 2)
        assert not game.held or game.fell_after == game.first_failure - 2
