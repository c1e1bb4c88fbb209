"""Games of items replayed: seen from the item of the largest error, which the rows show exactly."""

from __future__ import annotations

import pytest

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.experiments.scenario.load import load
from disttrack.simulator.shown.replay.contents import first_failure
from disttrack.simulator.shown.replay.frames import on_one_clock
from disttrack.simulator.shown.replay.page import facts, page
from disttrack.simulator.shown.replay.record import replayed

SCENARIO = {
    "name": "items",
    "task": "item-frequency",
    "seed": 3,
    "trials": 1,
    "alpha": 0.2,
    "sites": [1, 64],
    "items": 2000,
    "protocol": [
        {"kind": "frequency-deterministic"},
        {"kind": "frequency-sample", "strength": 1.0},
        {"kind": "frequency-randomized", "strength": 1.0},
    ],
    "adversary": [
        {"kind": "zipf-items", "domain": 9},
        {"kind": "zipf-items", "domain": 9, "period": 37},
        {"kind": "freeze-item", "items": 2},
    ],
}


def test_the_rows_have_the_largest_error_of_the_game() -> None:
    scenario = load(SCENARIO)
    failing = 0
    for number in range(len(scenario.points)):
        record = replayed(scenario, number)
        about = record.about
        (game,), folded = on_one_clock([record])
        assert not folded
        most = max(game.rows.high.max() - 1, 1 - game.rows.low.min())
        assert most == pytest.approx(about.max_rel_error, abs=1e-12)
        assert (about.first_failing_step is None) == (about.verdict == "ok")
        assert about.messages == len(record.messages)
        assert len(record.copies) == game.rows["items"].iloc[-1]
        failing += about.verdict == "failed"
        if game.first is not None:
            row, sentence = game.first
            assert game.rows.failing[row]
            assert not game.rows.failing[:row].any()
            assert f"item {record.item}: estimate" in sentence
    assert 3 <= failing < len(scenario.points)


def test_the_first_failure_is_that_of_a_count_step_by_step() -> None:
    history, copies, alpha = [(3, 4), (9, 5), (20, 20)], [1, 3, 4, 5, 9, 18], 0.2

    def estimate(step: int) -> int:
        return max((moved for moved in history if moved[0] <= step), default=(0, 0))[1]

    off = [step for step in range(1, 31) if abs(estimate(step) - sum(one <= step for one in copies)) > alpha * step]
    assert first_failure(history, copies, alpha, 30) == off[0] == 1
    assert first_failure(history, copies[1:], alpha, 30) == 3
    assert first_failure(history, copies, 0.99, 30) == 1
    assert first_failure([(1, 1)], [1], alpha, 30) is None
    assert first_failure([(1, 1), (25, 9)], [1], alpha, 24) is None


def test_the_page_says_which_item_it_shows() -> None:
    record = replayed(load(SCENARIO), 5)
    assert f"item {record.item}, of the largest error" in facts(record)
    assert "1 + error / N" in page([record])


def test_what_cannot_be_replayed_is_refused() -> None:
    weighted = load({**SCENARIO, "adversary": {"kind": "zipf-items", "heaviest": 9}})
    with pytest.raises(ScenarioError, match="games of items with weights cannot be replayed"):
        replayed(weighted)
    ranks = load({**SCENARIO, "task": "item-rank", "protocol": "frequency-sample"})
    with pytest.raises(ScenarioError, match=r"task item-rank cannot be replayed \(accepted: count, item-frequency\)"):
        replayed(ranks)
