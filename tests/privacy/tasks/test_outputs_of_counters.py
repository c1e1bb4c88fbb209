"""An estimate of a counter that is no finite number fails every step during which it stands."""

from __future__ import annotations

from math import inf, isnan, nan
from typing import Any

import numpy as np
import pytest

from disttrack.adversaries import RoundRobin
from disttrack.mechanisms import Binary
from disttrack.simulator.game.tasks.duel import play_duel


class Blank(Binary):
    """A private counter whose third estimate is no number."""

    def start(self, rng: Any) -> Any:
        run, taken = super().start(rng), [0]
        step, release = run.step, run.release

        def blank_step(x: float) -> float:
            taken[0] += 1
            return nan if taken[0] == 3 else step(x)

        def blank_release(items: Any) -> Any:
            estimates = np.array(release(items))
            estimates[2] = nan
            return estimates

        return _Run(blank_step, blank_release)


class _Run:
    def __init__(self, step: Any, release: Any) -> None:
        self.step, self.release = step, release


@pytest.mark.parametrize("engine", ["step", "arrays"])
def test_games_with_a_clock_judge_alike(engine: str) -> None:
    game = play_duel(Blank(1.0, 50), RoundRobin(), steps=50, engine=engine)
    assert not game.ok
    assert (game.max_abs_error, game.first_failure, game.rms_error) == (inf, 3, inf)
    assert np.isfinite(game.final_error)
    assert [isnan(output) for output in game.series["output"][:4]] == [False, False, True, False]
