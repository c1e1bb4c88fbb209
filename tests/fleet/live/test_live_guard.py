"""Peers over loopback that hold connections, send nonsense or too much: a site still gets in, and logs stay short."""

from __future__ import annotations

import asyncio
import json
import logging
import random
from contextlib import suppress
from re import MULTILINE, findall
from typing import Any

import pytest
from one_loop import HOST, run, until
from small_fleets import SHAPED, made

from disttrack.fleet.live import http
from disttrack.fleet.live.estimate import estimate
from disttrack.fleet.live.frames import BEAT, HEARD, HELLO, MESSAGE, VERSION, entry_of, pack
from disttrack.fleet.live.http import listen, server_app, site_app
from disttrack.fleet.live.journal import Kept
from disttrack.fleet.live.link import Security
from disttrack.fleet.live.server import ServerProcess
from disttrack.fleet.live.server_state import ServerState
from disttrack.fleet.live.site import SiteProcess
from disttrack.protocols import Exact, Protocol


class Small:
    """A server and a site within this process, with their HTTP."""

    def __init__(self, protocol: Protocol) -> None:
        kept = Kept(None)
        kept.begin(ServerState, {}, protocol=protocol, k=2, seed=1)
        self.server = ServerProcess(kept, entry_of(protocol), Security())

    async def __aenter__(self) -> Small:
        self.port = await self.server.start(HOST, 0)
        self.http = await listen(server_app(self.server), HOST, 0, Security())
        return self

    async def site(self, number: int = 0) -> SiteProcess:
        """Connect a site, and give it HTTP."""
        site = SiteProcess(number, (HOST, self.port), Kept(None), Security())
        self.running = asyncio.create_task(site.run())
        await asyncio.wait_for(site.connected.wait(), 5)
        self.site_http = await listen(site_app({number: site}, Security()), HOST, 0, Security())
        return site

    async def __aexit__(self, *error: object) -> None:
        await self.server.stop()


async def say(port: int, text: bytes) -> bytes:
    """Send bytes; return all that comes back until the other end closes."""
    reader, writer = await asyncio.open_connection(HOST, port)
    writer.write(text)
    answer = await asyncio.wait_for(reader.read(2**16), 10)
    writer.close()
    return answer


async def post(port: int, body: Any) -> tuple[int, Any]:
    """Post items; return the status and the answer."""
    text = json.dumps(body).encode()
    head = b"POST /items HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(text)
    answer = await say(port, head + text)
    return int(answer.split()[1]), json.loads(answer.split(b"\r\n\r\n", 1)[1])


def nonsense(rng: random.Random) -> bytes:
    """Return what no peer sends: bytes at random, frames cut short, and frames of a wrong form or meaning."""
    hello = (HELLO, VERSION, "", 1, "name", *[0] * 8, ())
    values = [None, -1, 2**64 - 1, 1.5, "x" * 50, (), True, {"a": 1}]
    match rng.randrange(7):
        case 0:
            return rng.randbytes(rng.randrange(1, 200))
        case 1:
            return pack(*hello)[: rng.randrange(1, 12)]
        case 2:
            place = rng.randrange(1, len(hello))
            return pack(*hello[:place], rng.choice(values), *hello[place + 1 :])
        case 3:
            return pack(rng.choice([MESSAGE, HEARD, BEAT, 77]), *rng.choices(values, k=rng.randrange(6)))
        case 4:
            return b"\xdd\xff\xff\xff\xff" + rng.randbytes(20)  # an array of 4 thousand million entries
        case 5:
            return b"\xc6\xff\xff\xff\xff" + rng.randbytes(1000)  # and as many bytes
        case _:
            return b"GET /estimate HTTP/1.1\r\nHost: x\r\n\r\n"


