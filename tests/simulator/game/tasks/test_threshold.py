"""The task `threshold` and its protocols: never late, never early, at the stated cost, and one line for bad input."""

from __future__ import annotations

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
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.experiments.scenario.load import load
from disttrack.simulator.game.outputs import reached
from disttrack.simulator.game.tasks.threshold import ThresholdAlarm, alarm_of, measured
from disttrack.simulator.game.tasks.tracking import Count
from disttrack.simulator.kinds.faults import broken
from disttrack.simulator.kinds.registry import parameters
from disttrack.simulator.workshop.conformance.failure import same_game

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
@pytest.mark.parametrize("epsilon", [0.3, 0.04, 0.001])
def test_proven_protocols_are_never_late_or_early_at_small_sizes(adversary: Adversary, epsilon: float) -> None:
    for sites in (1, 2, 3, 7, 40):
        for threshold in (1, 2, 3, 5, 11, 60, 199, 1000):
            for start in {0, threshold // 3}:
                for protocol in (Countdown(threshold, epsilon), Batch(threshold, epsilon)):
                    row = played(protocol, adversary, sites, threshold, start)
                    assert row["verdict"] == "ok", (protocol, sites, start, row)
                    assert protocol.earliest <= row["raised"] <= threshold
                    most = most_of_countdown(sites, threshold, protocol.earliest, start)
                    assert row["words_to_alarm"] <= most or isinstance(protocol, Batch), (protocol, sites, start, row)


def test_countdown_pays_what_is_stated() -> None:
    for epsilon, words in ((0.037, 884), (0.01, 1280)):
        costs = [played(Countdown(60_000, epsilon), each, 100, 60_000)["words_to_alarm"] for each in ADVERSARIES]
        assert max(costs) == words


def test_the_most_that_countdown_pays_is_as_the_page_states() -> None:
    assert [most_of_countdown(100, 60_000, Countdown(60_000, each).earliest, 0) for each in (0.037, 0.01)] == [
        900,
        1300,
    ]


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


@pytest.mark.parametrize(
    ("tracker", "epsilon"),
    [
        (Deterministic(0.1), Fraction(1, 10)),
        (Deterministic(0.1, centred=True), Fraction(2, 11)),
        (Exact(), Fraction(0)),
    ],
)
def test_the_epsilon_of_a_tracker_is_its_alpha_if_it_never_counts_too_much(
    tracker: Protocol, epsilon: Fraction
) -> None:
    assert alarm_of(tracker, 900)[1] == epsilon


def test_a_tracker_coarser_than_it_promises_fails() -> None:
    """The control."""
    rows = [played(broken(Deterministic(0.05), "coarse"), each, 4, 900) for each in ADVERSARIES]
    assert any(row["late"] for row in rows)


@pytest.mark.parametrize("kind", [Countdown, Batch, CoinReports])
@pytest.mark.parametrize(
    ("sites", "threshold", "start", "epsilon"),
    [
        (1, 1, 0, 0.2),
        (1, 400, 0, 1e-9),
        (40, 1, 0, 0.2),
        (40, 17, 0, 1 - 1e-9),
        (40, 400, 399, 1e-9),
        (7, 400, 130, 0.2),
    ],
)
def test_step_and_leap_agree_at_the_ends(kind: Any, sites: int, threshold: int, start: int, epsilon: float) -> None:
    """One site, a threshold of 1 and one below the number of sites, an epsilon near 0 and near 1."""
    protocol = kind(threshold, epsilon)
    options: dict[str, Any] = {
        "sites": sites,
        "items": threshold - start + 20,
        "start": start,
        "seed": 3,
        "record": True,
    }
    for adversary in (Uniform(), Freeze(), SingleSite()):
        step, leap = (play(protocol, adversary, engine=engine, **options) for engine in ("step", "leap"))
        assert same_game(step, leap), (protocol, adversary.kind)
        if protocol.guarantee == "always" and start < protocol.earliest:
            assert played(protocol, adversary, sites, threshold, start)["verdict"] == "ok"


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


def test_an_early_alarm_fails() -> None:
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
    assert late == pytest.approx(delta / 2, rel=1e-6)
    assert 0.9 * delta / 2 < early <= delta / 2
    assert late + early <= delta  # the promise, exactly: the number of reports is binomial
    grid = (p * (0.97 + step / 10_000) for step in range(600))
    assert not any(
        binom.cdf(m - 2, threshold - start, each) <= delta / 2
        and binom.sf(m - 2, coin.earliest - 1 - start, each) <= delta / 2
        for each in grid
    )


def test_coins_that_must_not_fail_send_every_item() -> None:
    assert CoinReports(5, 0.01).coins() == (1.0, 5)
    assert played(CoinReports(5, 0.01), Uniform(), 2, 5)["raised"] == 5


@pytest.mark.false_alarm(1e-6)
@pytest.mark.parametrize("adversary", [Uniform(), Freeze(), SingleSite()], ids=lambda each: each.kind)
def test_coins_fail_as_rarely_as_promised_against_adversaries_that_react(adversary: Adversary) -> None:
    """False alarm: P[Bin(400, 0.2) > 121] < 1e-6 per adversary."""
    coin = CoinReports(300, 0.3, delta=0.2)
    failed = sum(not played(coin, adversary, 8, 300, seed=seed)["ok"] for seed in range(400))
    assert binom.sf(121, 400, 0.2) < 1e-6
    assert failed <= 121
    assert failed > 0  # exact tails: about 80 are expected


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


SCENARIO = "name: x\ntask: threshold\nseed: 1\ntrials: 1\nsites: 3\nthreshold: 100\nadversary: uniform\nprotocol: "


@pytest.mark.parametrize(
    ("protocol", "message"),
    [
        ("{kind: countdown, threshold: 0, epsilon: 0.1}", "protocol.threshold: must be"),
        ("{kind: countdown, threshold: 90, epsilon: 0.1}", "must be 100, the threshold of the game"),
        ("{kind: countdown, threshold: 100, epsilon: 1.5}", "protocol.epsilon: must be"),
        ("{kind: exact}\nstart: 95", "start"),
        ("{kind: exact}\nnetwork: {latency: 3}", "must be left out"),
    ],
)
def test_bad_input_is_refused_in_one_line(protocol: str, message: str, tmp_path: Any) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(SCENARIO + protocol + "\n")
    with pytest.raises(ScenarioError, match=message) as caught:
        load(path)
    assert "\n" not in str(caught.value)


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
