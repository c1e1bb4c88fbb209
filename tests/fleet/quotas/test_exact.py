"""Limits at which floats are no longer exact: bounds, verdicts, shares, and the measures of what was admitted."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from small_fleets import SHAPED, made

from disttrack.adversaries import Uniform
from disttrack.fleet.book import beyond, in_order, largest
from disttrack.fleet.quotas import CountdownQuota, HybridQuota, Lease, Quota, Split, WeightedSplit
from disttrack.fleet.quotas.amounts import LARGEST
from disttrack.fleet.quotas.base import Shape
from disttrack.fleet.task import measured
from disttrack.protocols.base import Message
from disttrack.simulator import play

LIMITS = (2**53 + 1, LARGEST)


def at_limit(kind: type[Quota], shape: str, limit: int, **more: Any) -> Quota:
    """Return a quota with few dear requests in a window."""
    return made((kind, shape), limit=limit, window=20, every=4, **more)


@pytest.mark.drawn(10)
@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize(("kind", "shape"), SHAPED)
def test_no_guarantee_is_exceeded_and_none_is_said_to_be(kind: type[Quota], shape: Shape, limit: int) -> None:
    """Seen: a game was failed that had admitted exactly its limit of 2^53 + 1."""
    full = 0
    for costs in (str(limit), f"{limit // 5} 1 {limit // 3} 3"):
        rule = at_limit(kind, shape, limit, costs=costs)
        for k in (1, 3):
            worst = rule.worst(k)
            assert isinstance(worst, int)
            game = play(rule, Uniform(), sites=k, items=60, seed=3)
            most = _most(game, rule)
            full += 2 * most > limit
            assert most <= worst
            known = rule.slack(k, 0, 0) == 0 and shape != "weighted"
            assert worst == limit or not known, "a promise of no overshoot is the limit"
            assert measured(game)["verdict"] == "ok"
            assert worst > limit or measured(game)["overshoot"] == 0
    assert full


def _most(game: Any, rule: Quota) -> Fraction:
    """Return the largest cost in a window, of a bucket the limit and what is beyond, by all pairs of admissions."""
    noted = sorted(zip(*map(list, game.book.admitted), strict=True))
    found = [Fraction(0)]
    for first in range(len(noted)):
        cost = 0
        for step, one in noted[first:]:
            cost += one
            steps = step - noted[first][0] + 1
            if rule.shape == "bucket":
                found.append(rule.limit + cost - rule.depth - steps * Fraction(rule.limit, rule.window))
            elif steps <= rule.window and (rule.shape == "sliding" or (step - 1) % rule.window >= steps - 1):
                found.append(Fraction(cost))
    return max(found)


def test_one_above_the_limit_is_found() -> None:
    class Generous(Split):
        """Admits one more than its limit, and promises what `split` does."""

        def site(self, number: int, k: int, answers: Any) -> Any:
            return Split(self.limit + 1, self.window, costs=self.costs).site(number, k, answers)

        def slack(self, *fleet: Any, **more: Any) -> float:
            return 0

    for limit in (2**53 - 1, 2**53, 2**53 + 1, LARGEST - 1):
        game = play(Generous(limit, 20, costs=f"{limit} 1"), Uniform(), sites=1, items=60, seed=3)
        assert (measured(game)["verdict"], _most(game, game.quota)) == ("failed", limit + 1)


@pytest.mark.parametrize("limit", [1, 7, 100, *LIMITS])
def test_weighted_shares_are_the_quotients_rounded_down(limit: int) -> None:
    """Seen: at 2^53 + 1 shares that added up to one more than the limit, and one site alone with less."""
    rng, decided = random.Random(limit), 0
    for k in (1, 2, 3, 20):
        for memory in (0.5, 0.3):
            rule = WeightedSplit(limit, 10, memory=memory)
            server: Any = rule.server(k, np.random.default_rng(1))
            for window in range(6):
                server.turn()
                shares: list[int] = []
                for site in range(k):
                    server.weights[site] += rng.choice([0, 1, rng.randrange(1000), rng.randrange(limit + 1)])
                    weights = [Fraction(weight + 1) for weight in server.weights]
                    replies = server.hear(site, Message("load", (window, 0)))
                    shares += [message.value[1] for _, message in replies]
                decided += bool(shares)
                if shares:
                    assert sum(shares) <= limit
                    assert all(share <= rule.most(site, k) for site, share in enumerate(shares))
                    quotients = [limit * weight / sum(weights) for weight in weights]
                    assert all(0 <= one - share < 1 for one, share in zip(quotients, shares, strict=True))
    assert decided > 30


@pytest.mark.parametrize("limit", [100, *LIMITS])
def test_a_part_of_a_limit_is_that_of_the_decimal_number(limit: int) -> None:
    """Seen: a share of 0.29 of 100 was 28."""
    for k in (1, 3):
        for rule in (HybridQuota(limit, 10, share=0.29), Lease(limit, 10, upfront=0.29)):
            assert rule.upfront_of(k) == limit * 29 // 100 // k
        assert CountdownQuota(limit, 10, epsilon=0.29).smallest(k) == limit * 29 // 100 // k
        assert Lease(limit, 10, fraction=0.29).granted(k, limit, 1) == limit * 29 // 100 // k


def test_measures_do_not_overflow() -> None:
    steps = np.arange(1, 9)
    costs = np.full(8, LARGEST)
    assert largest(steps, costs, 8) == 8 * LARGEST
    rule = at_limit(*SHAPED[[shape for _, shape in SHAPED].index("bucket")], LARGEST)
    assert beyond(steps, costs, rule) == 7 * LARGEST - 8 * Fraction(LARGEST, 20)
    assert in_order(([], []))[0].size == 0  # type: ignore[arg-type]


def test_a_limit_that_64_bits_do_not_hold_is_refused() -> None:
    with pytest.raises(ValueError, match=r"limit must be at most 4,611,686,018,427,387,904; got .*: count in a larger"):
        Split(LARGEST + 1, 10)
