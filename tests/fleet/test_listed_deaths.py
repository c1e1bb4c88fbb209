"""Quotas under a list of faults: sites die by it, its delays are part of the promise, and no game exceeds that."""

from __future__ import annotations

import random
from collections.abc import Iterator
from math import inf
from pathlib import Path
from typing import Any

import pytest
from commands import disttrack
from small_fleets import SHAPED, Edges, search, setting, stay

from disttrack.adversaries import RoundRobin
from disttrack.fleet.change import Change
from disttrack.fleet.loads import Greedy
from disttrack.fleet.quotas import Central, Lease, PeriodicQuota
from disttrack.fleet.task import measured, ways
from disttrack.simulator import play
from disttrack.simulator.game.network import network_of


def faults_of(rng: random.Random, sites: int, last: int) -> list[str]:
    """Return faults of a game of a few steps, of each kind that a quota may have."""
    begin = [rng.randint(1, last) for _ in range(3)]
    end = [one + rng.choice([0, 2, 5, last]) for one in begin]
    site = [rng.randrange(sites) for _ in range(3)]
    what = rng.choice(["lost", "late 4", "overtaken 3", "twice 2"])
    return [
        f"messages {rng.choice(['from', 'to'])} {rng.choice([*map(str, site), 'all'])} {what} {begin[0]}-{end[0]}",
        f"sites {site[1]} cut {begin[1]}-{end[1]}",
        f"site {site[2]} forgets {begin[2]}-{end[2] + 1}",
        f"message {rng.randint(1, 9)} {rng.choice(['from', 'to'])} {site[0]} {what}",
    ]


def listed(number: int) -> dict[str, Any]:
    """Return a drawn game with a list of faults in place of drawn ones; most have links that send again."""
    rng = random.Random(f"listed {number}")
    given = setting(number)
    window = given["protocol"].window
    faults = rng.sample(faults_of(rng, given["sites"], given["items"]), rng.choice([1, 1, 2, 3]))
    timed = {"timeout": rng.choice([1, 3, 9]), "longest": rng.choice([9, 30])}
    link = rng.choice([timed, "reliable", "reliable", "bare"])
    network = {"latency": rng.choice([0, 1, 3]), "link": link, "faults": "; ".join(faults)}
    dies = "forgets" in network["faults"]  # the other adversaries do not know of it
    load = rng.choice([Edges(1 + window // 8, 0), RoundRobin(), Greedy()]) if dies else given["adversary"]
    return {**given, "adversary": load, "network": network_of(network)}


@pytest.mark.usefixtures("folder")
def test_a_site_that_the_list_and_the_adversary_move_is_said_with_the_fault() -> None:
    """Seen: "is after the last step" of a fault that ended the game, and an error without its name."""
    network = '{latency: 1, faults: "site 3 forgets 10-12"}'
    keys = "name: away\ntask: quota\nsites: 4\nrequests: 300\nlimit: 20\nwindow: 50\ntrials: 1\nprotocol: lease\n"
    Path("away.yaml").write_text(f"{keys}network: {network}\nadversary: [round-robin, autoscaling]\n")
    said = disttrack("run", "away.yaml", "--no-figures", "--workers", "1").stderr
    assert "it is not there; the adversary and faults both move it: leave out sites 3 forgets 10-12" in said
    assert "after the last step" not in said


def test_no_game_with_a_list_exceeds_its_promise() -> None:
    """Enough of each kind are played, and a smaller promise would be broken."""
    found = search(map(listed, range(240)))
    assert min(one.games for one in found.values()) >= 240 // len(SHAPED) // 4
    assert any("one request" in one.found for one in found.values())


def test_a_site_dies_by_the_list() -> None:
    """It rejects what comes in the meantime, takes with it what it has not reported, and comes back as a new one."""
    sizes: dict[str, Any] = {"sites": 3, "items": 120}
    game, calm = (
        play(Lease(300, 120), RoundRobin(), **sizes, network={"faults": faults})
        for faults in ("site 1 forgets 10-20", "")
    )
    assert (game.restarts, game.died, game.looks[-1]["away"]) == (1, [10], True)
    assert (calm.restarts, calm.died, calm.looks[-1]["away"]) == (0, [], False)
    assert [game.looks[-1][name] for name in ("offered", "rejected")] == [120, 4]  # in steps 11, 14, 17, 20
    assert calm.looks[-1]["rejected"] == 0


def test_a_link_that_sends_again_begins_anew_with_a_life() -> None:
    """Seen by a few requests: five windows reach the limit of 20 but for those that are on their way at an end."""
    network = {"latency": 2, "link": "reliable", "faults": "sites 0 cut 6-6; site 0 forgets 12-15"}
    game = play(Central(20, 40), RoundRobin(), sites=1, items=200, network=network)
    assert 95 < game.looks[-1]["admitted"] <= 100


def test_each_death_costs_the_guarantee_what_is_not_reported() -> None:
    """A lone site that dies in the step before a flush: 8 of the 9 requests that are promised each time are lost."""

    def dies_before_it_reports(view: Any) -> Iterator[Any]:
        for flush in range(10, 50, 10):
            yield from stay(view, 0, flush - 2)
            yield Change("die", (0,))
            yield Change("join", (0,))
        yield from stay(view, 0, 300)

    game = play(PeriodicQuota(60, 300, every=10), dies_before_it_reports, sites=1, items=300)
    row = measured(game)
    assert (row["verdict"], row["overshoot"], row["overshoot_promised"]) == ("ok", 32 / 60, 36 / 60)


@pytest.mark.parametrize(
    ("network", "up"),
    [
        ({"latency": 2, "faults": "message 1 from 0 late 7; messages to 1 late 4 10-20"}, 2 + 7 + 4),
        ({"latency": 2, "faults": "message 1 from 0 lost"}, inf),
        ({"latency": 2, "faults": "messages from 0 twice 3 1-2"}, inf),
        ({"latency": 2, "faults": "message 1 from 0 overtaken 7"}, inf),
        ({"latency": 2, "faults": "sites 0 cut 10-19"}, inf),
        # a timeout is 2 * (2 + 2) + 2, a pause 8 of them at most
        ({"latency": 2, "link": "reliable", "faults": "message 1 from 0 lost; message 2 to 0 lost"}, 2 + 2 * 80),
        ({"latency": 2, "link": "reliable", "faults": "sites 0 cut 10-19; messages from 1 lost 1-5"}, 2 + 10 + 5 + 160),
        ({"latency": 2, "link": {"timeout": 5, "longest": 20}, "faults": "site 0 forgets 10-19"}, 2 + 9 + 20),
        ({"latency": 2, "link": "reliable", "faults": "messages from 0 twice 3 1-2; message 1 to 0 overtaken 7"}, 12),
        ({"latency": 2, "link": "reliable", "loss": 0.1}, inf),
    ],
)
def test_the_delays_of_a_list(network: dict[str, Any], up: float) -> None:
    """They add up; a link sends again what is lost."""
    found = ways(network_of(network))
    assert found["up"] == found["down"] == up
