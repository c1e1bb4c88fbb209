"""Parameters of a network, as given by a scenario's `network`: delays, reliable links and faults."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, field, fields, replace
from math import ceil
from sys import float_info
from typing import Any, Final

from disttrack.mechanisms.checks import plain
from disttrack.protocols.base import Protocol
from disttrack.simulator.errors import accepted, must_be, must_be_one_of, nearest
from disttrack.simulator.game.network import listed
from disttrack.simulator.game.network.faults import ALL, Crash, Partition, Restart, Stop, every, share, sites_of, steps
from disttrack.simulator.game.network.latency import Latency
from disttrack.simulator.game.network.listed import LetterFault, ListedFault
from disttrack.simulator.kinds.names import side_name


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
            raise ValueError(must_be("a finite number of at least 1", factor, "link: backoff"))

    def pause(self, tries: int, first: int) -> int:
        """Return the steps to wait for an acknowledgement after `tries` tries; `first` is the timeout if none is set.

        Examples
        --------
        >>> [Link(timeout=10, longest=50).pause(tries, 0) for tries in (1, 2, 3, 4, 5)]
        [10, 20, 40, 50, 50]
        """
        steps = first if self.timeout is None else self.timeout
        longest = self.longest_pause(first)
        for _ in range(tries - 1):
            if steps >= longest or self.backoff == 1:
                break
            steps = int(min(longest, steps * self.backoff + 0.5))
        return steps

    def longest_pause(self, first: float) -> float:
        """Return the most steps between two tries; `first` is the timeout if none is set."""
        timeout = first if self.timeout is None else self.timeout
        return 8 * timeout if self.longest is None else max(self.longest, timeout)


SHARES: Final = ("loss", "duplication", "reordering")
_DELAYS: Final = ("latency", "latency_down")
_STOPS: Final = ("crash", "server")
TEMPORARY: Final = ("partition", *_STOPS)
"""Keys of faults that may have a time."""


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
    faults
        All faults as a list (`simulator.game.network.listed`), in place of draws; an empty text for none.
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
    faults: str = ""

    def __post_init__(self) -> None:
        steps("warm_up", self.warm_up, 0)
        for name in SHARES:
            share(name, getattr(self, name), most=1)
        if self.loss == 1 and self.link is not None:
            raise ValueError("loss must be below 1 with a reliable link")
        if self.far is not None:
            sites_of(self.far[0])
        if self.listed:
            drawn = [name for name in (*SHARES, "partition") if getattr(self, name)]
            drawn += [name for name in _STOPS if (one := getattr(self, name)) and not one.never]
            drawn += [name for name in _DELAYS if (one := getattr(self, name)) and not one.fixed]
            drawn += ["far.latency"] * (self.far is not None and not self.far[1].fixed)
            if drawn:
                remedy = "a number" if "latency" in drawn[0] else "left out"
                raise ValueError(f"{drawn[0]}: must be {remedy} beside faults")

    @property
    def listed(self) -> Sequence[ListedFault]:
        """The faults of the list."""
        return listed.read(self.faults)

    @property
    def latencies(self) -> list[Latency]:
        """The delays that it has."""
        parts = (self.latency, self.latency_down, None if self.far is None else self.far[1])
        return [one for one in parts if one is not None]

    def delays(self, k: int) -> tuple[list[Latency], list[Latency]]:
        """Return the delay of the messages of each of k sites, and of those to each."""
        ways = [self.latency] * k, [self.latency_down or self.latency] * k
        if self.far is not None:
            for site in every(self.far[0], k):
                ways[0][site] = ways[1][site] = self.far[1]
        return ways

    @property
    def instant(self) -> bool:
        """Whether it is equivalent to no network."""
        return all(one.instant for one in self.latencies) and not self.faulty and not self.warm_up

    @property
    def faulty(self) -> bool:
        """Whether messages or machines have faults besides delay."""
        drawn = self.loss or self.duplication or self.reordering or self.partition
        return bool(drawn or self.link or self.listed) or self.stops

    @property
    def stops(self) -> bool:
        """Whether a site or the server may stop for a while."""
        return any(isinstance(one, Stop) and not one.never for one in (self.crash, self.server, *self.listed))

    def default_timeout(self, k: int) -> int:
        """Return the steps after which a packet is sent again, if none is set: from the mean times of round trips."""
        ways = [self.latency.mean_steps + (self.latency_down or self.latency).mean_steps]
        if self.far is not None and len(every(self.far[0], k)):
            ways.append(2 * self.far[1].mean_steps)
        return 2 * ceil(max(ways)) + 2

    def within(self, k: int) -> Network:
        """Return the network of a game of at most k sites: what it says of others is left out."""
        named: list[ListedFault] = [one for one in (self.partition, self.crash) if one is not None]
        left: dict[Any, Any] = {type(one): one for one in listed.within(named, k)}
        far = None if self.far is None else listed.sites_within(self.far[0], k)
        return replace(
            self,
            partition=left.get(Partition),
            crash=left.get(Crash),
            far=None if self.far is None or not far else (far, self.far[1]),
            faults=listed.written(listed.within(self.listed, k)),
        )

    def with_faults(self, faults: Iterable[ListedFault], k: int) -> dict[str, Any]:
        """Return, as a scenario has it, this network of k sites with a list of faults in place of its own.

        Latencies are the shortest possible ones; what is kept is how links and the server's checkpoints work.
        """
        made: dict[str, object] = {"latency": self.latency.least}
        if self.latency_down is not None:
            made["latency_down"] = self.latency_down.least
        if self.far is not None:
            made["far"] = {"sites": self.far[0], "latency": self.far[1].least}
        if self.warm_up:
            made["warm_up"] = self.warm_up
        if self.link is not None:
            link = asdict(replace(self.link, timeout=self.link.timeout or self.default_timeout(k)))
            made["link"] = {name: value for name, value in link.items() if value is not None}
        if self.server is not None and self.server.checkpoint is not None:
            made["server"] = {"down": 1, "rate": 0, "checkpoint": self.server.checkpoint}
        return {**made, "faults": listed.written(faults)}

    def slower(self, pace: int) -> Network:
        """Return the same network for steps of which each is divided into this many.

        Raises
        ------
        ValueError
            It has more than latencies and losses.
        """
        if pace == 1:
            return self
        for name in ("reordering", "link", "faults", *TEMPORARY):
            if getattr(self, name):
                raise ValueError(f"{name}: must be left out with {pace:,} items a step; give a shorter step, or none")
        far = None if self.far is None else (self.far[0], self.far[1].slower(pace))
        down = None if self.latency_down is None else self.latency_down.slower(pace)
        warm_up = self.warm_up * pace
        return replace(self, latency=self.latency.slower(pace), latency_down=down, far=far, warm_up=warm_up)

    def messages(self, sent: float, k: int, steps: int, protocol: Protocol) -> float:
        """Estimate the messages on the wires if a protocol sends `sent` messages in a game of `steps` steps."""
        for fault in (self.crash, self.server, *self.listed):
            if isinstance(fault, Stop) and not fault.never and fault.loses:
                places = len(every(fault.sites, k)) if isinstance(fault, Crash) else 1
                times = places * (1.0 if fault.rate is None else steps * fault.rate / (1 + fault.rate * fault.down))
                report = isinstance(fault, Crash) and protocol.readmission == "report"
                sent += times * (1 if report else 3 * k + 1)
        if self.link is not None:
            tries = 1 / (1 - self.loss) ** 2  # until both the packet and its acknowledgement arrive
            sent *= tries * (2 - self.loss)
        return sent

    def check(self, k: int, protocol: Protocol) -> None:
        """Raise ValueError if sites are named that do not exist, or the protocol has no rule for their return."""
        named = [(name, one.sites) for name in ("partition", "crash") if (one := getattr(self, name)) is not None]
        named += [("far", self.far[0])] if self.far is not None else []
        for one in self.listed:
            if not isinstance(one, Restart):
                sites = one.site if isinstance(one, LetterFault) else one.sites
                named.append((f"faults: {listed.written([one])}", sites))
        for place, sites in named:
            try:
                sites_of(sites, k)
            except ValueError as error:
                raise ValueError(f"{place}: {error}") from error
        listed.stops(self.listed, k)
        losers = [("crash", self.crash), ("server", self.server), *(("faults", one) for one in self.listed)]
        for name, one in losers:
            if not isinstance(one, Stop) or (isinstance(one, Crash) and not one.readmit):
                continue
            if one.loses and not protocol.returns(isinstance(one, Restart)):
                raise ValueError(f"{name}: state must be kept: {side_name(protocol)} has no readmission")


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
    for name in _DELAYS:
        if name in options:
            options[name] = latency_of(options[name], name)
    if "far" in options:
        far = _checked("far: ", options["far"], ("latency",), ("sites",))
        options["far"] = (far.get("sites", ALL), latency_of(far["latency"], "far: latency"))
    for name, part in zip(TEMPORARY, (Partition, Crash, Restart), strict=True):
        if name in options:
            options[name] = part(**_arguments(part, options[name], f"{name}: "))
    options["link"] = link_of(options.get("link", "bare"))
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
        raise ValueError(f"{must_be('a mapping', given, place.rstrip())} ({accepted(known)})")
    for key in given:
        if key not in known:
            raise ValueError(f"{place}{key}: unknown key{nearest(str(key), known)} ({accepted(known)})")
    for key in needed:
        if key not in given:
            raise ValueError(f"{place}{key} is missing ({accepted(known)})")
    return {key: plain(value) for key, value in given.items()}


def checked_network(given: Mapping[str, Any] | Network | Latency | None, k: int, protocol: Protocol) -> Network | None:
    """Return the network of a game of k sites; ValueError if it does not fit the game or this protocol."""
    if not isinstance(given, Mapping | Network | Latency | None):
        raise ValueError(must_be("a mapping or a Network", given, "network"))
    network = network_of(given)
    if network is not None:
        network.check(k, protocol)
    return network


def link_of(given: Mapping[str, Any] | str) -> Link | None:
    """Return the link described by ``reliable``, ``bare``, or the parameters of a reliable link."""
    if isinstance(given, Mapping):
        return Link(**_arguments(Link, given, "link: "))
    if not isinstance(given, str) or given not in _LINKS:
        raise ValueError(must_be("reliable, bare, or its parameters", given, "link") + nearest(str(given), _LINKS))
    return _LINKS[given]


def latency_of(given: Mapping[str, Any] | float | Latency, place: str = "latency") -> Latency:
    """Return the delays described by a number of steps, or by a distribution with its parameters."""
    if isinstance(given, Latency):
        return given
    try:
        return Latency(**_delays(given))
    except ValueError as error:
        reason = str(error).removeprefix("latency")  # in the words of files
        for name, written in {"mean": " exponential"}.items() if isinstance(given, Mapping) else [("constant", "")]:
            reason = reason.replace(f": {name} must", f":{written} must", 1)
        raise ValueError(f"{place}{reason}") from error


def _delays(given: object) -> dict[str, Any]:
    """Return the arguments of a latency."""
    if not isinstance(given, Mapping):
        return {"constant": given}
    kinds = ("constant", "exponential", "uniform", "lognormal")
    _checked("latency: ", given, (), kinds)
    if len(given) != 1:
        raise ValueError(must_be_one_of(kinds, given, "latency:"))
    ((kind, value),) = given.items()
    if kind in _PAIRS:
        pair = _checked(f"latency: {kind}: ", value, _PAIRS[kind])
        value = tuple(pair[key] for key in _PAIRS[kind])
    return {"mean" if kind == "exponential" else kind: value}


_LINKS: Final = {"reliable": Link(), "bare": None}
_PAIRS: Final = {"uniform": ("from", "to"), "lognormal": ("median", "sigma")}
"""Keys of the distributions with two parameters."""
