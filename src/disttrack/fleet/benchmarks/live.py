"""A deployment against what it would replace: ``python -m benchmarks.live [--part messages|quotas] [--out FILE]``.

Messages: how many a server hears per second of one core, beside a bare echo of the same frames. Quotas: a limit that
gateways share by a counter in Redis that each request asks, by reports every 5 s and every 1 s, and by protocols here.
Redis must be installed (redis-server); without it, its rows are left out, and the output says so.
"""

from __future__ import annotations

import asyncio
import contextlib
import csv
import logging
import multiprocessing
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, Final

import click

from disttrack.fleet.live import frames
from disttrack.fleet.live.frames import Frames, entry_of, pack
from disttrack.fleet.live.journal import Kept
from disttrack.fleet.live.link import CHUNK, Security
from disttrack.fleet.live.server import ServerProcess
from disttrack.fleet.live.server_state import ServerState
from disttrack.fleet.live.site import SiteProcess
from disttrack.protocols import Exact
from disttrack.simulator.experiments.results.files import writing
from disttrack.simulator.experiments.results.formats import number
from disttrack.simulator.shown.terminal.tables import Column, Table, print_table

Row = dict[str, Any]

# ---------------------------------------------------------------------- messages

SENDERS: Final = 4
"""Sites that send; each is a process that does nothing else."""
BATCH: Final = 50
"""Messages that a sender writes at once."""


