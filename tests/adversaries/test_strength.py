"""How hard every attacker hits a named victim."""

from __future__ import annotations

from functools import partial
from typing import Final

import pytest
from core_kinds import core_kinds
from scipy.stats import binom
from victims import GAMES, Hit, Stale, above, below, exhausted, made, named, wrong_ones

import disttrack as by
from disttrack.protocols import Block, Randomized, Robust
from disttrack.simulator.kinds.faults import broken

BEYOND: Final = 0.02
"""Share of the games of an attacker, at most, that lie beyond either end of its interval."""
MANY_PHASES: Final = {"phases": 30, "phase_length": 0.1, "epsilon": 4, "counter_share": 0.8, "budget": 2, "shift": -9}
HAND: Final = Robust(alpha=0.01, parameters={**MANY_PHASES, "blocks": 9})
"""Many short phases; each has room for few bits, so that what a phase tells is worth much."""
FROM_ZERO: Final = {"sites": 64, "items": 20_000}
ONE_ROUND: Final = {"sites": 64, "items": 15_000, "start": 200_000}


NAMED: Final = made("frequency-randomized", alpha=0.1, strength=3)
CONTENTS: Final = (
    Hit(
        by.SamplingAttack(),
        made("item-sample", alpha=0.5),
        above,
        1.4,
        2.0,
        {"sites": 9, "items": 2500},
        by.BlindSplits(),
    ),
    Hit(by.FreezeItem(), NAMED, above, 1.6, 1.95, FROM_ZERO, by.ZipfItems(domain=100)),
    Hit(by.DrainItem(patience=0.3), NAMED, below, 1.0, 2.0, FROM_ZERO, by.ZipfItems(domain=100)),
)
EMPIRICAL: Final = made("empirical")
"""Answers queries by the mean of the sample."""
FIXED: Final = by.FixedQueries()
FEW: Final = {"features": 10, "samples": 20}
MORE: Final = {"features": 40, "samples": 20}
POINTS: Final = by.PointStream()
SETS: Final = {"features": 400, "samples": 400}
HALVES: Final = {"queries": 601, "features": 600, "samples": 800}
TRACKERS: Final = (
    Hit(by.Freeze(), Randomized(alpha=0.1), above, 1.25, 1.75, FROM_ZERO),
    Hit(by.BoundedMemory(reads="output"), Randomized(alpha=0.1), above, 1.05, 1.5, FROM_ZERO),
    Hit(by.Feedback(block=50), Randomized(alpha=0.1), above, 1.05, 1.6, FROM_ZERO),
    Hit(by.Learned(), Randomized(alpha=0.1), above, 1.35, 1.65, FROM_ZERO),
    Hit(by.Drain(), Randomized(alpha=0.1), below, 1.0, 1.85, FROM_ZERO),
    Hit(by.Coin(), Randomized(alpha=0.1), above, 0.2, 0.6, FROM_ZERO),
    Hit(by.Replay("freeze"), Randomized(alpha=0.1), above, 0.2, 0.6, FROM_ZERO),
    Hit(by.Bisect(), Block(alpha=0.1), above, 0.95, 1.6, FROM_ZERO),
    Hit(by.Policy(), Block(alpha=0.1), above, 1.0, 1.6, FROM_ZERO),
    Hit(by.Posterior(), Block(alpha=0.1), above, 1.15, 1.75, FROM_ZERO),
    Hit(by.Phase(), Block(alpha=0.1), above, 0.85, 1.4, FROM_ZERO),
    Hit(by.Eavesdrop(), Block(alpha=0.1), above, 1.0, 1.6, FROM_ZERO),
    Hit(by.WhiteBox(), Block(alpha=0.1), above, 1.3, 1.75, FROM_ZERO),
    Hit(by.Trial(), broken(HAND, "no-noise"), below, 0.62, 0.98, ONE_ROUND),
)
HARMLESS: Final = (by.Coin, by.Replay)
"""React in form only, or no more."""
last, ratio, gap, error = named("last_ratio"), named("least_ratio"), named("gap"), named("max_rel_error")
PROPER: Final = partial(made, "private-proper", epsilon=1.0)
SAMPLE, SWITCHED = made("reset-sample", size=100), made("switched", copies=40, size=256)
COVERED, LOGS = made("count-min", width=16, depth=3), made("hyperloglog", registers=128)
STALE: Final = Stale(1.0, queries="points", domain=4)
SKETCHES: Final = (
    Hit(by.AmsAttack(), made("ams", rows=64), ratio, 0.03, 0.13, {"updates": 1000}, by.RandomUpdates()),
    Hit(by.TailAttack(), made("count-sketch", width=16), error, 0.45, 1.05, {"updates": 1500}, by.RandomTails()),
    Hit(by.CoverAttack(), COVERED, error, 0.32, 0.75, {"updates": 1000}, by.FreshItems()),
    Hit(by.QuietItems(200, 200), LOGS, ratio, 0.48, 0.67, {"updates": 4000}, by.UnsortedItems(200, 200)),
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
    Hit(
        by.Contrary(),
        made("point-predictor", epsilon=3.0),
        named("mistakes"),
        64,
        64,
        {"steps": 64, "points": 16},
        POINTS,
    ),
    Hit(by.Halving(), PROPER(horizon=254), wrong_ones, 1, 1, {"steps": 254, "points": 16}, POINTS),
    Hit(by.Insertion(), PROPER(horizon=196), wrong_ones, 1, 1, {"steps": 196, "points": 250}, POINTS),
    Hit(by.HardInstance(), made("sparse-vector-monitor", k=14, epsilon=2.5), named("ok"), 0, 0, {"steps": 2**15 - 2}),
    Hit(by.Intruder(), made("binary", epsilon=1.0, horizon=64), named("guessed"), 1, 1, {"steps": 64}),
    Hit(by.Overcount(40, 0.0), STALE, named("max_abs_error"), 100, 100, {"steps": 400}, by.Churn(40, exponent=0.0)),
)
"""An interval of one number is exact."""
HITS: Final = (*TRACKERS, *CONTENTS, *SKETCHES, *QUICK)
STREAMS: Final = (
    "biased bursts grow grow-and-delete heavy-item in-the-air item-trace moves "
    "rank-drift round-robin scattered single-site sliding trace uniform uniform-items zipf"
)
"""Kinds of streams that are made against nobody."""


