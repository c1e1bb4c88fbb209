"""Parameters that differ from the defaults are part of the names of games and lines."""

from __future__ import annotations

import disttrack
from disttrack.simulator.experiments.results.formats import sides_of
from disttrack.simulator.shown.replay.record import record_of


def test_a_game_is_named_by_its_parameters() -> None:
    tight = disttrack.Robust(alpha=0.2, parameters="tight")
    game = disttrack.play(tight, disttrack.Freeze(begin=3), sites=4, items=300, record=True)
    assert record_of(game).title == "robust(parameters=tight) against freeze(begin=3)"
    assert sides_of(game) == "robust(parameters=tight) against freeze(begin=3)"
    assert "robust(parameters=tight) against freeze(begin=3)" in game._repr_html_()
    assert sides_of(disttrack.play(disttrack.Robust(alpha=0.2), disttrack.Freeze(), sites=4, items=300)) == (
        "robust against freeze"
    )
