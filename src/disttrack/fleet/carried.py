"""Which networks the arrays of compiled quotas carry letters over."""

from __future__ import annotations

from disttrack.simulator.game.network import Latency, Network
from disttrack.simulator.game.network.latency import LONGEST


def not_carried(network: Network) -> str:
    """Return the reason why letters cannot be carried on arrays as a network does; empty if they can."""
    if network.link is not None or network.duplication or network.stops or network.listed:
        return "links, copies, stops and lists of faults have no compiled form"
    latencies = latencies_of(network)
    if type(network) is not Network or any(type(latency) is not Latency for latency in latencies):
        return "rules of your own for messages have no compiled form"
    if any(max(latency.uniform or (latency.constant or 0,)) > LONGEST for latency in latencies):
        return f"delays above {LONGEST:,} steps have no compiled form"
    drawn = {latency for latency in latencies if not latency.fixed}
    chancy = bool(network.loss or network.reordering)
    if len({_kind(latency) for latency in drawn} | ({"uniform"} if chancy else set())) > 1:
        return "its draws are of several distributions, which take turns"
    if any(latency.lognormal for latency in drawn) and len(drawn) > 1:
        return "its delays are of several lognormal distributions"
    return ""


def latencies_of(network: Network) -> list[Latency]:
    """Return the delays that a network has."""
    parts = (network.latency, network.latency_down, None if network.far is None else network.far[1])
    return [latency for latency in parts if latency is not None]


def _kind(latency: Latency) -> str:
    """Return the distribution of draws that delays are made from."""
    return "uniform" if latency.uniform else "exponential" if latency.mean else "lognormal"