def test_every_registered_opponent_has_its_victim() -> None:
    """A new one needs a row above, in which it attacks or is the harmless one, or is a stream made against nobody."""
    registered = set(core_kinds("adversary"))
    assert len(registered) >= 43
    attackers, controls = {hit.attacker.kind for hit in HITS}, {hit.harmless.kind for hit in HITS}
    assert len(HITS) == len(attackers) >= 25
    # tests/attack/search/test_table_search.py and tests/privacy/mechanisms/test_best_monitors.py have their victims
    by_file = {"table", "last-moment"}
    assert attackers | controls | by_file | set(STREAMS.split()) == registered
    assert not attackers & set(STREAMS.split())


@pytest.mark.parametrize(
    "hit",
    [pytest.param(hit, marks=[pytest.mark.slow] * (hit not in QUICK), id=hit.attacker.kind) for hit in HITS],
)
@pytest.mark.false_alarm(1e-6)
def test_how_hard_an_attacker_hits(hit: Hit) -> None:
    """The median of 9 games lies in the interval, in which those of 50 other games lay, with room to spare.

    A false alarm needs 5 of 9 games beyond one end: 1e-6 if not more than 2 % of all games are. Power: an attacker that
    has become as harmless as the opponent named beside it is found, since the median of that is outside: at most 9 of
    50 of its games are inside, and then 5 of 9 are with probability 0.013. So is one that fails to attack at all, and
    one that does more harm than is stated.
    """
    assert 2 * binom.sf(GAMES // 2, GAMES, BEYOND) < 1e-6
    assert hit.inside(hit.attacker)
    assert isinstance(hit.attacker, HARMLESS) or not hit.inside(hit.harmless)
