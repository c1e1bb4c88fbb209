"""Sites and servers with one fault each."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from math import nan
from typing import Any

import numpy as np

from disttrack.protocols.base import Message, Server, Site


class Wrapped(Site):
    """A right site, to be spoilt in one method."""

    def __init__(self, inner: Site, rng: Any) -> None:
        self.inner = inner
        self.rng = rng

    def silence(self) -> int:
        return self.inner.silence()

    def take(self, items: int) -> Sequence[Message]:
        return self.inner.take(items)

    def hear(self, message: Message) -> Sequence[Message]:
        return self.inner.hear(message)


class Mirror(Server):
    """A right server, to be spoilt in one method."""

    def __init__(self, inner: Server, rng: Any) -> None:
        self.inner = inner
        self.rng = rng

    @property
    def output(self) -> Any:  # type: ignore[override]
        return self.inner.output

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        return self.inner.hear(sender, message)


def before(method: str, act: Callable[[Any], object], of: type[Any] = Wrapped) -> type[Any]:
    """Return a part that does something before each call of a method."""

    def acting(part: Any, *given: Any) -> Any:
        act(part)
        return getattr(of, method)(part, *given)

    return type("Spoilt", (of,), {method: acting})


def silent(rule: Callable[[int], Any]) -> type[Any]:
    """Return a site that states another silence than it keeps."""
    return type("Spoilt", (Wrapped,), {"silence": lambda site: rule(site.inner.silence())})


def sending(change: Callable[[Message], Message], of: type[Any] = Wrapped) -> type[Any]:
    """Return a site that changes each message."""
    return type("Spoilt", (of,), {"take": lambda site, items: [*map(change, of.take(site, items))]})


def signals(act: Callable[[int], object], of: Callable[[], bool] = lambda: True) -> type[Any]:
    """Return a site that does something with each number of items, and sends a signal where it may."""

    def take(site: Any, items: int) -> Sequence[Message]:
        act(items)
        return (Message("tick"),) if of() else ()

    return type("Spoilt", (Wrapped,), {"take": take, "silence": lambda site: 0})


def putting_out(rule: Callable[[Any], Any]) -> type[Any]:
    """Return a server that puts out something else."""
    return type("Spoilt", (Mirror,), {"output": property(lambda server: rule(server.inner.output))})


# ---------------------------------------------------------------------- sites


class CountsHandovers(Wrapped):
    """Takes any number of items for one."""

    def take(self, items: int) -> Sequence[Message]:
        return self.inner.take(1)

    def silence(self) -> int:
        return self.inner.silence()


class InKinds(Wrapped):
    """Sends its number of items as the kind of a signal, which costs one bit."""

    items = 0

    def silence(self) -> int:
        return 0

    def take(self, items: int) -> Sequence[Message]:
        self.items += items
        return (Message(f"n{self.items}"),)


BOX: list[int] = []
TOLD: list[int] = []
REMEMBERED: list[int] = []
SITES: dict[str, type[Any]] = {
    "TooLongSilence": silent(lambda items: items + 1),
    "FloatSilence": silent(float),
    "SilenceDraws": before("silence", lambda site: site.rng.random()),
    "CountsHandovers": CountsHandovers,
    "Nameless": sending(lambda message: Message("", message.value)),
    "GloballyRandom": before("take", lambda site: random.random()),
    "NumpyGlobally": before("take", lambda site: np.random.rand()),  # noqa: NPY002 - the fault
}
Fat = sending(lambda message: message._replace(value=(message.value, [0, 1, 2])))
"""Sends a list of numbers as one word."""
Packed = sending(lambda message: message._replace(value=(message.value, 1 << 64)))
"""Sends an integer beyond any number of items, as one word."""
Fills = signals(BOX.append)
"""Writes where the server reads, and sends signals."""
Overhears = signals(lambda items: None, of=lambda: len(TOLD) < 10)
"""Stops when the server, which sends nothing, has heard ten."""

# ---------------------------------------------------------------------- servers


class Remembers(Mirror):
    """Keeps in the module what it has heard in other games."""

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        REMEMBERED.append(sender)
        return super().hear(sender, message)

    @property
    def output(self) -> Any:  # type: ignore[override]
        return self.inner.output + len(REMEMBERED) * 1e-9


SERVERS: dict[str, type[Any]] = {
    "SameCoins": before("hear", lambda server: server.rng.random(), of=Mirror),  # goes by nothing that it draws
    "Remembers": Remembers,
    "TwiceTheTruth": putting_out(lambda output: 2 * output),
    "InWords": putting_out(lambda output: f"about {output}"),
    "NotANumber": putting_out(lambda output: nan if output > 100 else output),
}
Hashes = putting_out(lambda output: output * (1 - hash("a text") % 100_003 / 1e6))
SlightlyHigh = putting_out(lambda output: output * (1 + 1e-6))


class Reads(Mirror):
    """Reads what a fat message carries first."""

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        return self.inner.hear(sender, message._replace(value=message.value[0]))


class ReadsKinds(Mirror):
    """Reads the number that is a kind."""

    def __init__(self, inner: Server, rng: Any) -> None:
        super().__init__(inner, rng)
        self.items: dict[int, int] = {}

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        self.items[sender] = int(message.kind[1:])
        return ()

    @property
    def output(self) -> Any:  # type: ignore[override]
        return sum(self.items.values())


class Tells(Mirror):
    """Writes where the sites read."""

    def __init__(self, inner: Server, rng: Any) -> None:
        super().__init__(inner, rng)
        TOLD.clear()
        BOX.clear()

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        TOLD.append(sender)
        return ()


class Peeps(Tells):
    """Outputs what sites have written."""

    @property
    def output(self) -> Any:  # type: ignore[override]
        return sum(BOX)
