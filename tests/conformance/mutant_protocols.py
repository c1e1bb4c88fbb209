"""Protocols with one fault each. The conformance suite must find every one of them."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from protocols import Deterministic, Exact, Protocol, Randomized
from protocols.base import EVERYONE, Message, Server, Site, in_unit_interval, positive

# ---------------------------------------------------------------------- parts


class Wrapped(Site):
    """A right site, to be spoilt in one method."""

    def __init__(self, inner: Site, rng: Any) -> None:
        self.inner = inner
        self.rng = rng

    def quota(self) -> int:
        return self.inner.quota()

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


def spoilt(site: type[Wrapped] = Wrapped, server: type[Mirror] = Mirror, **facts: Any) -> type[Deterministic]:
    """Return the deterministic tracker with these parts, and these facts said of it."""

    @dataclass(frozen=True)
    class Mutant(Deterministic):
        """The deterministic tracker, spoilt."""

        def sites(self, k: int, rng: Any, start: Sequence[int] = ()) -> Sequence[Site]:
            return [site(inner, rng) for inner in super().sites(k, rng, start)]

        def server(self, k: int, rng: Any, start: Sequence[int] = ()) -> Any:
            return server(super().server(k, rng, start), rng)

        def fleet(self, k: int, site_rng: Any, server_rng: Any, start: Sequence[int] = ()) -> Any:
            return None

    for name, value in facts.items():
        setattr(Mutant, name, value)
    Mutant.fleet = Protocol.fleet  # type: ignore[method-assign]
    return Mutant


def named(cls: type, name: str) -> type:
    """Give a class that was made in a function a name by which it can be pickled."""
    cls.__name__ = cls.__qualname__ = name
    cls.__module__ = __name__
    globals()[name] = cls
    return cls


# ---------------------------------------------------------------------- protocols: sites


class TooMuchQuota(Wrapped):
    def quota(self) -> int:
        return self.inner.quota() + 1


class NegativeQuota(Wrapped):
    def quota(self) -> int:
        return self.inner.quota() - 1


class FloatQuota(Wrapped):
    def quota(self) -> Any:
        return float(self.inner.quota())


class QuotaDraws(Wrapped):
    def quota(self) -> int:
        self.rng.random()
        return self.inner.quota()


class QuotaWearsOff(Wrapped):
    def __init__(self, inner: Site, rng: Any) -> None:
        super().__init__(inner, rng)
        self.asked = 0

    def quota(self) -> int:
        self.asked += 1
        return max(0, self.inner.quota() - self.asked % 2)


class CountsHandovers(Wrapped):
    """Takes any number of items for one."""

    def take(self, items: int) -> Sequence[Message]:
        return self.inner.take(1)

    def quota(self) -> int:
        return self.inner.quota()


class Nameless(Wrapped):
    def take(self, items: int) -> Sequence[Message]:
        return [Message("", message.value) for message in super().take(items)]


class ForNothing(Wrapped):
    def take(self, items: int) -> Sequence[Message]:
        return [message._replace(words=0) for message in super().take(items)]


class Chatters(Wrapped):
    """Says something of its own at every item, whatever quota it has."""

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


# ---------------------------------------------------------------------- protocols: servers


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


class SlightlyHigh(Mirror):
    @property
    def output(self) -> Any:  # type: ignore[override]
        return self.inner.output * (1 + 1e-6)


class Tells(Mirror):
    """Broadcasts without end: each answer of a site sets off another broadcast."""

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        return (*super().hear(sender, message), (EVERYONE, Message("note", 1, 0)))


# ---------------------------------------------------------------------- protocols: parameters and facts


@dataclass(frozen=True)
class TakesAnyAlpha(Deterministic):
    """Takes any alpha at all."""

    def __post_init__(self) -> None:
        if not isinstance(self.alpha, float | int):
            raise ValueError(f"alpha must be a number; got {self.alpha!r}")


@dataclass(frozen=True)
class NamelessRefusal(Deterministic):
    """Refuses a wrong alpha without saying what is wrong."""

    def __post_init__(self) -> None:
        try:
            in_unit_interval("alpha", self.alpha)
        except ValueError:
            raise ValueError("no") from None


@dataclass(frozen=True)
class Unpicklable(Deterministic):
    """Holds a function, which can't go to a worker."""

    rule: Callable[[int], int] = field(default=lambda count: count)


class Plain(Deterministic):
    """Is no dataclass of its own."""

    def __init__(self, alpha: float = 0.2) -> None:
        object.__setattr__(self, "alpha", alpha)
        object.__setattr__(self, "centred", False)


@dataclass(frozen=True)
class TooFewSites(Deterministic):
    """Makes one site too few."""

    def sites(self, k: int, rng: Any, start: Sequence[int] = ()) -> Sequence[Site]:
        return super().sites(k, rng, start)[: max(1, k - 1)]


@dataclass(frozen=True)
class FallingBound(Deterministic):
    """Claims that longer streams cost less."""

    def cost_bound(self, k: int, items: int, start: int = 0) -> float:
        return 1e12 / items


