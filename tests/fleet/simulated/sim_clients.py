"""Clients of simulated sites: they send items and requests over HTTP, and note what was answered."""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any, Final

from disttrack.fleet.live import frames

PORT: Final = 8000
TOKEN: Final = "of all"
PATIENCE: Final = 60.0
"""Seconds that a client waits; longer than any stated wait, so that a longer one is noticed."""


@dataclass
class Answer:
    """An answer over HTTP."""

    status: int
    headers: dict[str, str]
    body: dict[str, Any]
    waited: float


async def ask(host: str, path: str, body: Any = None, token: str = TOKEN) -> Answer:
    """Send one request; OSError or EOFError if there is no whole answer.

    Raises
    ------
    TimeoutError
        There is none for a minute.
    """
    loop = asyncio.get_running_loop()
    began = loop.time()
    async with asyncio.timeout(PATIENCE):
        reader, writer = await _connection(host)
        try:
            content = b"" if body is None else json.dumps(body).encode()
            method = "GET" if body is None else "POST"
            lines = f"{method} {path} HTTP/1.1", f"Host: {host}", f"Content-Length: {len(content)}"
            lines += (f"Authorization: Bearer {token}",)
            writer.write("\r\n".join([*lines, "", ""]).encode() + content)
            first, *fields = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
            headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in fields)}
            values = json.loads(await reader.readexactly(int(headers["content-length"])))
        except BaseException:
            writer.close()
            raise
    if headers.get("connection") == "close":
        writer.close()
    else:
        OPEN[host].append((reader, writer))
    return Answer(int(first.split()[1]), headers, values, loop.time() - began)


Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]
OPEN: Final[defaultdict[str, list[Connection]]] = defaultdict(list)
"""Connections without a request on its way, by the host; they are of one schedule, and keep all of it in memory."""


async def _connection(host: str) -> Connection:
    """Return a connection that is still open, as clients keep them, or a new one."""
    while OPEN[host]:
        reader, writer = OPEN[host].pop()
        if not (reader.at_eof() or reader.exception() or writer.is_closing()):
            return reader, writer
        writer.close()
    return await asyncio.open_connection(host, PORT)


async def refused(host: str, path: str, body: Any = None) -> list[str]:
    """Ask with another token; return the breach if that is not refused."""
    try:
        answer = await ask(host, path, body, token="of a stranger")
    except (OSError, EOFError, TimeoutError):
        return []
    return [] if answer.status == 401 else [f"stranger: status {answer.status} of {path} with another token"]


async def intrude(host: str, port: int, site: int) -> list[str]:
    """Greet a server as a site, with another token; return the breach if it is not refused."""
    try:
        async with asyncio.timeout(PATIENCE):
            reader, writer = await asyncio.open_connection(host, port)
            writer.write(frames.pack(frames.HELLO, frames.VERSION, "of a stranger", site, "stranger", 1, *(0,) * 7, ()))
            got = list(frames.Frames().feed(await reader.read()))
            writer.close()
    except (OSError, EOFError, TimeoutError):
        return []
    welcomed = any(frame[0] != frames.REFUSED for frame in got)
    return [f"stranger: a peer with another token is greeted as site {site}"] if welcomed else []


@dataclass
class Items:
    """The items of a site, as its clients know them."""

    acknowledged: int = 0
    unsure: int = 0
    """Items that were sent, and have no answer: the site may have taken them."""

    def take_file(self, lines: int) -> None:
        """Note that a file has been taken to its end, once."""
        if not self.acknowledged:
            self.acknowledged, self.unsure = lines, self.unsure - lines


@dataclass
class Admission:
    """A request that was admitted.

    Attributes
    ----------
    at, age
        Seconds from the start of the schedule, and since the server's first window began.
    life
        How often the server has begun without what it knew.
    cost
        The true cost; 0 if it was not committed in time.
    behind
        Seconds by which the clock of its site was behind the server's.
    """

    at: float
    age: float
    life: int
    cost: int
    behind: float


@dataclass
class Noted:
    """All answers of a schedule, and what was wrong with single ones."""

    items: list[Items]
    """Of each site, and then of each process with a copy of a journal."""
    admissions: list[Admission] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    @property
    def acknowledged(self) -> int:
        """Items that all sites have acknowledged."""
        return sum(one.acknowledged for one in self.items)

    @property
    def sent(self) -> int:
        """Items that sites may have taken."""
        return sum(one.acknowledged + one.unsure for one in self.items)

    def waited(self, answer: Answer, most: float, path: str) -> None:
        """Note an answer that took longer than is stated."""
        if answer.waited > most + 0.5:
            self.wrong.append(f"late answer: {path} after {answer.waited:.1f} s, where {most:g} s are stated")
