"""A connection that is cut, and a site without its state; tests/fleet/simulated kills processes under traffic."""

from __future__ import annotations

import asyncio
from pathlib import Path

from one_loop import HOST, Loop, run, until

from disttrack.protocols import Deterministic
from disttrack.protocols.thresholds.batches import Countdown


@run
async def test_a_connection_that_is_cut_is_noticed_and_goes_on_where_it_was(tmp_path: Path) -> None:
    """By each end for itself: while it is cut, bytes are lost, and so is that the other end closes it."""
    whole = True

    async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(2**16):
            if whole:
                writer.write(data)
        if whole:
            writer.close()

    async def between(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not whole:
            writer.close()
            return
        far, there = await asyncio.open_connection(HOST, loop.port)
        await asyncio.gather(pass_on(reader, there), pass_on(far, writer))

    async with Loop(tmp_path, Deterministic(alpha=0.1), 2) as loop:
        proxy = await asyncio.start_server(between, HOST, 0)
        loop.through = proxy.sockets[0].getsockname()[1]
        site, _ = [await loop.joined(number) for number in range(2)]
        site.take(1_000)
        before = (await loop.quiet())["value"]
        whole = False
        await until(lambda: loop.estimate()["away"] == [0, 1], "a connection that is cut")
        site.take(9_000)  # the site takes items all the same
        told = loop.estimate()
        assert told["value"] == before
        assert told["unknown"] == {0: None, 1: None}  # cut off, they may take any number
        assert told["estimate_high"] is None
        assert told["estimate_low"] >= before
        whole = True
        assert 9_000 <= (await loop.quiet())["value"] <= 10_000
        proxy.close()


@run
async def test_a_site_that_has_no_rule_for_its_return_is_refused_without_its_journal(tmp_path: Path) -> None:
    async with Loop(tmp_path, Countdown(threshold=1000, epsilon=0.1), 1) as loop:
        (await loop.joined(0)).take(500)
        await loop.quiet()
        await loop.kill("site 0")
        loop.feed(0, "another")
        assert "no rule for a site that has lost its state; give it a journal" in await loop.refusal("another")
