"""One of each registered protocol that has sites and a server."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Final

from disttrack.protocols import Protocol
from disttrack.protocols.contents import ItemTracker
from disttrack.simulator.kinds.registry import kinds

GIVEN: Final = {"alpha": 0.1, "threshold": 1000, "limit": 100, "window": 300, "every": 30, "epsilon": 0.1}


def every_protocol(**given: Any) -> dict[str, Protocol]:
    """Return protocols by their names; each takes those of the parameters that it has."""
    made = {}
    for name, kind in kinds("protocol").items():
        maker = kind.load()
        if isinstance(maker, type) and issubclass(maker, Protocol) and not issubclass(maker, ItemTracker):
            known = GIVEN | given | ({"depth": 50} if name == "bucket-lease" else {})
            made[name] = maker(**{one.name: known[one.name] for one in fields(maker) if one.name in known})
    return made
