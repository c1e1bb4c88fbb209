"""Those who come back: by which rule, at what price, and what becomes of the output."""

from __future__ import annotations

from math import e
from typing import Any

import pytest

from disttrack.adversaries import Freeze, RoundRobin, SingleSite, Uniform
from disttrack.protocols import Deterministic, DeterministicRounds, Exact, Protocol, Robust
from disttrack.protocols.rounds.base import RoundProtocol
from disttrack.simulator import play
from disttrack.simulator.game.outcome import Game
from tests.simulator.game.network.shipped import protocols

LOST: dict[str, Any] = {"at": 2000, "down": 10, "state": "lost"}


def kinds_of(game: Game) -> dict[str, int]:
    """Return how many messages of each kind of re-admission there were."""
    sums = game.kinds.groupby("kind")["messages"].sum()
    return {kind: int(sums[kind]) for kind in ("restarted", "recount", "recounted", "anew") if kind in sums}


@pytest.mark.quick_cases(5)
@pytest.mark.parametrize("place", range(len(protocols())))
def test_a_site_without_its_state_is_readmitted_by_the_stated_rule(place: int) -> None:
    protocol, link = protocols()[place], ("bare", "reliable")[place % 2]
    network = {"latency": 2, "warm_up": 1000, "crash": {**LOST, "sites": 1}, "link": link}
    game = play(protocol, RoundRobin(), sites=4, items=5_000, seed=2, network=network)
    assert game.restarts == 1
    expected = {"report": {"restarted": 1}, "anew": {"restarted": 1, "recount": 4, "recounted": 4, "anew": 4}}
    assert kinds_of(game) == expected[protocol.readmission]
    if protocol.guarantee != "none":
        assert game.ok or protocol == Exact()
    assert protocol != Exact() or game.max_lag_error == pytest.approx(
        3 / 2009, rel=0.4
    )  # what waited while it was down
    fresh = {**network, "crash": {**network["crash"], "readmit": False}}  # type: ignore[dict-item]
    broken = play(protocol, RoundRobin(), sites=4, items=5_000, seed=2, network=fresh)
    assert kinds_of(broken) == {}
    # sites of `exact` have no state; in rounds the next poll makes good soon, at the price of items forwarded till then
    if isinstance(protocol, RoundProtocol):
        assert broken.words > game.words
    elif protocol != Exact():
        assert broken.max_lag_error > game.max_lag_error


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize("protocol", protocols()[::3], ids=lambda one: one.kind)
def test_a_server_without_its_state_shows_its_checkpoint_and_asks_all_sites(protocol: Protocol) -> None:
    network = {"latency": 2, "server": {**LOST, "checkpoint": 300}, "link": "reliable"}
    game = play(protocol, RoundRobin(), sites=4, items=5_000, seed=2, network=network, record=True)
    assert kinds_of(game) == {"recount": 4, "recounted": 4, "anew": 4}
    outputs = game.outputs.set_index("step")["output"]
    assert outputs.loc[:2010].iloc[-1] == outputs.loc[:1799].iloc[-1]  # the checkpoint at the beginning of step 1800
    assert outputs.loc[2014] == pytest.approx(2012, rel=0.3)  # asked at 2010, answered with the counts of 2012
    assert not ((outputs.index > 2000) & (outputs.index < 2010)).any()
    late = play(protocol, RoundRobin(), sites=4, items=5_000, seed=2, network={**network, "warm_up": 2013})
    assert late.ok or protocol.guarantee == "none"


def test_exact_counts_what_was_lost_when_it_counts_afresh() -> None:
    """Items of site 0 are lost from step 101 to 200; its crash in step 300 makes up for them."""
    network: dict[str, Any] = {"partition": {"from": 101, "to": 200}, "crash": {"at": 300, "down": 5, "state": "lost"}}
    game = play(Exact(), SingleSite(), sites=1, items=400, network=network, record=True)
    outputs = game.outputs.set_index("step")["output"]
    assert [outputs.loc[:step].iloc[-1] for step in (100, 200, 300, 304, 305, 400)] == [100, 100, 200, 200, 305, 400]
    assert (game.lost, game.restarts, game.max_lag_error) == (100, 1, 0.5)


@pytest.mark.parametrize("engine", ["step", "leap"])
def test_items_wait_while_a_site_is_down_and_come_when_it_is_back(engine: str) -> None:
    network = {"crash": {"at": 50, "down": 20}}
    game = play(Exact(), SingleSite(), sites=1, items=100, network=network, record=True, engine=engine)
    outputs = game.outputs.set_index("step")["output"]
    assert [outputs.loc[:step].iloc[-1] for step in (50, 69, 70, 71, 100)] == [50, 50, 70, 71, 100]
    assert game.lost == 0
    assert game.max_lag_error == pytest.approx(19 / 69)


