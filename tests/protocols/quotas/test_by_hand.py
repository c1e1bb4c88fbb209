"""Games of quotas small enough to count by hand, and parameters that are refused."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import pytest

from disttrack.adversaries import RoundRobin, SingleSite
from disttrack.protocols import (
    BatchQuota,
    Central,
    CountdownQuota,
    Gossip,
    HybridQuota,
    Lease,
    PeriodicQuota,
    Split,
    WeightedSplit,
)
from disttrack.protocols.quotas.base import Quota
from disttrack.simulator import play
from disttrack.simulator.tasks.quota import measured

TEN = {"limit": 10, "window": 30}


def played(protocol: Any, adversary: Any = None, **size: Any) -> dict[str, Any]:
    game = play(protocol, adversary or RoundRobin(), **{"sites": 3, "items": 30, **size})
    return {**measured(game), "kinds": {(row["kind"], row["direction"]): row["messages"] for row in game._kinds}}


def test_split_gives_the_rest_to_the_first_sites() -> None:
    # shares of 4, 3, 3
    game = played(Split(**TEN), SingleSite(0))
    assert (game["utilisation"], game["overshoot"], game["kinds"]) == (0.4, 0, {})
    assert played(Split(**TEN), SingleSite(1))["utilisation"] == 0.3


def test_central_asks_until_each_site_is_refused() -> None:
    # ten requests are admitted, and one at each site is refused
    game = played(Central(**TEN))
    assert game["kinds"] == {("ask", "up"): 13, ("grant", "down"): 13}
    assert (game["overshoot"], game["utilisation"]) == (0, 1)


def test_hybrid_asks_when_its_share_is_gone() -> None:
    # int(10 * 0.8) // 3 = 2 each, then four requests are granted and three refused
    game = played(HybridQuota(**TEN))
    assert game["kinds"] == {("ask", "up"): 7, ("grant", "down"): 7}
    assert game["overshoot"] == 0


def test_leases_halve_what_is_left_over_the_sites() -> None:
    # one site: of 10 are left 10, 5, 3, 2, 1 when it asks, so it gets 5, 2, 1, 1, 1, and then a refusal
    game = played(Lease(**TEN), sites=1)
    assert game["kinds"] == {("ask", "up"): 6, ("grant", "down"): 6}


def test_batches_are_stopped_at_the_limit() -> None:
    # reports of 3 in steps 7, 8, 9 and 16: the fourth makes 12, and 16 are admitted
    game = played(BatchQuota(**TEN, size=3))
    assert game["kinds"] == {("report", "up"): 4, ("stop", "down"): 3}
    assert (game["overshoot"], game["overshoot_promised"]) == (0.6, 0.6)
    # one site knows its own admissions
    game = played(BatchQuota(**TEN, size=3), SingleSite())
    assert (game["kinds"], game["overshoot"]) == ({("report", "up"): 3}, 0)


def test_a_countdown_is_exact() -> None:
    # sizes floor(60 / 6) = 10, 5, 2, 1 after 30, 45, 51: each of the last nine requests is a report
    game = played(CountdownQuota(limit=60, window=90), items=90)
    assert game["kinds"] == {("report", "up"): 3 + 3 + 3 + 9, ("size", "down"): 9, ("stop", "down"): 3}
    assert (game["overshoot"], game["utilisation"]) == (0, 1)


def test_flushes_are_spread_over_the_sites() -> None:
    # every 15 steps: at 5, 10, 15, 20, 25, 30
    game = played(PeriodicQuota(**TEN, every=15))
    assert game["kinds"] == {("report", "up"): 6, ("total", "down"): 6}


def test_vectors_of_gossip_cost_a_word_for_each_site() -> None:
    game = play(Gossip(**TEN, every=15), RoundRobin(), sites=3, items=30)
    assert (game.messages, game.words) == (12, 36)


def test_shares_follow_the_load_from_the_third_window_on() -> None:
    game = play(WeightedSplit(limit=300, window=400, memory=0), SingleSite(), sites=3, items=1600)
    admitted = [look["admitted"] for look in game.looks if look["step"] % 400 == 0]
    assert [after - before for before, after in zip([0, *admitted], admitted, strict=False)] == [100, 100, 298, 298]


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (partial(Split, 0, 10), "limit must be a whole number of at least 1; got 0"),
        (partial(Split, 5, 0), "window must be a whole number of at least 1; got 0"),
        (partial(Split, 5, 10, costs="1 6"), "costs must be at most the limit of 5; got 6"),
        (
            partial(Split, 5, 10, costs="x"),
            "costs must be whole numbers of at least 1 with spaces between; got 'x'",
        ),
        (partial(Split, 5, 10, costs=""), "costs must be whole numbers of at least 1 with spaces between; got ''"),
        (partial(Split, 5, 10, costs=0), "costs must be whole numbers of at least 1 with spaces between; got 0"),
        (partial(Split, 5, 10, reserve=6, settle=1), "reserve must be at most the limit of 5; got 6"),
        (partial(Split, 5, 10, reserve=2), "settle must be given with a reserve, and only then; got 0"),
        (partial(Split, 5, 10, settle=2), "settle must be given with a reserve, and only then; got 2"),
        (partial(Split, 5, 10, skew=10), "skew must be less than the window of 10 steps; got 10"),
        (partial(PeriodicQuota, 5, 10, every=0), "every must be a whole number of at least 1; got 0"),
        (partial(BatchQuota, 5, 10, size=0), "size must be a whole number of at least 1; got 0"),
        (partial(CountdownQuota, 5, 10, epsilon=1), "epsilon must be a number from 0, and below 1; got 1"),
        (partial(Lease, 5, 10, fraction=0), "fraction must be a number above 0 and at most 1; got 0"),
        (partial(HybridQuota, 5, 10, share=1), "share must be a number from 0, and below 1; got 1"),
        (partial(WeightedSplit, 5, 10, memory=-1), "memory must be a number from 0, and below 1; got -1"),
    ],
)
def test_what_is_wrong_is_refused(make: Any, said: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(said)}$"):
        make()


def test_a_base_is_no_kind() -> None:
    assert not Quota.kind
