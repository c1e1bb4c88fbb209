"""A server and its sites in one event loop: started from journals, killed, and started again from any copy of them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import Any

import pytest
from deployment import free_port

from disttrack.fleet.live.estimate import estimate
from disttrack.fleet.live.frames import entry_of
from disttrack.fleet.live.journal import Kept
from disttrack.fleet.live.link import Security
from disttrack.fleet.live.server import ServerProcess
from disttrack.fleet.live.server_state import ServerState
from disttrack.fleet.live.site import SiteProcess
from disttrack.protocols import Protocol
from disttrack.simulator.errors import RunError

HOST = "127.0.0.1"
PATIENCE = 15.0


def run(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """Have a test, which is a coroutine, run in an event loop within its time."""

    @wraps(test)
    def bounded(**given: Any) -> None:
        asyncio.run(asyncio.wait_for(test(**given), 60))

    return bounded


async def until(holds: Callable[[], object], what: str) -> None:
    """Wait until a condition holds."""
    try:
        async with asyncio.timeout(PATIENCE):
            while not holds():
                await asyncio.sleep(0.01)
    except TimeoutError:
        raise AssertionError(f"not within {PATIENCE:g} s: {what}") from None


class Loop:
    """A server and sites, each with a journal in a folder; the server runs in the context.

    Attributes
    ----------
    through
        Port that sites connect to, in place of the server's.
    """

    def __init__(self, folder: Path, protocol: Protocol, k: int, step: float | None = None) -> None:
        self.folder, self.protocol, self.k, self.step = folder, protocol, k, step
        self.port = self.through = free_port()
        self.server: ServerProcess
        self.sites: dict[str, SiteProcess] = {}
        self.runs: dict[str, asyncio.Task[None]] = {}

    async def serve(self) -> None:
        """Start the server, from its journal if there is one."""
        kept = Kept(self.folder / "server")
        if kept.part is None:
            kept.begin(ServerState, {"began": time.time()}, protocol=self.protocol, k=self.k, seed=1)
        self.server = ServerProcess(kept, entry_of(self.protocol), Security(), step=self.step)
        await self.server.start(HOST, self.port)

    def feed(self, number: int, journal: str = "") -> SiteProcess:
        """Start a site, from the journal of this name; `site N` if it is left out."""
        name = journal or f"site {number}"
        site = SiteProcess(number, (HOST, self.through), Kept(self.folder / name), Security(), seed=[2, number])
        self.sites[name], self.runs[name] = site, asyncio.create_task(site.run())
        return site

    async def joined(self, number: int, journal: str = "") -> SiteProcess:
        """Start a site, and wait until it is connected."""
        site = self.feed(number, journal)
        await until(site.connected.is_set, "connected")
        return site

    async def refusal(self, name: str) -> str:
        """Wait until a site ends; return the error with which it does."""
        await until(self.runs[name].done, "a refusal")
        with pytest.raises(RunError) as refused:
            self.runs[name].result()
        return str(refused.value)

    async def kill(self, name: str) -> None:
        """Kill the server or a site: what it has written stays."""
        if name == "server":
            await self.server.stop()
            return
        self.runs[name].cancel()
        with suppress(asyncio.CancelledError, Exception):
            await self.runs[name]
        self.sites[name].kept.release()

    def copy(self, name: str, to: str) -> None:
        """Copy a journal, or put a copy back."""
        (self.folder / to).write_bytes((self.folder / name).read_bytes())

    def estimate(self) -> dict[str, Any]:
        """Return what ``GET /estimate`` answers."""
        return estimate(self.server)

    async def quiet(self) -> dict[str, Any]:
        """Wait until all sites are connected and all messages acknowledged; return the estimate."""

        def holds() -> bool:
            facts = self.estimate()
            waits = any(site.ready.is_set() and site.part.session.waiting for site in self.sites.values())
            return not facts["away"] and not facts["unacknowledged"] and not facts.get("begins_anew") and not waits

        await until(holds, f"all quiet: {self.estimate()}")
        return self.estimate()

    async def __aenter__(self) -> Loop:
        await self.serve()
        return self

    async def __aexit__(self, *error: object) -> None:
        for name in self.runs:
            await self.kill(name)
        await self.server.stop()
