"""Clients that send refused requests again, and the time that requests wait."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from disttrack.adversaries import Burst, Rest
from disttrack.fleet.change import Try
from disttrack.fleet.loads import Retrying
from disttrack.fleet.quotas import Lease, Split
from disttrack.fleet.task import measured
from disttrack.simulator import play


def test_waiting_is_counted_from_the_first_try() -> None:
    """By hand: one request per window; the second one is tried in step 5 and again in step 11, so it waits 6 steps."""

    def load(view: Any) -> Iterator[Any]:
        yield Burst(0, 1)
        yield Rest(3)
        yield Try(0, 5)
        yield Rest(5)
        yield Try(0, 5)
        yield Rest(100)

    row = measured(play(Split(1, 10), load, sites=1, items=3))
    assert row["waiting"] == 6 / 2
    assert row["refused"] == 1 / 3


@pytest.mark.slow
@pytest.mark.false_alarm(1e-6)
def test_a_token_bucket_at_the_client_is_refused_less_and_waits_longer() -> None:
    """In the games of the scenario the factors are about 10 and 2.5, with a spread of a few percent."""
    rows = {}
    for backoff in ("exponential", "bucket"):
        game = play(Lease(limit=500, window=1500), Retrying(0.5, backoff), sites=12, items=4_500, seed=3)
        rows[backoff] = measured(game)
    assert rows["bucket"]["refused"] < 0.25 * rows["exponential"]["refused"]
    assert rows["bucket"]["waiting"] > 1.2 * rows["exponential"]["waiting"]
    assert rows["bucket"]["burst"] < rows["exponential"]["burst"] - 0.2
