"""The bare wires: how often messages are lost, copied and held up, and how long they take."""

from __future__ import annotations

from math import exp
from typing import Any

import numpy as np
import pytest
from scipy import stats

from disttrack.protocols import Deterministic, Exact, Martingale
from disttrack.simulator.game.network import network_of
from disttrack.simulator.game.network.wires import Wires, mean_way

NUMBER = 20_000
ALARM = 1e-6
"""False alarms of each statistical test here."""


def wires(k: int = 3, seed: int = 1, **network: Any) -> Wires:
    made = network_of(network)
    assert made is not None
    return Wires(made, k, np.random.default_rng(seed))


def is_share(hits: int, share: float) -> bool:
    """Tell whether so many hits of `NUMBER` may be binomial (exact, two sides)."""
    return bool(stats.binomtest(hits, NUMBER, share).pvalue > ALARM)


def test_losses_and_copies_come_with_their_probabilities() -> None:
    """A third more or less would be seen: 0.1 for 0.13, and copies counted among the lost too."""
    found = wires(loss=0.1, duplication=0.2)
    copies = [len(found.arrivals(0, True, step)) for step in range(NUMBER)]
    assert is_share(copies.count(0), 0.1)
    assert is_share(copies.count(2), 0.9 * 0.2)
    assert not is_share(copies.count(0), 0.13)
    assert not is_share(copies.count(2), 0.2)


def test_some_are_held_up_and_the_others_keep_their_order() -> None:
    found = wires(latency=5, reordering=0.25)
    delays = [found.arrivals(0, True, step)[0] - step for step in range(NUMBER)]
    assert set(delays) == {5, 11}  # held up: another latency and a step
    assert is_share(delays.count(11), 0.25)
    ordered = wires(latency={"exponential": 5})
    arrivals = [ordered.arrivals(0, True, step)[0] for step in range(1000)]
    assert arrivals == sorted(arrivals)
    first = [ordered.arrivals(1, up, 0)[0] for up in (True, False)]
    assert max(first) < arrivals[-1]  # other sites and the other direction do not wait


@pytest.mark.parametrize(
    ("latency", "distribution"),
    [
        ({"uniform": {"from": 2, "to": 9}}, stats.uniform(2, 7)),
        ({"lognormal": {"median": 4, "sigma": 0.7}}, stats.lognorm(0.7, scale=4)),
        ({"exponential": 3}, stats.expon(scale=3)),
    ],
    ids=["uniform", "lognormal", "exponential"],
)
@pytest.mark.false_alarm(1e-6)
def test_delays_are_drawn_from_their_distribution_and_rounded_up(latency: Any, distribution: Any) -> None:
    """Chi-square over whole steps. Power: rounding to the nearest step is seen, a shift of half a step."""
    network = network_of({"latency": latency})
    assert network is not None
    sample = network.latency.sampler(np.random.default_rng(3))
    drawn = np.array([sample() for _ in range(NUMBER)])
    most = 9
    for shift, fits in ((0.0, True), (0.5, False)):
        borders = np.arange(most) + shift
        expected = NUMBER * np.diff(np.concatenate(([0.0], distribution.cdf(borders), [1.0])))
        observed = np.bincount(np.minimum(drawn, most), minlength=most + 1)
        there = expected > 5
        statistic = float(((observed - expected)[there] ** 2 / expected[there]).sum())
        assert (statistic < stats.chi2.isf(ALARM, int(there.sum()) - 1)) == fits
    mean = float(np.ceil(distribution.rvs(200_000, random_state=1)).mean())
    assert network.latency.mean_steps == pytest.approx(mean, rel=0.05)


def test_each_direction_and_far_sites_have_a_latency_of_their_own() -> None:
    found = wires(latency=2, latency_down=3, far={"sites": "1-2", "latency": 40})
    assert [found.arrivals(site, True, 0) for site in range(3)] == [(2,), (40,), (40,)]
    assert [found.arrivals(site, False, 0) for site in range(3)] == [(3,), (40,), (40,)]
    network = network_of({"latency": 2, "latency_down": 3, "far": {"sites": 1, "latency": 40}})
    assert network is not None
    assert mean_way(network, 3) == 80
    heavy = network_of({"latency": {"lognormal": {"median": 2, "sigma": 1}}})
    assert heavy is not None
    assert mean_way(heavy, 3) == pytest.approx(2 * (2 * exp(0.5) + 0.5))


def test_what_is_cut_off_is_lost_in_its_window_only() -> None:
    found = wires(partition={"sites": "0,2", "from": 10, "to": 12})
    for site, cut in ((0, [10, 11, 12]), (1, []), (2, [10, 11, 12])):
        for up in (True, False):
            assert [step for step in range(20) if not found.arrivals(site, up, step)] == cut


@pytest.mark.slow
def test_the_work_of_links_and_of_coming_back_is_foreseen() -> None:
    """Against the messages of games: within a tenth for links, three tenths for crashes, whose reports save others."""
    from disttrack.adversaries import Uniform
    from disttrack.simulator import play

    for protocol in (Exact(), Deterministic(alpha=0.1), Martingale(alpha=0.2)):
        for given, within in (
            ({"loss": 0.2, "link": "reliable"}, 0.1),
            ({"latency": 1, "crash": {"rate": 0.005, "down": 20, "state": "lost"}}, 0.3),
        ):
            network = network_of(given)
            assert network is not None
            plain, game = (
                play(protocol, Uniform(), sites=4, items=8000, seed=2, engine="leap", network=one)
                for one in (None, network)
            )
            foreseen = network.messages(plain.messages, 4, 8000, protocol)
            played = game.messages + game.messages_link
            numbers = game.kinds.query("kind == 'number'")["words"].sum() if "link" in given else 0
            assert numbers >= game.messages * bool(numbers)
            if protocol == Martingale(alpha=0.2) and "crash" in given:
                assert foreseen > 2 * plain.messages  # a crash every 50 steps: most of it is coming back
                assert played > 2 * plain.messages
            else:
                assert foreseen == pytest.approx(played, rel=within)
