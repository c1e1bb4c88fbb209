"""Advice on quotas: the protocols that keep an overshoot and waste little, ranked by words; short games settle them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import ceil, floor, inf
from typing import Any, Final

from disttrack.adversaries import SingleSite, Uniform, Zipf
from disttrack.fleet.quotas import (
    BatchQuota,
    Central,
    CountdownQuota,
    HybridQuota,
    Lease,
    PeriodicQuota,
    Quota,
    Split,
    WeightedSplit,
)
from disttrack.fleet.task import measured
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.game.network import Latency, Network
from disttrack.simulator.game.play import play
from disttrack.simulator.points.registry import parameters

LEAST: Final = 0.98
"""Utilisation that a recommended protocol has under even and uneven load."""
WINDOWS: Final = 3
"""Windows of a game that settles a protocol."""
LONG: Final = 3e5
"""Words of a window, by the cost bound, up to which games are played."""
FAR: Final = 5.0
"""Bounds this many times above the words of the cheapest so far are not played: no bound is further off."""
WASTEFUL: Final = (Split, WeightedSplit, HybridQuota)
"""They waste shares under uneven load; not played, they count as wasting all."""
SIZES: Final = 64
"""Most numbers of sizes of a countdown that are tried."""


@dataclass(frozen=True)
class Service:
    """What a quota is wanted for, in steps of one request each.

    Parameters
    ----------
    sites
        Number of sites.
    limit, window
        Requests admitted in a window, and its steps.
    overshoot
        Share of the limit that may be overshot, at most.
    latency
        Steps of a message, one way.
    """

    sites: int
    limit: int
    window: int
    overshoot: float
    latency: int = 0

    @property
    def network(self) -> Network | None:
        """The network of its games."""
        return Network(Latency(constant=self.latency)) if self.latency else None


@dataclass(frozen=True)
class Suited:
    """A protocol that keeps the overshoot, and what its games gave.

    Attributes
    ----------
    protocol
        With its parameters.
    promised, overshoot
        The overshoot that is guaranteed, and the largest of its games.
    words
        Words of a window: the most of its games; the cost bound if none was played.
    utilisation
        The least of its games; without games 0 for protocols that split the limit, and 1 for others.
    played
        Whether games were played.
    """

    protocol: Quota
    promised: float
    overshoot: float
    words: float
    utilisation: float
    played: bool

    @property
    def parameters(self) -> dict[str, Any]:
        """Its parameters that are not the usual ones, without limit and window."""
        usual = parameters(type(self.protocol))
        return {
            name: value
            for name, value in self.protocol.as_mapping().items()
            if name not in ("limit", "window") and value != usual[name]
        }

    @property
    def label(self) -> str:
        """Kind and parameters as in a scenario."""
        return " ".join([self.protocol.kind, *(f"{name}={value}" for name, value in self.parameters.items())])


def advise(service: Service, seed: int = 0) -> list[Suited]:
    """Return the protocols that keep the overshoot, those that waste little first, the cheapest of them first.

    Raises
    ------
    ScenarioError
        None of them wastes little.
    """
    kept = sorted(candidates(service), key=lambda one: bound(one, service))
    ranked: list[Suited] = []
    for protocol in kept:
        cheapest = min((one.words for one in ranked if one.utilisation >= LEAST), default=inf)
        ranked.append(settled(protocol, service, seed, min(LONG, FAR * cheapest)))
    ranked.sort(key=lambda one: (one.utilisation < LEAST, one.words))
    if not ranked or ranked[0].utilisation < LEAST:
        raise ScenarioError("no protocol keeps this overshoot and admits what it may: allow more, or a longer window")
    return ranked


def bound(protocol: Quota, service: Service) -> float:
    """Return the words of a window by the cost bound."""
    return protocol.cost_bound(service.sites, service.window) / 2  # which counts one window more


def candidates(service: Service) -> Iterator[Quota]:
    """Yield each kind with the cheapest parameters with which it guarantees the overshoot, if there are any."""
    room, trip, k = service.overshoot * service.limit, 2 * service.latency, service.sites
    common = service.limit, service.window
    yield from (Split(*common), WeightedSplit(*common), HybridQuota(*common), Central(*common))
    for low, fraction in product((0.0, 0.5), (0.5, 0.9)):
        yield Lease(*common, low=low, fraction=fraction)
    if (every := floor((room - trip) / 2)) >= 1:
        yield PeriodicQuota(*common, every=every)
    if room >= trip:
        yield BatchQuota(*common, size=floor((room - trip) / k) + 1)
    for sizes in range(1, SIZES):
        # of the smallest reports, as they are rounded down
        size = floor((room - trip * (1 + sizes)) / k) + 1
        if size < 1:
            return
        countdown = CountdownQuota(*common, epsilon=min(ceil(1e6 * size * k / service.limit) / 1e6, 0.999999))
        if countdown.worst(k, service.latency, service.latency) <= service.limit + room:
            yield countdown
            return


def settled(protocol: Quota, service: Service, seed: int, longest: float = LONG) -> Suited:
    """Return a protocol with what short games gave, if their windows have at most `longest` words by the bound."""
    ways = service.sites, service.latency, service.latency
    promised = max(0.0, protocol.worst(*ways) - service.limit) / service.limit
    words = bound(protocol, service)
    if not words < longest:
        kept = 0.0 if isinstance(protocol, WASTEFUL) else 1.0
        return Suited(protocol, promised, 0.0, words, kept, played=False)
    sizes: dict[str, Any] = {"sites": service.sites, "items": WINDOWS * service.window, "seed": seed}
    games = [play(protocol, load, network=service.network, **sizes) for load in (Uniform(), Zipf(1.0), SingleSite())]
    rows = [measured(game, service.network) for game in games]
    even = max(row["words_per_window"] for row in rows)
    least = min(row["utilisation"] for row in rows)
    return Suited(protocol, promised, max(row["overshoot"] for row in rows), even, least, played=True)


def scenario_of(best: Suited, service: Service, name: str = "quota-advice") -> str:
    """Return the scenario that verifies a recommendation, as YAML."""
    given = "".join(f", {key}: {value}" for key, value in best.parameters.items())
    network = [f"network: {{latency: {service.latency}}}"] if service.latency else []
    lines = [
        f"name: {name}",
        f"question: Does {best.protocol.kind} keep an overshoot of {service.overshoot:.3g}?",
        "task: quota",
        f"sites: {service.sites}",
        f"requests: {4 * service.window}",
        f"limit: {service.limit}",
        f"window: {service.window}",
        "trials: 5",
        f"protocol: {{kind: {best.protocol.kind}{given}}}",
        "adversary: [uniform, {kind: zipf, exponent: 1}, single-site, greedy, probing]",
        *network,
        "claims:",
        "  - name: no window admits more than is allowed",
        "    measure: max(overshoot)",
        f"    at_most: {service.overshoot:.9g}",
        "    chance: 0",
        "    control: {fault: coarse, trials: 1}",
    ]
    return "\n".join(lines) + "\n"


def service_of(
    sites: int, quota: float, window: float, load: float | None, overshoot: float, latency: float
) -> Service:
    """Return a service in steps from one in seconds.

    Parameters
    ----------
    quota, load
        Requests per second that may be admitted, and that come at most; None for three times the quota.
    window, latency
        In seconds.

    Raises
    ------
    ScenarioError
        A number is out of range.

    Examples
    --------
    >>> service_of(12, 1000, 1.0, None, 0.02, 0.02)
    Service(sites=12, limit=1000, window=3000, overshoot=0.02, latency=60)
    """
    load = 3 * quota if load is None else load
    limit, steps = round(quota * window), round(load * window)
    checks: Sequence[tuple[bool, str]] = (
        (sites >= 1, f"--sites must be at least 1; got {sites}"),
        (0 <= overshoot < 1, f"--overshoot must be from 0 %, and below 100 %; got {100 * overshoot:g} %"),
        (limit >= 1, f"--quota and --window must make a limit of at least one request; got {quota * window:.3g}"),
        (steps > limit, f"--load must be above the quota of {quota:g} per second; got {load:g}"),
    )
    for fits, message in checks:
        if not fits:
            raise ScenarioError(message)
    return Service(sites, limit, steps, overshoot, ceil(latency * load))
