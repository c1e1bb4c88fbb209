"""Parameters of a network, as given by a scenario's `network`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from disttrack.protocols.base import Protocol, whole
from disttrack.simulator.game.network.faults import Crash, Partition, Restart, share, sites_of
from disttrack.simulator.game.network.latency import Latency
from disttrack.simulator.game.network.link import Link


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
        whole("warm_up", self.warm_up, 0)
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

    Examples
    --------
    >>> network_of({"latency": {"exponential": 5}, "partition": {"from": 10, "to": 20}}).partition
    Partition(begin=10, end=20, sites='all')
    """
    if given is None or isinstance(given, Network):
        return given
    if isinstance(given, Latency):
        return Network(given)
    unknown = set(given) - {one.name for one in fields(Network)}
    if unknown:
        raise ValueError(f"network: unknown key {sorted(unknown)[0]!r}")
    options = {key: value for key, value in given.items() if value is not None}
    for name in ("latency", "latency_down"):
        if name in options:
            options[name] = latency_of(options[name])
    if "far" in options:
        options["far"] = (options["far"]["sites"], latency_of(options["far"]["latency"]))
    if "partition" in options:
        window = dict(options["partition"])
        options["partition"] = Partition(window.pop("from"), window.pop("to"), **window)
    for name, kind in (("crash", Crash), ("server", Restart)):
        if name in options:
            options[name] = kind(**options[name])
    if "link" in options:
        options["link"] = link_of(options["link"])
    return Network(**options)


def checked_network(given: Mapping[str, Any] | Network | Latency | None, k: int, protocol: Protocol) -> Network | None:
    """Return the network of a game of k sites; ValueError if it does not fit the game or this protocol."""
    network = network_of(given)
    if network is not None:
        network.check(k, protocol)
    return network


def link_of(given: Mapping[str, Any] | str) -> Link | None:
    """Return the link described by ``reliable``, ``bare``, or the parameters of a reliable link."""
    if isinstance(given, Mapping):
        return Link(**given)
    if given not in ("reliable", "bare"):
        raise ValueError(f"link must be reliable, bare, or its parameters; got {given!r}")
    return Link() if given == "reliable" else None


def latency_of(given: Mapping[str, Any] | float | Latency) -> Latency:
    """Return the delays described by a number of steps, or by a distribution with its parameters."""
    if isinstance(given, Latency):
        return given
    if not isinstance(given, Mapping):
        return Latency(constant=given)
    ((name, value),) = given.items()
    if name == "exponential":
        return Latency(mean=value)
    if name == "uniform":
        return Latency(uniform=(value["from"], value["to"]))
    if name == "lognormal":
        return Latency(lognormal=(value["median"], value["sigma"]))
    return Latency(constant=value)
