"""Parameters of a network, as given by a scenario's `network`: delays, reliable links and faults."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from math import ceil, exp
from sys import float_info
from typing import Any, Final

from disttrack.protocols.base import Protocol
from disttrack.simulator.errors import accepted, nearest
from disttrack.simulator.game.network.faults import ALL, Crash, Partition, Restart, share, sites_of, steps

LONGEST: Final = 2**40
"""Largest delay, in steps: distributions have tails, and clocks 64 bits."""


@dataclass(frozen=True)
class Latency:
    """Delay of messages, in steps; one of the four is given.

    A message sent in step t arrives in step t + ceil(delay), after that step's item, and, unless it is reordered,
    never before an earlier message of the same site in the same direction.

    Parameters
    ----------
    constant
        The same delay for every message.
    mean
        Exponential delays of this mean, drawn independently for each message.
    uniform
        Least and largest of uniformly distributed delays.
    lognormal
        Median, and the standard deviation of the logarithm.

    Raises
    ------
    ValueError
        If not exactly one is given, or a number in it is negative or above 2^62 (a mean, a median: not above 0).

    Examples
    --------
    >>> Latency(constant=2.5).mean_steps, Latency(uniform=(0, 10)).mean_steps
    (3.0, 5.5)
    """

    constant: float | None = None
    mean: float | None = None
    uniform: tuple[float, float] | None = None
    lognormal: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        given = {field.name: value for field in fields(self) if (value := getattr(self, field.name)) is not None}
        if len(given) != 1:
            raise ValueError(f"latency needs one of constant, mean, uniform, lognormal; got {sorted(given) or 'none'}")
        ((name, value),) = given.items()
        for number in value if isinstance(value, tuple) else (value,):
            if isinstance(number, bool) or not isinstance(number, int | float) or not 0 <= number <= 2**62:
                raise ValueError(f"latency: {name} must be a number of steps from 0 to 2^62; got {value!r}")
        if name in ("uniform", "lognormal") and (not isinstance(value, tuple) or len(value) != 2):
            raise ValueError(f"latency: {name} must be two numbers; got {value!r}")
        if name == "uniform" and value[0] > value[1]:
            raise ValueError(f"latency: uniform must go from the least to the largest; got {value!r}")
        if name == "mean" and not value:
            raise ValueError("latency: mean must be above 0; for no delay leave the network out")
        if name == "lognormal" and not value[0]:
            raise ValueError("latency: the median of lognormal must be above 0")

    @property
    def instant(self) -> bool:
        """Whether there is no delay at all."""
        return self.constant == 0 or self.uniform == (0, 0)

    @property
    def mean_steps(self) -> float:
        """Approximate mean delay of a message in whole steps."""
        if self.constant is not None:
            return float(ceil(self.constant))
        if self.mean is not None:
            return self.mean + 0.5
        if self.uniform is not None:
            return sum(self.uniform) / 2 + 0.5
        assert self.lognormal is not None
        median, sigma = self.lognormal
        return min(median * exp(min(sigma**2 / 2, 100)) + 0.5, float(LONGEST))

    def sampler(self, rng: Any) -> Callable[[], int]:
        """Return a function that draws one delay in whole steps from the game's network stream."""
        if self.constant is not None:
            delay = ceil(self.constant)
            return lambda: delay
        if self.mean is not None:
            mean = self.mean
            return lambda: min(ceil(rng.exponential(mean)), LONGEST)
        if self.uniform is not None:
            least, largest = self.uniform
            return lambda: ceil(rng.uniform(least, largest))
        assert self.lognormal is not None
        median, sigma = self.lognormal
        return lambda: ceil(min(median * exp(min(sigma * rng.standard_normal(), 700.0)), LONGEST))


