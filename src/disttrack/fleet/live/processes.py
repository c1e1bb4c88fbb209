"""The processes of a game: one for the server, one per site or per group of sites, and a pipe to each.

The pipes carry items and commands of the leading process; messages of the protocol use TCP, as in a deployment.
"""

from __future__ import annotations

import asyncio
import logging
import signal
import time
import warnings
from collections.abc import Callable, Coroutine, Mapping, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, Final

from disttrack.adversaries import RoundRobin
from disttrack.fleet.book import Note, Notes
from disttrack.fleet.live.frames import entry_of
from disttrack.fleet.live.journal import Kept
from disttrack.fleet.live.link import Security
from disttrack.fleet.live.server import Row, ServerProcess
from disttrack.fleet.live.server_state import ServerState
from disttrack.fleet.live.site import SiteProcess
from disttrack.fleet.live.site_state import Event, SiteState
from disttrack.fleet.quotas import Quota
from disttrack.fleet.quotas.sites import QuotaSite
from disttrack.protocols.base import Protocol
from disttrack.simulator.errors import RunError
from disttrack.simulator.game.play import hosted, play

MOST_PROCESSES: Final = 256
"""Of sites; with more sites, each process has several."""
PATIENCE: Final = 60.0
"""Seconds in which a process must answer."""
HOST: Final = "127.0.0.1"
WARM: Final = 200_000
"""Items of the game that fills caches."""

Made = tuple[Protocol, int, int, int, float]
"""Protocol, number of sites, seed, start, delay."""


