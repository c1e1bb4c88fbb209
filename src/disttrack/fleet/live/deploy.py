"""What ``disttrack serve`` and ``disttrack feed`` run: a server, and sites with their items or requests."""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
import signal
import sys
import threading
import zlib
from collections.abc import Awaitable, Callable, Collection, Coroutine, Mapping
from contextlib import nullcontext, suppress
from functools import partial
from hashlib import blake2b, file_digest
from pathlib import Path
from typing import Final, NamedTuple
from zipfile import BadZipFile

import click

from disttrack.adversaries.quantities import SECONDS
from disttrack.adversaries.tables import line_counts, refusing, unpacked
from disttrack.fleet.live.clock import moment
from disttrack.fleet.live.frames import NonsenseError, entry_of, protocol_of
from disttrack.fleet.live.http import listen, server_app, site_app
from disttrack.fleet.live.journal import Kept
from disttrack.fleet.live.link import Security, address
from disttrack.fleet.live.requests import Pace
from disttrack.fleet.live.server import ServerProcess
from disttrack.fleet.live.server_state import ServerState
from disttrack.fleet.live.site import SiteProcess
from disttrack.fleet.live.site_state import MOST
from disttrack.fleet.quotas import Quota
from disttrack.fleet.task import never
from disttrack.protocols.base import Protocol
from disttrack.simulator.errors import RunError, ScenarioError
from disttrack.simulator.kinds.entries import entry_of as entry_in
from disttrack.simulator.kinds.names import count

REPORT: Final = 10.0
"""Seconds that a feed waits at its end for acknowledgements."""

Read = Callable[[Callable[[], int | None]], Awaitable[int | None]]
"""Calls a function that may block."""


class Items(NamedTuple):
    """A file of items.

    Attributes
    ----------
    path
        Its path.
    checksum
        That of its content, by which a file that has changed is known; None of a pipe, which is read once.
    """

    path: Path
    checksum: int | None


def items_of(path: Path) -> Items:
    """Return a file of items, or a pipe, which is refused as it comes.

    Raises
    ------
    ScenarioError
        The file has no lines of text.
    """
    if not path.is_file():
        return Items(path, None)
    try:
        with refusing(path), unpacked(path) as source, path.open("rb") as file:
            next(line_counts(source), None)
            digest = file_digest(file, partial(blake2b, digest_size=8)).digest()
    except ValueError as error:
        raise ScenarioError(f"--items: {error}") from error
    return Items(path, int.from_bytes(digest, "big"))


def serve(
    protocol: str, sites: int, start: int, listen_at: str, http: str, step: float, journal: Path | None,
    security: Security,
) -> None:  # fmt: skip
    """Run the server of a protocol until it is stopped; the arguments are the options of ``disttrack serve``."""
    try:
        made = protocol_of(entry_in(protocol))
    except NonsenseError as error:
        raise ScenarioError(f"--protocol: {error}{_in_steps(str(error), step)}") from error
    if isinstance(made, Quota) and (refusal := never(made, made.price, sites)):
        raise ScenarioError(f"--protocol: {refusal}")
    kept = kept_server(made, sites, journal, start, float(step))
    server = ServerProcess(kept, entry_of(made), security, step=step)
    _run(run_server(server, address(listen_at, "--listen"), address(http, "--http")))


def kept_server(protocol: Protocol, sites: int, journal: Path | None, start: int, step: float) -> Kept:
    """Return a new server, or that of a journal; ScenarioError if it is of another deployment, or the start too large.

    Parameters
    ----------
    protocol, sites, start
        As of `ServerState`.
    journal
        Its file; None for none.
    step
        Seconds of a step of a quota.
    """
    most = 0 if isinstance(protocol, Quota) else MOST // 2  # as many may come yet
    if start > most:
        raise ScenarioError(f"--start: must be at most {most:,} for {protocol.kind}; got {start}")
    kept = Kept(journal)
    known: dict[str, object] = {"entry": entry_of(protocol), "sites": sites, "start": start, "step": step}
    if kept.part is None:
        seed = secrets.randbits(128)
        kept.begin(ServerState, {**known, **moment()}, protocol=protocol, k=sites, seed=seed, start=start)
    elif (stored := {name: kept.facts[name] for name in known}) != known:
        kept.close()
        remedy = "name another --journal, or start the server as before"
        raise ScenarioError(f"--journal: {journal} is that of a server with {_apart(stored, known)}; {remedy}")
    return kept


