"""Sites and servers with one fault each."""

from __future__ import annotations

import random
from collections.abc import Sequence
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


# ---------------------------------------------------------------------- sites


class TooLongSilence(Wrapped):
    def silence(self) -> int:
        return self.inner.silence() + 1


class FloatSilence(Wrapped):
    def silence(self) -> Any:
        return float(self.inner.silence())


class SilenceDraws(Wrapped):
    def silence(self) -> int:
        self.rng.random()
        return self.inner.silence()


class CountsHandovers(Wrapped):
    """Takes any number of items for one."""

    def take(self, items: int) -> Sequence[Message]:
        return self.inner.take(1)

    def silence(self) -> int:
        return self.inner.silence()


class Fat(Wrapped):
    """Sends a list of numbers as one word."""

    def take(self, items: int) -> Sequence[Message]:
        return [message._replace(value=(message.value, [0, 1, 2])) for message in self.inner.take(items)]


class Packed(Wrapped):
    """Sends an integer beyond any number of items, as one word."""

    def take(self, items: int) -> Sequence[Message]:
        return [message._replace(value=(message.value, 1 << 64)) for message in self.inner.take(items)]


class InKinds(Wrapped):
    """Sends its number of items as the kind of a signal, which costs one bit."""

    items = 0

    def silence(self) -> int:
        return 0

    def take(self, items: int) -> Sequence[Message]:
        self.items += items
        return (Message(f"n{self.items}"),)


BOX: list[int] = []


class Fills(Wrapped):
    """Writes where the server reads, and sends signals."""

    def take(self, items: int) -> Sequence[Message]:
        BOX.append(items)
        return (Message("tick"),)

    def silence(self) -> int:
        return 0


TOLD: list[int] = []


class Overhears(Wrapped):
    """Stops when the server, which sends nothing, has heard ten."""

    def take(self, items: int) -> Sequence[Message]:
        return (Message("tick"),) if len(TOLD) < 10 else ()

    def silence(self) -> int:
        return 0


class Nameless(Wrapped):
    def take(self, items: int) -> Sequence[Message]:
        return [Message("", message.value) for message in super().take(items)]


class GloballyRandom(Wrapped):
    def take(self, items: int) -> Sequence[Message]:
        random.random()
        return super().take(items)


class NumpyGlobally(Wrapped):
    def take(self, items: int) -> Sequence[Message]:
        np.random.rand()  # noqa: NPY002 - the fault
        return super().take(items)


# ---------------------------------------------------------------------- servers


class SameCoins(Mirror):
    """Draws from the generator handed in, and goes by nothing that it draws."""

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        self.rng.random()
        return super().hear(sender, message)


REMEMBERED: list[int] = []


class Remembers(Mirror):
    """Keeps in the module what it has heard in other games."""

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        REMEMBERED.append(sender)
        return super().hear(sender, message)

    @property
    def output(self) -> Any:  # type: ignore[override]
        return self.inner.output + len(REMEMBERED) * 1e-9


class TwiceTheTruth(Mirror):
    @property
    def output(self) -> Any:  # type: ignore[override]
        return 2 * self.inner.output


class Hashes(Mirror):
    @property
    def output(self) -> Any:  # type: ignore[override]
        return self.inner.output * (1 - hash("a text") % 100_003 / 1e6)


class InWords(Mirror):
    @property
    def output(self) -> Any:  # type: ignore[override]
        return f"about {self.inner.output}"


class NotANumber(Mirror):
    @property
    def output(self) -> Any:  # type: ignore[override]
        return nan if self.inner.output > 100 else self.inner.output


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


class Peeps(Mirror):
    """Outputs what sites have written."""

    def __init__(self, inner: Server, rng: Any) -> None:
        super().__init__(inner, rng)
        BOX.clear()

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        return ()

    @property
    def output(self) -> Any:  # type: ignore[override]
        return sum(BOX)


class Tells(Mirror):
    """Writes where the sites read."""

    def __init__(self, inner: Server, rng: Any) -> None:
        super().__init__(inner, rng)
        TOLD.clear()

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        TOLD.append(sender)
        return ()


class SlightlyHigh(Mirror):
    @property
    def output(self) -> Any:  # type: ignore[override]
        return self.inner.output * (1 + 1e-6)
