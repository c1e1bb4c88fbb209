"""The timeline of a game: exact where it was recorded, against a plain count over all steps."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from disttrack.adversaries import Freeze, RoundRobin
from disttrack.protocols import Deterministic, Exact, Randomized
from disttrack.simulator.game.play import play
from disttrack.simulator.plots import timeline_of
from disttrack.simulator.plots.description import Region
from disttrack.simulator.plots.game_traces import from_game
from disttrack.simulator.plots.timeline_panels import game_described


def plain(game: object) -> tuple[np.ndarray, np.ndarray]:
    """Return the signed relative error at each item, and whether it fails, one step after the other."""
    outputs = dict(game.outputs.itertuples(index=False, name=None))  # type: ignore[attr-defined]
    alpha = Fraction(str(game.alpha))  # type: ignore[attr-defined]
    output, errors = Fraction(0), []
    for step in range(1, game.items + 1):  # type: ignore[attr-defined]
        output = Fraction(outputs.get(step, output))
        errors.append((output - step) / step)
    return np.array([float(error) for error in errors]), np.array([abs(error) > alpha for error in errors])


def test_a_recorded_game_is_shown_at_every_step() -> None:
    game = play(Randomized(alpha=0.2), Freeze(), sites=64, items=4_000, seed=1, record=True)
    trace = from_game(game, "")
    errors, failing = plain(game)
    assert trace.exact
    assert failing.any()
    assert trace.high.max() == pytest.approx(errors.max())
    assert trace.low.min() == pytest.approx(errors.min())
    # the stretches cover each failing item; apart from gaps of 0.3 % that no eye sees they cover no other one
    covered = np.zeros(len(failing), dtype=bool)
    for begin, end in trace.failing:
        at = np.arange(1, len(failing) + 1)
        covered |= (at >= begin - 1e-9) & (at <= end + 1e-9)
    assert covered[failing].all()
    assert covered[~failing].mean() < 0.02


def test_many_changes_keep_their_extremes() -> None:
    game = play(Deterministic(alpha=0.01), RoundRobin(), sites=50, items=100_000, record=True)
    assert len(game.outputs) > 3_000
    trace = from_game(game, "")
    assert len(trace.error_items) <= 1_500
    assert max(-trace.low.min(), trace.high.max()) == pytest.approx(game.max_rel_error)
    assert not trace.failing


def test_an_unrecorded_game_is_shown_at_its_checkpoints() -> None:
    trace = from_game(play(Randomized(alpha=0.2), Freeze(), sites=64, items=4_000, seed=1), "")
    assert not trace.exact
    assert trace.failing


@pytest.mark.slow
def test_a_game_draws_itself(tmp_path: Path) -> None:
    game = play(Randomized(alpha=0.2), Freeze(), sites=64, items=4_000, seed=1, record=True)
    figure = game.plot(tmp_path / "game.png")
    assert (tmp_path / "game.png").exists()
    assert not (tmp_path / "game.svg").exists()
    regions = [region.name for panel in game_described(game).panels for region in panel.of(Region)]
    assert "failing" in regions
    assert "promised" in regions
    labels = [axes.get_ylabel() for axes in figure.axes]
    assert labels == ["items counted", "error, in units of α", "words so far"]
    assert figure._repr_png_().startswith(b"\x89PNG")  # what a notebook asks for
    timeline_of(game, tmp_path / "both")
    assert (tmp_path / "both.png").exists()
    assert (tmp_path / "both.svg").exists()
    with pytest.raises(ValueError, match=r"path must end in \.png or \.svg"):
        timeline_of(game, tmp_path / "game.gif")


@pytest.mark.slow
def test_a_game_without_a_promise_has_no_band() -> None:
    panels = game_described(play(Exact(), RoundRobin(), sites=4, items=500)).panels
    assert panels[1].y.label == "relative error"
    assert not [region for panel in panels for region in panel.of(Region)]


def test_a_game_of_one_item_can_be_drawn() -> None:
    assert play(Deterministic(alpha=0.1), RoundRobin(), sites=1, items=1, record=True).plot().axes
