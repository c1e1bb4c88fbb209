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
class Unpicklable(Deterministic):
    """Holds a function, which can't go to a worker."""

    rule: Callable[[int], int] = field(default=lambda count: count)


class Plain(Deterministic):
    """Is no dataclass of its own."""

    def __init__(self, alpha: float = 0.2) -> None:
        object.__setattr__(self, "alpha", alpha)
        object.__setattr__(self, "centred", False)


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


def changed(base: type[Any], **members: Any) -> type[Any]:
    """Return a tracker with these members in place of its own."""
    return dataclass(frozen=True)(type("Mutant", (base,), members))


def without_names(tracker: Any) -> None:
    """Refuse a wrong alpha without saying what is wrong."""
    try:
        Deterministic.__post_init__(tracker)
    except ValueError:
        raise ValueError("no") from None


def numbers_only(tracker: Any) -> None:
    """Take any alpha at all that is a number."""
    if not isinstance(tracker.alpha, float | int):
        raise ValueError(f"alpha must be a number; got {tracker.alpha!r}")


def never_asked(tracker: Any, k: int, rng: Any) -> None:
    raise NotImplementedError


COMPILED: dict[str, Any] = {
    "OtherKernel": changed(  # that of a finer tracker
        Deterministic, kind="mutant", source="made for this test",
        kernel_form=lambda one, *parts: Deterministic(alpha=one.alpha / 2).kernel_form(*parts),
    ),
    "HalfTheCoins": changed(
        Randomized, kernel_form=lambda one, *parts: Randomized(alpha=2 * one.alpha).kernel_form(*parts)
    ),
    "StartsWithNothing": changed(  # whatever is held already
        DeterministicRounds, kernel_form=lambda one, *parts: DeterministicRounds.kernel_form(one, *parts[:3])
    ),
    "LonelySite": changed(  # other coins where there is one site only
        Randomized,
        kernel_form=lambda one, k, *parts: Randomized(one.alpha / (1 if k > 1 else 4)).kernel_form(k, *parts),
    ),
}
"""Trackers with the compiled form of another one."""
CLASSES: dict[str, Any] = {
    "ForgetsTheStart": changed(
        Deterministic, guarantee="always", sites=lambda one, k, rng, start=(): Deterministic.sites(one, k, rng)
    ),
    "TakesAnyAlpha": changed(Deterministic, __post_init__=numbers_only),
    "NamelessRefusal": changed(Deterministic, __post_init__=without_names),
    "Unpicklable": Unpicklable,
    "Plain": Plain,
    "TooFewSites": changed(
        Deterministic, sites=lambda one, k, *given: Deterministic.sites(one, k, *given)[: max(1, k - 1)]
    ),
    "FallingBound": changed(Deterministic, cost_bound=lambda one, k, items, start=0: 1e12 / items),
    "NoBound": changed(Deterministic, cost_bound=lambda one, k, items, start=0: 0.0),
    "LowBound": changed(
        Randomized, cost_bound=lambda one, k, items, start=0: Randomized.cost_bound(one, k, items, start) / 5
    ),
    "RashlyConfident": RashlyConfident,
    "OneForAll": changed(
        Deterministic, sites=lambda one, k, rng, start=(): [parts.Wrapped(Deterministic.sites(one, 1, rng)[0], rng)] * k
    ),
    "Misspelt": changed(Deterministic, servr=never_asked),
}
MUTANTS: dict[str, Any] = {
    **(COMPILED if available() else {}),
    **CLASSES,
    **{name: spoilt(part) for name, part in parts.SITES.items()},
    **{name: spoilt(server=part) for name, part in parts.SERVERS.items()},
    "InWordsWithoutPromise": spoilt(server=parts.SERVERS["InWords"], guarantee="none"),
    "SlightlyHigh": spoilt(server=parts.SlightlyHigh, one_sided=True),
    "NoKind": spoilt(kind=""),
    "OddGuarantee": spoilt(guarantee="mostly"),
    "Hashes": spoilt(server=parts.Hashes, guarantee="none"),
    "Fat": spoilt(parts.Fat, parts.Reads),
    "Packed": spoilt(parts.Packed, parts.Reads),
    "InKinds": spoilt(parts.InKinds, parts.ReadsKinds, guarantee="none"),
    "Shares": spoilt(parts.Fills, parts.Peeps, guarantee="none"),
    "Overhears": spoilt(parts.Overhears, parts.Tells, guarantee="none"),
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