async def run_server(server: ServerProcess, listen_at: tuple[str, int], http: tuple[str, int]) -> None:
    """Listen to sites and to HTTP requests until cancelled.

    Raises
    ------
    RunError
        An address cannot be used, or the journal cannot be written.
    """
    try:
        port = await server.start(*listen_at)
        web = await listen(server_app(server), *http, server.security)
        click.echo(f"{server.part.protocol.kind}: sites at port {port}, http at port {web}")
        await server.over.wait()
    except OSError as error:
        raise RunError(f"cannot listen: {error}; if it is taken, name another by --listen or --http") from error
    finally:
        await server.stop()


def _in_steps(refusal: str, step: float) -> str:
    """Return how a time, which a parameter has been refused for, is written: as a number of steps."""
    match = re.search(r"got '([\d.]+)(us|ms|s|min|h|day)'$", refusal)
    if match is None:
        return ""
    steps = float(match[1]) * float(SECONDS[match[2]]) / step
    return f"; times are numbers of steps, of {step:g} s each by --step: {steps:.0f}"


def feed(
    which: str, server: str, items: Path | None, http: str | None, journal: Path | None, again: bool, security: Security
) -> None:
    """Run a site, or several, until the end of their items; the arguments are the options of ``disttrack feed``."""
    numbers = _numbers(which)
    if (items is None) == (http is None):
        raise ScenarioError("disttrack feed: give --items or --http")
    if again and items is None:
        raise ScenarioError("--again needs --items")
    if len(numbers) > 1 and (items is not None or (journal is not None and "{}" not in journal.name)):
        raise ScenarioError("--site: several sites need --http, and {} in the name of --journal")
    source = None if items is None else items_of(items)
    where = address(server, "--server")
    pace = Pace()
    fed = {number: SiteProcess(number, where, Kept(_named(journal, number)), security, pace=pace) for number in numbers}

    _run(run_sites(fed, source, None if http is None else address(http, "--http"), again))


async def run_sites(
    fed: Mapping[int, SiteProcess],
    items: Items | None,
    http: tuple[str, int] | None,
    again: bool = False,
    read: Read | None = None,
) -> None:
    """Run the sites of a process until cancelled, or until they have left at the end of a file of items.

    Parameters
    ----------
    fed
        The sites, by their numbers.
    items
        File of items for the only site; None for items over HTTP.
    http
        Address of HTTP requests; None with a file.
    again
        Whether all lines of the file are taken, also those that the journal has.
    read
        Calls a function that reads from the file, which may block; None for a thread.

    Raises
    ------
    RunError
        The address cannot be used, a journal cannot be written, the server refuses a site, or has not acknowledged its
        end.
    """
    running = [asyncio.create_task(work) for site in fed.values() for work in (site.run(), site.over.wait())]
    first = next(iter(fed.values()))
    try:
        if items is None:
            assert http is not None
            port = await listen(site_app(fed, first.security), *http, first.security)
            click.echo(f"site {_range(fed)}: http at port {port}")
        else:
            running.insert(0, asyncio.create_task(_from_file(first, items, again, read or _unhurried)))
        ended, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
        for task in sorted(ended, key=running.index):
            task.result()
    except OSError as error:
        raise RunError(f"cannot listen: {error}; if it is taken, name another by --http") from error
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        for site in fed.values():
            site.kept.close()


def _range(numbers: Collection[int]) -> str:
    """Return consecutive numbers as the command line takes them: ``3``, or ``0-15``."""
    return f"{min(numbers)}-{max(numbers)}" if len(numbers) > 1 else f"{min(numbers)}"


def _apart(stored: Mapping[str, object], known: Mapping[str, object]) -> str:
    """Return what differs in the facts of a server, or else in the entry of its protocol, in words."""
    if stored["entry"] != known["entry"]:
        stored, known = ({"protocol": fact.pop("kind"), **fact} for fact in map(_entry, (stored, known)))
    different = [name for name in {**known, **stored} if known.get(name) != stored.get(name)]
    name = different[0]  # of another protocol, the parameters follow from it
    pairs = different if name != "protocol" else [name]
    return ", ".join(f"{one} {stored.get(one, 'none')} (now {known.get(one, 'none')})" for one in pairs)


def _entry(facts: Mapping[str, object]) -> dict[str, object]:
    entry = facts["entry"]
    return dict(entry) if isinstance(entry, Mapping) else {}