def test_a_server_that_is_down_hears_nothing_and_its_output_stands() -> None:
    network: dict[str, Any] = {"server": {"at": 50, "down": 20}}
    bare = play(Exact(), SingleSite(), sites=1, items=100, network=network, record=True)
    assert (bare.lost, bare.outputs["output"].iloc[-1]) == (20, 80)
    linked = play(Exact(), SingleSite(), sites=1, items=200, network={**network, "link": "reliable"}, record=True)
    assert linked.outputs["output"].iloc[-1] == 200
    assert linked.max_lag_error == 0.0  # what waits to be sent again is on its way
    assert linked.max_lag >= 20
    # the site is up, so it sends each of the 20 items again after 2, 6, 14 and 30 steps until the server is back
    again = sum(next(n for n in range(9) if step + 2 ** (n + 1) - 2 >= 70) for step in range(50, 70))
    assert linked.kinds.set_index("kind").loc["retransmission", "messages"] == pytest.approx(again, abs=4)


@pytest.mark.parametrize(("rate", "down", "steps", "up"), [(0.01, 25, 20_000, 100.5), (1.0, 1, 1_000, e / (e - 1))])
@pytest.mark.false_alarm(1e-6)
def test_crashes_come_at_their_rate(rate: float, down: int, steps: int, up: float) -> None:
    """Up for 1 + floor(E / rate) steps, E exponential, then down: the crashes are about normal, false alarms 1e-6.

    Power: a rate counted in all steps rather than those that a site is up would give a quarter more, 20 deviations.
    """
    sites = 20
    game = play(Deterministic(alpha=0.1), Uniform(), sites=sites, items=steps, seed=5,
                network={"crash": {"rate": rate, "down": down}})  # fmt: skip
    cycle = up + down
    expected, deviation = sites * steps / cycle, (sites * steps / cycle) ** 0.5 * (1 / rate / cycle)
    assert abs(game.restarts - expected) < 4.9 * deviation + sites


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("protocol", [Deterministic(alpha=0.1), Robust(alpha=0.3), Exact()], ids=lambda one: one.kind)
def test_a_reliable_link_makes_good_what_loss_breaks(protocol: Protocol) -> None:
    wires = {"latency": 2, "loss": 0.2, "duplication": 0.1, "warm_up": 2000}
    bare, linked = (
        play(protocol, Freeze(), sites=4, items=20_000, seed=3, network={**wires, "link": link})
        for link in ("bare", "reliable")
    )
    assert linked.ok
    assert linked.max_lag_error < bare.max_lag_error
    assert (bare.words_link, bare.messages_link) == (0, 0)
    kinds = linked.kinds.set_index(["kind", "direction"])
    extra = kinds[kinds.index.get_level_values("kind").isin(["ack", "retransmission", "number"])]
    assert int(extra["words"].sum()) == linked.words_link
    assert int(extra["messages"].sum()) == linked.messages_link
    assert int(kinds["words"].sum()) == linked.words + linked.words_link
    tries = int(kinds.loc["number", "words"].sum())
    assert tries == linked.messages + int(kinds.loc["retransmission", "messages"].sum())
    assert 1.2 < tries / linked.messages < 2.2  # 1 / 0.8^2 = 1.56 on average


TROUBLE: dict[str, dict[str, Any]] = {
    "sites": {"crash": {"at": 500, "down": 20, "state": "lost"}},
    "server": {"server": {"at": 500, "down": 20, "state": "lost", "checkpoint": 50}},
    "both": {"crash": {"at": 500, "down": 20, "state": "lost"}, "server": {"at": 510, "down": 9, "state": "lost"}},
    "both keep": {"crash": {"at": 500, "down": 20}, "server": {"at": 510, "down": 9}},
}
LATE_COPIES: dict[str, Any] = {
    "latency": {"uniform": {"from": 0, "to": 9}}, "duplication": 1.0, "reordering": 0.3, "warm_up": 700,
}  # fmt: skip
"""Every message comes twice, in any order."""


@pytest.mark.quick_cases(4)
@pytest.mark.parametrize("trouble", TROUBLE)
@pytest.mark.parametrize("protocol", [Exact(), Deterministic(alpha=0.1), DeterministicRounds(alpha=0.1)], ids=str)
def test_what_is_always_right_is_so_again_after_a_recovery(protocol: Protocol, trouble: str) -> None:
    network = {**LATE_COPIES, "link": "reliable", **TROUBLE[trouble]}
    for seed in range(2):
        game = play(protocol, Uniform(), sites=3, items=1_500, seed=seed, network=network)
        assert game.restarts >= 1
        assert game.ok


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("trouble", TROUBLE)
def test_no_site_falls_silent_over_late_copies_of_a_recovery(trouble: str) -> None:
    """Each later item is a message still: a copy of an old request or of a new start parks nobody."""
    for seed in range(3):
        game = play(
            Exact(), Uniform(), sites=3, items=900, seed=seed, network={**LATE_COPIES, **TROUBLE[trouble]}, record=True
        )
        table = game.transcript
        assert ((table["kind"] == "item") & (table["step"] > 600)).sum() == 300
