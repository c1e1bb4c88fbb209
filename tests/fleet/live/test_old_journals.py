"""Journals that are restored from backups or copied, on either side: nothing that was taken is lost without a word."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest
from one_loop import Loop, run, until

from disttrack.fleet.live.frames import WELCOME, Frames, pack
from disttrack.fleet.live.greeting import Greeting, read_greeting
from disttrack.fleet.live.link import BACKLOG
from disttrack.fleet.quotas import BatchQuota, SlidingLease
from disttrack.protocols import Deterministic, Exact, Martingale, Protocol

TRACKERS = Deterministic(alpha=0.1), Martingale(alpha=0.1)


@pytest.mark.parametrize("away", [False, True])
@pytest.mark.parametrize("protocol", TRACKERS, ids=lambda one: one.kind)
@run
async def test_a_server_with_an_older_journal_asks_all_sites_for_their_counts(
    tmp_path: Path, protocol: Protocol, away: bool
) -> None:
    """Seen: `value 1924, guarantee always, unknown {}` for 35,000, for ever.

    While a site is `away`, the server sends it enough messages that its numbers alone do not show that it is older.
    """
    async with Loop(tmp_path, protocol, 2) as loop:
        first, second = [await loop.joined(number) for number in range(2)]
        first.take(900)
        await loop.quiet()
        await loop.kill("server")
        loop.copy("server", "backup")
        await loop.serve()
        await loop.quiet()
        for _ in range(30):
            first.take(500)
            second.take(600)
        await loop.quiet()
        await loop.kill("server")
        loop.copy("backup", "server")
        if away:
            await loop.kill("site 0")
        await loop.serve()
        if away:
            await until(second.connected.is_set, "the other site")
            for _ in range(30):
                second.take(1_000)
            first = loop.feed(0)
        facts = await loop.quiet()
        true = 900 + 30 * 1_100 + away * 30_000
        assert first.part.machine.items + second.part.machine.items == true
        assert abs(facts["value"] - true) <= 0.1 * true
        assert facts["unknown"] == {}


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


@pytest.mark.parametrize("lost", [False, True])
@run
async def test_a_site_of_a_quota_that_comes_back_without_its_journal_is_heard(tmp_path: Path, lost: bool) -> None:
    """Seen: the server ignored each report and question of its second life, and of each one after a loss of its own."""
    async with Loop(tmp_path, BatchQuota(limit=100, window=10**6, size=2), 1, step=0.001) as loop:
        site = loop.feed(0)
        await until(lambda: site.connected.is_set() and site.part.site.left, "what is left")
        for _ in range(40):
            assert await site.admit()
        await loop.quiet()
        await loop.kill("site 0")
        if lost:
            (tmp_path / "site 0").unlink()
        site = loop.feed(0)
        await until(lambda: site.connected.is_set() and site.part.site.left, "what is left")
        assert sum([bool(await site.admit()) for _ in range(120)]) == 60
        await until(lambda: loop.estimate()["counted"] == 100, "all reports")


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


@run
async def test_a_process_that_is_overtaken_by_a_copy_is_refused(tmp_path: Path) -> None:
    async with Loop(tmp_path, Deterministic(alpha=0.1), 1) as loop:
        first = await loop.joined(0)
        first.take(1_000)
        await loop.quiet()
        loop.copy("site 0", "copy")
        await loop.kill("site 0")
        second = await loop.joined(0, "copy")
        second.take(1_000)
        loop.feed(0)
        assert "connected already, by another process" in await loop.refusal("site 0")
        await loop.kill("site 0")
        await loop.kill("copy")
        loop.feed(0)
        assert "a copy with which another process has gone on" in await loop.refusal("site 0")


@run
async def test_a_site_takes_items_while_no_server_is_there(tmp_path: Path) -> None:
    async with Loop(tmp_path, Deterministic(alpha=0.1), 1) as loop:
        await loop.joined(0)
        await loop.kill("site 0")
        await loop.kill("server")
        site = loop.feed(0)
        await until(site.ready.is_set, "ready")
        site.take(700)
        await loop.serve()
        await loop.quiet()
        assert loop.estimate()["estimate_low"] >= 600


@run
async def test_a_gateway_that_starts_again_without_its_server_waits_for_the_time(tmp_path: Path) -> None:
    """Seen: it had no clock, and admitted by the window of its journal: 18 of 12 in a sliding limit."""
    async with Loop(tmp_path, SlidingLease(limit=8, window=100), 1, step=0.01) as loop:
        gateway = await loop.joined(0)
        assert await gateway.admit()
        await loop.kill("server")
        await asyncio.sleep(0.05)
        assert await gateway.admit()
        await loop.kill("site 0")
        gateway = loop.feed(0)
        await asyncio.sleep(0.3)
        assert not gateway.ready.is_set()
        await loop.serve()
        await until(gateway.ready.is_set, "ready again")


@run
async def test_a_request_to_a_site_whose_clock_is_behind_is_answered_in_time(tmp_path: Path) -> None:
    """The refusal arrives within the time of a broken connection; then the site connects again and begins anew."""
    async with Loop(tmp_path, SlidingLease(limit=100, window=1_000), 1, step=0.001) as loop:
        site = await loop.joined(0)
        assert await site.admit()
        await asyncio.sleep(0.1)
        site.part.site.window -= 1_000_000
        with pytest.raises(TimeoutError, match=r"site 0: its clock is behind, for 3.5 s"):
            await site.admit()
        await until(lambda: site.connected.is_set() and site.part.site.window >= 0, "its clock")
        assert await site.admit(patience=5)


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


@run
async def test_a_site_whose_journal_has_many_acknowledged_messages_goes_on(tmp_path: Path) -> None:
    """Acknowledgements are not in the journal: the messages wait again after a restart, and are copies."""
    async with Loop(tmp_path, Exact(), 1) as loop:
        site = await loop.joined(0)
        for _ in range(2 * BACKLOG):
            site.take(1)
        await loop.quiet()
        await loop.kill("site 0")
        site = await loop.joined(0)
        site.take(5)
        await until(lambda: loop.estimate()["value"] == 2 * BACKLOG + 5, "all items")


@run
async def test_a_site_that_gives_its_session_up_during_a_greeting_greets_again(tmp_path: Path) -> None:
    """The answer is about the session that it had: it must not go on with that."""
    greetings: list[Greeting] = []
    async with Loop(tmp_path, Exact(), 1) as loop:
        site = await loop.joined(0)
        site.take(1)
        await loop.quiet()
        await loop.kill("server")

        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            greetings.append(await read_greeting(reader, Frames()))
            if len(greetings) == 1:
                for _ in range(BACKLOG + 1):
                    site.take(1)
                facts = {"known": True, "received": 1, "ticket": 7, "age": 0.0, "step": 0.0}
                writer.write(pack(WELCOME, facts))
                await asyncio.sleep(10)  # the connection stays

        begun = time.monotonic()
        late = await asyncio.start_server(answer, "127.0.0.1", loop.port)
        await until(lambda: len(greetings) > 1, "another greeting")
        assert time.monotonic() - begun < 3
        assert greetings[1].done > greetings[0].done
        late.close()
        await loop.serve()
        await until(lambda: loop.estimate().get("value") == BACKLOG + 2, "all items")