@run
async def test_peers_that_speak_nonsense_keep_no_site_out(caplog: pytest.LogCaptureFixture) -> None:
    """All are refused or cut in a line of the log, whatever they say first."""
    rng = random.Random(3)
    async with Small(Exact()) as small:
        for _ in range(300):
            reader, writer = await asyncio.open_connection(HOST, small.port)
            writer.write(nonsense(rng))
            writer.write_eof()
            with suppress(OSError):
                await asyncio.wait_for(reader.read(2**16), 10)
            writer.close()
        site = await small.site()
        site.take(50)
        await until(lambda: estimate(small.server)["value"] == 50, "all items")
        assert small.server.refused >= 150  # cut greetings say nothing
    assert not [record for record in caplog.records if record.exc_info]


@run
async def test_idle_connections_keep_no_site_out() -> None:
    async with Small(Exact()) as small:
        idle = [await asyncio.open_connection(HOST, small.port) for _ in range(70)]
        await small.site()
        assert len(idle) == 70


@run
async def test_connections_that_send_no_request_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "FIRST", 0.05)
    monkeypatch.setattr(http, "BEAT", 0.05)
    async with Small(Exact()) as small:
        assert await say(small.http, b"GET /estimate HTTP/1.1\r\nHost:") == b""


@run
async def test_what_is_no_http_is_a_line_of_the_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with Small(Exact()) as small:
        for text in (b"\x16\x03\x01 hello\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/1.1\r\nx\r\n\r\n"):
            assert b" 400 " in (await say(small.http, text))[:20]
    assert not [record for record in caplog.records if record.exc_info and record.levelno > logging.DEBUG]


@pytest.mark.parametrize("kind", [5, None, ("a",), b"x" * 100, 1.5])
@run
async def test_a_message_whose_kind_is_no_text_is_refused(kind: Any, caplog: pytest.LogCaptureFixture) -> None:
    """Seen: it raised in the handler."""
    async with Small(Exact()) as small:
        reader, writer = await asyncio.open_connection(HOST, small.port)
        writer.write(pack(HELLO, VERSION, "", 1, "name", *[0] * 8, ()))
        await reader.read(2**16)
        writer.write(pack(MESSAGE, 1, kind, None, 1, 1, 0))
        while await asyncio.wait_for(reader.read(2**16), 10):
            pass
        writer.close()
    assert "a malformed frame 3" in small.server.refusal
    assert not [record for record in caplog.records if record.exc_info]


@run
async def test_a_site_takes_no_more_items_than_it_can_count_or_keep() -> None:
    """Seen: counts beyond 2^63, which the server refuses for ever; and a message for each of 10^18 items."""
    async with Small(Exact()) as small:
        site = await small.site()
        status, answer = await post(small.site_http, {"items": 10**18})
        assert status == 503
        assert 10_000 <= answer["taken"] <= 11_000
        assert site.part.machine.items == answer["taken"]
        site.part.machine.items = 2**61 - 5
        status, answer = await post(small.site_http, {"items": 100})
        assert status == 400
        assert "a site counts up to" in answer["error"]


@run
async def test_slots_are_not_called_windows() -> None:
    """Seen: 64 windows above the limit in one window, of a limit in any window, whose clock turns at each slot."""
    turns = {"window": "window", "weighted": "slot", "sliding": "slot", "bucket": "slot"}
    for kind, shape in SHAPED:
        async with Small(made((kind, shape), limit=9, window=60)) as small:
            for number in (1, 2):
                small.server.part.apply(("turn", number))
            facts = estimate(small.server)
            text = (await say(small.http, b"GET /metrics HTTP/1.0\r\n\r\n")).decode()
        turn = turns[shape]
        counted = {f"{turn}s_above_limit", f"{turn}s_in_doubt"}
        assert {name for name in facts if name.startswith(("window", "slot"))} == {turn, *counted}
        assert (facts[turn], facts["shape"]) == (2, shape)
        assert set(findall(r"^disttrack_((?:window|slot)s_\w+)_total ", text, MULTILINE)) == counted
