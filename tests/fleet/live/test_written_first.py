"""What a process tells another one is in its journal before: a kill at that moment takes nothing of it back."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from one_loop import Loop, run

from disttrack.fleet.live import frames
from disttrack.fleet.live.frames import Frames
from disttrack.fleet.live.journal import Kept
from disttrack.fleet.quotas import CountdownQuota, Lease, Quota, WeightedSplit
from disttrack.protocols import Exact, Martingale, Protocol

PROTOCOLS: tuple[Protocol, ...] = (
    Exact(), Martingale(alpha=0.1), Lease(20, 90), CountdownQuota(60, 90), WeightedSplit(20, 90),
)  # fmt: skip
"""The last one's server also speaks at the turn of a window."""


class Witness:
    """Sees all frames of a loop when they are written, and holds each against the journal of its sender.

    Attributes
    ----------
    seen
        How many numbers were told, by the sender's side and the kind of the frame.
    """

    def __init__(self, loop: Loop) -> None:
        self.loop, self.seen = loop, Counter[tuple[str, int]]()

    def journal(self, name: str) -> Any:
        """Return the part that a journal has at this moment."""
        self.loop.copy(name, "as killed")
        kept = Kept(self.loop.folder / "as killed")
        kept.release()
        return kept.part

    def told(self, writer: asyncio.StreamWriter, data: bytes) -> None:
        """Hold what is written now against the journal."""
        site = next((number for number, peer in self.loop.server.peers.items() if peer is writer), None)
        side = "site" if site is None else "server"
        for frame in Frames().feed(data):
            if frame[0] not in (frames.HEARD, frames.MESSAGE):
                continue
            session = self.journal("site 0").session if site is None else self.journal("server").sessions[site]
            self.seen[side, frame[0]] += 1
            assert frame[1] <= (session.received if frame[0] == frames.HEARD else session.sent), (side, frame)


async def talk(loop: Loop, happened: Counter[tuple[str, int]], monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a site and a server exchange messages before a witness."""
    witness, write = Witness(loop), asyncio.StreamWriter.write
    wrong: list[AssertionError] = []

    def written(writer: asyncio.StreamWriter, data: bytes) -> None:
        try:
            witness.told(writer, data)
        except AssertionError as error:  # which a connection would take for its own
            wrong.append(error)
        write(writer, data)

    site = await loop.joined(0)
    monkeypatch.setattr(asyncio.StreamWriter, "write", written)
    for items in (1, 7):
        if isinstance(loop.protocol, Quota):
            for _ in range(items):
                await site.admit(patience=0.5)
            for _ in range(2):  # the second one finds the load of a window missing
                loop.server.turn()
            for _ in range(2):
                site.do(("act", "turn"))
        else:
            site.take(items)
        await loop.quiet()
    monkeypatch.undo()
    assert not wrong, (loop.protocol, wrong[0])
    happened += witness.seen


@run
async def test_whatever_is_told_is_in_the_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Messages and acknowledgements, in both directions."""
    happened: Counter[tuple[str, int]] = Counter()
    for protocol in PROTOCOLS:
        (folder := tmp_path / protocol.kind).mkdir()
        async with Loop(folder, protocol, 1) as loop:
            await talk(loop, happened, monkeypatch)
    for side in ("site", "server"):
        for kind in (frames.HEARD, frames.MESSAGE):
            assert happened[side, kind] >= 2, happened
