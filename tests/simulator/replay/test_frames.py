"""The rows of a game: what is folded into them is all that happened, and extremes are those of every step."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from recorded_games import Motley, Sleeper, recorded, sites_by_step, unreported

from disttrack.adversaries import Freeze, RoundRobin, Uniform
from disttrack.protocols import Deterministic, Exact, Randomized, Robust
from disttrack.simulator.faults import broken
from disttrack.simulator.game.network import Latency
from disttrack.simulator.replay.columns import columns_of
from disttrack.simulator.replay.fold import Folded, on_one_clock
from disttrack.simulator.replay.frames import frames_of, moments
from disttrack.simulator.replay.stream import Stream

GAMES: list[tuple[Any, Any, dict[str, int]]] = [
    (Randomized(alpha=0.1), Freeze(), {"sites": 32, "items": 3000}),
    (Randomized(alpha=0.1), Freeze(), {"sites": 32, "items": 2000, "start": 500}),
    (Deterministic(alpha=0.1), RoundRobin(), {"sites": 8, "items": 2000}),
    (Randomized(alpha=0.2), Motley(), {"sites": 5, "items": 600}),
    (Randomized(alpha=0.05), Sleeper(), {"sites": 5, "items": 200}),
    (Robust(alpha=0.3), Uniform(), {"sites": 70, "items": 900}),
    (Exact(), RoundRobin(), {"sites": 3, "items": 0}),
    (Deterministic(alpha=0.1), RoundRobin(), {"sites": 1, "items": 1}),
]


@pytest.mark.parametrize(("protocol", "adversary", "sizes"), GAMES, ids=str)
@pytest.mark.parametrize("rows", [10_000, 40])
def test_nothing_is_lost_in_folding(protocol: Any, adversary: Any, sizes: dict[str, int], rows: int) -> None:
    game, record = recorded(protocol, adversary, **sizes)
    folded = on_one_clock([record], rows=rows, arrows=10_000 if rows == 10_000 else 200)
    (frames,) = folded.games
    arrows = frames.arrows
    assert (arrows.messages.sum(), arrows.words.sum()) == (game.messages, game.words)
    up, down = np.zeros(sizes["sites"], int), np.zeros(sizes["sites"], int)
    for counts, ledger, way in ((up, game.messages_of_site[0], 1), (down, game.messages_of_site[1], 0)):
        chosen = arrows.up == way
        by_column = np.bincount(arrows.column[chosen], arrows.messages[chosen], frames.columns.number)
        expected = np.add.reduceat(ledger, np.arange(0, sizes["sites"], frames.columns.each)) if len(counts) else []
        assert by_column.tolist() == list(expected)
    assert folded.edges[0] == 0
    assert folded.edges[-1] == game.steps
    # extremes over all steps are the referee's own
    if game.steps:
        assert frames.ratios.low.min() - 1 == pytest.approx(game.lowest, abs=1e-12)
        assert frames.ratios.high.max() - 1 == pytest.approx(max(game.highest, 0), abs=1e-12)
    assert frames.ratios.items[-1] == game.start + game.items
    assert (frames.first is None) == (game.first_failing_step is None)
    if frames.first is not None:
        row = frames.first[0]
        assert folded.edges[row] == game.first_failing_step
        assert frames.ratios.items[row] == game.first_failure
        assert not frames.ratios.failing[:row].any()
        assert frames.ratios.failing[row]
    assert len(folded.edges) <= max(rows + 2, 8)
    assert bool(folded.says) == (folded.moments > 1 or sizes["sites"] > 64)


@pytest.mark.parametrize(("protocol", "adversary", "sizes"), GAMES[:5], ids=str)
def test_what_a_column_holds_is_what_came_since_the_last_message(protocol: Any, adversary: Any, sizes: Any) -> None:
    _, record = recorded(protocol, adversary, **{**sizes, "items": min(sizes["items"], 300)})
    fed = sites_by_step(record, Stream(record))
    edges = moments(record)
    frames = frames_of(record, edges, columns_of(sizes["sites"], 4))
    each = frames.columns.each
    for row in {*range(0, len(edges), 17), len(edges) - 1}:
        held = unreported(record, fed, int(edges[row]))
        assert frames.held[row].tolist() == [sum(held[at : at + each]) for at in range(0, sizes["sites"], each)]


def test_failing_steps_without_slack_are_the_referees() -> None:
    game, record = recorded(Randomized(alpha=0.1), Freeze(), sites=64, items=5000, seed=3)
    frames = frames_of(record, np.arange(game.steps + 1), columns_of(64))
    assert game.verdict == "failed"
    assert frames.ratios.failing.sum() == round(game.failing_fraction * game.steps) > 0


def test_two_games_share_a_clock() -> None:
    _, broken = recorded(Randomized(alpha=0.1), Freeze(), sites=16, items=2000)
    _, short = recorded(Deterministic(alpha=0.1), Freeze(), sites=4, items=300)
    folded = on_one_clock([broken, short])
    first, second = folded.games
    assert folded.edges[-1] == 2000
    assert len(first.ratios.items) == len(second.ratios.items) == len(folded.edges)
    over = np.flatnonzero(folded.edges > 300)
    assert set(second.ratios.items[over]) == {300}
    assert np.isfinite(second.ratios.low).all()
    assert not set(second.arrows.row) & set(over.tolist())
    assert len({look["light"] + str(look["dash"]) for look in folded.looks.values()}) == len(folded.looks)


def test_a_span_has_its_own_messages_only() -> None:
    _, record = recorded(Randomized(alpha=0.1), Freeze(), sites=16, items=2000)
    folded: Folded = on_one_clock([record], span=(500, 700))
    arrows = folded.games[0].arrows
    expected = sum(500 <= message.step <= 700 for message in record.messages)
    assert expected > 50
    assert arrows.messages[arrows.row > 0].sum() == expected
    assert (folded.edges[0], folded.edges[-1]) == (499, 700)
    assert not folded.says


def test_the_columns_that_are_fed_are_those_of_the_moves() -> None:
    _, record = recorded(Randomized(alpha=0.1), Freeze(), sites=16, items=2000)
    (frames,) = on_one_clock([record]).games
    fed = sites_by_step(record, Stream(record))
    for row, (begin, end) in enumerate(pairwise(frames.edges.tolist()), 1):
        if len(set(fed[begin:end])) == 1:
            assert frames.fed[row] == [fed[end - 1]]
    _, even = recorded(Deterministic(alpha=0.1), RoundRobin(), sites=16, items=2000)
    (frames,) = on_one_clock([even]).games
    quiet = [row for row in range(1, len(frames.edges)) if frames.edges[row] - frames.edges[row - 1] >= 16]
    assert quiet
    assert all(frames.fed[row] == [(int(frames.edges[row]) - 1) % 16] for row in quiet)


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
    (frames,) = on_one_clock([record]).games
    assert frames.ratios.failing.sum() == 1
    assert frames.edges[frames.ratios.failing.argmax()] == game.first_failing_step
