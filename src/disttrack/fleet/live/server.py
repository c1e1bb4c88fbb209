"""The process of the server, which sites connect to over TCP.

The effects of a chunk of bytes are applied and committed together, and only then sent.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from disttrack.fleet.live import frames, link
from disttrack.fleet.live.clock import since
from disttrack.fleet.live.frames import Frame, Frames, NonsenseError, checked, pack
from disttrack.fleet.live.greeting import Greeting, check_greeting, event_of, read_greeting
from disttrack.fleet.live.journal import Kept
from disttrack.fleet.live.link import CHUNK, PAUSES, SILENCE, Failure, Security, beats, close
from disttrack.fleet.live.server_state import GONE, ServerState
from disttrack.fleet.live.site_state import Event, Sent
from disttrack.fleet.quotas import Quota
from disttrack.simulator.errors import RunError

LOG: Final = logging.getLogger("disttrack.fleet.live")
Row = tuple[int, int, bool, int, str, bool, int]
"""Nanoseconds, site, upwards, number, kind, whether it has a value, words."""


class ServerProcess:
    """The server of a deployment.

    Parameters
    ----------
    kept
        The server's part, with its journal.
    entry
        The protocol as sent to sites (`live.frames`).
    security
        Token and TLS.
    delay
        Seconds that each message waits before it is received, to imitate a slower network.
    step
        Seconds of a step, for the windows of a quota; None for no clock.
    record
        Called with a row for each message that is received or sent.

    Attributes
    ----------
    peers
        The connections of the sites.
    refused, refusal
        Number of peers that were refused, and the last one's reason.
    bytes
        Bytes from sites, and of messages and acknowledgements to them; greetings are left out.
    spoken
        When each site's last message came, by the monotonic clock; those before a restart are not in it.
    over
        Whether the process must end, because the journal cannot be written.
    """

    def __init__(
        self,
        kept: Kept,
        entry: dict[str, object],
        security: Security,
        *,
        delay: float = 0.0,
        step: float | None = None,
        record: Callable[[Row], None] | None = None,
    ) -> None:
        self.kept, self.entry, self.security = kept, entry, security
        self.delay, self.step, self.record = delay, step, record
        self.peers: dict[int, asyncio.StreamWriter] = {}
        self.refused = self.bytes = 0
        self.refusal = ""
        self.changed: Callable[[], None] = lambda: None
        """Called after each chunk that has been heard."""
        self.spoken: dict[int, float] = {}
        self.over = Failure()
        self._heard_at: dict[int, float] = {}
        """When each site last showed a sign of life."""
        self._leaving: set[int] = set()
        """Sites that take no more items, and leave when they have heard all."""
        self._strangers: dict[asyncio.StreamWriter, None] = {}
        self._began: float = since(kept.facts)
        self._listener: asyncio.Server | None = None
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def part(self) -> ServerState:
        """The server's part."""
        part: ServerState = self.kept.part
        return part

    async def start(self, host: str, port: int) -> int:
        """Listen; return the port, which is chosen if it is given as 0."""
        self._heard_at |= dict.fromkeys(range(self.part.k), time.monotonic())
        self._do(("wake",))
        self._listener = await asyncio.start_server(
            self._connected, host, port, ssl=self.security.context(server=True), limit=CHUNK
        )
        self._tasks.append(self.over.start(beats(self._beat)))
        if not isinstance(self.part.protocol, Quota):
            self._tasks.append(self.over.start(self._wait()))
        elif self.step is not None:
            self._tasks.append(self.over.start(self._windows(self.part.protocol.period * self.step)))
        taken: int = self._listener.sockets[0].getsockname()[1]
        return taken

    async def stop(self) -> None:
        """Close all connections and the journal."""
        if self._listener is not None:
            self._listener.close()
        for task in self._tasks:
            task.cancel()
        for writer in [*self.peers.values(), *self._strangers]:
            close(writer)
        self.kept.close()

    @property
    def age(self) -> float:
        """Seconds since the first window of a quota began."""
        return time.monotonic() - self._began

    async def _wait(self) -> None:
        await asyncio.sleep(link.GRACE)
        if self.part.patient:
            self._do(("go_on",))

    async def _windows(self, seconds: float) -> None:
        self._began = min(self._began, time.monotonic() - self.part.server.window * seconds)
        while True:
            await asyncio.sleep(max(0.0, (self.part.server.window + 1) * seconds - self.age))
            self.turn(max(int(self.age / seconds), self.part.server.window + 1))

    def _beat(self) -> None:
        for site, writer in list(self.peers.items()):
            if time.monotonic() - self._heard_at[site] > SILENCE:
                LOG.warning("site %d: no data for %.1f s; it is disconnected", site, SILENCE)
                self._gone(site, writer)
            else:
                writer.write(pack(frames.BEAT))
        for site, session in enumerate(self.part.sessions):
            if site not in self.peers and session.waiting and self.part.names[site]:
                away = time.monotonic() - self._heard_at[site]
                tracker = not isinstance(self.part.protocol, Quota)
                if len(session.waiting) > link.KEPT or (tracker and away > link.PATIENCE):
                    LOG.warning("site %d: away for %.0f s; the others go on without it", site, away)
                    self._do(("forget", site))

    # ------------------------------------------------------------------ connections

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.CancelledError):  # which asyncio would log as an error of this connection
            await self._talk(reader, writer)

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._strangers[writer] = None
        if len(self._strangers) > link.STRANGERS:
            close(next(iter(self._strangers)))
        incoming = Frames()
        try:
            async with asyncio.timeout(link.GREETING):
                hello = await read_greeting(reader, incoming)
            check_greeting(self.part, hello, self.security.token)
            await self._alone(hello)
            site = self._welcome(writer, hello)
        except (NonsenseError, TimeoutError, OSError, EOFError) as error:
            self._refuse(writer, "a peer", error)
            close(writer)
            return
        except RunError as error:
            self.over.note(error)
            return
        finally:
            self._strangers.pop(writer, None)
        try:
            while data := await reader.read(CHUNK):
                self._heard_at[site] = time.monotonic()
                if self.delay:
                    asyncio.get_running_loop().call_later(self.delay, self._hear, site, writer, incoming, data)
                else:
                    self._hear(site, writer, incoming, data)
        except OSError as error:
            LOG.info("site %d: %s", site, error)
        except RunError as error:
            self.over.note(error)
        finally:
            self._gone(site, writer)

    async def _alone(self, hello: Greeting) -> None:
        """Wait until no other process is connected as this site.

        Raises
        ------
        NonsenseError
            One shows a sign of life, which it did not send before it ended.
        """
        site, came = hello.site, time.monotonic()
        while site in self.peers and self.part.processes[site][-1] != hello.process:
            if self._heard_at[site] > came + link.LATE:
                raise NonsenseError(f"site {site} is connected already, by another process")
            await asyncio.sleep(PAUSES[1])

    def _welcome(self, writer: asyncio.StreamWriter, hello: Greeting) -> int:
        """Accept a greeting, or raise NonsenseError; return the site."""
        part, site = self.part, hello.site
        ticket = secrets.randbits(60)
        try:
            event, known = event_of(part, hello, ticket)
        except NonsenseError:
            if hello.process in part.processes[site][:-1]:  # another one has displaced it
                self._do(("doubt", site))
            raise
        if (old := self.peers.get(site)) is not None:
            self._gone(site, old)
        self._do(event)
        session, returned = part.sessions[site], not part.first[site]
        facts = {"entry": self.entry, "k": part.k, "start": part.start, "known": known, "returned": returned}
        facts |= {"items": part.seen[site][0], "received": session.received, "ticket": ticket}
        facts |= {"age": self.age, "step": self.step or 0.0}
        writer.write(pack(frames.WELCOME, facts))
        self.peers[site], self._heard_at[site] = writer, time.monotonic()
        self._send([(site, *waiting) for waiting in session.waiting])
        LOG.info("site %d: connected%s", site, ", without its state" if returned and not hello.kept else "")
        self.changed()
        return site

    def _refuse(self, writer: asyncio.StreamWriter, who: str, error: Exception) -> None:
        self.refused += 1
        self.refusal = f"{who} refused: {error or type(error).__name__}"
        LOG.warning("%s (%s)", self.refusal, writer.get_extra_info("peername"))
        if isinstance(error, NonsenseError) and not writer.is_closing():
            writer.write(pack(frames.REFUSED, str(error)))

    def _gone(self, site: int, writer: asyncio.StreamWriter) -> None:
        if self.peers.get(site) is writer:
            del self.peers[site]
            self._leaving.discard(site)
            LOG.warning("site %d: %s", site, "left" if self.part.seen[site][1] == GONE else "disconnected")
            self.changed()
        close(writer)

    def _hear(self, site: int, writer: asyncio.StreamWriter, incoming: Frames, data: bytes) -> None:
        """Apply what a site has sent, keep it, and send what follows."""
        if self.peers.get(site) is not writer:
            return
        sent: Sent = []
        session = self.part.sessions[site]
        before = session.received
        try:
            for frame in incoming.feed(data):
                if frame[0] != frames.BEAT:
                    sent += self._apply(site, frame)
            if site in self._leaving and not session.waiting:
                sent += self.kept.apply(("leave", site, session.sent, self.part.seen[site][0]))
        except NonsenseError as error:
            self._refuse(writer, f"site {site}", error)
            self._gone(site, writer)
        self.bytes += len(data)
        self.kept.commit()
        if session.received > before and not writer.is_closing():
            answer = pack(frames.HEARD, session.received)
            self.bytes += len(answer)
            writer.write(answer)
        self._send(sent)
        if site in self._leaving and self.part.seen[site][1] == GONE:
            writer.write(pack(frames.LEFT))
        self.changed()

    def _apply(self, site: int, frame: Frame) -> Sent:
        """Apply a frame of a site, and return what follows."""
        if frame[0] == frames.HEARD:
            return self.kept.apply(("heard", site, *checked(frame, int, int, int)))
        if frame[0] == frames.LEFT:
            self._leaving.add(site)
            return self.kept.apply(("heard", site, *checked(frame, int, int, int)))
        if frame[0] != frames.MESSAGE or len(frame) != 7:
            raise NonsenseError(f"a malformed frame {frame[0]}")
        _, number, kind, value, *rest = frame
        checked((frame[0], number, kind, *rest), int, str, int, int, int)
        if len(kind) > link.LONGEST:
            raise NonsenseError(f"a message whose kind has {len(kind)} letters")
        self.spoken[site] = time.monotonic()
        fresh = number > self.part.sessions[site].received
        sent = self.kept.apply(("message", site, *frame[1:]))
        if fresh and self.record is not None:
            self.record((time.monotonic_ns(), site, True, number, kind, value is not None, rest[0]))
        return self._noted(sent)

    def _noted(self, sent: Sent) -> Sent:
        """Note messages when they are first sent."""
        if self.record is not None:
            now = time.monotonic_ns()
            for site, number, message in sent:
                self.record((now, site, False, number, message.kind, message.value is not None, message.words))
        return sent

    def turn(self, window: int | None = None) -> None:
        """Begin a window of a quota: the next one, or a later one."""
        self._do(("turn", self.part.server.window + 1 if window is None else window))

    def _do(self, event: Event) -> None:
        sent = self._noted(self.kept.apply(event))
        self.kept.commit()
        self._send(sent)
        self.changed()

    def _send(self, sent: Sent) -> None:
        """Send messages to connected sites; others get them when they connect."""
        for site, number, message in sent:
            writer = self.peers.get(site)
            if writer is not None and not writer.is_closing():
                frame = pack(frames.MESSAGE, number, *message)
                self.bytes += len(frame)
                writer.write(frame)

    def quiet(self, site: int, number: int) -> bool:
        """Return whether a site's messages up to this number, and all that they led to, have been heard everywhere."""
        sessions = self.part.sessions
        return sessions[site].received >= number and not any(session.waiting for session in sessions)
