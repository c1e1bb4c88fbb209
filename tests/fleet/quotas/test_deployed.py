"""What deployed limiters do: they charge what they refuse, number windows by other clocks, and lose parts of tokens."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from small_fleets import stay

from disttrack.adversaries import Burst, Rest, RoundRobin, SingleSite, Uniform
from disttrack.fleet.change import Change
from disttrack.fleet.quotas import Central, PeriodicQuota
from disttrack.fleet.quotas.amounts import even_share, for_alone
from disttrack.fleet.task import by_window, measured
from disttrack.simulator import play

SLIDING: dict[str, Any] = {"limit": 20, "window": 60, "slots": 60}


@pytest.mark.parametrize("shape", ["sliding", "weighted"])
@pytest.mark.parametrize("kind", [Central, partial(PeriodicQuota, every=1)])
def test_a_client_that_keeps_asking_is_admitted_once_if_it_is_charged_for_refusals(kind: Any, shape: str) -> None:
    """As many as the limit in the first steps, and nothing after; in half as many requests the limit comes back."""
    asked, admitted = (
        play(kind(**SLIDING, shape=shape, charge=charge), SingleSite(), sites=2, items=600).looks[-1]["admitted"]
        for charge in ("asked", "admitted")
    )
    assert asked == 20
    assert admitted >= 150

    def seldom(view: Any) -> Iterator[Any]:
        while True:
            yield Burst(0, 1)
            yield Rest(5)

    game = play(kind(**SLIDING, shape=shape, charge="asked"), seldom, sites=2, items=60)
    assert game.looks[-1]["admitted"] == 60


def test_windows_that_end_have_no_memory_of_what_was_refused() -> None:
    """Each request costs a question and an answer where refusals are charged; else a refused site is silent."""
    games = [play(Central(20, 60, charge=charge), SingleSite(), sites=2, items=600) for charge in ("asked", "admitted")]
    assert [game.looks[-1]["admitted"] for game in games] == [200, 200]
    assert [game.words for game in games] == [1_200, 2 * 210]


def late_then_early(view: Any) -> Iterator[Any]:
    """Feed the first site in each window, and then the last one before its late clock begins the next window."""
    while True:
        for site, length in ((1, 20), (0, 80)):
            until = view.steps + length
            while view.steps < until:
                yield Burst(site, until - view.steps)


@pytest.mark.parametrize(("clock", "windows"), [("store", 1), ("client", 2)])
def test_windows_by_the_clocks_of_clients_have_twice_the_limit_in_the_long_run(clock: Any, windows: int) -> None:
    """The last site is late by a fifth of a window; of the first one only the first site's part is new."""
    rule = Central(20, 100, skew=20, clock=clock)
    game = play(rule, late_then_early, sites=2, items=1_000)
    assert game.looks[-1]["admitted"] == 20 * (10 * windows - (windows - 1))
    row = measured(game)
    assert (row["verdict"], row["overshoot"], row["overshoot_promised"]) == ("ok", windows - 1, windows - 1)


@pytest.mark.parametrize(("limit", "slots", "part"), [(10, 6, 0.625), (38, 50, 0), (76, 50, 50 / 76), (50, 50, 1)])
def test_a_bucket_that_loses_parts_of_tokens_is_filled_at_a_lower_rate(limit: int, slots: int, part: float) -> None:
    """Whole tokens of a slot over the tokens that come in it; a slot that brings less than one is refused."""
    make = partial(Central, limit, 100, shape="bucket", depth=limit, slots=slots)
    if not part:
        with pytest.raises(ValueError, match=r"rounding must be none .* a token, here 38 \* 2 / 100; or lower slots"):
            make(rounding="down")
        return
    exact, lost = (
        play(make(rounding=rounding), Uniform(), sites=2, items=2_400, engine="leap").looks[-1]["admitted"] - limit
        for rounding in ("none", "down")
    )
    assert lost / exact == pytest.approx(part, rel=0.02)


