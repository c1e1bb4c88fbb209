"""Sites and server share nothing but messages: each side alone, given what it heard in a game, does the same."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any, Final, NamedTuple

import numpy as np

from disttrack.protocols.base import Protocol
from disttrack.simulator.kinds.names import count
from disttrack.simulator.workshop.conformance.by_hand import deliver, parts_of
from disttrack.simulator.workshop.conformance.failure import BRIEF, Checks, require

SHARING: Final = "sides share nothing"
"""The check of this file."""
SERVER: Final = -1
"""Stands for the server where sites have numbers."""
SHARES: Final = "share nothing but messages"


class Call(NamedTuple):
    """What a site or the server was given, and as text what it returned."""

    part: int
    method: str
    given: Sequence[Any]
    returned: str


class Noted:
    """A site, or the server, whose calls are noted."""

    def __init__(self, part: Any, number: int, calls: list[Call]) -> None:
        self._part, self._number, self._calls = part, number, calls

    def take(self, items: int) -> list[Any]:
        """Take items, as a site does."""
        return self.call("take", items)

    def hear(self, *given: Any) -> list[Any]:
        """Hear a message, as either does."""
        return self.call("hear", *given)

    def call(self, method: str, *given: Any) -> list[Any]:
        """Return what a method returns, or of the server the `output`, and note it."""
        kept = deepcopy(given)  # a side may change what it hears
        returned = _called(self._part, method, given)
        self._calls.append(Call(self._number, method, kept, _text(returned)))
        return returned


def sides_share_nothing(protocol: Protocol, sites: Sequence[int], items: int) -> Checks:
    """Play games by hand, and give each side alone what it was given there: it sends and outputs the same."""
    for k in sites:
        calls: list[Call] = []
        crowd, server = _parts(protocol, k)
        noted = [Noted(site, number, calls) for number, site in crowd.items()]
        center: Any = Noted(server, SERVER, calls)
        for number in range(min(items, BRIEF)):
            site: Any = noted[number % k]
            deliver(noted, center, number % k, site.take(1))  # type: ignore[arg-type]
            center.call("output")
        for side, parts in (("server", {SERVER: _parts(protocol, k)[1]}), ("sites", _parts(protocol, k)[0])):
            what = f"{side} alone, given the same calls: other messages or output ({count(k, 'site')})"
            require(_repeats(parts, calls), what, SHARES)
        yield None


def _parts(protocol: Protocol, k: int) -> tuple[dict[int, Any], Any]:
    """Return the sites by number, and the server, with the coins of one game."""
    crowd, server = parts_of(protocol, k, np.random.default_rng(k), np.random.default_rng(k + 1))
    return dict(enumerate(crowd)), server


def _repeats(parts: Mapping[int, Any], calls: Sequence[Call]) -> bool:
    """Return whether parts return what they returned before; not if they raise, without the others."""
    try:
        return all(
            _text(_called(parts[one.part], one.method, one.given)) == one.returned for one in calls if one.part in parts
        )
    except Exception:
        return False


def _called(part: Any, method: str, given: Sequence[Any]) -> list[Any]:
    """Return what a method returns, or a list of the output."""
    return [part.output] if method == "output" else list(getattr(part, method)(*given) or ())


def _text(returned: Sequence[Any]) -> str:
    """Return messages or an output as text, without places in memory."""
    return re.sub(r" at 0x\w+", "", repr(returned))
