"""The estimate of a server, with its promise and with the items that it may lack."""

from __future__ import annotations

from typing import Any

from disttrack.fleet.live.parts import MOST
from disttrack.fleet.live.server import ServerProcess
from disttrack.fleet.quotas import Quota
from disttrack.simulator.game.outputs import measured


def unknown(server: ServerProcess) -> dict[int, int | None]:
    """Return of each site the most of its items that may never be known, None without a bound.

    Those of sites that are gone: what they may have received since their last message. Of sites that came back
    without their state: what they may have received before.
    """
    part, found = server.part, {}
    for site in range(part.k):
        missing = part.unknown[site]
        if site not in server.peers and part.names[site]:
            missing += part.unknown_of(site)
        if missing:
            found[site] = missing if missing < MOST else None
    return found


def estimate(server: ServerProcess) -> dict[str, Any]:
    """Return the estimate: what ``GET /estimate`` answers."""
    part = server.part
    protocol, own = part.protocol, part.server
    facts: dict[str, Any] = {"protocol": protocol.kind, "guarantee": protocol.guarantee, "sites": part.k}
    if isinstance(protocol, Quota):
        facts |= {"limit": protocol.limit, "window": own.window, "spent": own.spent.get(own.window, 0)}
    else:
        facts |= {"value": measured(part.output)[1], "alpha": protocol.accuracy}
        facts |= {"delta": getattr(protocol, "delta", None), "changes": part.changes}
        facts |= {"items_at_last_change": part.items_then, "begins_anew": part.counts is not None}
    facts["away"] = [site for site in range(part.k) if site not in server.peers]
    facts["unacknowledged"] = sum(len(session.waiting) for session in part.sessions)
    return facts | {"unknown": unknown(server)}