def _numbers(text: str) -> list[int]:
    """Return the sites of a text: ``3``, or ``0-15``."""
    first, dash, last = text.partition("-")
    if not first.isdecimal() or (dash and not last.isdecimal()) or (dash and int(last) < int(first)):
        raise ScenarioError(f"--site must be a number from 0 on, or two as in 0-15; got {text!r}")
    return list(range(int(first), int(last or first) + 1))


def _named(journal: Path | None, number: int) -> Path | None:
    return None if journal is None else journal.with_name(journal.name.replace("{}", str(number)))


def _begin_file(site: SiteProcess, items: Items, again: bool) -> int:
    """Have a site note the file that it reads; return how many of its lines were taken before, none of a pipe."""
    path, checksum = items
    if checksum is None:
        return 0
    name, source, lines = str(path.resolve()), site.part.source, site.part.lines
    if again or not lines or source is None or source[0] != name:
        site.do(("read", name, checksum))
    elif source[1] != checksum:
        raise ScenarioError(
            f"--items: {path} has changed since the journal began to take it, {count(lines, 'line')} of it so far; "
            "with --again all of its lines are taken"
        )
    else:
        click.echo(
            f"site {site.number}: {count(lines, 'line')} of {path} were taken before, and are left out "
            "(--again takes them too)"
        )
    return site.part.lines


async def _from_file(site: SiteProcess, items: Items, again: bool, read: Read) -> None:
    """Give a site an item, or a request, for each line; then wait until the server has acknowledged all."""
    await site.ready.wait()
    quota = isinstance(site.part.protocol, Quota)
    path, lines, admitted, before = items.path, 0, 0, _begin_file(site, items, again)

    async def give(number: int) -> None:
        nonlocal lines, admitted
        lines += number
        if quota:
            for _ in range(number):
                if one := await site.admit(lines=1):
                    admitted += 1
                    if site.part.reservations is not None:
                        await site.commit(one, 1)
        elif number:
            site.take(number, number)

    broken = ""
    try:
        # a thread reads until the process ends: Python would abort at its end over the lock of sys.stdin
        pipe = nullcontext(open(0, "rb", closefd=False)) if str(path) == "-" else None  # noqa: SIM115
        with pipe or unpacked(path) as source:
            counts = line_counts(source)
            while (number := await read(partial(next, counts, None))) is not None:
                skipped = min(before, number)
                before -= skipped
                await give(number - skipped)
    except (ValueError, OSError, EOFError, zlib.error, BadZipFile) as error:
        broken = f"--items: {path} cannot be read to its end: {error}"
    left = True
    try:
        async with asyncio.timeout(REPORT):
            await site.leave()
    except TimeoutError:
        left = False
    waiting = len(site.part.session.waiting)
    answers = f", {admitted:,} admitted" if quota else ""
    acknowledged = "all acknowledged" if left else f"{waiting:,} not acknowledged"
    click.echo(f"site {site.number}: {lines:,} {'requests' if quota else 'items'}{answers}, "
               f"{count(site.part.session.sent, 'message')}, {acknowledged}")  # fmt: skip
    if broken:
        raise (RunError if lines else ScenarioError)(broken)
    if not left:
        raise RunError(f"site {site.number}: the server has not acknowledged the end within {REPORT:g} s, "
                       f"and {count(waiting, 'message')}")  # fmt: skip


async def _unhurried(read: Callable[[], int | None]) -> int | None:
    """Read in a daemon thread, which does not delay the end of the process."""
    loop = asyncio.get_running_loop()
    block: asyncio.Future[int | None] = loop.create_future()

    def work() -> None:
        try:
            give, result = block.set_result, read()
        except Exception as error:
            give, result = block.set_exception, error  # type: ignore[assignment]
        with suppress(RuntimeError):  # the process has ended
            loop.call_soon_threadsafe(lambda: block.done() or give(result))

    threading.Thread(target=work, daemon=True).start()
    return await block


def _run(work: Coroutine[object, object, None]) -> None:
    """Run until the end, SIGINT or SIGTERM."""
    logging.basicConfig(format="%(asctime)s %(message)s", level=logging.INFO, stream=sys.stderr)
    logging.getLogger("aiohttp").setLevel(logging.ERROR)  # nonsense of peers is theirs

    async def stoppable() -> None:
        task = asyncio.ensure_future(work)
        for stop in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(stop, task.cancel)
        with suppress(asyncio.CancelledError):
            await task

    asyncio.run(stoppable())
