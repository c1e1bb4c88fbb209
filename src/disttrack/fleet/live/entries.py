"""Protocols on the wire: a registered name and parameters, never code."""

from __future__ import annotations

from collections.abc import Mapping

from disttrack.fleet.live.frames import NonsenseError
from disttrack.protocols.base import Protocol
from disttrack.protocols.contents import ItemTracker
from disttrack.simulator.errors import ScenarioError, nearest
from disttrack.simulator.kinds.registry import advice_on, kinds, make, of_other_family


def entry_of(protocol: Protocol) -> dict[str, object]:
    """Return the name and the parameters of a protocol.

    Examples
    --------
    >>> from disttrack.protocols import Deterministic
    >>> protocol_of(entry_of(Deterministic(alpha=0.1)))
    Deterministic(alpha=0.1, centred=False)
    """
    names = (name for name, kind in kinds("protocol").items() if kind.load() is type(protocol))
    return {"kind": next(names, ""), **protocol.as_mapping()}


def protocol_of(entry: Mapping[str, object]) -> Protocol:
    """Return the protocol of an entry; NonsenseError if the project has none of that name with these parameters."""
    arguments = dict(entry)
    known = kinds("protocol")
    kind = arguments.pop("kind", None)
    if kind not in known:
        what = f"there is no protocol {kind!r} in the project{nearest(str(kind), known)}"
        raise NonsenseError(of_other_family("protocol", kind) or what)
    try:
        made: Protocol = make("protocol", known[kind].load(), arguments)
    except ScenarioError as error:
        raise NonsenseError(f"protocol {kind}: {error}") from error
    if not isinstance(made, Protocol) or isinstance(made, ItemTracker):
        raise NonsenseError(f"protocol {kind} has no sites that count: {advice_on(type(made))}")
    return made
