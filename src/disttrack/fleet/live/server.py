"""The process of the server, which sites connect to over TCP.

The effects of a chunk of bytes are applied and committed together, and only then sent.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
import time
from collections.abc import Callable, Iterable
from typing import Any, Final

from disttrack.fleet.live import frames
from disttrack.fleet.live.frames import Frames, NonsenseError, checked, pack
from disttrack.fleet.live.journal import Kept
from disttrack.fleet.live.link import CHUNK, SILENCE, Security, beats, close
from disttrack.fleet.live.parts import MOST, Event, Sent, ServerPart
from disttrack.fleet.quotas import Quota

LOG: Final = logging.getLogger("disttrack.fleet.live")
GREETING: Final = 5.0
"""Seconds for a greeting."""
STRANGERS: Final = 64
"""Maximum number of connections before their greeting; further ones are closed."""
KEPT: Final = 10_000
"""Maximum number of messages that wait for a disconnected site; above it, the site must begin a new life."""

Row = tuple[int, int, bool, int, str, bool, int]
"""Nanoseconds, site, upwards, number, kind, whether it has a value, words."""


class ServerProcess:
    """The server of a deployment.

    Parameters
    ----------
    kept
        The server's part, with its journal.
    entry
        The protocol as sent to sites (`live.entries`).
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
    """

    def __init__(
        self,
        kept: Kept,
        entry: dict[str, Any],
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
        self._heard_at: dict[int, float] = {}
        """When each site last showed a sign of life."""
        self._strangers = 0
        self._listener: asyncio.Server | None = None
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def part(self) -> ServerPart:
        """The server's part."""
        part: ServerPart = self.kept.part
        return part

    async def start(self, host: str, port: int) -> int:
        """Listen; return the port, which is chosen if it is given as 0."""
        self._listener = await asyncio.start_server(
            self._connected, host, port, ssl=self.security.context(server=True), limit=CHUNK
        )
        self._tasks.append(asyncio.create_task(beats(self._beat)))
        if self.step is not None and isinstance(self.part.protocol, Quota):
            self._tasks.append(asyncio.create_task(self._windows(self.part.protocol.window * self.step)))
        taken: int = self._listener.sockets[0].getsockname()[1]
        return taken

    async def stop(self) -> None:
        """Close all connections and the journal."""
        if self._listener is not None:
            self._listener.close()
        for task in self._tasks:
            task.cancel()
        for writer in list(self.peers.values()):
            await close(writer)
        self.kept.close()

    # ------------------------------------------------------------------ time

    @property
    def age(self) -> float:
        """Seconds since the first window of a quota began, by a clock that outlives the process."""
        began: float = self.kept.facts.get("began", 0.0)
        return time.time() - began

    async def _windows(self, seconds: float) -> None:
        while True:
            await asyncio.sleep(max(0.0, (self.part.server.window + 1) * seconds - self.age))
            self.turn(max(int(self.age / seconds), self.part.server.window + 1))

    def _beat(self) -> None:
        for site, writer in list(self.peers.items()):
            if time.monotonic() - self._heard_at[site] > SILENCE:
                LOG.warning("site %d: no sign of life for %.1f s; it is disconnected", site, SILENCE)
                self._gone(site, writer)
            else:
                writer.write(pack(frames.BEAT))
        for site, session in enumerate(self.part.sessions):
            if site not in self.peers and len(session.waiting) > KEPT and self._can_return():
                self._do(("forget", site))

    # ------------------------------------------------------------------ connections

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._strangers >= STRANGERS:
            await close(writer)
            return
        self._strangers += 1
        incoming = Frames()
        try:
            hello = await asyncio.wait_for(self._hello(reader, incoming), GREETING)
            site = self._welcome(writer, *hello)
        except (NonsenseError, TimeoutError, OSError, EOFError) as error:
            self._refuse(writer, "a peer", error)
            await close(writer)
            return
        finally:
            self._strangers -= 1
        try:
            while data := await reader.read(CHUNK):
                self._heard_at[site] = time.monotonic()
                if self.delay:
                    asyncio.get_running_loop().call_later(self.delay, self._hear, site, writer, incoming, data)
                else:
                    self._hear(site, writer, incoming, data)
        except OSError as error:
            LOG.info("site %d: %s", site, error)
        finally:
            self._gone(site, writer)
            await close(writer)

    @staticmethod
    async def _hello(reader: asyncio.StreamReader, incoming: Frames) -> tuple[Any, ...]:
        """Return what the first frame of a peer says; nothing else may come with it."""
        while data := await reader.read(CHUNK):
            if got := list(incoming.feed(data)):
                if len(got) > 1 or got[0][0] != frames.HELLO:
                    raise NonsenseError("no greeting")
                return checked(got[0], int, str, int, str, int, int, int)
        raise EOFError("no greeting before the end")

    def _welcome(
        self, writer: asyncio.StreamWriter, version: int, token: str, site: int, name: str, *state: int
    ) -> int:
        """Accept a greeting, whose last entries are messages received, items and quota; return the site."""
        if not hmac.compare_digest(token.encode(), self.security.token.encode()):
            raise NonsenseError("another token")
        part, items = self.part, state[1]
        if version != frames.VERSION or not 0 < len(name) <= 64 or max(state) > MOST:
            raise NonsenseError("another version")
        if site >= part.k:
            raise NonsenseError(f"site {site}, where sites are 0 to {part.k - 1}")
        old, known = self.peers.get(site), part.names[site]
        if old is not None and known != name:
            raise NonsenseError(f"site {site} is connected already, with another state")
        if known != name and not part.is_first(site, items) and not self._can_return():
            kind = part.protocol.kind
            raise NonsenseError(f"protocol {kind} has no rule for a site that has lost its state; give it a journal")
        if old is not None:
            self._gone(site, old)
        self._do(("heard", site, *state) if known == name else ("begin", site, name, items))
        session, returned = part.sessions[site], known not in ("", name)
        facts = {"entry": self.entry, "k": part.k, "start": part.start, "known": known == name, "returned": returned}
        facts |= {"items": part.seen[site][0], "received": session.received, "age": self.age, "step": self.step or 0.0}
        writer.write(pack(frames.WELCOME, facts))
        self.peers[site], self._heard_at[site] = writer, time.monotonic()
        self._send([(site, *waiting) for waiting in session.waiting])
        LOG.info("site %d: connected%s", site, ", without its state" if returned else "")
        self.changed()
        return site

    def _can_return(self) -> bool:
        return self.part.protocol.readmission != "none" or isinstance(self.part.protocol, Quota)

    def _refuse(self, writer: asyncio.StreamWriter, who: str, error: Exception) -> None:
        self.refused += 1
        self.refusal = f"{who} refused: {error or type(error).__name__}"
        LOG.warning("%s (%s)", self.refusal, writer.get_extra_info("peername"))
        if isinstance(error, NonsenseError) and not writer.is_closing():
            writer.write(pack(frames.REFUSED, str(error)))

    def _gone(self, site: int, writer: asyncio.StreamWriter) -> None:
        if self.peers.get(site) is writer:
            del self.peers[site]
            LOG.warning("site %d: gone; at most %d of its items are unknown", site, self.part.unknown_of(site))
            self.changed()
        writer.close()

    # ------------------------------------------------------------------ messages

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
        self.changed()

    def _apply(self, site: int, frame: tuple[Any, ...]) -> Sent:
        """Apply a frame of a site, and return what follows."""
        if frame[0] == frames.HEARD:
            return self.kept.apply(("heard", site, *checked(frame, int, int, int)))
        if frame[0] == frames.LEFT:
            return self.kept.apply(("heard", site, *checked(frame, int, int), -1))
        if frame[0] != frames.MESSAGE or len(frame) != 7:
            raise NonsenseError(f"a frame {frame[0]} of another form")
        _, number, kind, value, *rest = frame
        checked((0, number, kind[:64], *rest), int, str, int, int, int)
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

    def _send(self, sent: Iterable[tuple[int, int, Any]]) -> None:
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
