"""What feeds take of files and pipes, once each, whenever they are killed; how they end, and come back."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from deployment import Served, ask, free_port, wait_for
from every_protocol import every_protocol
from one_loop import Loop, run

from disttrack.fleet.live.clock import tick
from disttrack.fleet.live.deploy import items_of, run_sites
from disttrack.fleet.live.journal import Kept
from disttrack.fleet.live.link import Security
from disttrack.fleet.live.site import SiteProcess
from disttrack.fleet.live.site_state import SiteState
from disttrack.fleet.quotas import BatchQuota, Lease, Quota
from disttrack.simulator.errors import ScenarioError


def test_items_of_a_pipe_are_taken_as_they_come_and_the_last_line_may_have_no_end(tmp_path: Path) -> None:
    with Served(tmp_path, "exact", 2) as one:
        web = one.http
        site = one.feed(1, "--items", "-", stdin=subprocess.PIPE)
        pipe = site.process.stdin
        assert pipe is not None
        for count, text in ((1, b"a\n"), (4, b"b\n\nc\n"), (5, b"d")):
            pipe.write(text)
            pipe.flush()
            if count == 5:
                pipe.close()
            wait_for(lambda count=count: ask(web, "/estimate")[1]["value"] == count, f"{count} items")
        site.printed("site 1: 5 items, 5 messages, all acknowledged")
        wait_for(lambda: ask(web, "/estimate")[1]["away"] == [0, 1], "its leave")
        assert ask(web, "/estimate")[1]["unknown"] == {}


class Killed(SiteProcess):
    """Ends when it has taken a number of requests: its journal has these, and nothing after them."""

    most = 10**9

    def do(self, event: Any) -> bool:
        spoke = super().do(event)
        self.most -= event[0] == "request"
        if not self.most:
            raise asyncio.CancelledError
        return spoke


@pytest.mark.parametrize("protocol", [Lease(20, 10**6, reserve=1, settle=10**6), BatchQuota(9, 10**6, size=2)])
@run
async def test_each_request_of_a_file_is_made_once_whenever_the_site_is_killed(tmp_path: Path, protocol: Quota) -> None:
    """Admitted or not: the site goes on in its file where it was killed."""
    rng, file, lines = random.Random(4), tmp_path / "items", 40
    file.write_text("item\n" * lines)
    begun: list[int] = []
    async with Loop(tmp_path, protocol, 1, step=0.001) as loop:
        for life in range(4):
            kept = Kept(tmp_path / "site")
            site = Killed(0, ("127.0.0.1", loop.port), kept, Security(), seed=[2, life])
            begun.append(0 if kept.part is None else kept.part.lines)
            if life < 3:
                site.most = rng.randint(1, 12)
            with suppress(asyncio.CancelledError):
                await run_sites({0: site}, items_of(file), None, read=at_once)
        part = site.part
        assert part.lines == part.site.offered == lines
    assert len({*begun}) == 4, begun
    assert begun == sorted(begun)


@run
async def test_a_file_with_other_lines_is_not_the_one_that_was_taken(tmp_path: Path) -> None:
    """Seen: a file with as many bytes, all of them others, was left out with status 0."""
    file = tmp_path / "items"
    async with Loop(tmp_path, Lease(20, 10**6, fraction=1.0), 1, step=0.001) as loop:

        async def fed(again: bool = False) -> int:
            site = SiteProcess(0, ("127.0.0.1", loop.port), Kept(tmp_path / "site"), Security(), seed=1)
            await run_sites({0: site}, items_of(file), None, again, read=at_once)
            return int(site.part.site.offered)

        file.write_text("a\n" * 10)
        assert [await fed(), await fed()] == [10, 10]
        assert loop.server.part.server.spent == {0: 10}, "the half of a lease that is left comes back with the leave"
        file.write_text("b\n" * 10)
        with pytest.raises(ScenarioError, match="has changed since the journal began to take it, 10 lines of it"):
            await fed()
        assert [await fed(again=True), await fed()] == [20, 20]


async def at_once(read: Callable[[], int | None]) -> int | None:
    """Read without a thread."""
    return read()


@pytest.mark.parametrize("name", [name for name, one in every_protocol().items() if isinstance(one, Quota)])
@run
async def test_a_site_of_a_quota_that_has_left_comes_back_within_the_window(name: str) -> None:
    """It goes on from its journal: the server knows its life, and has no reason to let it join."""
    part = SiteState(every_protocol()[name], 1, 0, 1)
    part.apply(("act", "leave", False))
    clock = asyncio.create_task(tick(part, part.apply, age=0.0, step=1.0, joins=False))
    await asyncio.sleep(0)
    clock.cancel()
    assert part.site.present


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
