"""The task `threshold` and its protocols: never late, never early, at the stated cost, and one line for bad input."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import inf, sqrt
from typing import Any

import pytest
from scipy.stats import binom

from disttrack.adversaries import Adversary, Freeze, RoundRobin, SingleSite, Uniform
from disttrack.protocols import (
    Batch,
    CoinReports,
    Countdown,
    Deterministic,
    Exact,
    Martingale,
    Protocol,
    Randomized,
)
from disttrack.simulator import play
from disttrack.simulator.game.outputs import reached
from disttrack.simulator.game.tasks.threshold import ThresholdAlarm, alarm_of, measured
from disttrack.simulator.game.tasks.tracking import Count
from disttrack.simulator.kinds.faults import broken
from disttrack.simulator.kinds.registry import parameters

ADVERSARIES = (Uniform(), RoundRobin(), Freeze(), SingleSite())


TRACKERS = {name: kind.load() for name, kind in ThresholdAlarm.kinds("protocol").items() if not kind.load().plays}
"""Those that promise an error."""
SURE = {"delta": 1e-9, "confidence": 8.0}
"""Parameters with which a game fails with a chance below 1e-8, or eight standard deviations off."""


def played(protocol: Protocol, adversary: Adversary, sites: int, threshold: int, start: int = 0, seed: int = 1) -> Any:
    game = play(
        protocol, adversary, sites=sites, items=threshold - start, start=start, seed=seed, engine="leap",
        level=alarm_of(protocol, threshold)[0],
    )  # fmt: skip
    return measured(game, protocol, threshold)


def most_of_countdown(sites: int, threshold: int, earliest: int, start: int) -> int:
    """Return the most messages to the alarm by docs/proofs.md, by the slack at the start of each round."""
    slack, messages = threshold - start, 0
    while slack > threshold - earliest:
        size, rest = divmod(slack, 2 * sites)
        if size <= 1:  # each item is reported
            return messages + slack - (threshold - earliest)
        slack = sites * size + max(rest, sites - 1)
        messages += 2 * sites if slack > threshold - earliest else sites
    return messages


def test_that_there_is_something_to_test() -> None:
    assert len(TRACKERS) >= 9
    assert set(ThresholdAlarm.kinds("protocol")) - set(TRACKERS) == {"countdown", "batch", "coin-reports"}
    assert not {"countdown", "batch", "coin-reports"} & set(Count.kinds("protocol"))


@pytest.mark.parametrize("adversary", ADVERSARIES, ids=lambda each: each.kind)
@pytest.mark.parametrize("epsilon", [1 - 1e-9, 0.3, 0.04, 0.001, 1e-9])
def test_proven_protocols_are_never_late_or_early_at_small_sizes(
    adversary: Adversary, epsilon: float, draw: int
) -> None:
    """At half of the sizes, drawn for each adversary and accuracy."""
    sizes = [*product((1, 2, 3, 7, 40), (1, 2, 3, 5, 11, 60, 199, 1000))]
    for sites, threshold in random.Random(f"{draw} {adversary} {epsilon}").sample(sizes, len(sizes) // 2):
        for start in {0, threshold // 3}:
            for protocol in (Countdown(threshold, epsilon), Batch(threshold, epsilon)):
                if start >= protocol.earliest:  # it is over before it begins
                    continue
                row = played(protocol, adversary, sites, threshold, start)
                assert row["verdict"] == "ok", (protocol, sites, start, row)
                assert protocol.earliest <= row["raised"] <= threshold
                most = most_of_countdown(sites, threshold, protocol.earliest, start)
                counts = isinstance(protocol, Countdown) and epsilon < 0.5
                assert row["words_to_alarm"] <= most or not counts, (protocol, sites, start, row)


def test_countdown_pays_what_is_stated() -> None:
    for epsilon, words, most in ((0.037, 884, 900), (0.01, 1280, 1300)):
        countdown = Countdown(60_000, epsilon)
        assert max(played(countdown, each, 100, 60_000)["words_to_alarm"] for each in ADVERSARIES) == words
        assert most_of_countdown(100, 60_000, countdown.earliest, 0) == most


@pytest.mark.false_alarm(1e-7)
@pytest.mark.parametrize("kind", TRACKERS)
def test_each_tracker_with_a_promise_raises_an_alarm_that_is_right(kind: str) -> None:
    """False alarm: below 1e-8 per game where a delta is promised; others are eight standard deviations wide."""
    maker = TRACKERS[kind]
    takes = parameters(maker)
    given = {name: value for name, value in SURE.items() if name in takes and (name, kind) != ("delta", "randomized")}
    trackers = [maker(**given, **({"alpha": alpha} if "alpha" in takes else {})) for alpha in (0.3, 0.05)]
    trackers += [Deterministic(0.1, centred=True)] if kind == "deterministic" else []
    for tracker, adversary in product(trackers, ADVERSARIES):
        if tracker.guarantee == "oblivious" and not adversary.oblivious:
            continue
        row = played(tracker, adversary, 4, 900)
        level, epsilon = alarm_of(tracker, 900)
        assert row["verdict"] == "ok", (tracker, adversary.kind, row)
        assert (1 - epsilon) * 900 <= row["raised"] <= 900
        assert level == 900 - 900 * Fraction(str(tracker.accuracy))
    assert alarm_of(Deterministic(0.1), 900)[1] == Fraction(1, 10)  # since it never counts too much
    assert alarm_of(Deterministic(0.1, centred=True), 900)[1] == Fraction(2, 11)


@dataclass(frozen=True)
class TwiceTheSize(Countdown):
    """Countdown whose reports have slack / k items in place of slack / 2k."""

    def size(self, k: int, known: int) -> int:
        return max(1, (self.threshold - known) // k)


def test_countdown_with_reports_twice_as_large_is_late() -> None:
    """The control: the constant is needed, at small sizes and at that of the scenario."""
    small = [played(TwiceTheSize(199, 0.04), each, sites, 199) for each in ADVERSARIES for sites in (2, 3, 7, 40)]
    assert sum(row["late"] for row in small) >= 2
    assert played(TwiceTheSize(60_000, 0.037), Uniform(), 100, 60_000)["late"]


def test_a_batch_that_is_too_large_is_late_and_not_otherwise_judged_ok() -> None:
    row = played(Batch(600, 0.1, size=100), RoundRobin(), 10, 600)
    assert (row["verdict"], row["late"], row["raised"]) == ("failed", True, None)


def test_a_late_and_an_early_alarm_fail() -> None:
    coarse = broken(Deterministic(0.05), "coarse")
    assert any(played(coarse, each, 4, 900)["late"] for each in ADVERSARIES)
    countdown = Countdown(600, 0.01)
    level, _ = alarm_of(countdown, 600)
    game = play(Deterministic(0.3, centred=True), RoundRobin(), sites=3, items=600, level=level)
    assert measured(game, countdown, 600)["early"]


@pytest.mark.parametrize(
    ("threshold", "epsilon", "delta", "start"), [(60_000, 0.1, 0.05, 0), (600, 0.3, 0.05, 0), (500, 0.3, 0.2, 90)]
)
def test_coins_have_the_exact_tails_and_no_smaller_number_has_them(
    threshold: int, epsilon: float, delta: float, start: int
) -> None:
    coin = CoinReports(threshold, epsilon, delta=delta)
    p, m = coin.coins(start)
    late, early = binom.cdf(m - 1, threshold - start, p), binom.sf(m - 1, coin.earliest - 1 - start, p)
    assert CoinReports(5, 0.01).coins() == (1.0, 5)  # every item
    assert late == pytest.approx(delta / 2, rel=1e-6)
    assert 0.9 * delta / 2 < early <= delta / 2
    assert late + early <= delta  # the promise, exactly: the number of reports is binomial
    grid = (p * (0.97 + step / 10_000) for step in range(600))
    assert not any(
        binom.cdf(m - 2, threshold - start, each) <= delta / 2
        and binom.sf(m - 2, coin.earliest - 1 - start, each) <= delta / 2
        for each in grid
    )


@pytest.mark.parametrize("kind", [Countdown, Batch, CoinReports])
def test_cost_bounds_hold_at_the_ends_of_the_sizes(kind: Any) -> None:
    for sites, threshold, epsilon in product((1, 2, 2**20), (1, 10, 60_000, 10**9), (1e-6, 0.1, 0.9)):
        protocol = kind(threshold, epsilon)
        bounds = [protocol.cost_bound(sites, items) for items in (1, 10**9, 2**61)]
        assert 0 <= bounds[0] <= bounds[1] <= bounds[2] < inf, (protocol, sites, bounds)
    for sites in (1, 30, 2000):
        protocol = kind(20_000, 0.1)
        bound = protocol.cost_bound(sites, 20_000)
        words = play(protocol, RoundRobin(), sites=sites, items=20_000, seed=1).words
        assert words <= bound + 7 * sqrt(bound)  # of coins: seven standard deviations


@pytest.mark.drawn(2)
@pytest.mark.parametrize("engine", ["step", "leap", "compiled"])
def test_the_step_of_the_alarm_and_its_words_are_those_of_the_record(engine: str) -> None:
    """Also of alarms in the first step, in the last one and never, and of outputs that are fractions."""
    if engine == "compiled":
        pytest.importorskip("numba")
    met = Counter[str]()
    for protocol in (
        Countdown(threshold=400, epsilon=0.1), CoinReports(threshold=400, epsilon=0.3), Exact(),
        Deterministic(alpha=0.2, centred=True), Randomized(alpha=0.2), Martingale(alpha=0.2),
    ):  # fmt: skip
        for adversary in (Freeze(), RoundRobin()):
            options: dict[str, Any] = {"sites": 3, "items": 400, "seed": 1}
            whole = play(protocol, adversary, engine="leap", record=True, **options)
            for level in (1, Fraction(3, 2), 200, Fraction(1001, 3), whole.outputs["output"].iloc[-1], 10**6):
                level = Fraction(float(level)) if not isinstance(level, int | Fraction) else level
                game = play(protocol, adversary, engine=engine, level=level, **options)
                outputs = zip(whole.outputs["step"], whole.outputs["output"], strict=True)
                step = next((step for step, output in outputs if reached(output, level)), None)
                words = whole.transcript["words"][whole.transcript["step"] <= (step or 0)].sum()
                assert game.crossed == (None if step is None else (step, words)), (protocol, adversary, level)
                met["never" if step is None else "first" if step == 1 else "last" if step == 400 else "within"] += 1
    assert met.keys() >= {"never", "first", "within"}
