"""Faults of a deployment in a list: what happens to its processes and connections, at times in seconds.

A list is text, one fault per line, as the search in simulated time prints it::

    sliding-lease window=400 limit=12; seed 0, latency 0.5 s
      1.27 s: partition 0 for 12 s
      8.5 s: kill server for 0.3 s with 0

The first line, which may be left out, is the deployment's. Lines that begin with # or -> are comments. A list may also
have faults in steps of a game (`simulator.game.network.listed`), so that each list that is printed is read here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Final

from disttrack.simulator.errors import accepted, nearest
from disttrack.simulator.game.network import listed
from disttrack.simulator.game.network.faults import ALL, KEPT, LOST, MOST_STEPS, Crash, Partition, Restart, State, Stop
from disttrack.simulator.game.network.listed import DELAYED, TWICE, ListedFault, WireFault
from disttrack.simulator.game.network.model import Network

SERVER: Final = "server"
"""The place of a fault that strikes the server; other places are numbers of sites."""
MOST: Final = 1e9
"""Largest number in a fault: seconds, or an amount."""
_NUMBER: Final = r"\d+(?:\.\d+)?(?:e[+-]?\d+)?"
_FORM: Final = re.compile(rf"({_NUMBER}) s: ([\w-]+) (server|\d+)(?: for ({_NUMBER}) s)?(?: with (-?{_NUMBER}))?")
_TIMED: Final = re.compile(r"\S+ *s:")
"""The beginning of a fault at a time."""
_FIRST: Final = re.compile(rf"(.+); seed (\d+), latency ({_NUMBER}) s")
EXAMPLE: Final = "3.5 s: kill server for 1 s with 0"


@dataclass(frozen=True)
class Kind:
    """Where a fault may strike, and which numbers it has."""

    server: bool = True
    """Whether it may strike the server."""
    sites: bool = True
    """Whether it may strike a site."""
    lasts: bool = True
    amounts: tuple[float, ...] = ()
    """Amounts that a search tries; none if it has no amount."""


KINDS: Final = {
    "latency": Kind(server=False, amounts=(0.2, 1.0, 5.0)),
    "reset": Kind(server=False, lasts=False),
    "partition": Kind(server=False),
    "deaf": Kind(server=False),
    "mute": Kind(server=False),
    "kill": Kind(amounts=(0, 1, 2, 3, 5, 10, 30)),
    "kill-write": Kind(amounts=(0.0, 0.5, 0.9, 1.0)),
    "lose": Kind(),
    "rollback": Kind(amounts=(0.5, 2.0, 6.0)),
    "clone": Kind(server=False),
    "twin": Kind(server=False),
    "reboot": Kind(sites=False),
    "disk": Kind(),
    "stop": Kind(),
    "pause": Kind(),
    "leave": Kind(server=False),
    "jump": Kind(sites=False, lasts=False, amounts=(-60, -3, 3, 60)),
    "rate": Kind(server=False, amounts=(-0.1, -0.01, 0.01, 0.1)),
    "stranger": Kind(server=False, lasts=False),
    "burst": Kind(server=False, lasts=False, amounts=(20, 300)),
    "duplicate": Kind(),
    "uncommitted": Kind(server=False),
}
"""Kinds of faults, by name. The amount of a kill is the number of steps of the loop after its time.

