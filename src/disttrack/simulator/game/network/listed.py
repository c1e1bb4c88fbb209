"""Faults in a list, in place of draws: which message is late, lost or doubled, which site stops when.

A list is text, as a scenario and the command line have it::

    message 3 from 2 lost; message 1 to 0 late 7; sites 0-3 cut 10-20; site 2 forgets 30-40; server down 50-60
    messages from 0-3 late 7 10-20; messages to all lost 30-40

`message 3 from 2` is the third transmission of site 2 to the server, counted from 1 on each wire (with reliable links
packets, acknowledgements and what is sent again); `to` is the other direction. It is ``lost``; ``late`` by some steps,
while later ones wait behind it; ``overtaken``, late while later ones pass it; or comes ``twice``, the copy late by some
steps. `messages` are all that some sites send, or are sent, from the first step to the last. Sites are ``cut`` off from
the first step to the last; they, or the server, are ``down`` from the end of the first step to the end of the last, and
lose their state if they ``forget``; sites that come back ``afresh`` are not re-admitted by their protocol's rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Final, TypeAlias

from disttrack.simulator.errors import must_be
from disttrack.simulator.game.network.faults import KEPT, LOST, Crash, Partition, Restart, Stop, every, sites_of, steps

DELAYED: Final = "late"
OVERTAKEN: Final = "overtaken"
TWICE: Final = "twice"
LATE: Final = (DELAYED, OVERTAKEN, TWICE)
"""What may happen to a message that is not lost; each takes a number of steps."""
_STOPS: Final = {"down": (KEPT, True), "forgets": (LOST, True), "afresh": (LOST, False)}
"""State and re-admission of a site that stops."""
_WORDS: Final = {stop: word for word, stop in _STOPS.items()}
AS_IN: Final = (
    "faults must be as in 'message 3 from 2 lost; messages to 0-3 late 7 10-20; sites 0-3 cut 10-20; "
    "site 2 afresh 30-40; server down 50-60'"
)
"""How the refusal of a text in no known form begins."""
_HAPPENS: Final = rf"(?:({LOST})|({'|'.join(LATE)}) (\d+))"
_SITES: Final = r"([\d,-]+|all)"
_LETTER: Final = re.compile(rf"message (\d+) (from|to) (\d+) {_HAPPENS}")
_WIRES: Final = re.compile(rf"messages (from|to) {_SITES} {_HAPPENS} (\d+)-(\d+)")
_STOP: Final = re.compile(rf"(?:sites? {_SITES}|server) (cut|down|forgets|afresh) (\d+)-(\d+)")


@dataclass(frozen=True)
class LetterFault:
    """What happens to one message.

    Parameters
    ----------
    site, up, number
        Its wire: the site and whether it goes to the server; and its place there, from 1.
    what
        lost, late, overtaken or twice.
    steps
        By how many steps it, or its copy, is late.
    """

    site: int
    up: bool
    number: int
    what: str
    steps: int = 0


@dataclass(frozen=True)
class WireFault:
    """What happens to all messages that are sent on some wires for a while.

    Parameters
    ----------
    begin, end
        The first step and the last one.
    sites, up
        The wires: the sites, as `sites_of` reads them, and whether to the server.
    what, steps
        As of a `LetterFault`.
    """

    begin: int
    end: int
    sites: str | int
    up: bool
    what: str
    steps: int = 0

    def __post_init__(self) -> None:
        steps("faults: messages: from", self.begin)
        steps("faults: messages: to", self.end)
        steps(f"faults: messages: {self.what}", self.steps, 0)
        if self.end < self.begin:
            raise ValueError(must_be(f"at least {self.begin}", self.end, "faults: messages: last"))
        sites_of(self.sites)


ListedFault: TypeAlias = LetterFault | WireFault | Partition | Crash | Restart


def read(text: str) -> tuple[ListedFault, ...]:
    """Return the faults of a list.

    Raises
    ------
    ValueError
        A fault has another form, or one part stops again before it is back.

    Examples
    --------
    >>> read("message 3 to 2 late 7; server forgets 5-9")[1]
    Restart(down=4, at=5, rate=None, state='lost', checkpoint=None)
    """
    if not isinstance(text, str):
        raise ValueError(f"{AS_IN}; got {text!r}")
    return _read_all(text)


@lru_cache(maxsize=64)
def _read_all(text: str) -> tuple[ListedFault, ...]:
    faults = tuple(_read(" ".join(part.split())) for part in text.split(";") if part.strip())
    check(faults)
    return faults


def check(faults: Iterable[ListedFault], k: int | None = None) -> None:
    """Raise ValueError if a message suffers the same twice, or one part stops again before it is back.

    Parameters
    ----------
    k
        As for `stops`.
    """
    faults = list(faults)
    letters = [(one.site, one.up, one.number, one.what) for one in faults if isinstance(one, LetterFault)]
    if len(set(letters)) < len(letters):
        raise ValueError("faults: twice the same for one message")
    stops(faults, k)


def _read(text: str) -> ListedFault:
    if match := _LETTER.fullmatch(text):
        number, way, site, lost, late, by = match.groups(default="")
        steps("faults: message", int(number))
        steps("faults: late", int(by or 0), 0)
        return LetterFault(int(site), way == "from", int(number), lost or late, int(by or 0))
    if match := _WIRES.fullmatch(text):
        way, wires, lost, late, by, begin, end = match.groups(default="")
        return WireFault(int(begin), int(end), wires, way == "from", lost or late, int(by or 0))
    match = _STOP.fullmatch(text)
    if match is None:
        raise ValueError(f"{AS_IN}; got {text!r}")
    sites, what, *moments = match.groups()
    first, last = map(int, moments)
    if what == "cut" and sites:
        return Partition(first, last, sites)
    if what == "cut" or (what == "afresh" and not sites):
        raise ValueError(f"faults: the server is down or forgets; got {text!r}")
    if last <= first:
        raise ValueError(f"faults: a stop must end after its first step; got {text!r}")
    state, readmit = _STOPS[what]
    if sites:
        sites_of(sites)
        return Crash(last - first, first, None, state, readmit, sites)  # type: ignore[arg-type]
    return Restart(last - first, first, None, state)  # type: ignore[arg-type]


def written(faults: Iterable[ListedFault]) -> str:
    """Return a list as text; `read` takes it.

    >>> written(read("site  2 down 3-4;message 1 from 0 lost"))
    'sites 2 down 3-4; message 1 from 0 lost'
    """
    return "; ".join(map(_written, faults))


def _written(fault: ListedFault) -> str:
    if isinstance(fault, LetterFault | WireFault):
        by = f" {fault.steps}" if fault.what in LATE else ""
        way = "from" if fault.up else "to"
        if isinstance(fault, WireFault):
            return f"messages {way} {fault.sites} {fault.what}{by} {fault.begin}-{fault.end}"
        return f"message {fault.number} {way} {fault.site} {fault.what}{by}"
    if isinstance(fault, Partition):
        return f"sites {fault.sites} cut {fault.begin}-{fault.end}"
    who, readmit = (f"sites {fault.sites}", fault.readmit) if isinstance(fault, Crash) else ("server", True)
    return f"{who} {_WORDS[fault.state, readmit]} {fault.begin}-{fault.end}"


def stops(faults: Iterable[ListedFault], k: int | None) -> dict[object, list[Stop]]:
    """Return the stops of each site, and for None of the server, the last one first.

    Parameters
    ----------
    k
        The number of sites; None if it is not known, and the stops are only checked.
    """
    found: dict[object, list[Stop]] = {}
    for fault in faults:
        if isinstance(fault, Crash):
            sites: Sequence[object] = [str(fault.sites)] if k is None else every(fault.sites, k)
        else:
            sites = [None] if isinstance(fault, Restart) else ()
        for site in sites:
            found.setdefault(site, []).append(fault)  # type: ignore[arg-type]
    for site, of in found.items():
        of.sort(key=lambda one: -one.begin)
        if any(one.end >= later.begin for later, one in pairwise(of)):
            who = "the server" if site is None else f"sites {site}"
            raise ValueError(f"faults: {who} must be back before the next stop")
    return found


def within(faults: Sequence[ListedFault], k: int) -> list[ListedFault]:
    """Return the faults of a game of at most k sites: those of others are left out."""
    kept: list[ListedFault] = []
    for fault in faults:
        if isinstance(fault, LetterFault):
            kept += [fault] * (fault.site < k)
        elif isinstance(fault, Restart):
            kept.append(fault)
        elif (sites := sites_within(fault.sites, k)) != "":
            kept.append(replace(fault, sites=sites))
    return kept


def sites_within(sites: str | int, k: int) -> str | int:
    """Return the sites below k among those named by a text; the same text if all are."""
    named = sites_of(sites)
    if named is None or max(named) < k:
        return sites
    return ",".join(str(site) for site in sorted(named) if site < k)


def length(fault: ListedFault) -> int:
    """Return the steps of a fault."""
    if isinstance(fault, LetterFault):
        return fault.steps
    return fault.end - fault.begin + 1 if isinstance(fault, Partition | WireFault) else fault.down


def of_length(fault: ListedFault, steps: int) -> ListedFault:
    """Return a fault with other steps."""
    if isinstance(fault, LetterFault):
        return replace(fault, steps=steps)
    if isinstance(fault, Partition | WireFault):
        return replace(fault, end=fault.begin + steps - 1)
    return replace(fault, down=steps)
