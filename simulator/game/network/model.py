"""What a network is like: the parameters that a scenario's `network` gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from protocols.base import whole
from simulator.game.network.latency import Latency


@dataclass(frozen=True)
class Network:
    """What becomes of messages on their way.

    Parameters
    ----------
    latency
        How long they take.
    warm_up
        Steps at the beginning whose outputs are not judged by the verdict.
    """

    latency: Latency = field(default_factory=lambda: Latency(constant=0))
    warm_up: int = 0

    def __post_init__(self) -> None:
        whole("warm_up", self.warm_up, 0)

    @property
    def instant(self) -> bool:
        """Whether it is as if there were none."""
        return self.latency.instant and not self.warm_up


def network_of(given: Mapping[str, Any] | Network | Latency | None) -> Network | None:
    """Return the network that a scenario's `network`, or an argument of `play`, describes; None for none.

    Examples
    --------
    >>> network_of({"latency": {"exponential": 5}, "warm_up": 100}).latency.mean
    5
    """
    if given is None or isinstance(given, Network):
        return given
    if isinstance(given, Latency):
        return Network(given)
    options = dict(given)
    return Network(latency_of(options.pop("latency", 0)), **options)


def latency_of(given: Mapping[str, Any] | float) -> Latency:
    """Return the delays that a number of steps, or a distribution with its parameters, describes."""
    if not isinstance(given, Mapping):
        return Latency(constant=given)
    ((name, value),) = given.items()
    return Latency(mean=value) if name == "exponential" else Latency(constant=value)
