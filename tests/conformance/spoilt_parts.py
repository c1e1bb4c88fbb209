"""Sites and servers with one fault each."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from disttrack.protocols.base import EVERYONE, Message, Server, Site


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


class NegativeSilence(Wrapped):
    def silence(self) -> int:
        return self.inner.silence() - 1


class FloatSilence(Wrapped):
    def silence(self) -> Any:
        return float(self.inner.silence())


class SilenceDraws(Wrapped):
    def silence(self) -> int:
        self.rng.random()
        return self.inner.silence()


class SilenceWearsOff(Wrapped):
    def __init__(self, inner: Site, rng: Any) -> None:
        super().__init__(inner, rng)
        self.asked = 0

    def silence(self) -> int:
        self.asked += 1
        return max(0, self.inner.silence() - self.asked % 2)


class CountsHandovers(Wrapped):
    """Takes any number of items for one."""

    def take(self, items: int) -> Sequence[Message]:
        return self.inner.take(1)

    def silence(self) -> int:
        return self.inner.silence()


class Nameless(Wrapped):
    def take(self, items: int) -> Sequence[Message]:
        return [Message("", message.value) for message in super().take(items)]


class ForNothing(Wrapped):
    def take(self, items: int) -> Sequence[Message]:
        return [message._replace(words=0) for message in super().take(items)]


class Chatters(Wrapped):
    """Says something of its own at every item, whatever silence it has."""

    silence = Wrapped.silence

    def take(self, items: int) -> Sequence[Message]:
        return (*super().take(items), *([Message("report")] if items == 1 else []))


class GloballyRandom(Wrapped):
    def take(self, items: int) -> Sequence[Message]:
        random.random()
        return super().take(items)


class NumpyGlobally(Wrapped):
    def take(self, items: int) -> Sequence[Message]:
        np.random.rand()  # noqa: NPY002 - the fault
        return super().take(items)


# ---------------------------------------------------------------------- servers


class OwnCoins(Mirror):
    """Draws from a generator that no seed decides."""

    def __init__(self, inner: Server, rng: Any) -> None:
        super().__init__(inner, np.random.default_rng())

    @property
    def output(self) -> Any:  # type: ignore[override]
        return self.inner.output + self.shift

    shift = 0.0

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        self.shift = self.rng.random() / 1e6
        return super().hear(sender, message)


class SameCoins(OwnCoins):
    """Draws from the generator handed in, but goes by another one."""

    def __init__(self, inner: Server, rng: Any) -> None:
        super().__init__(inner, rng)
        self.rng = np.random.default_rng(1)
        self.given = rng

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        self.given.random()
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


class InWords(Mirror):
    @property
    def output(self) -> Any:  # type: ignore[override]
        return f"about {self.inner.output}"


class SlightlyHigh(Mirror):
    @property
    def output(self) -> Any:  # type: ignore[override]
        return self.inner.output * (1 + 1e-6)


class Tells(Mirror):
    """Broadcasts without end: each answer of a site sets off another broadcast."""

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        return (*super().hear(sender, message), (EVERYONE, Message("note", 1, 0)))
