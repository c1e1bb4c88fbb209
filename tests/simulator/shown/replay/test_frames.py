"""The rows of a game: what is folded into them is all that happened, and extremes are those of every step."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from recorded_games import Motley, Sleeper, recorded, sites_by_step, unreported

from disttrack.adversaries import Freeze, RoundRobin, Uniform
from disttrack.protocols import Deterministic, Exact, Randomized, Robust
from disttrack.simulator.game.network import Latency
from disttrack.simulator.kinds.faults import broken
from disttrack.simulator.shown.replay.frames import on_one_clock
from disttrack.simulator.shown.replay.sentences import moves_of
from disttrack.simulator.shown.replay.stream import Stream

GAMES: list[tuple[Any, Any, dict[str, int]]] = [
    (Randomized(alpha=0.1), Freeze(), {"sites": 64, "items": 5000, "seed": 3}),  # fails
    (Randomized(alpha=0.1), Freeze(), {"sites": 32, "items": 2000, "start": 500}),
    (Deterministic(alpha=0.1), RoundRobin(), {"sites": 8, "items": 2000}),
    (Randomized(alpha=0.2), Motley(), {"sites": 5, "items": 600}),
    (Randomized(alpha=0.05), Sleeper(), {"sites": 5, "items": 200}),
    (Robust(alpha=0.3), Uniform(), {"sites": 70, "items": 900}),
    (Exact(), RoundRobin(), {"sites": 3, "items": 0}),
    (Deterministic(alpha=0.1), RoundRobin(), {"sites": 1, "items": 1}),
]


@pytest.mark.quick_cases(5)
@pytest.mark.parametrize(
    ("protocol", "adversary", "sizes", "most"),
    [*((*game, 40) for game in GAMES), *((*game, 10_000) for game in GAMES[::3])],
    ids=str,
)
def test_nothing_is_lost_in_folding(protocol: Any, adversary: Any, sizes: dict[str, int], most: int) -> None:
    game, record = recorded(protocol, adversary, **sizes)
    (frames,), folded = on_one_clock([record], rows=most, arrows=5 * most)
    rows, arrows, each = frames.rows, frames.arrows, -(-sizes["sites"] // 64)
    assert (arrows.messages.sum(), arrows.words.sum()) == (game.messages, game.words)
    for ledger, way in zip(game.messages_of_site, (1, 0), strict=True):
        by_column = np.bincount(arrows.column[arrows.up == way], arrows.messages[arrows.up == way], len(frames.columns))
        expected = np.add.reduceat(ledger, np.arange(0, sizes["sites"], each)) if len(ledger) else []
        assert by_column.tolist() == list(expected)
    assert rows.step.tolist() == sorted({0, game.steps, *rows.step})
    # extremes over all steps are the referee's own
    if game.steps:
        assert rows.low.min() - 1 == pytest.approx(game.lowest, abs=1e-12)
        assert rows.high.max() - 1 == pytest.approx(max(game.highest, 0), abs=1e-12)
    assert rows["items"].iloc[-1] == game.start + game.items
    assert (frames.first is None) == (game.first_failing_step is None)
    if frames.first is not None:
        row = frames.first[0]
        assert (rows.step[row], rows["items"][row]) == (game.first_failing_step, game.first_failure)
        assert rows.failing.argmax() == row
    sentences = zip(record.asked, moves_of(record.asked, record.outputs), strict=True)
    last = {rows.step.searchsorted(turn.step): text for turn, text in sentences if turn.plan is not None}
    assert all(frames.moves[row].startswith(text) for row, text in last.items())
    assert len(rows) <= max(most + 3, 8)
    assert len(arrows) <= 5 * most or len(rows) <= 8
    assert ("columns" in folded) == (each > 1)
    assert ("arrows" in folded) == (arrows[arrows.row > 0].messages.max() > 1)


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize(("protocol", "adversary", "sizes"), GAMES[:6], ids=str)
def test_what_a_column_holds_is_what_came_since_the_last_message(protocol: Any, adversary: Any, sizes: Any) -> None:
    _, record = recorded(protocol, adversary, **{**sizes, "items": min(sizes["items"], 300)})
    fed = sites_by_step(record, Stream(record))
    (frames,), _ = on_one_clock([record])
    each = -(-sizes["sites"] // 64)
    for row in {*range(0, len(frames.rows), 17), len(frames.rows) - 1}:
        held = unreported(record, fed, int(frames.rows.step[row]))
        assert frames.held[row].tolist() == [sum(held[at : at + each]) for at in range(0, sizes["sites"], each)]


def test_two_games_share_a_clock() -> None:
    _, broken = recorded(Randomized(alpha=0.1), Freeze(), sites=16, items=2000)
    _, short = recorded(Deterministic(alpha=0.1), Freeze(), sites=4, items=300)
    (first, second), _ = on_one_clock([broken, short])
    assert first.rows.step.tolist() == second.rows.step.tolist()
    assert first.rows.step.iloc[-1] == 2000
    over = second.rows[second.rows.step > 300]
    assert set(over["items"]) == {300}
    assert over.low.tolist() == over.high.tolist() == over.quotient.tolist()
    assert not second.arrows.row.isin(over.index).any()


def test_a_span_has_its_own_messages_only() -> None:
    _, record = recorded(Randomized(alpha=0.1), Freeze(), sites=16, items=2000)
    (frames,), folded = on_one_clock([record], span=(500, 700))
    expected = sum(500 <= message.step <= 700 for message in record.messages)
    assert expected > 50
    assert frames.arrows[frames.arrows.row > 0].messages.sum() == expected
    assert (frames.rows.step.iloc[0], frames.rows.step.iloc[-1]) == (499, 700)
    assert not folded


def test_a_row_has_the_column_fed_in_its_last_step() -> None:
    for sites in (5, 130):
        _, record = recorded(Randomized(alpha=0.2), Motley(), sites=sites, items=600)
        (frames,), _ = on_one_clock([record])
        fed = sites_by_step(record, Stream(record))
        each = -(-sites // 64)
        assert frames.rows.fed.tolist()[1:] == [fed[step - 1] // each for step in frames.rows.step[1:]]
        assert -1 in frames.rows.fed.tolist()[1:]


@pytest.mark.parametrize("start", [0, 300])
@pytest.mark.parametrize("adversary", [RoundRobin(), Sleeper(), Motley()], ids=lambda one: type(one).__name__)
def test_the_first_failing_step_is_the_first_step_that_fails(adversary: Any, start: int) -> None:
    """Against every step looked at by itself, skipped ones too, with a tracker four times as coarse as it promises."""
    alpha, failures = 0.1, 0
    for seed in range(2):
        coarse = broken(Deterministic(alpha=alpha), "coarse")
        game, record = recorded(coarse, adversary, sites=4, items=400, start=start, seed=seed)
        stream = Stream(record)
        outputs = dict(record.outputs)
        output: float = start
        first = None
        for step in range(1, game.steps + 1):
            output = outputs.get(step, output)
            truth = start + int(stream.sent(np.array([step]))[0])
            if first is None and abs(Fraction(output) - truth) > Fraction(str(alpha)) * truth:
                first = step
        assert game.first_failing_step == first
        failures += first is not None
    assert failures


def test_on_a_network_the_first_failing_step_has_the_items_of_the_first_failure() -> None:
    coarse = broken(Deterministic(alpha=0.1), "coarse")
    game, record = recorded(coarse, RoundRobin(), sites=8, items=1000, network=Latency(constant=4))
    assert game.max_lag > 0
    assert game.first_failure == game.first_failing_step is not None  # no step is skipped, and no item was before
    (frames,), _ = on_one_clock([record])
    assert frames.rows.step[frames.rows.failing].tolist() == [game.first_failing_step]
