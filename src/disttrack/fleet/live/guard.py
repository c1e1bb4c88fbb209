"""What keeps HTTP peers from costing anything: connections without a request are closed, and nonsense is one line."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import Final

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from disttrack.fleet.live.link import BEAT

FIRST: Final = 5.0
"""Seconds for the first request of a connection."""
IDLE: Final = 30.0
"""Seconds for a further one; longer than any answer takes."""


class Guard:
    """Closes connections that send no whole request in time."""

    def __init__(self) -> None:
        self._since: dict[object, tuple[float, float]] = {}
        """For each connection, the time of what came last, and the seconds for the next request."""

    def note(self, request: web.Request) -> None:
        """Note that a request has come, or has been answered."""
        self._since[request.protocol] = time.monotonic(), IDLE

    async def watch(self, server: web.Server) -> None:
        """Close idle connections, for ever."""
        while True:
            await asyncio.sleep(BEAT)
            now, known = time.monotonic(), self._since
            self._since = {one: known.get(one, (now, FIRST)) for one in server.connections}
            for connection in list(server.connections):
                since, patience = self._since[connection]
                if now - since > patience:
                    connection.force_close()


def quiet(record: logging.LogRecord) -> bool:
    """Shorten the log of what is no HTTP to a line: it is the peer's fault, and has no use for a traceback."""
    error = record.exc_info[1] if record.exc_info else None
    if isinstance(error, HttpProcessingError | ConnectionError | ValueError):
        record.exc_info, record.exc_text = None, None
        record.msg, record.args = f"{record.getMessage()}: {type(error).__name__}", ()
    return True
