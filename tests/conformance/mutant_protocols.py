"""Protocols with one fault each. The conformance suite must find every one of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import spoilt_parts as parts

from disttrack.mechanisms.checks import Checked, Positive, Share
from disttrack.mechanisms.compiler import available
from disttrack.protocols import Deterministic, DeterministicRounds, Exact, Protocol, Randomized
from disttrack.protocols.base import Site


def spoilt(
    site: type[parts.Wrapped] = parts.Wrapped, server: type[parts.Mirror] = parts.Mirror, **facts: Any
) -> type[Deterministic]:
    """Return the deterministic tracker with these parts, and these facts said of it."""

    @dataclass(frozen=True)
    class Mutant(Deterministic):
        """The deterministic tracker, spoilt."""

        guarantee: ClassVar[Any] = Deterministic.guarantee

        def sites(self, k: int, rng: Any, start: Sequence[int] = ()) -> Sequence[Site]:
            return [site(inner, rng) for inner in super().sites(k, rng, start)]

        def server(self, k: int, rng: Any, start: Sequence[int] = ()) -> Any:
            return server(super().server(k, rng, start), rng)

    for name, value in facts.items():
        setattr(Mutant, name, value)
    return Mutant


def named(cls: type, name: str) -> type:
    """Give a class that was made in a function a name by which it can be pickled."""
    cls.__name__ = cls.__qualname__ = name
    cls.__module__ = __name__
    globals()[name] = cls
    return cls


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
            super().__post_init__()
        except ValueError:
            raise ValueError("no") from None


@dataclass(frozen=True)
class ForgetsTheStart(Deterministic):
    """Has sites that know nothing of the items before the game."""

    guarantee: ClassVar[Any] = "always"

    def sites(self, k: int, rng: Any, start: Sequence[int] = ()) -> Sequence[Site]:
        return super().sites(k, rng)


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
class LowBound(Randomized):
    """Claims to cost a fifth of what it may cost."""

    def cost_bound(self, k: int, items: int, start: int = 0) -> float:
        return super().cost_bound(k, items, start) / 5


@dataclass(frozen=True)
class RashlyConfident(Randomized):
    """Claims a delta that it is far from."""

    confidence: Positive = 0.5
    delta: Share | None = None
    promised: ClassVar[float] = 1e-3
    guarantee: ClassVar[Any] = Randomized.guarantee

    def __post_init__(self) -> None:
        if self.delta is None:
            object.__setattr__(self, "delta", self.promised)
        Checked.__post_init__(self)

    def tuned(self, k: int) -> tuple[float, int]:
        return self.alpha / self.confidence, 1


@dataclass(frozen=True)
class OneForAll(Deterministic):
    """Has one site in the place of all."""

    def sites(self, k: int, rng: Any, start: Sequence[int] = ()) -> Sequence[Site]:
        return [parts.Wrapped(super().sites(1, rng)[0], rng)] * k


@dataclass(frozen=True)
class Misspelt(Deterministic):
    """Makes a server that nobody asks for."""

    def servr(self, k: int, rng: Any) -> None:
        raise NotImplementedError


@dataclass(frozen=True)
class OtherKernel(Deterministic):
    """Its compiled form is that of a finer tracker."""

    kind: ClassVar[str] = "mutant"
    source: ClassVar[str] = "made for this test"

    def kernel_form(self, k: int, site_rng: Any, server_rng: Any, start: Any = ()) -> Any:
        return Deterministic(alpha=self.alpha / 2).kernel_form(k, site_rng, server_rng, start)


@dataclass(frozen=True)
class HalfTheCoins(Randomized):
    """Its compiled form samples half as often."""

    def kernel_form(self, k: int, site_rng: Any, server_rng: Any, start: Any = ()) -> Any:
        return Randomized(alpha=2 * self.alpha, confidence=self.confidence).kernel_form(k, site_rng, server_rng, start)


@dataclass(frozen=True)
class StartsWithNothing(DeterministicRounds):
    """Its compiled form begins with nothing, whatever is held already."""

    def kernel_form(self, k: int, site_rng: Any, server_rng: Any, start: Any = ()) -> Any:
        return super().kernel_form(k, site_rng, server_rng)


@dataclass(frozen=True)
class LonelySite(Randomized):
    """Its compiled form tosses other coins where there is one site only."""

    def kernel_form(self, k: int, site_rng: Any, server_rng: Any, start: Any = ()) -> Any:
        alpha = self.alpha if k > 1 else self.alpha / 4
        return Randomized(alpha=alpha, confidence=self.confidence).kernel_form(k, site_rng, server_rng, start)


COMPILED: tuple[Any, ...] = (OtherKernel, HalfTheCoins, StartsWithNothing, LonelySite)
SPOILT_SITES: tuple[Any, ...] = (
    *(parts.TooLongSilence, parts.FloatSilence, parts.SilenceDraws, parts.CountsHandovers, parts.Nameless),
    *(parts.GloballyRandom, parts.NumpyGlobally),
)
SERVERS: tuple[Any, ...] = (parts.SameCoins, parts.Remembers, parts.TwiceTheTruth, parts.InWords)
CLASSES: tuple[Any, ...] = (
    *(ForgetsTheStart, TakesAnyAlpha, NamelessRefusal, Unpicklable, Plain, TooFewSites, FallingBound, NoBound),
    *(LowBound, RashlyConfident, OneForAll, Misspelt),
)
MUTANTS: dict[str, Any] = {
    **{cls.__name__: cls for cls in (*(COMPILED if available() else ()), *CLASSES)},
    **{part.__name__: spoilt(part) for part in SPOILT_SITES},
    **{part.__name__: spoilt(server=part) for part in SERVERS},
    "InWordsWithoutPromise": spoilt(server=parts.InWords, guarantee="none"),
    "SlightlyHigh": spoilt(server=parts.SlightlyHigh, one_sided=True),
    "NoKind": spoilt(kind=""),
    "OddGuarantee": spoilt(guarantee="mostly"),
    "Hashes": spoilt(server=parts.Hashes, guarantee="none"),
    "Fat": spoilt(parts.Fat, parts.Reads),
    "Packed": spoilt(parts.Packed, parts.Reads),
    "InKinds": spoilt(parts.InKinds, parts.ReadsKinds, guarantee="none"),
    "Shares": spoilt(parts.Fills, parts.Peeps, guarantee="none"),
    "Overhears": spoilt(parts.Overhears, parts.Tells, guarantee="none"),
    "NotANumber": spoilt(server=parts.NotANumber),
}
"""Every mutant; `refusals.txt` has what its refusal says."""

for _name, _cls in MUTANTS.items():
    named(_cls, _name)
    _cls.__doc__ = _cls.__doc__ or "A mutant."


@dataclass(frozen=True)
class Shifted(Randomized):
    """Changes a rule, and so loses the guarantee."""

    def server(self, k: int, rng: Any, start: Any = ()) -> Any:
        return super().server(k, rng, start)


@dataclass(frozen=True)
class Promising(Shifted):
    """States it again."""

    guarantee = "oblivious"


RIGHT: tuple[Protocol, ...] = (Exact(), named(spoilt(), "Unspoilt")(alpha=0.2))
