"""Advice on quotas: the protocols that keep an overshoot and waste little, ranked by words; short games settle them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import ceil, floor, inf
from typing import Any, Final

from disttrack.adversaries import Adversary, SingleSite, Uniform, Zipf
from disttrack.fleet.book import is_noted
from disttrack.fleet.quotas import (
    QUOTAS,
    BatchQuota,
    Central,
    CountdownQuota,
    FairLease,
    HybridQuota,
    Lease,
    PeriodicQuota,
    Quota,
    SlidingLease,
    Split,
    WeightedSplit,
)
from disttrack.fleet.quotas.amounts import LARGEST
from disttrack.fleet.quotas.leases import leases_until_none
from disttrack.fleet.task import measured
from disttrack.fleet.units import limit_in
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.experiments.results.formats import number
from disttrack.simulator.game.network import Latency, Network
from disttrack.simulator.game.play import play
from disttrack.simulator.kinds.registry import parameters

LEAST: Final = 0.98
"""Utilisation that a recommended protocol has under even and uneven load."""
WINDOWS: Final = 3
"""Windows of a game that settles a protocol, and of the scenario that verifies it."""
LOADS: Final[Mapping[str, Adversary]] = {
    "uniform": Uniform(),
    "{kind: zipf, exponent: 1}": Zipf(1.0),
    "single-site": SingleSite(),
}
"""Even and uneven loads of these games, by their entries in the scenario."""
NAMED: Final = "uniform, zipf and single-site load"
LONG: Final = 3e5
"""Words of a window, by what they grow with, up to which games are played."""
MANY: Final = 10**6
"""Windows over which a cost bound is spread: it counts one more than begin."""
FAR: Final = 5.0
"""No games of a protocol are played if its `growing` is more than this many times the words of the cheapest so far.

