"""The deployed code in simulated time, under faults that are drawn: no schedule breaks a promise.

`make simulated` runs these tests in an environment of its own, with simloom.
"""

from __future__ import annotations

import random

import pytest

simloom = pytest.importorskip("simloom", reason="needs simloom, in Python 3.12 or later: make simulated")

from sim_class import classed  # noqa: E402
from sim_faults import KINDS, draw_faults  # noqa: E402
from sim_run import Outcome, play, shorten  # noqa: E402
from sim_schedule import SITES, draw_schedule, read_schedule, served  # noqa: E402

from disttrack.simulator.game.network.deployed import read  # noqa: E402

SCHEDULES = 30
SLOW = {"exact", "sketch-switching", "private-copies", "periodic", "gossip", "bucket-lease", "central", "fair-lease"}
"""Protocols of which a schedule takes some seconds of a core: a third of the schedules, all of them by hand."""
FOUND = """
block alpha=0.1; seed 1, latency 0.5 s
  1.56 s: kill 2 for 1 s with 0

sliding-lease window=400 limit=12 costs=1; seed 0, latency 0.5 s
  1.27 s: partition 0 for 12 s
  8.5 s: lose 0 for 0.3 s
  14.94 s: partition 1 for 6 s

batch-quota window=400 limit=40 costs='1 3' size=3; seed 105, latency 0.002 s
  1.46 s: leave 2 for 0.3 s

deterministic alpha=0.1; seed 0, latency 0.5 s
  3.79 s: stop 1 for 0.01 s
  14.26 s: stop 1 for 0.3 s
  17.13 s: stranger 1
  19.47 s: stranger 1

martingale alpha=0.1; seed 6, latency 0.002 s
  19.23 s: lose server for 0.3 s

coin-reports threshold=3000 epsilon=0.1; seed 18, latency 0.5 s
  0.01 s: partition 1 for 12 s
  7.5 s: reboot server for 12 s
  17.72 s: kill 0 for 0.3 s with 0

martingale alpha=0.1; seed 29, latency 0.002 s
  2.74 s: rollback 0 for 1 s with 0.5
  16.1 s: kill server for 12 s with 30

sliding-lease window=400 limit=12 costs=1; seed 58, latency 0.002 s
  4.53 s: kill-write server for 0.3 s with 0
  5.47 s: jump server with 60

sliding-lease window=400 limit=12 costs=1; seed 5020, latency 0.05 s
  5.73 s: disk server for 0.3 s
  6.18 s: disk 1 for 6 s
  6.99 s: disk server for 6 s

periodic window=400 every=50 limit=4 costs='1 3' reserve=3 settle=150 shape=sliding; seed 15, latency 0.5 s
  0.01 s: stop server for 0.3 s
  14.58 s: clone 0 for 0.3 s
"""
"""Schedules that broke a promise before the code was mended."""
PROTOCOLS = 24


def test_the_protocols_are_all_that_can_be_served() -> None:
    """Guard against testing nothing."""
    assert len(served()) >= PROTOCOLS


def test_a_list_of_faults_is_read_as_it_is_printed() -> None:
    """All kinds occur."""
    faults = [fault for seed in range(100) for fault in draw_faults(random.Random(seed), SITES)]
    assert list(read("\n".join(map(str, faults))).deployed) == faults
    assert {fault.kind for fault in faults} == set(KINDS)


def test_a_schedule_is_read_as_it_is_printed() -> None:
    """With its parameters, of which some are quoted."""
    for schedule in [draw_schedule(name, seed) for name in served() for seed in range(5)]:
        assert read_schedule(str(schedule)) == schedule


def test_the_same_schedule_has_the_same_outcome() -> None:
    """All draws come from the seed, and another seed draws other faults."""
    schedule = draw_schedule("countdown-quota", 3)
    assert play(schedule) == play(schedule)
    assert draw_schedule("countdown-quota", 4).faults != schedule.faults


@pytest.mark.parametrize("text", FOUND.strip().split("\n\n"))
def test_what_was_found_is_mended(text: str) -> None:
    """In the first, a site gives up its messages between its greeting and the answer."""
    assert not play(read_schedule(text)).breaches


KILLED = "2 s: kill 0 for 1 s with 0"


@pytest.mark.parametrize(
    ("protocol", "fault", "breach", "expected"),
    [
        ("deterministic alpha=0.1", KILLED, "wrong estimate: value 9", "the deployment fails: no wrong estimate in 5"),
        ("deterministic alpha=0.1", KILLED, "overcount: value 9", "the deployment fails: no overcount in 5 games"),
        ("lease limit=9 window=400", "2 s: lose 0 for 1 s", "over the limit: 10", "the deployment fails: no over the"),
        (
            "lease limit=9 window=400",
            "2 s: clone 0 for 1 s",
            "over the limit: 10",
            "the game cannot have: 2 s: clone 0",
        ),
        ("exact", KILLED, "stuck: the server ends", "the deployment fails: no game promises it (stuck)"),
    ],
)
def test_a_breach_is_classed(protocol: str, fault: str, breach: str, expected: str) -> None:
    """By the game with the same faults, where it has them."""
    schedule = read_schedule(f"{protocol}; seed 1, latency 0.05 s\n{fault}")
    assert classed(Outcome(schedule, (breach,))).startswith(expected)


def test_a_rule_that_fails_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Held against a hundredth of its promise, `randomized` fails in the game too."""
    monkeypatch.setattr("sim_class.GROSS", 0.01)
    schedule = read_schedule(f"randomized alpha=0.1; seed 1, latency 0.05 s\n{KILLED}")
    breaches = ("stuck: the server ends", "wrong estimate: value 9")
    assert classed(Outcome(schedule, breaches)) == "the rule fails: wrong estimate in 5 of 5 games"


@pytest.mark.slow
@pytest.mark.parametrize("name", served())
def test_no_schedule_breaks_a_promise(name: str, draw: int) -> None:
    """A third of the schedules, drawn; the first that does is printed with its shortest list of faults."""
    for seed in range(draw % 3, SCHEDULES // 3 if name in SLOW else SCHEDULES, 3):
        outcome = play(draw_schedule(name, seed))
        if outcome.breaches:
            short = shorten(outcome)
            pytest.fail(f"{short.schedule}\n  -> {short.breaches[0]}\n  -> {classed(short)}")