@dataclass(frozen=True)
class Link:
    """Parameters of reliable links.

    Parameters
    ----------
    timeout
        Steps after which a packet is first sent again; None: twice the mean round-trip time, plus two.
    backoff
        The factor by which each further pause is longer than the one before.
    longest
        The longest pause, in steps; None: 8 times the first one.
    """

    timeout: int | None = None
    backoff: float = 2.0
    longest: int | None = None

    def __post_init__(self) -> None:
        for name, value in (("timeout", self.timeout), ("longest", self.longest)):
            if value is not None:
                steps(f"link: {name}", value, 1)
        factor: Any = self.backoff
        if isinstance(factor, bool) or not isinstance(factor, int | float) or not 1 <= factor <= float_info.max:
            raise ValueError(f"link: backoff must be a finite number of at least 1; got {factor!r}")

    def pause(self, tries: int, first: int) -> int:
        """Return the steps to wait for an acknowledgement after `tries` tries; `first` is the timeout if none is set.

        Examples
        --------
        >>> [Link(timeout=10, longest=50).pause(tries, 0) for tries in (1, 2, 3, 4, 5)]
        [10, 20, 40, 50, 50]
        """
        timeout = first if self.timeout is None else self.timeout
        longest = 8 * timeout if self.longest is None else max(self.longest, timeout)
        steps = timeout
        for _ in range(tries - 1):
            if steps >= longest or self.backoff == 1:
                break
            steps = int(min(longest, steps * self.backoff + 0.5))
        return steps


@dataclass(frozen=True)
class Network:
    """Delays and faults of messages, sites and server.

    Parameters
    ----------
    latency, latency_down
        Delay of messages, and of the server's messages if it differs.
    far
        Sites, and the latency of their messages in both directions instead.
    loss
        Probability that a message is lost, independently; below 1 with a reliable link.
    duplication
        Probability that a message that is not lost arrives twice.
    reordering
        Probability that it is delayed by another latency and a step, while later messages overtake it.
    partition, crash, server
        Temporary faults.
    link
        The reliable link over these wires; None for none.
    warm_up
        Initial steps whose outputs the verdict does not judge.
    """

    latency: Latency = field(default_factory=lambda: Latency(constant=0))
    warm_up: int = 0
    latency_down: Latency | None = None
    far: tuple[str | int, Latency] | None = None
    loss: float = 0.0
    duplication: float = 0.0
    reordering: float = 0.0
    partition: Partition | None = None
    crash: Crash | None = None
    server: Restart | None = None
    link: Link | None = None

    def __post_init__(self) -> None:
        steps("warm_up", self.warm_up, 0)
        for name in ("loss", "duplication", "reordering"):
            share(name, getattr(self, name), most=1)
        if self.loss == 1 and self.link is not None:
            raise ValueError("loss must be below 1 with a reliable link, which would send for ever")
        if self.far is not None:
            sites_of(self.far[0])

    @property
    def instant(self) -> bool:
        """Whether it is equivalent to no network."""
        latencies = (self.latency, self.latency_down, None if self.far is None else self.far[1])
        soon = all(one is None or one.instant for one in latencies)
        return soon and not self.faulty and not self.warm_up

    @property
    def faulty(self) -> bool:
        """Whether messages or machines have faults besides delay."""
        return bool(self.loss or self.duplication or self.reordering or self.partition or self.link) or self.stops

    @property
    def stops(self) -> bool:
        """Whether a site or the server may stop for a while."""
        return any(one is not None and not one.never for one in (self.crash, self.server))

    def messages(self, sent: float, k: int, steps: int, protocol: Protocol) -> float:
        """Estimate the messages on the wires if a protocol sends `sent` messages in a game of `steps` steps."""
        for fault, places in ((self.crash, k), (self.server, 1)):
            if fault is not None and not fault.never:
                times = places * (1.0 if fault.rate is None else steps * fault.rate / (1 + fault.rate * fault.down))
                if fault.state == "lost":
                    sent += times * (1 if places == k and protocol.readmission == "report" else 3 * k + 1)
        if self.link is not None:
            tries = 1 / (1 - self.loss) ** 2  # until both the packet and its acknowledgement arrive
            sent *= tries * (2 - self.loss)
        return sent

    def check(self, k: int, protocol: Protocol) -> None:
        """Raise ValueError if sites are named that do not exist, or the protocol has no rule for their return."""
        for fault in (self.partition, self.crash):
            if fault is not None:
                sites_of(fault.sites, k)
        if self.far is not None:
            sites_of(self.far[0], k)
        losers = [("crash", self.crash and self.crash.readmit and self.crash.state == "lost"),
                  ("server", self.server and self.server.state == "lost")]  # fmt: skip
        for name, loses in losers:
            if loses and protocol.readmission == "none":
                raise ValueError(
                    f"{name}: state must be kept: protocol {protocol.kind or type(protocol).__name__} has no rule by "
                    "which a site without its state comes back (readmission)"
                )


