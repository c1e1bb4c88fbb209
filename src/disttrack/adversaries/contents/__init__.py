"""Adversaries that choose the items, not only the sites."""

from __future__ import annotations

from typing import TYPE_CHECKING

from disttrack.lazy import lazy_names

if TYPE_CHECKING:
    from disttrack.adversaries.contents.base import ItemAdversary as ItemAdversary
    from disttrack.adversaries.contents.plans import Pairs as Pairs

    "Items with content"
    from disttrack.adversaries.contents.items import BlindSplits as BlindSplits
    from disttrack.adversaries.contents.items import DrainItem as DrainItem
    from disttrack.adversaries.contents.items import FreezeItem as FreezeItem
    from disttrack.adversaries.contents.items import HeavyItem as HeavyItem
    from disttrack.adversaries.contents.items import RankDrift as RankDrift
    from disttrack.adversaries.contents.items import SamplingAttack as SamplingAttack
    from disttrack.adversaries.contents.items import UniformItems as UniformItems
    from disttrack.adversaries.contents.items import ZipfItems as ZipfItems
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