class Processes:
    """The running processes of one game.

    Parameters
    ----------
    protocol, k, seed, start
        As of `ServerState`.
    delay
        Seconds that each message waits before it is received.

    Attributes
    ----------
    server
        The pipe to the server.
    of_site
        The pipe to the process of each site.
    """

    def __init__(self, protocol: Protocol, k: int, seed: int, start: int = 0, delay: float = 0.0) -> None:
        self._started: list[BaseProcess] = []
        self._pipes: list[Connection] = []
        made = protocol, k, seed, start, delay
        _warm_up(protocol, k, start)
        try:
            self.server = self._start(_serve, made)
            port = self.ask(self.server)
            each = -(-k // MOST_PROCESSES)
            self.of_site: list[Connection] = []
            for first in range(0, k, each):
                numbers = range(first, min(first + each, k))
                self.of_site += [self._start(_sites, made, port, numbers)] * len(numbers)
            for pipe in dict.fromkeys(self.of_site):
                self.ask(pipe)
        except BaseException:
            self.stop()
            raise

    def _start(self, target: Callable[..., None], *arguments: object) -> Connection:
        context = get_context("fork")
        ours, theirs = context.Pipe()
        process = context.Process(target=target, args=(theirs, [*self._pipes, ours], *arguments), daemon=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # about threads: this process has none of its own
            process.start()
        theirs.close()
        self._started.append(process)
        self._pipes.append(ours)
        return ours

    @staticmethod
    def ask(pipe: Connection, *question: object) -> Any:
        """Send a command to a process and return its answer; without a command, the answer to an earlier one.

        Raises
        ------
        RunError
            The process has ended, has raised an error, or does not answer.
        """
        try:
            if question:
                pipe.send(question)
            if not pipe.poll(PATIENCE):
                raise RunError(f"live: a process has not answered for {PATIENCE:g} s ({question[:1]})")
            answer = pipe.recv()
        except (EOFError, OSError) as error:
            raise RunError("live: a process has ended before the game") from error
        if isinstance(answer, Exception):
            raise answer
        return answer

    def stop(self) -> None:
        """End all processes."""
        for process in self._started:
            if process.pid is not None:
                process.kill()
        for process in self._started:
            process.join()
        for pipe in self._pipes:
            pipe.close()


def _warm_up(protocol: Protocol, k: int, start: int) -> None:
    """Play a game, so that the processes inherit constants that are computed once and cached."""
    if not isinstance(protocol, Quota):
        with hosted(None):
            play(protocol, RoundRobin(), sites=k, items=WARM, start=start)


def _serve(pipe: Connection, others: Sequence[Connection], made: Made) -> None:
    _leave(others)
    protocol, k, seed, start, delay = made
    rows: list[Row] = []
    outputs: list[tuple[int, float]] = []
    kept = Kept(None)
    kept.begin(ServerState, {}, protocol=protocol, k=k, seed=[seed, k], start=start)
    part = kept.part
    asked: list[tuple[int, int]] = []

    async def lead() -> None:
        server = ServerProcess(kept, entry_of(protocol), Security(), delay=delay, record=rows.append)

        def changed() -> None:
            if not outputs or outputs[-1][1] != part.output:
                outputs.append((time.monotonic_ns(), part.output))
            if asked and (server.refused or server.quiet(*asked[0])):
                asked.clear()
                seen = {row[1]: part.seen[row[1]] for row in rows}
                answer = rows[:], part.output, part.server.rounds, part.ledger.broadcasts, server.bytes, seen
                pipe.send(RunError(f"live: {server.refusal}") if server.refused else answer)
                rows.clear()

        def quiet(site: int, number: int) -> None:
            asked.append((site, number))
            changed()

        def counts() -> list[tuple[int, ...]]:
            if server.refused:
                raise RunError(f"live: {server.refusal}")
            return [(session.sent, session.received, len(session.waiting)) for session in part.sessions]

        commands: dict[str, Callable[..., object]] = {
            "quiet": quiet,
            "turn": server.turn,
            "output": lambda: part.output,
            "counts": counts,
            "log": lambda: (rows, outputs, server.bytes, part.server.rounds, part.ledger.broadcasts),
        }
        server.changed = changed
        pipe.send(await server.start(HOST, 0))
        await _led(pipe, commands)

    _run(lead(), pipe)


def _sites(pipe: Connection, others: Sequence[Connection], made: Made, port: int, numbers: Sequence[int]) -> None:
    _leave(others)
    protocol, k, seed, _, delay = made
    log: list[tuple[int, int, bool, int]] = []

    async def lead() -> None:
        sites = {
            number: SiteProcess(
                number, (HOST, port), Kept(None), Security(),
                seed=[seed, k, number], protocol=protocol, delay=delay, clocked=False, record=log.append,
            )
            for number in numbers
        }  # fmt: skip
        running = [asyncio.create_task(site.run()) for site in sites.values()]
        for site, task in zip(sites.values(), running, strict=True):
            joined = asyncio.create_task(site.connected.wait())
            await asyncio.wait((joined, task), return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                task.result()
        for quota in (one.part.site for one in sites.values() if isinstance(one.part.site, QuotaSite)):
            quota.answers.book = Notes()

        def take(given: list[tuple[int, int]]) -> None:
            for number, items in given:
                sites[number].take(items)

        def events(given: list[tuple[int, list[Event]]]) -> list[tuple[int, int, tuple[object, ...], Sequence[Note]]]:
            for number, applied in given:
                for event in applied:
                    sites[number].do(event)
            parts = {number: sites[number].part for number, _ in given}
            return [(number, part.session.sent, _state(part), _notes(part)) for number, part in parts.items()]

        pipe.send(len(sites))
        await _led(pipe, {"take": take, "events": events, "log": lambda: log})

    _run(lead(), pipe)


def _state(part: SiteState) -> tuple[object, ...]:
    """Return items and quota, and of the site of a quota the rest of `engine.FIELDS`."""
    site = part.site
    if not isinstance(site, QuotaSite):
        return part.state
    own = site.offered, site.admitted, site.admitted_cost, site.left, site.present, [*site.waiting]
    return (*part.state, *own, site.answers[part.number])


def _notes(part: SiteState) -> Sequence[Note]:
    """Return what the site of a quota has noted since the last time, for the book of the game."""
    return part.site.answers.book.handed_over() if isinstance(part.site, QuotaSite) else ()


def _leave(others: Sequence[Connection]) -> None:
    """Close the pipes that the fork has copied, so that all processes end with the leading one."""
    for pipe in others:
        pipe.close()


async def _led(pipe: Connection, commands: Mapping[str, Callable[..., object]]) -> None:
    """Carry out commands of the leading process until it ends; a command that returns something is answered."""
    over = asyncio.get_running_loop().create_future()

    def read() -> None:
        try:
            while pipe.poll():
                name, *values = pipe.recv()
                if (answer := commands[name](*values)) is not None:
                    pipe.send(answer)
        except (EOFError, OSError):
            over.set_result(None)
            asyncio.get_running_loop().remove_reader(pipe.fileno())
        except Exception as error:
            pipe.send(RunError(f"live: {error or type(error).__name__}"))

    asyncio.get_running_loop().add_reader(pipe.fileno(), read)
    read()
    await over


def _run(lead: Coroutine[object, object, None], pipe: Connection) -> None:
    """Run a process to its end; an error is sent to the leading process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the leading process ends it
    logging.getLogger("disttrack.fleet.live").setLevel(logging.CRITICAL)  # at the end of a game all connections break
    try:
        asyncio.run(lead)
    except Exception as error:
        pipe.send(RunError(f"live: {type(error).__name__}: {error}"))
