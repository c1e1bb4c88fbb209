"""Trackers and adversaries of items with one fault each. The conformance suite must find every one of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from disttrack.adversaries.base import View
from disttrack.adversaries.contents import DrainItem, FreezeItem, Pairs
from disttrack.mechanisms.compiler import available
from disttrack.protocols.base import Message
from disttrack.protocols.contents import FrequencyDeterministic, FrequencySample


@dataclass(frozen=True)
class PlaysNothing(FrequencySample):
    """Is made for no task that there is."""

    plays = ("item-frequencies",)


class _Spoilt:
    """A site that does what another does, to be spoilt in one method."""

    def __init__(self, site: Any) -> None:
        self.__dict__["inner"] = site

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)


class _Sleepy(_Spoilt):
    """A site that overlooks the copies of an item."""

    def silence(self) -> int:
        inner = self.inner
        return int(inner.feed.before(min(inner.next_total, inner.due()) - inner.count))


@dataclass(frozen=True)
class SilenceTooLong(FrequencyDeterministic):
    """Says that its sites stay silent."""

    def sites(self, k: int, rng: Any, start: Any = (), feeds: Any = ()) -> Sequence[Any]:
        return [_Sleepy(site) for site in super().sites(k, rng, start, feeds)]


class _OncePerWeight(_Spoilt):
    """A site that reports an item once, however often its weight fills what it may keep."""

    def take(self, items: int) -> Sequence[Message]:
        sent = self.inner.take(items)
        return [Message("item", one.value[0]) if one.kind == "items" else one for one in sent]


@dataclass(frozen=True)
class ForgetsWeights(FrequencyDeterministic):
    """Counts an item with a weight once."""

    guarantee: ClassVar[Any] = FrequencyDeterministic.guarantee

    def sites(self, k: int, rng: Any, start: Any = (), feeds: Any = ()) -> Sequence[Any]:
        return [_OncePerWeight(site) for site in super().sites(k, rng, start, feeds)]


@dataclass(frozen=True)
class RashDelta(FrequencySample):
    """A sample of a few items that promises the delta of a large one."""

    guarantee: ClassVar[Any] = FrequencySample.guarantee

    def needed(self) -> float:
        return 0.05


@dataclass(frozen=True)
class OtherItemForm(FrequencyDeterministic):
    """Its compiled form is that of a finer tracker."""

    def item_form(self, k: int, site_rng: Any, server_rng: Any) -> Any:
        return FrequencyDeterministic(self.alpha / 2).item_form(k, site_rng, server_rng)


@dataclass
class OtherItemMachine(FreezeItem):
    """Its machine feeds the sites in another order."""

    def machine(self, view: View) -> Any:
        return DrainItem().machine(view)


@dataclass
class SaysOblivious(FreezeItem):
    """Reacts, and says that it does not."""

    oblivious = True

    def plan(self, view: View) -> Pairs:
        return Pairs([view.changes % view.sites], [0], 1)


TRACKERS: dict[str, Any] = {
    **({"OtherItemForm": OtherItemForm(alpha=0.1)} if available() else {}),
    "PlaysNothing": PlaysNothing(alpha=0.2),
    "SilenceTooLong": SilenceTooLong(alpha=0.2),
    "ForgetsWeights": ForgetsWeights(alpha=0.2),
    "RashDelta": RashDelta(alpha=0.2, delta=1e-6),
}
ADVERSARIES: dict[str, Any] = {
    **({"OtherItemMachine": OtherItemMachine()} if available() else {}),
    "SaysOblivious": SaysOblivious(),
}
