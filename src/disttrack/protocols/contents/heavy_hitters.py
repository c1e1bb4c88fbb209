"""Heavy hitters, derived from estimates of every item."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Final, Literal

import numpy as np

from disttrack.mechanisms.checks import Positive, Share, Whole, one_of
from disttrack.mechanisms.shortcuts import state
from disttrack.protocols.base import Guarantee
from disttrack.protocols.coins import Coins
from disttrack.protocols.contents.base import Feed, ItemServer, ItemSite, ItemTracker
from disttrack.protocols.contents.frequency_deterministic import FrequencyDeterministic
from disttrack.protocols.contents.frequency_randomized import FrequencyRandomized
from disttrack.protocols.contents.frequency_sample import FrequencySample
from disttrack.protocols.contents.kernel import ItemForm, is_listed

COINS: Final = {"sample": FrequencySample, "randomized": FrequencyRandomized}
"""Trackers of frequencies that toss coins."""


@dataclass(frozen=True)
class HeavyHitters(ItemTracker):
    """Lists the items with an estimate of at least (phi - a) T, for the total T that the sites have reported.

    A tracker of frequencies gives estimates within a N of the truth, a = alpha / 3, and T <= N <= (1 + g) T for
    g = a / (phi - a). So every item above phi N is listed, and none below (phi - alpha) N.

    Parameters
    ----------
    alpha
        Width of the band below phi in which an item may be listed or not.
    phi
        Share of all items from which on an item must be listed, above alpha.
    by
        The tracker of frequencies: deterministic, sample or randomized. The guarantee is that of this tracker.
    delta, domain, strength
        Passed to the tracker of frequencies if that is sample or randomized.

    Source
    ------
    Yi, Zhang 2009 (arXiv 0812.0209), section 2.
    The reduction; here from any tracker of frequencies.
    """

    phi: Share = 0.2
    by: Literal["deterministic", "sample", "randomized"] = "deterministic"
    delta: Share = 0.05
    domain: Whole = 1000
    strength: Positive | None = None

    kind: ClassVar[str] = "heavy-hitters"
    guarantee: ClassVar[Guarantee] = "always"  # that of the tracker of frequencies, for an instance
    plays: ClassVar[tuple[str, ...]] = ("frequent-items",)
    weighs: ClassVar[bool] = True
    reveals: ClassVar[str] = "what the estimates reveal"
    per_item: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of("by", self.by, ("deterministic", *COINS))
        if self.phi <= self.alpha:
            raise ValueError(f"phi must be a number above alpha, {self.alpha}; got {self.phi!r}")
        for name in ("guarantee", "per_item", "report_words"):
            state(self, HeavyHitters, name, getattr(self.inner, name))

    @cached_property
    def inner(self) -> ItemTracker:
        """The tracker of frequencies."""
        if self.by == "deterministic":
            return FrequencyDeterministic(self.alpha / 3)
        return COINS[self.by](self.alpha / 3, self.delta, self.domain, self.strength)

    def lists(self, estimate: int, total: int) -> bool:
        """Return whether an item with this estimate is listed while the sites have reported this total."""
        return bool(is_listed(estimate, total, self.least))

    @property
    def least(self) -> float:
        """The least share of the total with which an item is listed."""
        return self.phi - self.alpha / 3

    def scale(self, known: int, k: int) -> int:
        return self.inner.scale(known, k)

    def growth(self, k: int) -> float:
        return min(self.inner.growth(k), self.alpha / (3 * self.phi - self.alpha))

    def site(self, k: int, feed: Feed, coins: Coins) -> ItemSite:
        site = self.inner.site(k, feed, coins)
        site.tracker = self
        return site

    def server_by(self, k: int, coins: Coins) -> ItemServer:
        server = self.inner.server_by(k, coins)
        server.tracker = self
        return server

    def item_form(self, k: int, site_rng: np.random.Generator, server_rng: np.random.Generator) -> ItemForm | None:
        form = self.inner.item_form(k, site_rng, server_rng)
        return form and form.of(self, self.server(k, server_rng))
