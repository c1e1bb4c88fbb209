"""What both ends of a connection need: addresses, TLS, the shared token, and the limits on a peer's time."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from disttrack.simulator.errors import RunError, ScenarioError

BEAT: Final = 1.0
"""Seconds from one sign of life to the next."""
SILENCE: Final = 3.5
"""Seconds without any, after which the other end counts as disconnected."""
CHUNK: Final = 2**16
"""Bytes that are read at once."""
PAUSES: Final = (0.05, 0.1, 0.2, 0.5, 1.0)
"""Seconds before the first tries to connect again, and before all further ones."""
GREETING: Final = 5.0
"""Seconds for a greeting, and for its answer; the server may wait for the end of an old connection first."""
LATE: Final = 2.0
"""Seconds for which bytes of a process that has ended may still arrive."""
STRANGERS: Final = 64
"""Maximum number of connections before their greeting; with one more, the oldest is closed."""
GRACE: Final = SILENCE
"""Seconds in which the server waits for sites that have not come yet; then it plays them."""
PATIENCE: Final = 10.0
"""Seconds for which messages wait for a disconnected site; then it is given up, and must begin a new life."""
KEPT: Final = 10_000
"""Maximum number of these messages."""
BACKLOG: Final = 1_000
"""Messages that wait at a site without a connection; with one more, it gives up its session, and begins another."""
LONGEST: Final = 64
"""Letters of a message's kind."""


@dataclass(frozen=True)
class Security:
    """Who may talk: those with the token, and with TLS those with a certificate that the authority has signed.

    Parameters
    ----------
    token
        Shared by all; empty for none.
    certificate, key
        Files of one's own certificate and its key; None for no TLS.
    authority
        File with the authority's certificate. A server with one demands certificates of its peers.
    """

    token: str = ""
    certificate: Path | None = None
    key: Path | None = None
    authority: Path | None = None

    def context(self, server: bool) -> ssl.SSLContext | None:
        """Return the TLS context of a server or of a client; None without TLS."""
        if self.certificate is None and (server or self.authority is None):
            return None
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER if server else ssl.PROTOCOL_TLS_CLIENT)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        try:
            if self.certificate is not None:
                context.load_cert_chain(self.certificate, self.key)
            if self.authority is not None:
                context.load_verify_locations(self.authority)
                context.verify_mode = ssl.CERT_REQUIRED
        except (OSError, ssl.SSLError) as error:
            raise ScenarioError(f"TLS: {error}; accepted: files in PEM form") from error
        return context


def address(text: str, option: str = "address") -> tuple[str, int]:
    """Return host and port of a text; `option` is its name in messages.

    Examples
    --------
    >>> address("localhost:7000"), address("[::1]:7000"), address(":7000")
    (('localhost', 7000), ('::1', 7000), ('127.0.0.1', 7000))
    """
    host, colon, port = text.rpartition(":")
    if not colon or not port.isdecimal() or int(port) > 65535:
        raise ScenarioError(f"{option} must be HOST:PORT, with a port up to 65535; got {text!r}")
    return host.strip("[]") or "127.0.0.1", int(port)


def close(writer: asyncio.StreamWriter) -> None:
    """Close a connection, whatever its state is; what was written still goes out."""
    with suppress(OSError, ssl.SSLError, RuntimeError):
        writer.close()


class Failure:
    """The error that must end a process, wherever in it that is raised."""

    def __init__(self) -> None:
        self._event = asyncio.Event()
        self._error: BaseException = RunError("no error")

    def note(self, error: BaseException) -> None:
        """Take an error; only the first one counts."""
        if not self._event.is_set():
            self._error = error
            self._event.set()

    def start(self, work: Coroutine[object, object, None]) -> asyncio.Task[None]:
        """Run a task, whose error is then noted."""

        def done(task: asyncio.Task[None]) -> None:
            if not task.cancelled() and (error := task.exception()) is not None:
                self.note(error)

        task = asyncio.create_task(work)
        task.add_done_callback(done)
        return task

    async def wait(self) -> None:
        """Wait for an error, and raise it."""
        await self._event.wait()
        raise self._error


async def beats(act: Callable[[], None]) -> None:
    """Call `act` at each beat, for ever."""
    while True:
        await asyncio.sleep(BEAT)
        act()
