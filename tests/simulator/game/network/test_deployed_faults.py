"""Faults of a deployment: read as they are printed, refused with their line, and put into steps of a game."""

from __future__ import annotations

from typing import Any

import pytest

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.experiments.scenario.load import load
from disttrack.simulator.game.network.deployed import KINDS, SERVER, DeployedFault, read
from disttrack.simulator.game.network.listed import read as read_steps
from disttrack.simulator.game.network.listed import written
from disttrack.simulator.game.tasks.fault_lists import Suffering, with_faults

FIRST = "deterministic alpha=0.1; seed 3, latency 0.05 s"


def suffered(text: str, protocol: str = "deterministic", step: float = 0.1, **more: Any) -> Suffering:
    sides = {"protocol": protocol, "adversary": "round-robin"}
    entry = {"name": "f", **sides, "sites": 3, "items": 400, "alpha": 0.1, **more}
    return with_faults(load(entry).points[0], read(text), step)


def test_every_kind_is_read_as_it_is_printed() -> None:
    """Also beside the others, with the deployment before them and comments between."""
    faults = tuple(
        DeployedFault(1.5, name, SERVER if kind.server else "2", 0.3 * kind.lasts, (*kind.amounts, 0.0)[0])
        for name, kind in KINDS.items()
    )
    text = "\n  ".join([FIRST, "# found", *map(str, faults), "-> stuck: a; b"])
    done = read(text)
    assert done.deployed == faults
    assert (done.protocol, done.seed, done.latency, done.listed) == ("deterministic alpha=0.1", 3, 0.05, ())


def test_faults_in_steps_stand_beside_those_in_seconds() -> None:
    """As `attack --network` prints them."""
    steps = "message 3 from 2 lost; sites 1 down 30-40"
    done = read(f"{steps}\n2 s: reset 0; 1e-2 s: burst 1 with 20\n")
    assert done.listed == read_steps(steps)
    assert [fault.kind for fault in done.deployed] == ["reset", "burst"]
    assert (done.protocol, done.seed, done.latency) == ("", None, None)
    assert read("").deployed == ()


@pytest.mark.parametrize(
    ("fault", "steps"),
    [
        ("1 s: partition 2 for 0.5 s", "sites 2 cut 10-14"),
        ("1 s: mute 2 for 0.5 s", "messages from 2 lost 10-14"),
        ("1 s: deaf 2 for 0.01 s", "messages to 2 lost 10-10"),
        ("1 s: reset 0", "sites 0 cut 5-10"),
        ("1 s: latency 0 for 0.5 s with 1", "messages from 0 late 7 10-14; messages to 0 late 5 10-14"),
        ("1 s: latency 0 for 0.5 s with 0.4", "messages from 0 late 1 10-14"),
        ("1 s: duplicate 0 for 0.5 s", "messages from 0 twice 0 10-14"),
        ("1 s: duplicate server for 0.5 s", "messages to all twice 0 10-14"),
        ("1 s: kill 1 for 0.5 s with 3", "sites 1 down 10-15"),
        ("1 s: kill-write 1 for 0.5 s with 0.5", "sites 1 down 10-15"),
        ("1 s: stop server for 0.5 s", "server down 10-15"),
        ("1 s: pause 0 for 0.5 s", "sites 0 down 10-15"),
        ("1 s: lose 1 for 0.5 s", "sites 1 forgets 10-15"),
        ("1 s: lose server for 0.5 s", "server forgets 10-15"),
        ("0 s: leave 1 for 0 s", "sites 1 down 1-2"),
    ],
)
def test_a_fault_in_steps(fault: str, steps: str) -> None:
    """A step takes 0.1 s, a message to the server 3 steps, and one to a site 5."""
    network = {"latency": 3, "latency_down": 5}
    done = suffered(fault, network=network)
    assert (done.faults, done.left_out) == (steps, ())


def test_stops_that_overlap_are_one() -> None:
    """It loses its state if one of them does."""
    killed = "1 s: kill 0 for 2 s with 0; 3.1 s: kill 0 for 1 s with 0; 2 s: kill 1 for 1 s with 0"
    done = suffered(f"{killed}; 2 s: lose 0 for 0.3 s")
    assert done.faults == "sites 1 down 20-30; sites 0 forgets 10-30; sites 0 down 31-41"


@pytest.mark.parametrize(
    "fault",
    [
        "rollback 1 for 1 s with 2",
        "clone 1 for 1 s",
        "disk server for 1 s",
        "burst 1 with 20",
        "jump server with 3",
        "uncommitted 1 for 1 s",
    ],
)
def test_what_a_game_cannot_have_is_named(fault: str) -> None:
    done = suffered(f"1 s: {fault}\n2 s: reset 1")
    assert [(str(one), reason) for one, reason in done.left_out] == [(f"1 s: {fault}", "a game has no such fault")]
    assert done.faults == "sites 1 cut 20-20"


def test_what_changes_nothing_is_named() -> None:
    late, over = suffered("1 s: latency 0 for 1 s with 0.2; 50 s: partition 0 for 1 s", network={"latency": 2}).left_out
    assert late[1] == "within the latency, in steps of 0.1 s"
    assert over[1] == "faults: sites 0 cut 500-509 is after the last step"


def test_the_network_is_that_of_the_deployment() -> None:
    """Its connections send again what was lost, within a second; without faults in seconds nothing is added."""
    done = suffered(f"{FIRST}\n1 s: partition 0 for 1 s", step=0.01)
    link = {"timeout": 22, "backoff": 2.0, "longest": 100}
    assert done.point.network == {"latency": 5, "link": link, "faults": done.faults}
    own = suffered(f"{FIRST}\n1 s: reset 0", step=0.01, network={"latency": 2, "link": {"timeout": 9}})
    assert own.point.network is not None
    assert (own.point.network["latency"], own.point.network["link"]) == (2, {"timeout": 9, "backoff": 2.0})
    assert suffered("message 1 from 0 lost").point.network == {"latency": 0, "faults": "message 1 from 0 lost"}


def test_a_site_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match="1 s: reset 3: this game has sites 0 … 2"):
        suffered("1 s: reset 3")


def test_an_estimate_is_judged_after_the_faults() -> None:
    """8 s later; not if the game has ended then."""
    text = "1 s: kill 0 for 2 s with 0"
    after = suffered(text).afterwards
    assert after is not None
    assert after.network is not None
    assert after.network["warm_up"] == 109
    assert suffered(text, items=100).afterwards is None


def test_a_fault_in_steps_that_a_game_cannot_have_is_refused() -> None:
    with pytest.raises(ScenarioError, match="this game has sites 0 … 2; got 3"):
        suffered("message 1 from 3 lost")
    assert written(read("site 1 down 3-4").listed) == "sites 1 down 3-4"
