"""Those who come back, call by call: what is set going, what is said, and what is dropped."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from disttrack.protocols.base import EVERYONE, FOREVER, Message
from disttrack.simulator.game.network.faults import Crash, Restart
from disttrack.simulator.game.network.machines import ServerMachine
from disttrack.simulator.game.network.recovery import ANEW, NEVER, RECOUNT, RECOUNTED, RESTARTED
from tests.simulator.game.network.recovery_parts import K, PlainServer, PlainSite, begun, letter

# ---------------------------------------------------------------------- times


def test_faults_at_a_step_happen_once() -> None:
    _, channels, _ = begun(crash=Crash(5, at=9, sites="0,2"), server=Restart(3, at=11))
    assert [step for step, _, _ in channels.due] == [9, 9, 11]
    for _ in range(6):
        channels.next()
    assert channels.due == []
    _, channels, _ = begun(crash=Crash(5, rate=0), server=Restart(3, rate=0))
    assert channels.due == []


def test_drawn_faults_come_after_exponential_times() -> None:
    recovery, channels, _ = begun(crash=Crash(5, rate=0.25, sites="1"), server=Restart(2, rate=0.5))
    times = np.random.default_rng(np.random.default_rng(1).integers(2**63, size=4))

    def after(now: int, rate: float) -> int:
        return now + 1 + int(times.standard_exponential() / rate)

    crash, stop = after(0, 0.25), after(0, 0.5)
    assert [step for step, _, _ in channels.due] == [crash, stop]
    for _ in range(12):
        step = min(crash, stop) if channels.due else 0
        if recovery.is_up(1) and crash == step:
            channels.next()
            assert (channels.now, recovery.is_up(1)) == (crash, False)
            crash += 5
        elif not recovery.is_up(1) and crash == step:
            channels.next()
            crash = after(channels.now, 0.25)
        elif recovery.is_up(None):
            channels.next()
            assert (channels.now, recovery.is_up(None)) == (stop, False)
            stop += 2
        else:
            channels.next()
            stop = after(channels.now, 0.5)
        if crash == stop:  # which of both comes first is the order of their making
            break
        assert sorted(one for one, _, _ in channels.due) == sorted([crash, stop])


def test_what_is_due_after_the_end_of_time_is_never() -> None:
    _, channels, _ = begun(crash=Crash(5, rate=1e-300), server=Restart(2, rate=1e-300))
    assert channels.due == []
    _, channels, _ = begun(crash=Crash(5, at=NEVER - 1))
    assert [step for step, _, _ in channels.due] == [NEVER - 1] * K
    _, channels, _ = begun(crash=Crash(5, at=NEVER))
    assert channels.due == []


# ---------------------------------------------------------------------- sites


def test_a_site_that_keeps_its_state_goes_on_with_what_waited() -> None:
    recovery, channels, _ = begun(crash=Crash(5, at=9, sites="1"))
    site = recovery.sites[1]
    assert site.quota() == 1
    assert site.take(2) == (Message("old 1", 2),)
    assert (recovery.is_up(1), recovery.is_up(0), recovery.is_up(None)) == (True, True, True)
    channels.next()
    assert (channels.now, recovery.restarts, recovery.is_up(1), recovery.is_up(0)) == (9, 1, False, True)
    assert channels.take() == [("sync", 1), ("heard", 1)]
    assert (site.quota(), list(site.take(3)), site.missed, site.items) == (FOREVER, [], 3, 15)
    channels.next()
    assert channels.now == 14
    # what it missed comes in the parts that it takes without being asked between
    said = [Message("old 1", 2), Message("old 1", 1)]
    assert channels.take() == ["about to hear", ("sync", 1), ("send", 1, said), ("heard", 1)]
    assert (recovery.is_up(1), site.missed, site.items, site.state) == (True, 0, 15, "up")
    assert recovery.restarts == 1


@pytest.mark.parametrize(
    ("readmission", "readmit", "said", "state"),
    [
        ("report", True, [Message(RESTARTED, 10)], "up"),
        ("anew", True, [Message(RESTARTED)], "waiting"),
        ("none", False, [Message("new 1", 2)], "up"),
        ("report", False, [Message("new 1", 2)], "up"),
    ],
)
def test_a_site_that_lost_its_state(readmission: str, readmit: bool, said: list[Message], state: str) -> None:
    recovery, channels, protocol = begun(readmission, crash=Crash(5, at=9, sites="1", state="lost", readmit=readmit))
    channels.next()
    missed = 0 if readmit else 2
    recovery.sites[1].take(missed)
    channels.take()
    channels.next()
    assert channels.take() == ["about to hear", ("sync", 1), ("forget", 1), ("send", 1, said), ("heard", 1)]
    assert (recovery.sites[1].state, recovery.sites[1].missed) == (state, 0)
    made = {"report": ("returned", K, "sites' own", 10), "anew": None}[readmission] if readmit else (
        "sites", K, "sites' own", None
    )  # fmt: skip
    assert protocol.made == ([made] if made else [])


def test_one_that_crashed_while_it_waited_waits_on() -> None:
    recovery, channels, _ = begun("anew", crash=Crash(5, at=9, sites="1"))
    recovery.sites[1].wait()
    channels.next()
    channels.take()
    channels.next()
    assert recovery.sites[1].state == "waiting"
    assert channels.take() == ["about to hear", ("sync", 1), ("send", 1, []), ("heard", 1)]


def test_what_a_site_hears() -> None:
    recovery, _, _ = begun("anew", crash=Crash(5, at=9, sites="1"))
    site = recovery.sites[1]
    assert list(recovery.site_hears(letter("x"))) == [Message("old 1 hears x")]
    assert list(recovery.site_hears(letter("x", generation=1))) == []  # of another start
    assert list(recovery.site_hears(letter("recount", generation=1))) == [Message(RECOUNTED, 10)]
    assert site.state == "waiting"
    assert list(recovery.site_hears(letter("x"))) == []
    site.take(3)
    recovery._started.append(([PlainSite(f"first {number}") for number in range(K)], [0, 11, 20]))
    recovery._started.append(([PlainSite(f"second {number}") for number in range(K)], [0, 12, 20]))
    assert list(recovery.site_hears(letter(ANEW, 31, generation=2))) == [Message("second 1", 1)]
    assert (site.state, site.generation, recovery.generation_of(1), recovery.generation_of(0)) == ("up", 2, 2, 0)
    assert list(recovery.site_hears(letter(ANEW, 31, generation=2))) == []  # a copy
    assert list(recovery.site_hears(letter(ANEW, 31, generation=1))) == []
    assert list(recovery.site_hears(letter("x", generation=2))) == [Message("second 1 hears x")]


def test_a_late_copy_of_recount_does_not_stop_a_site() -> None:
    """The copy comes after the new start that it asked for: nobody would tell the site of another."""
    recovery, _, _ = begun("anew", crash=Crash(5, at=99))
    assert list(recovery.server_hears(letter(RESTARTED))) == [(EVERYONE, RECOUNT)]
    for number in range(K):
        (answer,) = recovery.site_hears(letter("recount", site=number))
        said = recovery.server_hears(letter(RECOUNTED, answer.value, site=number))
    assert list(said) == [(EVERYONE, Message(ANEW, 30))]
    for number in range(K):
        recovery.site_hears(letter(ANEW, 30, site=number, generation=1))
    assert list(recovery.site_hears(letter("recount"))) == []
    assert recovery.sites[1].state == "up"
    assert list(recovery.site_hears(letter("x", generation=1))) == [Message("new 1 hears x")]
    # one that belongs to the present start is no copy
    assert list(recovery.site_hears(letter("recount", generation=1))) == [Message(RECOUNTED, 10)]


# ---------------------------------------------------------------------- the server


@pytest.mark.parametrize("state", ["kept", "lost"])
def test_a_server_that_stops(state: Any) -> None:
    recovery, channels, _ = begun(server=Restart(3, at=9, state=state, checkpoint=4))
    server = recovery.server
    assert list(recovery.server_hears(letter("x", site=2))) == [(2, Message("x"))]
    channels.now = 5
    recovery.server_hears(letter("x", site=1))  # saves the 2 first
    channels.next()
    assert (channels.now, recovery.is_up(None), recovery.is_up(0), recovery.restarts) == (9, False, True, 1)
    assert channels.take() == []
    channels.next()
    assert (channels.now, recovery.is_up(None)) == (12, True)
    if state == "kept":
        assert channels.take() == ["about to hear", "stirred"]
        assert (server.output, server.rounds) == (1, 1)
        return
    forgotten = [("forget", site) for site in range(K)]
    assert channels.take() == ["about to hear", *forgotten, ("down", [(EVERYONE, RECOUNT)]), "stirred"]
    assert (server.output, server.server, server.rounds, server.leaked) == (1, None, 1, ())  # saved again at step 9
    assert list(recovery.server_hears(letter("x"))) == list(server.readmit(1, 2)) == []


def test_a_new_start_when_all_have_answered() -> None:
    recovery, channels, protocol = begun("anew", server=Restart(3, at=9, state="lost"))
    channels.next()
    channels.next()
    assert recovery.server_hears(letter(RECOUNTED, 11, site=2)) == ()
    assert recovery.server_hears(letter(RECOUNTED, 12, site=2)) == ()  # a later answer counts
    assert recovery.server_hears(letter(RECOUNTED, 4, site=0)) == ()
    assert recovery.generation_of(None) == 0
    assert recovery.server_hears(letter(RECOUNTED, 3, site=1)) == ((EVERYONE, Message(ANEW, 19)),)
    assert recovery.generation == recovery.generation_of(None) == 1
    assert protocol.made == [("sites", K, "sites' own", [4, 3, 12]), ("server", K, "server's own", [4, 3, 12])]
    assert (recovery.server.output, recovery.server.rounds, recovery.server.leaked) == (19, 6, [(1, 2, 3)])
    assert recovery.server_hears(letter(RECOUNTED, 3, site=1)) == ()  # nobody asked
    assert list(recovery.server_hears(letter("x", generation=0))) == []
    assert list(recovery.server_hears(letter("x", generation=1))) == [(1, Message("x"))]


def test_who_comes_back_is_readmitted_or_all_are_asked() -> None:
    recovery, _, _ = begun("anew", server=Restart(3, at=99))
    assert list(recovery.server_hears(letter(RESTARTED, 5))) == [(1, Message("readmitted", 5))]
    assert recovery.server.output == 5
    assert list(recovery.server_hears(letter(RESTARTED, 5, generation=1))) == [(EVERYONE, RECOUNT)]
    assert recovery.server_hears(letter(RECOUNTED, 4, site=0)) == ()
    assert recovery.server_hears(letter(RECOUNTED, 4, site=1)) == ()
    # one that comes back in between is asked again, with the one that has not answered
    assert list(recovery.server_hears(letter(RESTARTED, site=1))) == [(1, RECOUNT), (2, RECOUNT)]
    assert list(recovery.server_hears(letter(RESTARTED, 9, site=1))) == [(1, RECOUNT), (2, RECOUNT)]
    other, _, _ = begun("anew", server=Restart(3, at=99))
    assert list(other.server_hears(letter(RESTARTED))) == [(EVERYONE, RECOUNT)]


def test_checkpoints_of_a_server() -> None:
    server = ServerMachine(PlainServer(7.0), 4)
    kept: list[Any] = []
    for step in (3, 4, 5, 7, 8, 9, 17):
        server.save(step)
        kept.append(server._saved)
        server.output = step
    assert kept == [7, 3, 3, 3, 7, 7, 9]  # at the first look after each fourth step
    server.lose()
    server.lose()
    assert (server.output, server.rounds) == (9, 1)
    server.begin(PlainServer(1.5, 3))
    server.begin(PlainServer(2.5, 4))
    assert (server.output, server.rounds) == (2.5, 8)
    never = ServerMachine(PlainServer(7.0), None)
    never.hear(3, Message("x"))
    never.save(10**9)
    never.lose()
    assert never.output == 7
    assert never.up
