"""Named faults: a protocol or mechanism with one part broken, for controls of claims and for tests, not for results.

A claim that also holds for a broken system is worthless. A control plays the same points with a fault in the protocol,
and the claim must fail there. A class may have faults of its own beside those here: a mapping `faults` from their names
to mixin classes (`FaultyPart`) that precede it. The broken protocol is derived from the real one: its sites, its server
and its constants are the package's, and only the named part differs.

>>> from disttrack.protocols import Robust
>>> protocol = broken(Robust(alpha=0.1), "no-noise")
>>> protocol.fault, protocol.kind, protocol == Robust(alpha=0.1)
('no-noise', 'robust', False)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np

import disttrack
from disttrack.mechanisms.shortcuts import changes, held
from disttrack.protocols.base import EVERYONE, Message, Protocol, Site
from disttrack.protocols.rounds.base import RoundProtocol
from disttrack.protocols.rounds.sites import announcement
from disttrack.simulator.errors import ScenarioError, accepted, nearest
from disttrack.simulator.workshop.faults import noise
from disttrack.simulator.workshop.faults.mixins import FaultyPart, Wrapped
from disttrack.simulator.workshop.faults.promises import AnswersZero, Coarse, LostReports


@dataclass(frozen=True)
class Fault:
    """A possible fault of a protocol.

    Parameters
    ----------
    says
        The broken part, in one line.
    parts
        The names of the project's classes that can have it, and for each a mixin class that overrides the broken part;
        the first match is used. Names, since to import the classes takes longer than to check most scenarios.
    """

    says: str
    parts: Mapping[str, type[FaultyPart]]

    def part(self, thing: object) -> type[FaultyPart] | None:
        """Return the mixin for the class of a protocol or mechanism; None if it cannot have the fault."""
        intact = getattr(thing, "intact", type(thing))
        shipped = next((one for one in intact.__mro__ if one.__module__.startswith("disttrack.")), intact)
        own = list(changes(intact, shipped))  # a fault of the shipped class breaks nothing in what a user has changed
        names = {cls.__name__ for cls in type(thing).__mro__}  # others need not be imported
        kinds = (kind for kind in self.parts if kind in names and isinstance(thing, _shipped(kind)))
        of = next((kind for kind in kinds if not any(_defines(_shipped(kind), name) for name in own)), None)
        return None if of is None else self.parts[of]


def _defines(cls: type[object], name: str) -> bool:
    rule = getattr(cls, name, None)
    return rule is not None and not getattr(rule, "__isabstractmethod__", False)


def broken(protocol: Any, name: str) -> Any:
    """Return the protocol or mechanism with a fault, of its class and with its parameters; `fault` is its name.

    Raises
    ------
    ScenarioError
        If there is no such fault, or the protocol has no part that it could break.
    """
    intact: Any = type(protocol)
    own: Mapping[str, Any] = getattr(intact, "faults", {})
    if name not in own and name not in FAULTS:
        known = [*own, *FAULTS]
        raise ScenarioError(f"unknown fault {name!r}{nearest(name, known)} ({accepted(known)})")
    part: Any = own[name] if name in own else FAULTS[name].part(protocol)
    if part is None:
        there = [one for one in FAULTS[name].parts if _shipped(one)]
        of = ", ".join(_BASES.get(one) or str(_shipped(one).kind) for one in there)
        called = protocol.kind or type(protocol).__name__
        raise ScenarioError(
            f"fault {name}: {called} cannot have it (accepted: {of}; of a class of yours those in its `faults`;"
            " or another protocol or adversary as the control)"
        )
    copy: Any = object.__new__(_with(name, part, intact))
    copy.__dict__.update(protocol.__dict__)
    return copy


def _shipped(name: str) -> Any:
    """Return a class of the project by its name in a fault."""
    return RoundProtocol if name == "RoundProtocol" else getattr(disttrack, name, None)


@cache
def _with(name: str, part: Any, intact: Any) -> Any:
    """Return the class of protocols with this fault, cached, so that two instances can be compared."""
    # a broken protocol is judged by the promise of the intact one; compiled code would play the intact parts
    facts = {claim: getattr(part, claim, value) for claim, value in held(intact).items() if claim != "kernel_form"}
    facts |= {"fault": name, "broken": staticmethod(broken), "intact": intact}
    facts |= {"__doc__": FAULTS[name].says if name in FAULTS else part.__doc__, "__module__": __name__}
    cls = type(intact)(f"{intact.__name__}[{name}]", (part, intact), facts)
    return dataclass(frozen=True)(cls)


# ---------------------------------------------------------------------- coins


def _first(low: object, high: object = None, size: object = None, **more: object) -> Any:
    """Return the smallest possible value, as a generator's `integers`."""
    least = 0 if high is None else low
    return least if size is None else np.full(size, least)


