"""play(): what it takes, what it refuses, and how a game ends."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from commands import disttrack

from disttrack.adversaries import Burst, RoundRobin, View
from disttrack.protocols import Deterministic
from disttrack.simulator import play

TRACKER = Deterministic(alpha=0.1)


def test_a_function_with_arguments_filled_in_is_known_by_its_name() -> None:
    def given(view: View, site: int) -> int:
        return site

    def yields(view: View, site: int) -> Any:
        yield Burst(site, 5)

    for function in (given, yields):
        assert play(TRACKER, partial(function, site=1), sites=2, items=4).adversary == function.__name__


def test_a_game_without_a_step_shows_no_error() -> None:
    for items, shown in ((0, False), (1, True)):
        game = play(TRACKER, RoundRobin(), sites=2, items=items)
        assert ("largest error" in repr(game)) == shown
        assert (", promised 0.1" in game._repr_html_()) == shown
        words = disttrack("play", "--protocol", "deterministic", "--sites", "2", "--items", str(items)).output
        assert ("largest error" in words) == shown


# ---------------------------------------------------------------------- impossible moves


# ---------------------------------------------------------------------- ends


# ---------------------------------------------------------------------- start and state


@pytest.mark.parametrize("engine", ["step", "leap"])
def test_a_start_is_known_and_costs_nothing(engine: str) -> None:
    """100 items over 4 sites are 25 each, and at alpha = 0.1 the next report is due at floor(27.5) + 1 = 28.

    So the first three items a site are silent up to the third: 12 steps, of which the last four report.
    """
    game = play(TRACKER, RoundRobin(), sites=4, items=12, start=100, engine=engine, record=True)
    assert game.transcript["step"].tolist() == [9, 10, 11, 12]
    assert game.outputs["output"].tolist() == [103, 106, 109, 112]
    assert game.series["items"].iloc[0] == 101
    assert game.lowest == pytest.approx(-8 / 108)
    assert game.items == 12
