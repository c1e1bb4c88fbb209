"""The estimate of a server, with its promise, with the items that it may lack, and with bounds that always hold."""

from __future__ import annotations

import time

from disttrack.fleet.live.server import ServerProcess
from disttrack.fleet.live.server_state import GONE
from disttrack.fleet.live.site_state import MOST
from disttrack.fleet.quotas import Quota
from disttrack.simulator.game.outputs import measured


def unknown(server: ServerProcess) -> dict[int, int | None]:
    """Return of each site the most of its items that may never be known, None without a bound.

    A site that is cut off goes on taking items. So there is no bound for one that is away and has not left in order,
    nor for one that came back without its state.
    """
    part, missing = server.part, {}
    for site in range(part.k):
        away = site not in server.peers and part.names[site] and part.seen[site][1] != GONE
        if away or part.unknown[site]:
            missing[site] = None if away or part.unknown[site] >= MOST else part.unknown[site]
    return missing


def bounds(server: ServerProcess) -> tuple[int, int | None]:
    """Return bounds on the items of all sites, for the moment up to which messages have come; None for no upper one.

    The lower one is what the sites have reported, and holds whatever has died. Above it are the items that connected
    sites take without a message, and those of `unknown`.
    """
    part = server.part
    missing = [*unknown(server).values(), *(part.unreported(site) for site in server.peers)]
    most = [one for one in missing if one is not None and one < MOST]
    return part.items, part.items + sum(most) if len(most) == len(missing) else None


def silences(server: ServerProcess) -> list[float | None]:
    """Return of each site the seconds since its last message, None if none has come since the server started."""
    now, spoken = time.monotonic(), server.spoken
    return [round(now - spoken[site], 3) if site in spoken else None for site in range(server.part.k)]


def estimate(server: ServerProcess) -> dict[str, object]:
    """Return the estimate: what ``GET /estimate`` answers."""
    part = server.part
    protocol, own = part.protocol, part.server
    facts: dict[str, object] = {"protocol": protocol.kind, "guarantee": protocol.guarantee, "sites": part.k}
    if isinstance(protocol, Quota):
        turn = protocol.turn_name
        facts |= {"limit": protocol.limit, "shape": protocol.shape, turn: own.window, "counted": own.now_spent}
        facts |= {"depth": protocol.depth} if protocol.depth else {}
        facts |= {f"{turn}s_above_limit": part.above, f"{turn}s_in_doubt": part.in_doubt}
    else:
        low, high = bounds(server)
        facts |= {"value": measured(part.output)[1], "alpha": protocol.accuracy}
        facts |= {"delta": getattr(protocol, "delta", None), "changes": part.changes}
        facts |= {"items_at_last_change": part.items_then, "begins_anew": part.counts is not None}
        facts |= {"estimate_low": low, "estimate_high": high}
    facts["away"] = [site for site in range(part.k) if site not in server.peers]
    facts["unacknowledged"] = sum(len(session.waiting) for session in part.sessions)
    facts["seconds_since_message"] = silences(server)
    return facts | {"unknown": unknown(server)}