def messages(total: int) -> Iterator[Row]:
    """Yield messages per second of processor time: of a bare echo, of a server, and of one with a journal."""
    rates: dict[str, float] = {}
    for name in ("a bare echo of the frames", "the server", "the server with its journal"):
        rates[name] = asyncio.run(_heard(name, total // SENDERS))
        ratio = rates["a bare echo of the frames"] / rates[name]
        yield {"what": name, "messages/s of a core": rates[name], "time of a message, in echoes": ratio}


async def _heard(name: str, each: int) -> float:
    with tempfile.TemporaryDirectory() as folder:
        async with _echo() if "echo" in name else _server("journal" in name, Path(folder)) as port:
            senders = [multiprocessing.Process(target=_send, args=(port, site, each)) for site in range(SENDERS)]
            begun = time.process_time()
            for sender in senders:
                sender.start()
            while any(sender.is_alive() for sender in senders):
                await asyncio.sleep(0.01)
            if any(sender.exitcode for sender in senders):
                raise SystemExit(f"{name}: a sender has failed, see above")
            return SENDERS * each / (time.process_time() - begun)


@contextlib.asynccontextmanager
async def _echo() -> AsyncIterator[int]:
    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        incoming, heard = Frames(), 0
        while data := await reader.read(CHUNK):
            for frame in incoming.feed(data):
                heard = frame[1]
            writer.write(pack(frames.HEARD, heard))

    server = await asyncio.start_server(echo, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


@contextlib.asynccontextmanager
async def _server(journal: bool, folder: Path) -> AsyncIterator[int]:
    kept, protocol = Kept(folder / "journal" if journal else None), Exact()
    kept.begin(ServerState, {}, protocol=protocol, k=SENDERS, seed=1)
    server = ServerProcess(kept, entry_of(protocol), Security())
    yield await server.start("127.0.0.1", 0)
    await server.stop()


def _send(port: int, site: int, number: int) -> None:
    with socket.create_connection(("127.0.0.1", port)) as peer:
        peer.sendall(pack(frames.HELLO, frames.VERSION, "", site, f"sender {site}", site, *[0] * 7, ()))
        peer.recv(CHUNK)
        for first in range(1, number + 1, BATCH):
            some = range(first, min(first + BATCH, number + 1))
            peer.sendall(b"".join(pack(frames.MESSAGE, one, "item", None, 1, one, 0) for one in some))
        incoming = Frames()
        while number not in [frame[1] for frame in incoming.feed(peer.recv(CHUNK)) if frame[0] == frames.HEARD]:
            pass


# ---------------------------------------------------------------------- quotas

RATE: Final = 2_000
"""Requests per second, over all gateways; a step is one of them."""
LIMIT: Final = 10_000
"""Requests that may be admitted in a window."""
WINDOW: Final = 10.0
"""Seconds."""
STEPS: Final = int(WINDOW * RATE)
FLEETS: Final[tuple[tuple[int, int], ...]] = ((4, 4), (16, 16), (64, 64), (4, 16))
"""Gateways at the beginning and at the end of a run."""
SYSTEMS: Final = {
    "Redis, asked each time": "",
    "reports every 5 s": f"periodic every={5 * RATE}",
    "reports every 1 s": f"periodic every={RATE}",
    "countdown-quota": "countdown-quota",
    "lease": "lease",
}

Admit = Callable[[int], Awaitable[tuple[int, bool]]]
"""Ask a gateway; return the window, and whether the request is admitted."""


def quotas(windows: int) -> Iterator[Row]:
    """Yield what each system admits and sends, for each fleet, and how many requests a second it can answer."""
    for few, most in FLEETS:
        for name, protocol in SYSTEMS.items():
            if not protocol and shutil.which("redis-server") is None:
                click.echo(f"{name}: left out, since redis-server is not installed")
                continue
            fleet = f"{few}" if few == most else f"{few} to {most}"
            yield {"gateways": fleet, "system": name, **asyncio.run(_quota(protocol, few, most, windows))}


async def _quota(protocol: str, few: int, most: int, windows: int) -> Row:
    async with _redis(most) if not protocol else _gateways(protocol, few, most) as (admit, grow, sent):
        rng, weights = random.Random(1), [1 / (1 + site) for site in range(most)]
        admitted: Counter[int] = Counter()
        waiting: set[asyncio.Task[None]] = set()

        async def ask(site: int) -> None:
            window, yes = await admit(site)
            admitted[window] += yes

        begun, asked, grown = time.monotonic(), 0, few == most
        before = sent()
        while (now := time.monotonic() - begun) < windows * WINDOW:
            if not grown and now > windows * WINDOW / 2:
                await grow()
                grown = True
            here = most if grown else few
            for site in rng.choices(range(here), weights[:here], k=int(now * RATE) - asked):
                waiting.add(task := asyncio.create_task(ask(site)))
                task.add_done_callback(waiting.discard)
                asked += 1
            await asyncio.sleep(0.002)
        await asyncio.gather(*waiting)
        share, whole = sent() - before, sum(admitted.values())
        used = sum(min(LIMIT, cost) for _, cost in admitted.most_common(windows))
        over = max(0, *(cost - LIMIT for cost in admitted.values())) / LIMIT
        answered = await _capacity(admit, most)
        return {
            "overshoot %": 100 * over,
            "used of the limit %": 100 * used / (windows * LIMIT),
            "messages an admission": share / whole,
            "requests/s": answered,
        }


async def _capacity(admit: Admit, sites: int, seconds: float = 2.0) -> float:
    """Return the requests per second that are answered if each gateway has one at a time."""
    count, until = 0, time.monotonic() + seconds

    async def client(site: int) -> None:
        nonlocal count
        while time.monotonic() < until:
            for _ in range(50):
                await admit(site)
            count += 50
            await asyncio.sleep(0)

    await asyncio.gather(*(client(site) for site in range(sites)))
    return count / seconds


Running = tuple[Admit, Callable[[], Awaitable[None]], Callable[[], int]]


@contextlib.asynccontextmanager
async def _redis(sites: int) -> AsyncIterator[Running]:
    from redis.asyncio import Redis

    with socket.create_server(("127.0.0.1", 0)) as found:
        port = found.getsockname()[1]
    command = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    clients = [Redis(port=port) for _ in range(sites)]
    asked = 0
    try:
        for _ in range(100):
            with contextlib.suppress(Exception):
                await clients[0].ping()
                break
            await asyncio.sleep(0.05)

        begun = time.monotonic()

        async def admit(site: int) -> tuple[int, bool]:
            nonlocal asked
            asked += 1
            window = int((time.monotonic() - begun) / WINDOW)
            return window, await clients[site].incr(f"window {window}") <= LIMIT

        async def grow() -> None:
            """Ask as before: a new gateway needs nothing."""

        yield admit, grow, lambda: 2 * asked
    finally:
        for client in clients:
            await client.aclose()
        server.kill()
        server.wait()


@contextlib.asynccontextmanager
async def _gateways(protocol: str, few: int, most: int) -> AsyncIterator[Running]:
    with socket.create_server(("127.0.0.1", 0)) as found:
        port = found.getsockname()[1]
    rule = f"{protocol} limit={LIMIT} window={STEPS}"
    command = [sys.executable, "-m", "disttrack.simulator", "serve", "--protocol", rule, "--sites", str(most)]
    command += ["--listen", f":{port}", "--http", ":0", "--step", f"{1e6 / RATE:g}us"]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    sites = [SiteProcess(site, ("127.0.0.1", port), Kept(None), Security()) for site in range(most)]
    tasks: list[asyncio.Task[None]] = []

    async def join(some: list[SiteProcess]) -> None:
        tasks.extend(asyncio.create_task(site.run()) for site in some)
        await asyncio.gather(*(site.connected.wait() for site in some))

    async def admit(site: int) -> tuple[int, bool]:
        window = sites[site].part.site.window
        return window, await sites[site].admit() > 0

    def sent() -> int:
        sessions = [site.part.session for site in sites if site.ready.is_set()]
        return sum(session.sent + session.received for session in sessions)

    try:
        await join(sites[:few])
        window = sites[0].part.site.window
        while sites[0].part.site.window == window:  # begin with a window, so that all have their share
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.05)
        yield admit, lambda: join(sites[few:]), sent
    finally:
        for task in tasks:
            task.cancel()
        server.kill()
        server.wait()


@click.command()
@click.option("--part", "parts", type=click.Choice(["messages", "quotas"]), multiple=True, help="Only these.")
@click.option("--windows", default=2, show_default=True, help="Windows of 10 s of each run with a quota.")
@click.option("--total", default=400_000, show_default=True, help="Messages of each measurement of messages.")
@click.option("--out", type=click.Path(path_type=Path), default=Path("results/benchmarks"), show_default=True)
def main(parts: tuple[str, ...], windows: int, total: int, out: Path) -> None:
    """Measure a deployment against its alternatives, on one machine."""
    logging.getLogger("disttrack.fleet.live").setLevel(logging.ERROR)
    out.mkdir(parents=True, exist_ok=True)
    for part, rows in (("messages", messages(total)), ("quotas", quotas(windows))):
        if parts and part not in parts:
            continue
        measured = list(rows)
        with writing(out) as start:
            writer = csv.DictWriter(start(f"live-{part}.csv"), list(measured[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(measured)
        columns = [Column(name, right=not isinstance(value, str)) for name, value in measured[0].items()]
        cells = [[value if isinstance(value, str) else number(value) for value in row.values()] for row in measured]
        print_table(Table(part, columns, cells))


if __name__ == "__main__":
    main()