- ``latency``: messages of a site take up to this many seconds
- ``reset``: the connections of a site are reset
- ``partition``: no byte passes between a site and the server
- ``deaf``: no byte passes to a site
- ``mute``: no byte passes from a site
- ``kill``: killed; started again after this time
- ``kill-write``: killed at its next write, of which this part is in the file
- ``lose``: killed; started again without its journal
- ``rollback``: killed; started again with an older journal, by seconds
- ``clone``: a second process with a copy of the journal takes items too
- ``twin``: a second process without a journal takes items too
- ``reboot``: the machine of the server starts again after this time, and goes by the wall clock
- ``disk``: writes fail
- ``stop``: stopped by a signal; started again after this time
- ``pause``: the process stands still
- ``leave``: leaves in order; started again after this time
- ``jump``: the clock of the machine jumps, by seconds
- ``rate``: the clock of a site runs faster, by this part
- ``stranger``: a peer without the token greets as this site, and asks
- ``burst``: a number of items or requests at once
- ``duplicate``: each message arrives twice
- ``uncommitted``: clients do not commit their reservations
"""


@dataclass(frozen=True, order=True)
class DeployedFault:
    """One fault of a deployment.

    Parameters
    ----------
    at
        Seconds from the start.
    kind
        One of `KINDS`.
    place
        `SERVER`, or the number of a site.
    length
        Seconds that it lasts; 0 for kinds that do not last.
    amount
        As its kind says.
    """

    at: float
    kind: str
    place: str
    length: float = 0.0
    amount: float = 0.0

    def __str__(self) -> str:
        length = f" for {self.length:g} s" if KINDS[self.kind].lasts else ""
        amount = f" with {self.amount:g}" if KINDS[self.kind].amounts else ""
        return f"{self.at:g} s: {self.kind} {self.place}{length}{amount}"

    @property
    def end(self) -> float:
        """Seconds until its cause has ended."""
        return self.at + self.length


@dataclass(frozen=True)
class FaultList:
    """A list of faults, with the deployment that suffered them.

    Attributes
    ----------
    deployed
        Faults at times, in the order of the text.
    listed
        Faults in steps of a game.
    protocol, seed, latency
        Those of the first line: the protocol as on the command line; the seed of the deployment's draws; the seconds
        that a message takes at most without faults. Empty, and None, without one.
    """

    deployed: tuple[DeployedFault, ...]
    listed: tuple[ListedFault, ...] = ()
    protocol: str = ""
    seed: int | None = None
    latency: float | None = None


def read(text: str) -> FaultList:
    """Return the list of a text.

    Raises
    ------
    ValueError
        A line is no fault, or one part of a game stops again before it is back.

    Examples
    --------
    >>> read("1.5 s: lose 0 for 0.3 s").deployed
    (DeployedFault(at=1.5, kind='lose', place='0', length=0.3, amount=0.0),)
    """
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), start=1)]
    lines = [(number, line) for number, line in lines if line and not line.startswith(("#", "->"))]
    first = _FIRST.fullmatch(lines[0][1]) if lines else None
    deployed: list[DeployedFault] = []
    steps: list[ListedFault] = []
    for number, line in lines[first is not None :]:
        try:
            for part in filter(None, map(str.strip, line.split(";"))):
                if _TIMED.match(part):
                    deployed.append(_read(part))
                else:
                    steps += _read_steps(part, first is None and number == lines[0][0])
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from error
    listed.check(steps)
    if first is None:
        return FaultList(tuple(deployed), tuple(steps))
    return FaultList(tuple(deployed), tuple(steps), first[1], int(first[2]), _number("latency", first[3]))


def _read(text: str) -> DeployedFault:
    text = " ".join(text.split())
    match = _FORM.fullmatch(text)
    if match is None:
        raise _no_fault(text, f"; write {EXAMPLE!r}")
    at, name, place, length, amount = match.groups()
    kind = KINDS.get(name)
    if kind is None:
        raise _no_fault(text, f": unknown kind {name!r}{nearest(name, KINDS)} ({accepted(KINDS)})")
    if not (kind.server if place == SERVER else kind.sites):
        other = "site, by its number" if place == SERVER else SERVER
        raise _no_fault(text, f": {name} strikes a {other}")
    for value, has, form in ((length, kind.lasts, "for 3 s"), (amount, kind.amounts, "with 3")):
        if (value is not None) != bool(has):
            raise _no_fault(text, f": {name} is written {'with' if has else 'without'} '{form}'")
    return DeployedFault(
        _number("time", at), name, place, _number("for", length or "0"), _number("with", amount or "0")
    )


def _no_fault(text: str, why: str) -> ValueError:
    return ValueError(f"no fault: {text!r}{why}")


def _read_steps(text: str, may_be_first: bool) -> Sequence[ListedFault]:
    """Return a fault in steps; the message of another one has all forms that it may have."""
    try:
        return listed.read(text)
    except ValueError as error:
        if not str(error).startswith(listed.AS_IN):
            raise
        forms = f"{EXAMPLE!r}, or in steps 'site 2 down 30-40', 'message 3 from 2 lost'"
        if may_be_first:
            forms += "; the first line may be 'PROTOCOL; seed 1, latency 0.05 s'"
        raise _no_fault(text, f"; write {forms}") from error


def _number(name: str, text: str) -> float:
    value = float(text)
    if abs(value) > MOST:
        raise ValueError(f"{name}: must be at most {MOST:g}; got {text}")
    return value


# ---------------------------------------------------------------------- in steps of a game

Refusal = Callable[[ListedFault], str]
"""Why a game cannot have a fault; an empty text if it can."""
NONE: Final = "a game has no such fault"


@dataclass(frozen=True)
class InSteps:
    """Faults of a deployment as a game has them.

    Attributes
    ----------
    faults
        The faults in steps.
    left_out
        Faults that the game cannot have, each with the reason.
    """

    faults: tuple[ListedFault, ...]
    left_out: tuple[tuple[DeployedFault, str], ...]


def in_steps(faults: Iterable[DeployedFault], step: float, network: Network, refusal: Refusal) -> InSteps:
    """Return faults of a deployment in steps of a game.

    A process that is killed or stopped goes on with its state, and one that loses its journal without it; where a game
    has no such stops, one with its state is cut off instead. Stops that overlap are one. Connections that are
    reset lose the messages on their way. A fault that takes less than a step takes one.

    Parameters
    ----------
    step
        Seconds of a step.
    network
        Without faults: its latencies are constant.
    refusal
        As `Refusal` says.

    Examples
    --------
    >>> faults = read("1.5 s: kill 0 for 1 s with 0; 2 s: clone 1 for 1 s").deployed
    >>> done = in_steps(faults, 0.1, Network(), lambda fault: "")
    >>> listed.written(done.faults), [str(fault) for fault, reason in done.left_out]
    ('sites 0 down 15-25', ['2 s: clone 1 for 1 s'])
    """
    kept: list[ListedFault] = []
    left_out: list[tuple[DeployedFault, str]] = []
    for fault in sorted(faults):
        reason = NONE
        for form in _forms(fault, step, network):
            refusals = [why for one in form if (why := refusal(one))]
            if form and not refusals:
                kept += form
                break
            reason = refusals[0] if refusals else f"within the latency, in steps of {step:g} s"
        else:
            left_out.append((fault, reason))
    return InSteps(tuple(_one_stop_at_a_time(kept)), tuple(left_out))


def _forms(fault: DeployedFault, step: float, network: Network) -> Iterator[list[ListedFault]]:
    """Yield what a fault is in a game, the best form first; no fault at all if it changes nothing."""
    begin, down = max(1, _steps(fault.at, step)), max(1, _steps(fault.length, step))
    end, site = begin + down - 1, ALL if fault.place == SERVER else fault.place
    ways = [(True, network.latency), (False, network.latency_down or network.latency)]
    if fault.kind == "latency":
        late = [(up, ceil(fault.amount / step - 1e-9) - latency.least) for up, latency in ways]
        yield [WireFault(begin, end, site, up, DELAYED, by) for up, by in late if by > 0]
    elif fault.kind == "reset":
        longest = max(latency.least for _, latency in ways)
        yield [Partition(max(1, begin - longest), begin, site)]
    elif fault.kind in ("deaf", "mute"):
        yield [WireFault(begin, end, site, fault.kind == "mute", LOST)]
    elif fault.kind == "duplicate":
        yield [WireFault(begin, end, site, fault.place != SERVER, TWICE)]
    elif fault.kind in ("kill", "kill-write", "stop", "pause", "leave", "lose"):
        state: State = LOST if fault.kind == "lose" else KEPT
        server = fault.place == SERVER
        yield [Restart(down, begin, None, state) if server else Crash(down, begin, None, state, True, site)]
    if fault.kind in ("partition", "kill", "kill-write", "stop", "pause"):
        yield [Partition(begin, end, site)]


def _steps(seconds: float, step: float) -> int:
    return round(min(seconds / step, float(MOST_STEPS // 4)))


def _one_stop_at_a_time(faults: Iterable[ListedFault]) -> Iterator[ListedFault]:
    """Yield the faults, with one stop in place of stops of one part that overlap; its state is lost if one loses it."""
    last: dict[object, Crash | Restart] = {}
    others: list[ListedFault] = []
    stops: list[Crash | Restart] = []
    for fault in faults:
        if not isinstance(fault, Stop):
            others.append(fault)
            continue
        part = fault.sites if isinstance(fault, Crash) else None
        before = last.get(part)
        if before is not None and fault.begin <= before.end:
            stops.remove(before)
            state = before.state if before.loses else fault.state
            fault = replace(before, down=max(fault.end, before.end) - before.begin, state=state)
        stops.append(fault)
        last[part] = fault
    yield from others
    yield from stops