@dataclass(frozen=True)
class NoBound(Deterministic):
    """Claims to cost nothing."""

    def cost_bound(self, k: int, items: int, start: int = 0) -> float:
        return 0.0


@dataclass(frozen=True)
class RandomAlways(Randomized):
    """Claims that coins never fall badly."""

    guarantee: ClassVar[Any] = "always"
    confidence: float = 0.5


@dataclass(frozen=True)
class RashlyConfident(Randomized):
    """Claims a delta that it is far from."""

    confidence: float = 0.5
    delta: float | None = None
    promised: ClassVar[float] = 1e-3

    def __post_init__(self) -> None:
        if self.delta is None:
            object.__setattr__(self, "delta", self.promised)
        in_unit_interval("delta", self.delta)
        in_unit_interval("alpha", self.alpha)
        positive("confidence", self.confidence)
        if isinstance(self.copies, bool) or not isinstance(self.copies, int) or self.copies < 1:
            raise ValueError(f"copies must be at least 1; got {self.copies!r}")

    @property
    def tuned(self) -> tuple[float, int]:
        return self.alpha / self.confidence, 1


@dataclass(frozen=True)
class OtherFleet(Deterministic):
    """Its array form is of another accuracy."""

    def fleet(self, k: int, site_rng: Any, server_rng: Any, start: Sequence[int] = ()) -> Any:
        return Deterministic(alpha=self.alpha / 2).fleet(k, site_rng, server_rng, start)


@dataclass(frozen=True)
class HalfTheCoins(Randomized):
    """Its array form samples half as often."""

    def fleet(self, k: int, site_rng: Any, server_rng: Any, start: Sequence[int] = ()) -> Any:
        return Randomized(alpha=2 * self.alpha, confidence=self.confidence).fleet(k, site_rng, server_rng, start)


MUTANTS: dict[str, tuple[Any, str]] = {
    "TooMuchQuota": (spoilt(TooMuchQuota), "spoke with a quota|spoke within its quota"),
    "NegativeQuota": (spoilt(NegativeQuota), "not a whole number from 0 on"),
    "FloatQuota": (spoilt(FloatQuota), "not a whole number from 0 on"),
    "QuotaDraws": (spoilt(QuotaDraws), r"quota\(\) changes something"),
    "QuotaWearsOff": (spoilt(QuotaWearsOff), r"quota\(\) changes something"),
    "CountsHandovers": (spoilt(CountsHandovers), "step and leap play different games"),
    "Nameless": (spoilt(Nameless), "of no kind"),
    "ForNothing": (spoilt(ForNothing), "costs less than a word"),
    "Chatters": (spoilt(Chatters), "spoke with a quota"),
    "GloballyRandom": (spoilt(GloballyRandom), "global random generator"),
    "NumpyGlobally": (spoilt(NumpyGlobally), "global random generator"),
    "OwnCoins": (spoilt(server=OwnCoins), "step and leap play different games|same seed differ"),
    "SameCoins": (spoilt(server=SameCoins), "six seeds give the same game"),
    "Remembers": (spoilt(server=Remembers), "step and leap play different games|same seed differ"),
    "TwiceTheTruth": (spoilt(server=TwiceTheTruth), "says always right, but failed"),
    "SlightlyHigh": (spoilt(server=SlightlyHigh, one_sided=True), "says one-sided, but was"),
    "FreeNotes": (spoilt(server=Tells), "costs less than a word"),
    "NoKind": (spoilt(kind=""), "says no kind"),
    "NoSource": (spoilt(source=""), "says no source"),
    "Secretive": (spoilt(reveals=""), "says no reveals"),
    "OddGuarantee": (spoilt(guarantee="mostly"), "guarantee 'mostly' is unknown"),
    "TakesAnyAlpha": (TakesAnyAlpha, "accepts alpha="),
    "NamelessRefusal": (NamelessRefusal, "the error does not name alpha"),
    "Unpicklable": (Unpicklable, "does not survive pickling"),
    "Plain": (Plain, "not a frozen dataclass"),
    "TooFewSites": (TooFewSites, "makes 1 sites where 2"),
    "FallingBound": (FallingBound, "cost_bound falls"),
    "NoBound": (NoBound, "cost_bound is not above 0"),
    "RandomAlways": (RandomAlways, "says always right, but failed"),
    "RashlyConfident": (RashlyConfident, "failed in .* games with delta"),
    "OtherFleet": (OtherFleet, "leap and bulk play different games"),
    "HalfTheCoins": (HalfTheCoins, "leap and bulk differ in the law of"),
}
"""Every mutant, and what its refusal must say."""

for _name, (_cls, _) in MUTANTS.items():
    named(_cls, _name)
    _cls.__doc__ = _cls.__doc__ or "A mutant."

RIGHT: tuple[Protocol, ...] = (Exact(), named(spoilt(), "Unspoilt")(alpha=0.2))
