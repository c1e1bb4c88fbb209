"""Sketch switching, and the copies that it and the private copies are made of."""

from __future__ import annotations

from math import log, sqrt
from typing import Any

import numpy as np
import pytest
from scipy import stats

from adversaries import Adversary, Drain, Freeze, RoundRobin
from protocols import Deterministic, Randomized, SketchSwitching
from protocols.base import Message
from protocols.coins import Coins
from protocols.sampling.copies import CopiesServer, CopiesSite
from protocols.sampling.sketch_switching import changes
from simulator import play


class Watched(CopiesServer):
    """A server that only keeps estimates."""

    __slots__ = ()

    def look(self) -> None:
        pass


def fed(copies: int, items: list[int], seed: int = 0) -> tuple[Watched, Randomized]:
    """Return a server after its sites have had these items, site after site in turn."""
    tracker = Randomized(alpha=0.5, confidence=3.0)
    k = len(items)
    coins = Coins(np.random.default_rng(seed))
    sites = [CopiesSite(tracker, k, copies, coins, 0, 0) for _ in items]
    server = Watched(tracker, k, copies, ())
    left = list(items)
    while any(left):
        for number, site in enumerate(sites):
            if left[number]:
                left[number] -= 1
                for message in site.take(1):
                    for _, answer in server.hear(number, message):
                        for other, one in enumerate(sites):
                            for again in one.hear(answer):
                                server.hear(other, again)
    return server, tracker


def test_each_copy_is_a_randomized_tracker() -> None:
    """Mean N and variance sum (1 - p)(1 - (1 - p)^n)/p^2 over 4,000 copies after several halvings of p.

    Mean: five standard errors; variance within 12 %, five of its own (the kurtosis is below 9): alarms below 1e-6.
    Power: a halving that keeps every report biases the mean by some 30 standard errors.
    """
    items = [700, 350, 40, 3]
    server, _ = fed(4000, items)
    p = 1 / server.inverse
    assert server.inverse >= 32
    expected = sum((1 - p) * (1 - (1 - p) ** n) / p**2 for n in items)
    assert abs(server.estimates.mean() - sum(items)) < 5 * sqrt(expected / 4000)
    assert server.estimates.var() == pytest.approx(expected, rel=0.12)


def test_copies_are_independent() -> None:
    """Correlation of the estimates of two copies over 300 games: below 0.3, five of its standard errors."""
    pairs = np.array([fed(2, [60, 30], seed)[0].estimates for seed in range(300)])
    assert abs(np.corrcoef(pairs.T)[0, 1]) < 0.3


def test_running_estimates_are_what_the_reports_say() -> None:
    server, _ = fed(50, [300, 200, 17, 1])
    anew = server.last.sum(axis=0) + (server.inverse - 1) * np.count_nonzero(server.last, axis=0)
    assert (server.estimates == anew).all()


def test_all_alike_while_every_item_is_reported() -> None:
    server, tracker = fed(500, [3, 2])
    assert tracker.inverse_p(2, 5) == 1
    assert server.exact == 5


def test_number_of_copies_by_hand() -> None:
    """alpha = 0.1, a million items: (ln 1.0125 + ln 1e6) / ln 1.05 = 283.4, so 284 changes and one to be sure."""
    assert changes(0.1, 1e6, 0) == 285
    assert changes(0.1, 1e6, 10**5) == 49  # (0.0124 + ln 10) / 0.04879 = 47.4
    assert SketchSwitching(alpha=0.1, largest=1e6).copies() == 285


@pytest.mark.parametrize("adversary", [RoundRobin(), Freeze(), Drain()], ids=lambda one: one.kind)
def test_each_copy_is_seen_once(adversary: Adversary) -> None:
    """Changes stay below ln((1 + alpha/8) N) / ln(1 + alpha/2) + 1, and each is a growth by 1 + alpha/2 at least."""
    protocol = SketchSwitching(alpha=0.3, largest=20_000)
    game = play(protocol, adversary, sites=9, items=20_000, seed=4, record=True)
    assert game.ok
    outputs = game.outputs["output"].to_numpy()
    outputs = outputs[outputs > 0]
    assert (outputs[1:] >= 1.15 * outputs[:-1]).all()
    assert len(outputs) <= log((1 + 0.3 / 8) * 20_000) / log(1.15) + 1
    assert len(outputs) <= protocol.copies()


def test_holds_while_copies_report_by_chance() -> None:
    """Failures beyond delta: false alarm 1e-6 (exact binomial). Reports are adjusted, so p is below 1."""
    protocol = SketchSwitching(alpha=0.5, delta=0.05, largest=16_000)
    games = [play(protocol, Freeze(), sites=9, items=16_000, seed=seed) for seed in range(6)]
    kinds = {row.kind: row.words for row in games[0].kinds.itertuples()}
    assert kinds["adjust"] > 0
    assert sum(not game.ok for game in games) <= stats.binom.isf(1e-6, 6, 0.05)


def test_costs_more_than_the_deterministic_tracker() -> None:
    options: dict[str, Any] = {"sites": 64, "items": 20_000, "seed": 1}
    switching = play(SketchSwitching(alpha=0.3, largest=20_000), RoundRobin(), **options).words
    assert switching > 3 * play(Deterministic(alpha=0.3), RoundRobin(), **options).words
    assert switching < SketchSwitching(alpha=0.3, largest=20_000).cost_bound(64, 20_000)


def test_used_up_copies_fall_silent() -> None:
    """After the broadcast that says so, no site reports or adjusts a copy before the one in use."""
    tracker = Randomized(alpha=0.5)
    site = CopiesSite(tracker, 4, 30, Coins(np.random.default_rng(0)), 0, 0)
    for _ in range(40):
        site.take(site.quota() + 1)
    said = list(site.hear(Message("total", (200, 12), 2)))
    while len(said) < 40:
        said.extend(site.take(site.quota() + 1))
    named = [which for message in said if message.kind != "double" for which in message.value[0].tolist()]
    assert named
    assert min(named) >= 12
    assert max(named) < 30
    assert all(message.words == len(message.value[0]) for message in said if message.kind != "double")


@pytest.mark.parametrize("largest", [1, 0, -5, float("inf"), float("nan"), "many", True])
def test_refuses_a_length_that_is_none(largest: Any) -> None:
    with pytest.raises(ValueError, match="largest must be a number above 1"):
        SketchSwitching(alpha=0.1, largest=largest)