`growing` is at most this many times too large."""
STEPS: Final = 30_000
"""Steps of a window, up to which games are played at full size."""
WORDS: Final = 6_000
"""Words of a window, by what they grow with, up to which they are."""
MOST_STEPS: Final = 10**7
"""Steps of a window of the games, above which none are played."""
MOST_SITES: Final = 10**6
"""Sites of a service."""
SMALLEST: Final = 1_000
"""The limit below which no game is made smaller."""
PER_SITE: Final = 50
"""The same for the limit over the sites: with less, shares and leases are a few requests."""
WASTEFUL: Final = (Split, WeightedSplit, HybridQuota)
"""They waste shares under uneven load; not played, they count as wasting all."""


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
    any
        Whether the limit is for any window, and not only for each.
    limits
        Further limits, as protocols take them.
    """

    sites: int
    limit: int
    window: int
    overshoot: float
    latency: int = 0
    any: bool = False
    limits: str = ""

    @property
    def allowed(self) -> int:
        """What may be admitted in a window."""
        return self.limit + floor(self.limit * self.overshoot + 1e-6)

    @property
    def harmless(self) -> bool:
        """Whether no more requests come in a window than may be admitted, whatever the protocol does."""
        return self.window <= self.allowed

    def promised(self, protocol: Quota) -> float:
        """Return the largest cost that a protocol admits in a window."""
        return protocol.worst(self.sites, self.latency, self.latency)

    def smaller(self, shrink: int) -> Service:
        """Return the same service with a smaller limit and window, as far as these are whole."""
        limit, window = round(self.limit / shrink), ceil(self.window / shrink)
        return replace(self, limit=limit, window=window, latency=ceil(self.latency / shrink))

    @property
    def network(self) -> Network | None:
        """The network of its games."""
        return Network(Latency(constant=self.latency)) if self.latency else None

    def lines(self, requests: int) -> list[str]:
        """Return the lines of a scenario that give its task, sizes and network."""
        return [
            "task: quota",
            f"sites: {self.sites}",
            f"requests: {requests}",
            f"limit: {self.limit}",
            f"window: {self.window}",
            *([f"network: {{latency: {self.latency}}}"] if self.latency else []),
        ]


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
    waiting
        Steps from a request to its admission: the largest mean of its games.
    played
        The limit of its games; 0 if none were played.
    why
        Why none were played; empty if some were.
    """

    protocol: Quota
    promised: float
    overshoot: float
    words: float
    utilisation: float
    waiting: float
    played: int
    why: str = ""

    @property
    def parameters(self) -> dict[str, object]:
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
    kept = sorted(candidates(service), key=lambda one: growing(one, service))
    ranked: list[Suited] = []
    for protocol in kept:
        cheapest = min((one.words for one in ranked if one.utilisation >= LEAST), default=inf)
        ranked.append(settled(protocol, service, seed, min(LONG, FAR * cheapest)))
    ranked.sort(key=lambda one: (one.utilisation < LEAST, one.words))
    if not ranked or ranked[0].utilisation < LEAST:
        far = f", or less latency: a message takes {number(service.latency / service.window)} windows"
        raise ScenarioError(
            "no protocol keeps this overshoot without needless rejections: allow more, or a longer window"
            + far * (service.latency > service.window / 10)
        )
    return ranked


def bound(protocol: Quota, service: Service) -> float:
    """Return the words of a window by the cost bound."""
    return protocol.cost_bound(service.sites, MANY * service.window) / MANY


def candidates(service: Service) -> Iterator[Quota]:
    """Yield each kind with the cheapest parameters with which it guarantees the overshoot, if there are any.

    Of those with further limits these are left out: they change with the steps of a log.
    """
    able = (one for one in _cheapest(service) if not service.limits or "limits" in parameters(type(one)))
    return (protocol for protocol in able if service.promised(protocol) <= service.allowed)


def left_out(service: Service, ranked: Sequence[Suited]) -> dict[str, list[str]]:
    """Return the kinds of quotas that are not ranked, by the reason."""
    searched = {one.kind for one in _cheapest(replace(service, overshoot=2.0, latency=0))}  # with room for all of them
    kinds = [kind for kind in QUOTAS if kind not in {one.protocol.kind for one in ranked}]
    reasons = {
        "no overshoot this small guaranteed": [kind for kind in kinds if kind in searched],
        "not searched for this limit": [kind for kind in kinds if kind not in searched],
    }
    return {why: each for why, each in reasons.items() if each}


def _cheapest(service: Service) -> Iterator[Quota]:
    """Yield each kind with the cheapest parameters that may do."""
    trip, k, limit, window = 2 * service.latency, service.sites, service.limit, service.window
    room = inf if service.harmless else service.overshoot * limit + 1e-6
    common = limit, window
    if service.any:
        yield from (SlidingLease(*common, fraction=part) for part in (0.5, 0.9))
        for shape in ("sliding", "weighted"):
            yield Central(*common, shape=shape)
            yield from _rarest(PeriodicQuota(*common, shape=shape), service, limit + room)
        return
    kinds = (Split, WeightedSplit, HybridQuota, Central, FairLease)
    yield from (kind(*common) for kind in kinds)
    for low, fraction in product((0.0, 0.5), (0.5, 0.9)):
        yield Lease(*common, low=low, fraction=fraction)
    yield from _rarest(PeriodicQuota(*common), service, limit + room)
    if room >= trip:
        size = floor(min(window, (room - trip) / k)) + 1
        yield BatchQuota(*common, size=size)
        yield CountdownQuota(*common, epsilon=_share(size, k, limit))


def _rarest(reports: PeriodicQuota, service: Service, most: float) -> Iterator[Quota]:
    """Yield the quota with the fewest flushes with which it promises this, if there are any."""
    steps = range(1, service.window + 1)
    if every := bisect_right(steps, most, key=lambda every: service.promised(replace(reports, every=every))):
        yield replace(reports, every=every)


def _share(size: int, k: int, limit: int) -> float:
    """Return the shortest epsilon with which a countdown has this smallest size, or one below."""
    shares = [ceil(10**digits * size * k / limit) / 10**digits for digits in range(2, 13)]
    fits = (share for share in shares if share < 1 and CountdownQuota(limit, 1, epsilon=share).smallest(k) <= size)
    return 0.0 if size == 1 else next(fits, 0.999999)


def settled(protocol: Quota, service: Service, seed: int, longest: float = LONG) -> Suited:
    """Return a protocol with what short games gave, if their windows have less than `longest` words by `growing`.

    Nor are games played of which not all requests are noted. Large ones are played with a smaller limit, and their
    words grow with those of the protocol.
    """
    promised = max(0.0, service.promised(protocol) - service.limit) / service.limit
    words = bound(protocol, service)
    shrink = shrinking(protocol, service)
    smaller, game_of = service.smaller(shrink), shrunk(protocol, service, shrink)
    noted = is_noted(protocol, WINDOWS * smaller.window) and smaller.window <= MOST_STEPS
    if not (growing(protocol, service) < longest and noted):
        why = f"over {FAR:g} times the cheapest" if longest < LONG else f"over {LONG:,.0f} words"
        why = why if noted else "too many requests"
        kept = 0.0 if isinstance(protocol, WASTEFUL) else in_time(protocol, service)
        return Suited(protocol, promised, 0.0, words, kept, 0.0, played=0, why=why)
    sizes: dict[str, Any] = {"sites": service.sites, "items": WINDOWS * smaller.window, "seed": seed}
    games = [play(game_of, load, network=smaller.network, **sizes) for load in LOADS.values()]
    rows = [measured(game) for game in games]
    even = max(row["words_per_window"] for row in rows)
    least = min(row["utilisation"] for row in rows)
    overshoot, waiting = (max(row[name] or 0.0 for row in rows) for name in ("overshoot", "waiting"))
    if shrink > 1:
        even *= growing(protocol, service) / growing(game_of, smaller) if even else 1.0
        overshoot = min(overshoot, promised)  # steps of a message are rounded up
        waiting *= service.latency / smaller.latency if smaller.latency else 0.0
    return Suited(protocol, promised, overshoot, even, least, waiting, smaller.limit)


def shrinking(protocol: Quota, service: Service) -> int:
    """Return by how much limit and window of the games are smaller, 1 for games at full size."""
    if protocol.reserve or protocol.dearest > 1:
        return 1
    wanted = max(ceil(service.window / STEPS), ceil(growing(protocol, service) / WORDS))
    return max(1, min(wanted, service.limit // max(SMALLEST, PER_SITE * service.sites)))


def shrunk(protocol: Quota, service: Service, shrink: int) -> Quota:
    """Return a protocol for the smaller service, with whatever it counts in steps or requests smaller as well."""
    if shrink == 1:
        return protocol
    given, smaller = protocol.as_mapping(), service.smaller(shrink)
    parts = {name: max(1, given[name] // shrink) for name in ("every", "size") if name in given}
    return replace(protocol, limit=smaller.limit, window=smaller.window, **parts)


def growing(protocol: Quota, service: Service) -> float:
    """Return what the words of a window grow with: the cost bound, or of tokens, where that is far off, the leases."""
    if isinstance(protocol, SlidingLease):
        return leases_until_none(protocol.fraction, service.sites, protocol.pool)
    return bound(protocol, service)


def in_time(protocol: Quota, service: Service) -> float:
    """Return the share of the limit that a window has answers for: what waits at its end is rejected."""
    trip = 2 * service.latency
    if protocol.shape != "window" or not protocol.waiting(trip):
        return 1.0
    return min(1.0, max(0, service.window - trip) / service.limit)


def scenario_of(best: Suited, service: Service, name: str = "quota-advice") -> str:
    """Return the scenario that verifies a recommendation, as YAML."""
    given = "".join(f", {key}: {value}" for key, value in best.parameters.items())
    boundary, window = (", boundary", "any window") if service.any else ("", "each window")
    measure, most = ("burst", 1 + service.overshoot) if service.any else ("overshoot", service.overshoot)
    lines = [
        f"name: {name}",
        f"question: Does {best.protocol.kind} keep an overshoot of {service.overshoot:.3g} in {window}?",
        *service.lines(WINDOWS * service.window),
        "trials: 5",
        f"protocol: {{kind: {best.protocol.kind}{given}}}",
        f"adversary: [{', '.join(LOADS)}, greedy, probing{boundary}]",
        "claims:",
        "  - name: no window admits more than is allowed",
        f"    measure: max({measure})",
        f"    at_most: {most:.9g}",
        "    chance: 0",
        *([] if service.harmless else ["    control: {fault: coarse, trials: 1}"]),
    ]
    return "\n".join(lines) + "\n"


def service_of(
    sites: int, quota: float, window: float, load: float | None, overshoot: float, latency: float, any: bool = False,
    mean: float = 1.0,
) -> Service:  # fmt: skip
    """Return a service in steps from one in seconds.

    Parameters
    ----------
    quota, load
        Requests per second that may be admitted, and that come at most; None for three times the quota.
    window, latency
        In seconds.
    any
        Whether the limit is for any window.
    mean
        Cost of a request; the quota is in the unit of costs.

    Raises
    ------
    ScenarioError
        A number is out of range, or the limit of a window, which is rounded down, is less than one request.

    Examples
    --------
    >>> service_of(12, 1000, 1.0, None, 0.02, 0.02)
    Service(sites=12, limit=1000, window=3000, overshoot=0.02, latency=60, any=False, limits='')
    """
    load = 3 * quota / mean if load is None else load
    limit, _ = limit_in(quota, window)
    steps = round(load * window)
    service = checked(Service(sites, limit, steps, overshoot, ceil(latency * load), any))
    if load * mean <= quota:
        raise ScenarioError(f"--load must be above the quota of {quota / mean:.4g} per second; got {load:g}")
    if steps * mean <= limit:
        raise ScenarioError(
            f"--window must be longer: at a load of {load:g} per second {window:g} s bring no more than the limit"
        )
    return service


def checked(service: Service) -> Service:
    """Return a service that can be played; ScenarioError for a size out of range."""
    if not 1 <= service.sites <= MOST_SITES:
        raise ScenarioError(f"--sites must be from 1 to {MOST_SITES:,}; got {service.sites}")
    if not 0 <= service.overshoot < 1:
        raise ScenarioError(f"--overshoot must be from 0 %, and below 100 %; got {100 * service.overshoot:g} %")
    for name, size in {"--quota": service.limit, "--window": service.window, "--latency": service.latency}.items():
        if size > LARGEST:
            raise ScenarioError(f"{name}: must make at most {LARGEST:,} requests or steps; got {size:,}")
    return service
