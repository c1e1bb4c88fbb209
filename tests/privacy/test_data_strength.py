"""How hard attackers of private data, sketches and learners hit, as tests/adversaries/test_strength.py measures it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Final

import numpy as np
import pytest
from core_kinds import kinds_of
from victims import Hit, made, named

import disttrack as by
from disttrack.privacy.mechanisms.dynamic.base import DynamicMechanism, DynamicRun


@dataclass(frozen=True)
class Stale(DynamicMechanism):
    """Answers once, wrongly, in step 40: 100 items of value 0, and none of the others."""

    kind: ClassVar[str] = "stale"
    source: ClassVar[str] = "a victim"
    deletes: ClassVar[bool] = True

    def start(self, rng: np.random.Generator, ledger: Any = None) -> DynamicRun:
        return _Stale(self, self.budget(ledger))


class _Stale(DynamicRun):
    def step(self, code: int) -> bool:
        self._next(code)
        if self.t == 40:
            self.answers = np.array([100.0, 0.0, 0.0, 0.0])
        return self.t == 40

    def error_bound(self, items: int, beta: float) -> float:
        return 1000.0


def exhausted(game: Any) -> float:
    """Return the update with which a robust form has used up its changes."""
    return float(game.exhausted_at or np.inf)


def wrong_ones(game: Any) -> float:
    """Return the share of the labels 1 that the learner got wrong."""
    return float(game.mistakes / game.ones)


EMPIRICAL: Final = made("empirical")
"""Answers queries by the mean of the sample."""
FIXED: Final = by.FixedQueries()
FEW: Final = {"features": 10, "samples": 20}
MORE: Final = {"features": 40, "samples": 20}
POINTS: Final = by.PointStream()
SETS: Final = {"features": 400, "samples": 400}
HALVES: Final = {"queries": 601, "features": 600, "samples": 800}
last, ratio, gap, error = named("last_ratio"), named("least_ratio"), named("gap"), named("max_rel_error")
PROPER: Final = partial(made, "private-proper", epsilon=1.0)
SAMPLE, SWITCHED = made("reset-sample", size=100), made("switched", copies=40, size=256)
COVERED, LOGS = made("count-min", width=16, depth=3), made("hyperloglog", registers=128)
PREDICTOR: Final = made("point-predictor", epsilon=3.0)
STALE: Final = Stale(1.0, queries="points", domain=4)
SKETCHES: Final = (
    Hit(by.AmsAttack(), made("ams", rows=64), ratio, 0.03, 0.13, {"updates": 1000}, by.RandomUpdates()),
    Hit(by.TailAttack(), made("count-sketch", width=16), error, 0.45, 1.05, {"updates": 1500}, by.RandomTails()),
    Hit(by.CoverAttack(), COVERED, error, 0.32, 0.75, {"updates": 1000}, by.FreshItems()),
    Hit(by.QuietItems(200, 200), LOGS, ratio, 0.32, 0.42, {"updates": 4000}, by.UnsortedItems(200, 200)),
    Hit(by.ResetSampled(2000, 20), SAMPLE, last, 0.08, 0.58, {"updates": 400}, by.BlindResets(2000, 20)),
    Hit(by.FlipFlop(40), SWITCHED, exhausted, 148, 164, {"updates": 600}, by.RandomItems(40)),
    Hit(by.GradientAnalyst(), EMPIRICAL, gap, 0.22, 0.52, {"queries": 41, **MORE}, FIXED),
)
"""Also the other slow games: those of a gradient."""
QUICK: Final = (
    Hit(by.BestOfMany(1000), EMPIRICAL, gap, 0.17, 0.42, {"queries": 1, **FEW}, FIXED),
    Hit(by.LeaderboardClimber(), EMPIRICAL, gap, 0.12, 0.52, {"queries": 161, **MORE}, FIXED),
    Hit(by.SignCorrelation(), EMPIRICAL, gap, 0.22, 0.55, {"queries": 41, **MORE}, FIXED),
    Hit(by.VariableSelection(20), made("holdout"), named("final_error"), 0.1, 0.19, HALVES, FIXED),
    Hit(by.RandomSets(), EMPIRICAL, gap, 0.1, 0.23, {"queries": 401, **SETS}, FIXED),
    Hit(by.Speller(), EMPIRICAL, gap, 0.94, 0.96, {"queries": 2, "features": 1000, "samples": 50}, FIXED),
    Hit(by.Contrary(), PREDICTOR, named("mistakes"), 64, 64, {"steps": 64, "points": 16}, POINTS),
    Hit(by.Halving(), PROPER(horizon=254), wrong_ones, 1, 1, {"steps": 254, "points": 16}, POINTS),
    Hit(by.Insertion(), PROPER(horizon=196), wrong_ones, 1, 1, {"steps": 196, "points": 250}, POINTS),
    Hit(by.HardInstance(), made("sparse-vector-monitor", k=14, epsilon=2.5), named("ok"), 0, 0, {"steps": 2**15 - 2}),
    Hit(by.Intruder(), made("binary", epsilon=1.0, horizon=64), named("guessed"), 1, 1, {"steps": 64}),
    Hit(by.Overcount(40, 0.0), STALE, named("max_abs_error"), 100, 100, {"steps": 400}, by.Churn(40, exponent=0.0)),
)
"""An interval of one number is exact."""
HITS: Final = (*SKETCHES, *QUICK)
STREAMS: Final = {"biased", "grow", "grow-and-delete", "in-the-air", "scattered", "sliding"}
"""Kinds of streams that are made against nobody."""


def test_every_opponent_of_the_wing_has_its_victim() -> None:
    """tests/privacy/mechanisms/test_best_monitors.py has the victim of `last-moment`."""
    registered = set(kinds_of("adversary", "privacy"))
    attackers, controls = {hit.attacker.kind for hit in HITS}, {hit.harmless.kind for hit in HITS} - {"round-robin"}
    assert len(HITS) == len(attackers) >= 19
    assert attackers | controls | {"last-moment"} | STREAMS == registered
    assert not attackers & STREAMS


@pytest.mark.parametrize(
    "hit",
    [pytest.param(hit, marks=[pytest.mark.slow] * (hit not in QUICK), id=hit.attacker.kind) for hit in HITS],
)
@pytest.mark.false_alarm(1e-6)
def test_how_hard_an_attacker_of_data_hits(hit: Hit) -> None:
    """Rates and power as in tests/adversaries/test_strength.py."""
    assert hit.inside(hit.attacker)
    assert not hit.inside(hit.harmless)
