"""Processes end on SIGTERM and in a line when the disk is full; the machine's clock may jump."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest
from deployment import Served, free_port
from one_loop import run

from disttrack.fleet.live.clock import moment, since
from disttrack.fleet.live.entries import entry_of
from disttrack.fleet.live.journal import Kept
from disttrack.fleet.live.link import Security
from disttrack.fleet.live.server import ServerProcess
from disttrack.fleet.live.server_state import ServerState
from disttrack.fleet.quotas import CountdownQuota

ENDS = 2.0 * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
"""Seconds in which a process must end, on a machine that does nothing else."""


@pytest.mark.slow
def test_every_process_ends_within_seconds_of_a_sigterm_in_any_order(tmp_path: Path) -> None:
    """Seen: with sites and server at once, a site connected again for ever; a feed waited for its pipe, or aborted."""
    rng = random.Random(1)
    with Served(tmp_path, "martingale alpha=0.1", 3) as all_:
        for site in (0, 1):
            all_.feed(site, "--http", f":{free_port()}")
        all_.feed(2, "--items", "-", stdin=subprocess.PIPE)
        for site in range(3):
            all_.server.printed(f"site {site}: connected")
        order = [*all_.started]
        rng.shuffle(order)
        for one in order:
            one.process.send_signal(signal.SIGTERM)
            time.sleep(rng.choice((0, 0, 0.05, 0.3)))
        for one in order:
            assert one.process.wait(ENDS) == 0
            assert "Traceback" not in one.log.read_text()


@run
async def test_windows_turn_by_a_clock_that_does_not_jump(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seen: the wall clock went back by an hour, and the windows stood still for an hour."""
    kept, rule = Kept(None), CountdownQuota(limit=10, window=10)
    kept.begin(ServerState, {"began": time.time()}, protocol=rule, k=1, seed=1)
    server = ServerProcess(kept, entry_of(rule), Security(), step=0.001)
    await server.start("127.0.0.1", 0)
    await asyncio.sleep(0.05)
    before, now = server.part.server.window, time.time()
    monkeypatch.setattr(time, "time", lambda: now - 3600)
    await asyncio.sleep(0.1)
    turned = server.part.server.window
    await server.stop()
    # a server that comes back before its own last window goes on from there
    again = ServerProcess(kept, entry_of(rule), Security(), step=0.001)
    await again.start("127.0.0.1", 0)
    await asyncio.sleep(0.05)
    turned_again = again.part.server.window
    await again.stop()
    assert before < turned < turned_again
    assert server.age > 0


def test_a_server_that_starts_again_goes_on_by_the_clock_of_its_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seen: the wall clock jumped by a minute while the server was down, and a limit of 12 let 19 through."""
    kept = moment()
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 60)
    assert time.monotonic() - since(kept) < 30 or not kept["boot"]
    kept["boot"] = "the machine has started since"
    assert 60 <= time.monotonic() - since(kept) < 90
