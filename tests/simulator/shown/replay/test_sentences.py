"""Sentences on what happened: each says what the adversary saw, and what it did that was new."""

from __future__ import annotations

import numpy as np
import pytest
from recorded_games import recorded

from disttrack.adversaries import Freeze
from disttrack.protocols import Randomized
from disttrack.simulator.shown.replay.record import Asked, Plan
from disttrack.simulator.shown.replay.sentences import failure, moves_of


@pytest.mark.parametrize(
    ("plan", "sentence"),
    [
        ({"site": 3}, "Output moved to 12.50; stays on site 3."),
        ({"site": 4}, "Output moved to 12.50; leaves site 3, feeds site 4."),
        ({"rest": True}, "Output moved to 12.50; leaves site 3, skips 6 steps."),
        ({"rotation": [5, 1]}, "Output moved to 12.50; leaves site 3, feeds 5 sites in turn."),
        (
            {"runs": [[1, 2, -1, 1], [2, 2, 1, 1]]},
            "Output moved to 12.50; leaves site 3, feeds 2 sites and skips for 6 steps (first 1, 2).",
        ),
        (None, "Output moved to 12.50; sends nothing new."),
    ],
)
def test_a_move_in_words(plan: Plan | None, sentence: str) -> None:
    turns = [Asked(0, 0, 0, 0, {"site": 3}, 10), Asked(10, 10, 12.5, 1, plan, 6 if plan else 0)]
    assert moves_of(turns)[1] == sentence


def test_a_plan_that_ran_out() -> None:
    turns = [Asked(0, 0, 0, 0, {"site": 3}, 10), Asked(10, 10, 0, 0, {"site": 4}, 1)]
    assert moves_of(turns)[1] == "Output unmoved for 10 steps; leaves site 3, feeds site 4."
    assert (
        moves_of(turns, [(2, 1), (9, 5), (12, 6)])[1] == "Output unmoved for 1 step; leaves site 3, feeds site 4."
    )


def test_a_failure_says_who_holds_how_much() -> None:
    said = failure(900, 1000, 850, 0.1, np.array([0, 60, 5, 20, 10, 0]))
    assert "output 850, truth 1,000 (below 1 − α, α = 0.1)" in said
    assert "Unreported: 95 (site 1: 60, site 3: 20, site 4: 10, 1 more: 5)" in said
    assert "Output − reported: -55" in said
    assert "no number" in failure(1, 1, float("nan"), 0.1, np.zeros(2, int))


def test_the_sentence_at_each_row_is_of_its_step() -> None:
    """Freeze goes to the next site whenever the output moves; so its sentences can be told from the outputs alone."""
    _, record = recorded(Randomized(alpha=0.1), Freeze(), sites=8, items=500)
    sentences = dict(zip((turn.step for turn in record.asked), moves_of(record.asked), strict=True))
    assert len(record.outputs) > 100
    for number, (step, _) in enumerate(record.outputs[:-1]):
        assert sentences[step].endswith(f"leaves site {number % 8}, feeds site {(number + 1) % 8}.")