@pytest.mark.parametrize("away", ["closed", "open", "share"])
@pytest.mark.parametrize("cut", [1, 4])
@pytest.mark.parametrize("limit", [40, 80])
@pytest.mark.parametrize(("kind", "lag"), [(Central, 0), (partial(PeriodicQuota, every=1), 2)])
def test_an_outage_costs_what_is_predicted(kind: Any, lag: int, away: Any, cut: int, limit: int) -> None:
    """In windows in all of which sites are cut off; the window in which that begins has at most the limit more.

    The sites of `periodic` that are not cut off admit what comes in two flushes beyond.
    """
    rule, sites = kind(limit, 100, away=away, timeout=3), f"{4 - cut}-3" if cut > 1 else 3
    network = {"partition": {"from": 150, "to": 1_000, "sites": sites}}
    game = play(rule, RoundRobin(), sites=4, items=600, network=network)
    admitted = [row["admitted"] for row in by_window(game.looks, 100)]
    alone = for_alone(away, limit, 4, 100)
    predicted = min(limit, (4 - cut) * 25) + sum(min(25, even_share(alone, 4, site)) for site in range(4 - cut, 4))
    for cost in admitted[2:]:
        assert max(0, predicted - limit) <= max(0, cost - limit) <= max(0, predicted - limit) + lag
        assert max(0, limit - predicted) == max(0, limit - cost)
    row = measured(game)
    most = min(100 / limit - 1, (4 * 5 - 1) / limit if lag else 0)
    assert (row["overshoot_promised"], row["verdict"]) == {
        "closed": (pytest.approx(most), "ok"),
        "open": (None, "undecided"),
        "share": (pytest.approx(min(1 + most, 100 / limit - 1)), "ok"),
    }[away]


@pytest.mark.parametrize("away", ["closed", "open", "share"])
def test_no_site_is_cut_off_that_is_answered_within_its_timeout(away: Any) -> None:
    """The bound is the limit then. Control: with a longer way sites answer by themselves, and exceed it."""
    rule = Central(30, 100, away=away, timeout=8)
    near, far = (play(rule, Uniform(), sites=3, items=900, network={"latency": steps}) for steps in (4, 9))
    rows = [measured(near), measured(far)]
    assert [row["overshoot_promised"] for row in rows] == [0, {"closed": 0, "open": None, "share": 1}[away]]
    assert rows[0]["overshoot"] == 0
    assert (rows[1]["overshoot"] > 0) == (away != "closed")


@pytest.mark.parametrize("dies", [False, True])
@pytest.mark.parametrize("kind", [Central, partial(PeriodicQuota, every=1)])
def test_a_site_that_is_cut_off_has_its_share_once_in_any_steps(kind: Any, dies: bool) -> None:
    """Also if it dies and comes back: its next life does not know what this one has admitted."""

    def load(view: Any) -> Iterator[Any]:
        yield from stay(view, 0, 30)
        if dies:
            yield Change("die", (0,))
            yield Change("join", (0,))
        yield from stay(view, 0, 600)

    rule = kind(**SLIDING, shape="sliding", away="share", timeout=3)
    game = play(rule, load, sites=2, items=600, network={"partition": {"from": 1, "to": 600}})
    share = even_share(20, 2, 0)
    assert share <= 20 * measured(game)["burst"] <= share + 5  # what came before it was cut off, or waited
    assert game.looks[-1]["admitted"] >= 9 * share


@pytest.mark.parametrize("shape", ["window", "sliding", "weighted"])
def test_a_report_that_is_lost_is_said_by_the_next_one(shape: Any) -> None:
    """Half of all messages are lost. Control: without a timeout each report that is lost is forgotten."""
    most = []
    for more in ({"timeout": 4, "away": "closed"}, {}):
        rule = PeriodicQuota(60, 240, every=2, shape=shape, **more)
        game = play(rule, RoundRobin(), sites=6, items=960, network={"loss": 0.5}, seed=1)
        most.append(max(row["admitted"] for row in by_window(game.looks, 240)))
    assert most[0] <= 60 + 10
    assert most[1] >= 60 + 30


@pytest.mark.parametrize(("limit", "cuts", "alone"), [(40, "10-15", 6), (40, "10-60", 20), (250, "10-60 100-200", 125)])
def test_what_is_left_of_a_share_is_given_back_and_no_share_is_lent_twice(limit: int, cuts: str, alone: int) -> None:
    """One site is asked in each step: it admits by itself what comes while it is cut off, up to its share of a window.

    Up to three are on their way when a cut begins.
    """
    faults = "; ".join(f"sites 0 cut {steps}" for steps in cuts.split())
    rule = Central(limit, 400, away="share", timeout=3)
    game = play(rule, SingleSite(), sites=2, items=300, network={"faults": faults})
    most = limit + alone if limit < 250 else 300 - (51 + 101 - alone)
    assert abs(game.looks[-1]["admitted"] - most) <= 3
