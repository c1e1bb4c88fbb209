"""The process of a site: it receives items or requests, and stays connected to the server."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any, Final

from disttrack.fleet.live import frames
from disttrack.fleet.live.clock import tick
from disttrack.fleet.live.frames import Frame, Frames, NonsenseError, checked, pack, protocol_of
from disttrack.fleet.live.journal import Kept
from disttrack.fleet.live.link import BACKLOG, CHUNK, GREETING, PAUSES, SILENCE, Failure, Security, beats, close
from disttrack.fleet.live.requests import Pace, Waiting
from disttrack.fleet.live.site_state import Event, Sent, SiteState
from disttrack.fleet.quotas import Quota
from disttrack.protocols.base import Protocol
from disttrack.simulator.errors import RunError

LOG: Final = logging.getLogger("disttrack.fleet.live")


class SiteProcess:
    """One site of a deployment.

    Parameters
    ----------
    number
        Which site it is.
    server
        Host and port of the server.
    kept
        Its part with its journal; the part is made when the server has named the protocol.
    security
        Token and TLS.
    seed
        Of its coins.
    protocol
        The protocol; None for the one that the server names.
    delay
        Seconds that each message waits before it is received, to imitate a slower network.
    clocked
        Whether the windows of a quota turn by the clock; otherwise the caller applies these events.
    record
        Called for each message that is sent or heard: nanoseconds, site, whether upwards, number.
    pace
        Counts requests that come too fast; the sites of a process share it.

    Attributes
    ----------
    ready, connected
        Set once it takes items: when the server has answered, or cannot be reached and the site has a journal, and
        needs no clock; set while it is connected.
    process
        A number that is drawn for this process, so that the server tells it from one with a copy of the journal.
    over
        Whether the process must end, because the journal cannot be written.
    """

    def __init__(
        self,
        number: int,
        server: tuple[str, int],
        kept: Kept,
        security: Security,
        *,
        seed: object = None,
        protocol: Protocol | None = None,
        delay: float = 0.0,
        clocked: bool = True,
        record: Callable[[tuple[int, int, bool, int]], None] | None = None,
        pace: Pace | None = None,
        process: int | None = None,
    ) -> None:
        self.number, self.server, self.kept, self.security = number, server, kept, security
        self.seed = secrets.randbits(128) if seed is None else seed
        self.protocol, self.delay, self.clocked, self.record = protocol, delay, clocked, record
        self.ready, self.connected = asyncio.Event(), asyncio.Event()
        self.process = secrets.randbits(60) if process is None else process
        self.pace = pace or Pace()
        self.over = Failure()
        self._leaving, self._left, self._step = False, asyncio.Event(), 0.0
        self._writer: asyncio.StreamWriter | None = None
        self._heard_at = self._began = 0.0
        self._greeted = 0
        """Up to which message the last greeting said that the server knows of them."""
        self._waiting = Waiting()
        self._clock: asyncio.Task[None] | None = None
        self._turned = asyncio.Event()
        """Wakes those that wait for a turn of the clock; never set for long."""
        if kept.facts and kept.facts["site"] != number:
            raise RunError(f"the journal is that of site {kept.facts['site']}; got site {number}")

    @property
    def part(self) -> SiteState:
        """The site's part; only when it is ready."""
        part: SiteState = self.kept.part
        return part

    # ------------------------------------------------------------------ items and requests

    def take(self, items: int, lines: int = 0) -> bool:
        """Receive items and the number of lines of a file that held them; return whether they led to a message.

        When it returns, they are in the journal.
        """
        return self.do(("take", items, lines))

    async def admit(self, cost: int = 1, patience: float | None = None, lines: int = 0) -> int:
        """Answer a request of a quota: return its number if it is admitted, otherwise 0.

        It may wait for the server; after `patience` seconds it is rejected.
        """
        self.pace.request(self._step)
        await self._caught_up()
        site = self.part.site
        waiting, admitted = len(site.waiting), site.admitted
        self.do(("request", cost, lines))
        number = int(site.offered)
        at_once = len(site.waiting) == waiting
        return number if (site.admitted > admitted if at_once else await self._waiting.answer(patience)) else 0

    async def commit(self, number: int, cost: int) -> int | None:
        """Commit the cost of a request; return what was committed first, None if it has lapsed or is long ago."""
        await self._caught_up()
        reservations = self.part.reservations
        assert reservations is not None
        if number in reservations.open:
            self.do(("commit", number, cost))
        return reservations.committed.get(number, (None, 0))[0]

    def clock(self) -> tuple[float, float]:
        """Return the seconds of a step, 0 for no clock, and those since the first window of a quota began."""
        return self._step, time.monotonic() - self._began

    async def _caught_up(self) -> None:
        """Wait for the turns of the clock that are due: what is admitted belongs to the present window or slot.

        Raises
        ------
        TimeoutError
            They have not come within the time after which a connection counts as broken.
        """
        try:
            async with asyncio.timeout(SILENCE):
                while self._clock is not None and not self._clock.done():
                    step, age = self.clock()
                    if (self.part.site.window + 1) * self.part.protocol.period * step > age:
                        return
                    await self._turned.wait()
        except TimeoutError:
            raise TimeoutError(f"site {self.number}: its clock is behind, for {SILENCE:g} s") from None

    def do(self, event: Event) -> bool:
        """Apply an event, keep it, send what follows; answer the requests that need not wait any more.

        Returns whether it led to a message.

        Raises
        ------
        RunError
            The journal cannot be written.
        """
        quota = isinstance(self.part.protocol, Quota)
        waiting, admitted = (len(self.part.site.waiting), self.part.site.admitted) if quota else (0, 0)
        sent = self.kept.apply(event)
        if sent and self._writer is None and len(self.part.session.waiting) > BACKLOG:
            LOG.warning("site %d: cut off with %d messages; it gives them up", self.number, BACKLOG + 1)
            self.kept.apply(("give_up",))
            sent.clear()
        try:
            self.kept.commit()
        except RunError as error:
            self.over.note(error)
            raise
        self._send(sent)
        if quota and event[0] != "request":
            self._turned.set()
            self._turned.clear()
            self._waiting.give(waiting - len(self.part.site.waiting), self.part.site.admitted - admitted)
        return bool(sent)

    def _send(self, sent: Sent) -> None:
        """Send messages, in one piece; those that cannot be sent now go out with the next connection."""
        if self.record is not None:
            now = time.monotonic_ns()
            for _, number, _ in sent:
                self.record((now, self.number, True, number))
        if sent and self._writer is not None and not self._writer.is_closing():
            seen = self.part.state
            self._writer.write(b"".join(pack(frames.MESSAGE, number, *message, *seen) for _, number, message in sent))

    async def leave(self) -> None:
        """Leave in order: take no more items, and answer the server until it knows all items and lets the site go."""
        if isinstance(self.part.protocol, Quota):
            self.do(("act", "leave", False))
        self._leaving = True
        self._take_leave()
        await self._left.wait()

    def _take_leave(self) -> None:
        if self._leaving and self._writer is not None:
            self._writer.write(pack(frames.LEFT, self.part.session.received, *self.part.state))

    def summary(self) -> dict[str, object]:
        """Return the site's entry of ``GET /healthz``."""
        facts: dict[str, object] = {"site": self.number, "connected": self.connected.is_set()}
        if self.ready.is_set():
            items, session = self.part.machine.items, self.part.session
            facts |= {"items": items, "messages": session.sent, "unacknowledged": len(session.waiting)}
        return facts

    # ------------------------------------------------------------------ the connection

    async def run(self) -> None:
        """Stay connected until cancelled.

        Raises
        ------
        RunError
            The server refuses the site, and would again.
        """
        if self.kept.part is not None:
            self.do(("start", self.process))
        tries = 0
        while not self._left.is_set():
            try:
                await self._once()
                tries = 0
            except (OSError, EOFError, TimeoutError, NonsenseError) as error:
                if tries == 0 or not tries % 20:
                    LOG.warning("site %d: %s; it reconnects", self.number, error or type(error).__name__)
                if self.kept.part is not None and not self._without_time:
                    self.ready.set()  # nobody has refused it: it takes items until the server is there
            await asyncio.sleep(PAUSES[min(tries, len(PAUSES) - 1)])
            tries += 1

    @property
    def _without_time(self) -> bool:
        """Whether it must hear from the server which window it is before it admits: its limit may be of an old one."""
        return isinstance(self.part.protocol, Quota) and self.clocked and self._clock is None

    async def _once(self) -> None:
        """Connect, and listen until the connection breaks."""
        async with asyncio.timeout(GREETING):
            reader, writer = await asyncio.open_connection(
                *self.server, ssl=self.security.context(server=False), limit=CHUNK
            )
        incoming = Frames()
        beat = asyncio.create_task(beats(lambda: self._beat(writer)))
        try:
            part = self.kept.part
            if not self.kept.facts:  # the name is kept before the server knows it
                self.kept.note({"site": self.number, "name": secrets.token_hex(8)})
            name = self.kept.facts["name"]
            seen: tuple[Any, ...] = (*(0,) * 7, ())
            if part is not None:
                starts = tuple(chain.from_iterable(part.starts))
                seen = (1 + part.session.dropped, part.ticket, *part.session.numbers, *part.state, starts)
            self._greeted = 0 if part is None else part.session.done
            who = self.security.token, self.number, name, self.process
            writer.write(pack(frames.HELLO, frames.VERSION, *who, *seen))
            async with asyncio.timeout(GREETING):  # `wait_for` may lose a cancellation
                rest = await self._welcomed(reader, incoming)
            self._resume(writer, rest)
            while data := await reader.read(CHUNK):
                self._heard_at = time.monotonic()
                await self._caught_up()
                if self.delay:
                    asyncio.get_running_loop().call_later(self.delay, self._hear, incoming, data)
                else:
                    self._hear(incoming, data)
        finally:
            beat.cancel()
            self._writer = None
            self.connected.clear()
            close(writer)

    async def _welcomed(self, reader: asyncio.StreamReader, incoming: Frames) -> list[Frame]:
        """Wait for the server's answer, and begin as it says; return the frames that came with it."""
        got: list[Frame] = []
        while not got:
            data = await reader.read(CHUNK)
            if not data:
                raise EOFError("the server has closed the connection")
            if not got and data.startswith(b"HTTP/"):
                address = ":".join(map(str, self.server))
                raise NonsenseError(f"{address} answers by HTTP; sites connect to the other port that serve prints")
            got = list(incoming.feed(data))
        self._heard_at = time.monotonic()
        if got[0][0] == frames.REFUSED:
            kept = "; its journal has what it received, which counts when it connects: do not feed it again"
            kept *= self.kept.part is not None
            raise RunError(f"site {self.number}: refused by the server: {got[0][1]}{kept}")
        if got[0][0] != frames.WELCOME:
            raise NonsenseError("no answer to the greeting")
        (facts,) = checked(got[0], dict)
        self._begin(facts)
        return got[1:]

    def _begin(self, facts: dict[str, Any]) -> None:
        """Begin a life, or continue the present one."""
        part, self._step = self.kept.part, facts["step"] or 0.0
        self._began = time.monotonic() - (facts["age"] or 0.0)
        if part is None:
            protocol = self.protocol or protocol_of(facts["entry"])
            commits = self.clocked and isinstance(protocol, Quota) and bool(protocol.settle and facts["step"])
            self.kept.begin(
                SiteState, self.kept.facts,
                protocol=protocol, k=facts["k"], number=self.number, seed=self.seed, start=facts["start"],
                items=facts["items"], returned=facts["returned"], commits=commits,
            )  # fmt: skip
        elif facts["known"] and self.part.session.done != self._greeted:
            raise EOFError("it has given up its session since it greeted the server")
        elif not facts["known"]:
            self.do(("forget",))  # the server has lost its state, or has given the site up
        self.do(("welcome", facts["ticket"]))
        self.part.session.acknowledged(facts["received"])
        if isinstance(self.part.protocol, Quota) and self.clocked and facts["step"]:
            if self._clock is not None:
                self._clock.cancel()
            step, age = self.clock()  # later than that of the facts: the part had to be made
            work = tick(self.part, self.do, age, step, not facts["known"])
            self._clock = self.over.start(work)
        self.ready.set()

    def _resume(self, writer: asyncio.StreamWriter, rest: list[Frame]) -> None:
        """Send again what the server has not acknowledged, and hear what came with its answer."""
        self._writer = writer
        session = self.part.session
        for number, message in tuple(session.waiting):
            writer.write(pack(frames.MESSAGE, number, *message, *self.part.state))
        writer.write(pack(frames.HEARD, session.received, *self.part.state))
        self.connected.set()
        self._apply(rest)
        self._take_leave()

    def _hear(self, incoming: Frames, data: bytes) -> None:
        writer = self._writer
        try:
            self._apply(incoming.feed(data))
        except NonsenseError as error:
            LOG.warning("site %d: invalid data from the server: %s", self.number, error)
            if writer is not None:
                writer.close()

    def _apply(self, got: Iterable[Frame]) -> None:
        session = self.part.session
        before = session.received
        for frame in got:
            match frame[0]:
                case frames.MESSAGE:
                    checked((0, frame[1], *frame[2::2]), int, str, int)
                    if self.record is not None:
                        self.record((time.monotonic_ns(), self.number, False, frame[1]))
                    self.do(("hear", *frame[1:]))
                case frames.HEARD:
                    session.acknowledged(*checked(frame, int))
                case frames.LEFT:
                    self._left.set()
                case frames.REFUSED:
                    raise NonsenseError(f"the server refuses what it was sent: {frame[1]}")
        if session.received > before and self._writer is not None:
            self._writer.write(pack(frames.HEARD, session.received, *self.part.state))

    def _beat(self, writer: asyncio.StreamWriter) -> None:
        if self._heard_at and time.monotonic() - self._heard_at > SILENCE:
            writer.transport.abort()
        elif self._writer is writer:
            writer.write(pack(frames.BEAT))