class _FixedThresholds(FaultyPart):
    def sites(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> Any:
        protocol: Any = super()
        return protocol.sites(k, Wrapped(rng, integers=_first), start)

    def bulk_form(
        self, k: int, site_rng: np.random.Generator, server_rng: np.random.Generator, start: Sequence[int] = ()
    ) -> Any:
        protocol: Any = super()
        return protocol.bulk_form(k, Wrapped(site_rng, integers=_first), server_rng, start)


# ---------------------------------------------------------------------- records and polls of the server


class _LeakIgnored(FaultyPart):
    def server(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> Any:
        protocol: Any = super()
        server = protocol.server(k, rng, start)
        server.leaked = _Forgetful()
        return server


class _Forgetful(list[Any]):
    """A list that stores nothing."""

    def append(self, entry: object) -> None:
        """Discard the entry."""


class _NoPolls(FaultyPart):
    bulk_form = Protocol.bulk_form  # the polls of the array form are not the server's

    def sites(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> Any:
        protocol: Any = super()
        return [_put_before(_Unasked, site) for site in protocol.sites(k, rng, start)]

    def server(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> Any:
        protocol: Any = super()
        return _put_before(_Unasking, protocol.server(k, rng, start))


class _Unasked:
    """A site that begins each round without having been polled for its count."""

    __slots__ = ()

    def hear(self: object, message: Message) -> Sequence[Message]:
        self.count = 0
        site: Any = super()
        return site.hear(message)  # type: ignore[no-any-return]


class _Unasking:
    """A server that uses its own estimate as the count when a round ends."""

    __slots__ = ()

    def end_round(self: Any) -> Sequence[tuple[int, Message]]:
        self.base = self.announced = max(1, round(float(self.output)))
        return self._begin() or ((EVERYONE, announcement(self.base)),)


def _put_before(part: type, thing: object) -> Any:
    """Return the same object, with its class replaced by a subclass with the mixin first."""
    own: Any = type(thing)
    thing.__class__ = _before(part, own)
    return thing


@cache
def _before(part: Any, cls: Any) -> Any:
    return type(cls)(cls.__name__, (part, cls), {**held(cls), "__slots__": (), "__module__": __name__})


# ---------------------------------------------------------------------- counting of messages


class _UncountedKind(FaultyPart):
    bulk_form = Protocol.bulk_form

    def sites(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> Any:
        protocol: Any = super()
        counts: list[int] = []
        return [_Behind(site, counts, k) for site in protocol.sites(k, rng, start)]

    def server(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> Any:
        protocol: Any = super()
        return _put_before(_Together, protocol.server(k, rng, start))


class _Behind(Site):
    """A site whose answer to a poll bypasses the channels: the site polled last sends the answers of all."""

    __slots__ = ("_counts", "_k", "_site")

    def __init__(self, site: Site, counts: list[int], k: int) -> None:
        self._site, self._counts, self._k = site, counts, k

    def silence(self) -> int:
        return self._site.silence()

    def take(self, items: int) -> Sequence[Message]:
        return self._site.take(items)

    def hear(self, message: Message) -> Sequence[Message]:
        answers = self._site.hear(message)
        if message.kind != "poll":
            return answers
        self._counts += [answer.value for answer in answers]
        if len(self._counts) < self._k:
            return ()
        total = sum(self._counts)
        self._counts.clear()
        return (answers[0]._replace(value=total),)


class _Together:
    """A server that treats one message as the counts of all the sites."""

    __slots__ = ()

    def counted(self: Any, items: int, sites: int = 1) -> Sequence[tuple[int, Message]]:
        server: Any = super()
        return server.counted(items, self.k)  # type: ignore[no-any-return]


PROMISING: Final = (
    "Deterministic", "Randomized", "RoundProtocol", "SketchSwitching", "DifferenceEstimators", "PrivateCopies"
)  # fmt: skip
"""Protocols that promise a relative error above 0."""

FAULTS: Final[Mapping[str, Fault]] = {
    "no-noise": Fault(
        "The server, or the mechanism, draws no noise; its constants stay those with noise.",
        {"Robust": noise.of_server(0.0), **noise.NONE},
    ),
    "half-noise": Fault(
        "All noise has half of its scale; private coins are tossed with twice the promised epsilon or delta.",
        {"Robust": noise.of_server(0.5), **noise.HALF},
    ),
    "tenfold-noise": Fault(
        "All noise has ten times its scale; private coins are tossed with a tenth of the promised epsilon.",
        {"Robust": noise.of_server(10.0), **noise.TENFOLD},
    ),
    "coarse": Fault(
        "The tracker is set for four times the relative error that it promises.",
        dict.fromkeys(PROMISING, Coarse),
    ),
    "lost-reports": Fault(
        "Every second message that a site sends unasked is lost.",
        {"Protocol": LostReports},
    ),
    "answers-zero": Fault(
        "All answers on a data set are 0, whatever its contents.",
        {"DynamicMechanism": AnswersZero},
    ),
    "fixed-thresholds": Fault(
        "A site signals at the first item of every block.",
        {"Robust": _FixedThresholds, "Block": _FixedThresholds},
    ),
    "leak-ignored": Fault(
        "The server records no threshold as leaked.",
        {"Robust": _LeakIgnored},
    ),
    "no-polls": Fault(
        "A round begins with the server's own estimate; no site is polled.",
        {"RoundProtocol": _NoPolls},
    ),
    "uncounted-kind": Fault(
        "All answers to a poll are counted as one message.",
        {"RoundProtocol": _UncountedKind},
    ),
}
"""The faults, by the names used in controls."""

_BASES: Final[Mapping[str, str]] = {
    "RoundProtocol": "any protocol in rounds",
    "Protocol": "any protocol",
    "Counter": "any counter",
    "StaticMechanism": "any static mechanism",
    "DynamicMechanism": "any dynamic mechanism",
}
"""Descriptions of base classes that have no kind."""
