"""Connections that are cut, sites without their state, and journals that are old or copied, on either side."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from one_loop import HOST, Loop, run, until

from disttrack.fleet.live import link
from disttrack.fleet.live.link import BACKLOG, BEAT, LATE, SILENCE
from disttrack.fleet.quotas import BatchQuota
from disttrack.protocols import Deterministic, Exact, Martingale, Protocol
from disttrack.protocols.thresholds.alarms import Countdown


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have each end notice the silence of the other one in a third of the time."""
    for name in ("site", "server"):
        monkeypatch.setattr(f"disttrack.fleet.live.{name}.SILENCE", SILENCE / 3)
    for name, seconds in (("BEAT", BEAT), ("LATE", LATE)):
        monkeypatch.setattr(link, name, seconds / 3)


@pytest.mark.usefixtures("soon")
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


TRACKERS = Deterministic(alpha=0.1), Martingale(alpha=0.1)


@run
async def test_a_quota_goes_on_with_a_server_whose_journal_is_older(tmp_path: Path) -> None:
    """Seen: the site was refused for ever, and admitted its requests unseen."""
    async with Loop(tmp_path, BatchQuota(limit=100, window=10**6, size=2), 1, step=0.001) as loop:
        site = loop.feed(0)
        await until(lambda: site.connected.is_set() and site.part.site.left, "what is left")
        loop.copy("server", "backup")
        for _ in range(40):
            assert await site.admit()
        await loop.quiet()
        await loop.kill("server")
        loop.copy("backup", "server")
        await loop.serve()
        await loop.quiet()
        await until(lambda: site.part.site.left == 100, "what is left by the older journal")
        assert sum([bool(await site.admit()) for _ in range(120)]) == 100
        await until(lambda: loop.estimate()["counted"] == 100, "all reports")
        assert loop.estimate()["windows_in_doubt"] == 1


@pytest.mark.parametrize("protocol", [*TRACKERS, BatchQuota(limit=100, window=10**6)], ids=lambda one: one.kind)
@run
async def test_a_site_with_an_older_journal_is_refused(tmp_path: Path, protocol: Protocol) -> None:
    """A quota has no items: there the numbers of the connections and of the messages show it."""
    async with Loop(tmp_path, protocol, 1) as loop:
        for part in range(3):
            site = await loop.joined(0)
            if isinstance(protocol, BatchQuota):
                assert [bool(await site.admit()) for _ in range(12)] == [True] * 12
            else:
                site.take(1_000)
            await loop.quiet()
            await loop.kill("site 0")
            if part == 1:
                loop.copy("site 0", "backup")
        loop.copy("backup", "site 0")
        loop.feed(0)
        assert "its journal is older than what the server knows" in await loop.refusal("site 0")


@pytest.mark.usefixtures("soon")
@run
async def test_a_second_process_with_a_copy_of_a_journal_is_refused_before_it_takes_anything(tmp_path: Path) -> None:
    """Seen: it took the place of the first, and 500 items that had been answered with 200 were lost."""
    async with Loop(tmp_path, Deterministic(alpha=0.1), 1) as loop:
        first = await loop.joined(0)
        first.take(1_000)
        await loop.quiet()
        loop.copy("site 0", "copy")
        second = loop.feed(0, "copy")
        assert "site 0 is connected already, by another process" in await loop.refusal("copy")
        assert not second.ready.is_set()
        await loop.kill("copy")
        first.take(500)
        await until(lambda: loop.server.part.items == 1_500, "all items")
        # while the first is away, the copy goes on in its place: then the first is the one behind
        await loop.kill("site 0")
        third = loop.feed(0, "copy")
        await until(loop.runs["copy"].done, "a refusal")
        assert not third.connected.is_set()
        await loop.kill("copy")
        await loop.joined(0)
        assert (await loop.quiet())["estimate_low"] == 1_500


@pytest.mark.parametrize("protocol", [Exact(), BatchQuota(limit=5_000, window=10**6, size=1)], ids=lambda one: one.kind)
@run
async def test_a_site_that_is_cut_off_keeps_a_bounded_number_of_messages(tmp_path: Path, protocol: Protocol) -> None:
    """Seen: 10,759 messages of a stale round. It begins anew with its count, or a quota with a window in doubt."""
    quota = isinstance(protocol, BatchQuota)
    async with Loop(tmp_path, protocol, 2, step=0.001 if quota else None) as loop:
        site, _ = [await loop.joined(number) for number in range(2)]
        await loop.quiet()
        await loop.kill("server")
        await until(lambda: not site.connected.is_set(), "the cut")
        for _ in range(4_000):
            await site.admit() if quota else site.take(1)
            assert len(site.part.session.waiting) <= BACKLOG
        await loop.kill("site 0")
        site = loop.feed(0)  # as its journal says
        assert len(site.part.session.waiting) <= BACKLOG
        await loop.serve()
        facts = await loop.quiet()
        if quota:
            assert facts["windows_in_doubt"] == 1
        else:
            assert (facts["value"], facts["unknown"]) == (4_000, {})
