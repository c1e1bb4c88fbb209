"""The task `threshold` and its protocols: never late, never early, at the stated cost, and one line for bad input."""

from __future__ import annotations

from itertools import product
from math import inf, sqrt
from typing import Any

import pytest
from scipy.stats import binom

from disttrack.adversaries import Adversary, Freeze, RoundRobin, SingleSite, Uniform
from disttrack.protocols import Batch, CoinReports, Countdown, Deterministic, DeterministicRounds, Protocol
from disttrack.simulator import play
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.scenario.load import load
from disttrack.simulator.tasks.threshold import measured

ADVERSARIES = (Uniform(), RoundRobin(), Freeze(), SingleSite())


def played(protocol: Protocol, adversary: Adversary, sites: int, threshold: int, start: int = 0, seed: int = 1) -> Any:
    game = play(
        protocol, adversary, sites=sites, items=threshold - start, start=start, seed=seed, record=True, engine="leap"
    )
    return measured(game, protocol, threshold)


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


def test_countdown_pays_what_is_stated() -> None:
    for epsilon, words in ((0.037, 884), (0.01, 1280)):
        costs = [played(Countdown(60_000, epsilon), each, 100, 60_000)["words_raised"] for each in ADVERSARIES]
        assert max(costs) == words


@pytest.mark.parametrize("tracker", [Deterministic(0.1), Deterministic(0.1, centred=True), DeterministicRounds(0.1)])
def test_a_tracker_raises_an_alarm_as_its_promise_allows(tracker: Protocol) -> None:
    for adversary in ADVERSARIES:
        assert played(tracker, adversary, 9, 3000)["verdict"] == "ok"


def test_a_batch_that_is_too_large_is_late_and_not_otherwise_judged_ok() -> None:
    row = played(Batch(600, 0.1, size=100), RoundRobin(), 10, 600)
    assert (row["verdict"], row["late"], row["raised"]) == ("failed", True, None)


def test_an_early_alarm_fails() -> None:
    game = play(Deterministic(0.3, centred=True), RoundRobin(), sites=3, items=600, record=True)
    assert measured(game, Countdown(600, 0.01), 600)["early"]


@pytest.mark.parametrize(("threshold", "epsilon", "delta", "start"), [(60_000, 0.1, 0.05, 0), (500, 0.3, 0.2, 90)])
def test_coins_have_the_exact_tails_and_no_smaller_number_has_them(
    threshold: int, epsilon: float, delta: float, start: int
) -> None:
    coin = CoinReports(threshold, epsilon, delta=delta)
    p, m = coin.coins(start)
    late, early = binom.cdf(m - 1, threshold - start, p), binom.sf(m - 1, coin.earliest - 1 - start, p)
    assert late == pytest.approx(delta / 2, rel=1e-6)
    assert 0.9 * delta / 2 < early <= delta / 2
    grid = (p * (0.97 + step / 10_000) for step in range(600))
    assert not any(
        binom.cdf(m - 2, threshold - start, each) <= delta / 2
        and binom.sf(m - 2, coin.earliest - 1 - start, each) <= delta / 2
        for each in grid
    )


def test_coins_that_must_not_fail_send_every_item() -> None:
    assert CoinReports(5, 0.01).coins() == (1.0, 5)
    assert played(CoinReports(5, 0.01), Uniform(), 2, 5)["raised"] == 5


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
