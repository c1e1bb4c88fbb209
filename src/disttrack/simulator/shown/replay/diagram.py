"""The first messages of a recorded game, as rows of texts."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby, islice
from typing import Final

import numpy as np

from disttrack.simulator.shown.replay.record import SERVER, GameRecord, Sent
from disttrack.simulator.shown.replay.sentences import amount
from disttrack.simulator.shown.replay.stream import Stream

STEPS: Final = 12
"""Steps with messages that are shown."""
NAMED: Final = 4
"""Sites that are named one by one."""


HEADS: Final = ("step", "item to", "messages", "output")


def diagram(record: GameRecord) -> list[list[str]]:
    """Return the first steps with messages: the item's site, who spoke to whom, and the output: see `HEADS`."""
    lost = set(record.about.lost or ())
    messages = (
        one._replace(kind=f"{one.kind}, lost") if row in lost else one for row, one in enumerate(record.messages)
    )
    steps = [(step, list(sent)) for step, sent in islice(groupby(messages, lambda one: one.step), STEPS)]
    at = Stream(record).step_sites(np.array([step for step, _ in steps], dtype=np.int64)).tolist()
    outputs = dict(record.outputs)
    return [
        [f"{step:,}", "" if site < 0 else str(site), spoken(sent, record.about.sites),
         amount(outputs[step]) if step in outputs else ""]
        for (step, sent), site in zip(steps, at, strict=True)
    ]  # fmt: skip


def spoken(messages: Iterable[Sent], sites: int) -> str:
    """Return the messages of a step in order, those of one kind to or from several sites together."""
    parts = []
    for (up, kind), group in groupby(messages, lambda one: (one.receiver == SERVER, one.kind)):
        ends = [one.sender if up else one.receiver for one in group]
        who = "all" if len(ends) == sites > 1 else ", ".join(map(str, ends[:NAMED])) + (", …" if ends[NAMED:] else "")
        parts.append(f"{who} → server: {kind}" if up else f"server → {who}: {kind}")
    return "; ".join(parts)