def network_of(given: Mapping[str, Any] | Network | Latency | None) -> Network | None:
    """Return the network described by a scenario's `network`, or by an argument of `play`; None for none.

    Raises
    ------
    ValueError
        A key or value is wrong; the message begins with the keys that lead to it: ``crash: down must be …``.

    Examples
    --------
    >>> network_of({"latency": {"exponential": 5}, "partition": {"from": 10, "to": 20}}).partition
    Partition(begin=10, end=20, sites='all')
    """
    if given is None or isinstance(given, Network):
        return given
    if isinstance(given, Latency):
        return Network(given)
    options = {key: value for key, value in _arguments(Network, given).items() if value is not None}
    for name in ("latency", "latency_down"):
        if name in options:
            options[name] = latency_of(options[name], name)
    if "far" in options:
        far = _checked("far: ", options["far"], ("latency",), ("sites",))
        options["far"] = (far.get("sites", ALL), latency_of(far["latency"], "far: latency"))
    for name, part in (("partition", Partition), ("crash", Crash), ("server", Restart)):
        if name in options:
            options[name] = part(**_arguments(part, options[name], f"{name}: "))
    if "link" in options:
        options["link"] = link_of(options["link"])
    return Network(**options)


_KEYS: Final = {"begin": "from", "end": "to"}
"""Keys of scenarios that are no names in Python."""


def _arguments(part: Any, given: object, place: str = "") -> dict[str, Any]:
    """Return the arguments of a part of a network by its keys."""
    names = {_KEYS.get(one.name, one.name): one for one in fields(part)}
    needed = [key for key, one in names.items() if one.default is MISSING and one.default_factory is MISSING]
    return {names[key].name: value for key, value in _checked(place, given, needed, names).items()}


def _checked(place: str, given: object, needed: Sequence[str], others: Iterable[str] = ()) -> Mapping[str, Any]:
    """Return a mapping with these keys; ValueError if one is unknown or missing."""
    known = list(dict.fromkeys([*needed, *others]))
    if not isinstance(given, Mapping):
        raise ValueError(f"{place}must hold keys and values; got {given!r}")
    for key in given:
        if key not in known:
            raise ValueError(f"{place}{key}: unknown key{nearest(str(key), known)} ({accepted(known)})")
    for key in needed:
        if key not in given:
            raise ValueError(f"{place}{key} is missing ({accepted(known)})")
    return given


def checked_network(given: Mapping[str, Any] | Network | Latency | None, k: int, protocol: Protocol) -> Network | None:
    """Return the network of a game of k sites; ValueError if it does not fit the game or this protocol."""
    if not isinstance(given, Mapping | Network | Latency | None):
        raise ValueError(f"network must hold keys and values, or be a Network; got {given!r}")
    network = network_of(given)
    if network is not None:
        network.check(k, protocol)
    return network


def link_of(given: Mapping[str, Any] | str) -> Link | None:
    """Return the link described by ``reliable``, ``bare``, or the parameters of a reliable link."""
    if isinstance(given, Mapping):
        return Link(**_arguments(Link, given, "link: "))
    if given not in ("reliable", "bare"):
        advice = nearest(str(given), ("reliable", "bare"))
        raise ValueError(f"link must be reliable, bare, or its parameters; got {given!r}{advice}")
    return Link() if given == "reliable" else None


def latency_of(given: Mapping[str, Any] | float | Latency, place: str = "latency") -> Latency:
    """Return the delays described by a number of steps, or by a distribution with its parameters."""
    if isinstance(given, Latency):
        return given
    try:
        return Latency(**_delays(given))
    except ValueError as error:
        raise ValueError(f"{place}{str(error).removeprefix('latency')}") from error


def _delays(given: object) -> dict[str, Any]:
    """Return the arguments of a latency."""
    if not isinstance(given, Mapping):
        return {"constant": given}
    kinds = ("constant", "exponential", "uniform", "lognormal")
    _checked("latency: ", given, (), kinds)
    if len(given) != 1:
        raise ValueError(f"latency: must be one of {', '.join(kinds)}; got {given!r}")
    ((kind, value),) = given.items()
    if kind in _PAIRS:
        pair = _checked(f"latency: {kind}: ", value, _PAIRS[kind])
        value = tuple(pair[key] for key in _PAIRS[kind])
    return {"mean" if kind == "exponential" else kind: value}


_PAIRS: Final = {"uniform": ("from", "to"), "lognormal": ("median", "sigma")}
"""Keys of the distributions with two parameters."""
