"""Sites, a server, a protocol and channels that write down what they are asked, for tests of who comes back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from disttrack.protocols.base import Message, Protocol, Server, Site
from disttrack.simulator.game.network.channels import FAULT, Letter
from disttrack.simulator.game.network.machines import ServerMachine, SiteMachine
from disttrack.simulator.game.network.model import Network
from disttrack.simulator.game.network.recovery import Recovery
from disttrack.simulator.game.network.voyages import Origin

K = 3


class PlainSite(Site):
    """Says how many items it is given, in parts of two at most."""

    def __init__(self, name: str, count: int = 0) -> None:
        self.name, self.count = name, count

    def quota(self) -> int:
        return 1

    def take(self, items: int) -> Sequence[Message]:
        self.count += items
        return (Message(self.name, items),)

    def hear(self, message: Message) -> Sequence[Message]:
        return (Message(f"{self.name} hears {message.kind}"),)


class PlainServer(Server):
    def __init__(self, output: float, rounds: int = 1) -> None:
        self.output, self.rounds, self.leaked = output, rounds, [(1, 2, 3)]  # type: ignore[misc]

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        self.output = sender
        return ((sender, message),)

    def readmit(self, sender: int, items: int) -> Sequence[tuple[int, Message]]:
        self.output = items
        return ((sender, Message("readmitted", items)),)


class PlainProtocol(Protocol):
    """Writes down what is made of it."""

    readmission = "report"

    def __init__(self, readmission: str = "report") -> None:
        self.readmission = readmission  # type: ignore[misc]
        self.made: list[Any] = []

    def sites(self, k: int, rng: Any, counts: Any = None) -> list[Site]:
        self.made.append(("sites", k, rng, counts))
        return [PlainSite(f"new {site}") for site in range(k)]

    def server(self, k: int, rng: Any, start: Any = 0) -> Server:
        raise AssertionError

    def returned_site(self, k: int, rng: Any, items: int) -> Site:
        self.made.append(("returned", k, rng, items))
        return PlainSite("back", items)

    def recoverable_server(self, k: int, rng: Any, counts: Any) -> Server:
        self.made.append(("server", k, rng, counts))
        return PlainServer(sum(counts), 5)


class RecordingChannels:
    """Takes down what it is told."""

    def __init__(self) -> None:
        self.told: list[Any] = []
        self.due: list[tuple[int, int, Callable[[Any], None]]] = []
        self.now = 0
        self.hooks = SimpleNamespace(
            heard=lambda site: self.told.append(("heard", site)),
            about_to_hear=lambda: self.told.append("about to hear"),
            stirred=lambda: self.told.append("stirred"),
        )

    def clock(self) -> int:
        return self.now

    def schedule(self, step: int, priority: int, action: Callable[[Any], None]) -> None:
        assert priority == FAULT
        self.due.append((step, priority, action))

    def next(self) -> None:
        """Let the next thing happen at its time."""
        self.due.sort(key=lambda one: one[0])
        self.now, _, action = self.due.pop(0)
        action(None)

    def sync(self, site: int) -> None:
        self.told.append(("sync", site))

    def forget(self, site: int) -> None:
        self.told.append(("forget", site))

    def send_on(self, site: int, messages: Sequence[Message]) -> None:
        self.told.append(("send", site, list(messages)))

    def send_down(self, said: Sequence[tuple[int, Message]]) -> None:
        self.told.append(("down", list(said)))

    def take(self) -> list[Any]:
        told, self.told = self.told, []
        return told


def begun(readmission: str = "report", **network: Any) -> tuple[Recovery, RecordingChannels, PlainProtocol]:
    protocol, channels = PlainProtocol(readmission), RecordingChannels()
    machines = [SiteMachine(PlainSite(f"old {site}"), 10 * site) for site in range(K)]
    rngs = {"sites": "sites' own", "server": "server's own", "network": np.random.default_rng(1)}
    made = Recovery(Network(**network), protocol, machines, ServerMachine(PlainServer(7.0), 4), rngs)
    made.begin(channels)  # type: ignore[arg-type]
    return made, channels, protocol


def letter(kind: str, value: Any = None, site: int = 1, generation: int = 0) -> Letter:
    return Letter(Message(kind, value), site, True, Origin(1, 0), generation)
