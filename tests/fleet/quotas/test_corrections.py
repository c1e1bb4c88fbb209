"""Corrections of charges that have partly come back: by hand, and against a meter that knew the costs."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from disttrack.adversaries import Burst, Rest
from disttrack.fleet.live.site_state import SiteState
from disttrack.fleet.quotas import BucketLease, Central, PeriodicQuota, SlidingLease
from disttrack.fleet.quotas.meter import Meter
from disttrack.fleet.task import measured
from disttrack.protocols.base import Message
from disttrack.simulator import play

LATE = {"limit": 1_000, "window": 3_000, "costs": (1,) * 100 + (10,) * 400, "reserve": 10, "settle": 300}
"""100 cheap requests, each of which takes a reserve of 10, and dear ones after them."""


def cheap_then_dear(pause: int) -> Any:
    """Return a load of one site that rests after its cheap requests."""

    def load(view: Any) -> Iterator[Any]:
        while view.steps < 100:
            yield Burst(0, 100 - view.steps)
        yield Rest(pause)
        while True:
            yield Burst(0)

    return load


@pytest.mark.drawn(4)
@pytest.mark.parametrize("pause", [200, 250, 400, 500, 2_900, 3_100])
@pytest.mark.parametrize("shape", ["sliding", "bucket"])
def test_a_refund_does_not_outlive_its_charge_in_reports(shape: str, pause: int) -> None:
    """Seen: 1,900 admitted in 3,000 steps after a pause of 3,100, where 1,000 are promised."""
    depth = {"depth": 1_000} if shape == "bucket" else {}
    game = play(PeriodicQuota(**LATE, shape=shape, every=1, **depth), cheap_then_dear(pause), sites=1, items=1_500)
    row = measured(game)
    assert (row["verdict"], row["overshoot"]) == ("ok", 0)


@pytest.mark.parametrize("pause", [200, 300, 400])
def test_a_refund_does_not_outlive_its_charge_in_tokens(pause: int) -> None:
    """The bucket is full again before the refund of what filled it comes. Seen: 438 beyond the bucket."""
    game = play(BucketLease(**LATE | {"limit": 9_000}, depth=1_000), cheap_then_dear(pause), sites=1, items=1_500)
    assert (measured(game)["verdict"], measured(game)["overshoot"]) == ("ok", 0)


def test_commits_give_back_no_tokens_that_have_come_back() -> None:
    """Seen: 1,850 in half a second, where 1,049 are allowed."""
    rule = BucketLease(limit=1_000, window=10_000, costs="1 10", reserve=10, settle=50_000, depth=1_000)
    part = SiteState(rule, 1, 0, 1, commits=True)
    server = rule.server(1, part.rng)

    def do(*event: Any) -> None:
        for _, _, message in part.apply(event):
            for _, answer in server.hear(0, message):
                heard = part.site.hear(answer)
                assert part.reservations is not None
                part.reservations.note_answers(part.site)
                assert not heard

    def admit(requests: int) -> list[int]:
        before = set(part.reservations.open) if part.reservations is not None else set()
        for _ in range(requests):
            do("request", 10)
        assert part.reservations is not None
        return [number for number in part.reservations.open if number not in before]

    cheap = admit(100)
    assert len(cheap) > 95
    for _ in range(60):  # 60 of 64 slots: nearly all has come back
        do("act", "turn")
    dear = admit(95)
    assert len(dear) > 85
    for number in cheap:
        do("commit", number, 1)
    dear += admit(95)
    assert 10 * len(dear) <= 1_000 + 2 * 1_000 // 64


@pytest.mark.parametrize("rule", [
    Central(40, 30, shape="sliding", slots=6),
    Central(40, 30, shape="bucket", depth=25, slots=6),
    Central(7, 30, shape="bucket", depth=25, slots=6),
])  # fmt: skip
@pytest.mark.parametrize("seed", range(20))
def test_a_corrected_meter_is_one_that_knew_the_cost_while_the_charge_lasts(rule: Any, seed: int) -> None:
    """A sliding one exactly; of a bucket, it counts up to one unit more for each correction, and never less."""
    rng = random.Random(seed)
    meter, known = Meter(rule), Meter(rule)
    for first in range(0, 60, 3):
        charges = []
        for slot in range(first, first + 3):
            excess, cost = rng.choice([0, 3, 9]), rng.choice([0, 1, 4, 20])
            meter.add(cost + excess)
            known.add(cost)
            charges.append((slot, excess))
            meter.turn(slot + 1)
            known.turn(slot + 1)
        for slot, excess in charges:
            before = meter.spent
            assert meter.correct(slot, excess) == before - meter.spent
        assert 0 <= meter.spent - known.spent <= (0 if rule.shape == "sliding" else first + 3)


def test_a_charge_that_has_come_back_is_not_refunded() -> None:
    sliding, bucket = Meter(SlidingLease(10, 64)), Meter(BucketLease(10, 64, depth=10))
    for meter in (sliding, bucket):
        meter.add(10)
        meter.turn(1)
        meter.turn(200)
        meter.add(7)
        assert meter.correct(0, 9) == 0
        assert meter.spent == 7
    bucket.turn(300)
    assert bucket.correct(0, -4) == -4  # what a bucket lacks does not come back by itself
    assert sliding.correct(0, -4) == 0  # what was too little a span ago is in no present one


def test_a_copy_of_a_report_counts_neither_its_cost_nor_its_corrections_again() -> None:
    rule = PeriodicQuota(100, 64, shape="sliding", reserve=5, settle=9)
    server = rule.server(1, None)  # type: ignore[arg-type]
    for number, cost, corrections in ((1, 50, ()), (2, 10, ((1, 30),)), (2, 10, ((1, 30),))):
        ((_, answer),) = server.hear(0, Message("report", (0, cost, number, corrections), 1 + len(corrections)))
    assert answer.value[1] == 30
