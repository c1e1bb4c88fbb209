"""The timeline: each row is the state at the end of the step of its item."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from disttrack.adversaries import Adversary, Burst, Choice, Freeze, Rest, RoundRobin, Uniform, View
from disttrack.adversaries.schedules import Schedule
from disttrack.protocols import Exact, Martingale, Protocol, Randomized
from disttrack.simulator import Game, play
from disttrack.simulator.game.network import Latency
from disttrack.simulator.game.timeline import checkpoints


def _two_of_three(view: View) -> int | None:
    return None if view.steps % 3 == 1 else view.sent % view.sites


class RestsNowAndThen(Adversary):
    """Bursts of seven items, a rest of five steps before each."""

    oblivious = True

    def __init__(self) -> None:
        self.resting = False

    def plan(self, view: View) -> Schedule:
        self.resting = not self.resting
        return Rest(5) if self.resting else Burst(view.sent % view.sites, 7)


def rows_are_right(game: Game, step_of: Any = None) -> None:
    """Compare each row with transcript and outputs, which are recorded one by one."""
    assert len(game.series) > 0
    changed, sent = game.outputs["step"].to_numpy(), game.transcript["step"].to_numpy()
    assert (np.diff(changed) >= 0).all()
    assert (np.diff(sent) >= 0).all()
    outputs, words = game.outputs["output"].to_numpy(), np.append(0, game.transcript["words"].to_numpy().cumsum())
    for row in game.series.itertuples():
        step = step_of(row.items) if step_of else row.items - game.start
        assert row.step == step
        changes, said = np.count_nonzero(changed <= step), np.count_nonzero(sent <= step)
        output = float(outputs[changes - 1]) if changes else float(game.start)
        assert row.output == output
        assert row.messages == said
        assert row.words == words[said]
        assert row.rel_error == (output - row.items) / row.items


PROTOCOLS: list[Protocol] = [
    Exact(),
    Randomized(alpha=0.1),
    Martingale(alpha=0.2),
]


@pytest.mark.parametrize("engine", ["step", "leap"])
@pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda one: one.kind)
def test_without_skips(protocol: Protocol, engine: str) -> None:
    for adversary, start in ((RoundRobin(), 500), (Uniform(), 0)):
        rows_are_right(play(protocol, adversary, sites=5, items=3000, start=start, seed=2, engine=engine, record=True))


@pytest.mark.parametrize("engine", ["step", "leap"])
@pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda one: one.kind)
def test_against_one_that_reacts(protocol: Protocol, engine: str) -> None:
    rows_are_right(play(protocol, Freeze(), sites=5, items=3000, seed=2, engine=engine, record=True))


@pytest.mark.parametrize("engine", ["step", "leap"])
@pytest.mark.parametrize(
    ("protocol", "network"),
    [(PROTOCOLS[0], Latency(constant=4)), (PROTOCOLS[1], Latency(mean=3.0))],
    ids=lambda one: str(getattr(one, "kind", one)),
)
def test_with_delays(protocol: Protocol, network: Latency, engine: str) -> None:
    game = play(protocol, RoundRobin(), sites=5, items=1500, seed=2, engine=engine, network=network, record=True)
    rows_are_right(game)


@pytest.mark.parametrize("engine", ["step", "leap"])
@pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda one: one.kind)
def test_with_skipped_steps(protocol: Protocol, engine: str) -> None:
    """The n-th item comes in a later step than the n-th; the row carries that step."""
    game = play(protocol, Choice(_two_of_three), sites=5, items=600, seed=2, engine=engine, record=True)
    fed = [step for step in range(1, 1000) if (step - 1) % 3 != 1]
    rows_are_right(game, lambda n: fed[n - 1])
    game = play(protocol, RestsNowAndThen(), sites=5, items=600, seed=2, engine=engine, record=True)
    rows_are_right(game, lambda n: n + 5 * (1 + (n - 1) // 7))


@st.composite
def long_games(draw: Any) -> tuple[int, int]:
    """Starts and items of every size up to the 2^61 that a game may have together."""
    items = draw(st.integers(0, 2 ** draw(st.integers(1, 61))))
    return draw(st.integers(0, min(2**61 - items, 2 ** draw(st.integers(1, 61))))), items


@settings(max_examples=200, deadline=None)
@given(long_games(), st.integers(2, 300))
@example((437050046578687, 4), 5)
@example((2**60, 1000), 200)
@example((2**61 - 1, 1), 200)
@example((2**53 - 2, 3), 200)
def test_checkpoints(game: tuple[int, int], number: int) -> None:
    start, items = game
    found = checkpoints(start, items, number)
    assert found == sorted(set(found))
    assert len(found) <= number + 2
    if not items:
        assert found == []
        return
    assert found[0] == start + 1
    assert found[-1] == start + items


def test_checkpoints_at_large_counts_are_as_many_and_as_even() -> None:
    """Of 1000 items beyond 2^60, 200 are shown, at most six items apart: (1000 - 1) / 199 and rounding."""
    found = checkpoints(2**60, 1000, 200)
    assert len(found) == 200
    assert {later - sooner for sooner, later in pairwise(found)} <= {5, 6}
    assert checkpoints(437050046578687, 4, 5) == [437050046578687 + place for place in (1, 2, 3, 4)]


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2**50), st.integers(1, 2**50), st.integers(2, 300), st.booleans())
@example(0, 2_000_000, 200, False)
def test_checkpoints_are_the_rounded_floats_where_these_are_right(
    start: int, items: int, number: int, down: bool
) -> None:
    """Tables written long ago keep their rows: only where a float has no room for a count is anything else taken."""
    floats = np.geomspace(start + 1, start + items, number)
    rounded = sorted({int(value + (0.0 if down else 0.5)) for value in floats} | {start + 1, start + items})
    if (rounded[0], rounded[-1]) == (start + 1, start + items):
        assert checkpoints(start, items, number, down=down) == rounded
