"""The timeline of a game: exact where it was recorded, against a plain count over all steps."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from disttrack.adversaries import Freeze, RoundRobin
from disttrack.protocols import Deterministic, Randomized
from disttrack.simulator.game.play import play
from disttrack.simulator.shown.plots import timeline_of
from disttrack.simulator.shown.plots.description import Region
from disttrack.simulator.shown.plots.traces import from_game, game_described


def errors(game: object) -> np.ndarray:
    """Return the signed relative error at each item, one step after the other."""
    outputs = dict(game.outputs.itertuples(index=False, name=None))  # type: ignore[attr-defined]
    output, signed = 0.0, []
    for step in range(1, game.items + 1):  # type: ignore[attr-defined]
        output = float(outputs.get(step, output))
        signed.append(output / step - 1)
    return np.array(signed)


def test_a_recorded_game_is_shown_at_every_step() -> None:
    game = play(Randomized(alpha=0.2), Freeze(), sites=64, items=4_000, seed=1, record=True)
    trace = from_game(game, "")
    plain = errors(game)
    assert trace.exact
    assert (trace.error.max(), trace.error.min()) == pytest.approx((plain.max(), plain.min()))
    at = trace.items.astype(int)
    assert trace.error == pytest.approx(plain[at - 1])
    assert (at[0], at[-1]) == (1, 4_000)
    low, _ = game_described(game).panels[0].x.ends
    assert low <= np.flatnonzero(np.abs(plain) > 0.2)[0] + 1, "the first failure is in the picture"


@pytest.mark.slow
def test_a_game_draws_itself(tmp_path: Path) -> None:
    game = play(Randomized(alpha=0.2), Freeze(), sites=64, items=4_000, seed=1, record=True)
    figure = game.plot(tmp_path / "game.png")
    assert (tmp_path / "game.png").exists()
    assert not (tmp_path / "game.svg").exists()
    assert [(one.low, one.high) for panel in game_described(game).panels for one in panel.of(Region)] == [(-1, 1)]
    labels = [axes.get_ylabel() for axes in figure.axes]
    assert labels == ["items counted", "error, in units of α", "words so far"]
    assert figure._repr_png_().startswith(b"\x89PNG")  # what a notebook asks for
    timeline_of(game, tmp_path / "both")
    assert (tmp_path / "both.png").exists()
    assert (tmp_path / "both.svg").exists()
    with pytest.raises(ValueError, match=r"path must end in \.png, \.svg"):
        timeline_of(game, tmp_path / "game.gif")


def test_a_game_of_one_item_can_be_drawn() -> None:
    assert play(Deterministic(alpha=0.1), RoundRobin(), sites=1, items=1, record=True).plot().axes
