"""The opponents of a protocol in the games of its tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from disttrack.adversaries import Choice, Freeze, RoundRobin, SingleSite, Uniform, View
from disttrack.adversaries.contents import FreezeItem, UniformItems, ZipfItems
from disttrack.protocols.base import Protocol
from disttrack.protocols.contents import ItemTracker
from disttrack.simulator.game.contents import PROBLEMS

STREAMS: Final = (
    FreezeItem(items=3),
    ZipfItems(domain=20),
    ZipfItems(domain=20, period=37),
    UniformItems(domain=5, period=100),
)
"""An attack, and streams of fewer items than any tracker of items is made for, by default."""
WEIGHTY: Final = ZipfItems(domain=5, period=100, heaviest=10_000)
"""A stream for trackers of items that take weights."""


def every_third_step_is_a_skip(view: View) -> int | None:
    return view.sent % view.sites if view.steps % 3 else None


def tasks_of(protocol: Protocol) -> Sequence[str]:
    """Return the tasks of a tracker of items, by each of which its games are judged; else one without a name."""
    return protocol.plays if isinstance(protocol, ItemTracker) else ("",)


def opponents(protocol: Protocol, task: str = "") -> list[Any]:
    if isinstance(protocol, ItemTracker):
        weighs = protocol.weighs and PROBLEMS[task or protocol.plays[0]].weighs
        return [*STREAMS, WEIGHTY] if weighs else [*STREAMS]
    return [RoundRobin(), Uniform(), SingleSite(), Freeze(), Choice(every_third_step_is_a_skip)]
