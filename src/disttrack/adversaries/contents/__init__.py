"""Adversaries that choose the items, not only the sites."""

import typing

from disttrack.adversaries.contents.attacks import BlindSplits as BlindSplits
from disttrack.adversaries.contents.attacks import DrainItem as DrainItem
from disttrack.adversaries.contents.attacks import FreezeItem as FreezeItem
from disttrack.adversaries.contents.attacks import SamplingAttack as SamplingAttack
from disttrack.adversaries.contents.base import ItemAdversary as ItemAdversary
from disttrack.adversaries.contents.plans import Pairs as Pairs
from disttrack.adversaries.contents.streams import HeavyItem as HeavyItem
from disttrack.adversaries.contents.streams import RankDrift as RankDrift
from disttrack.adversaries.contents.streams import UniformItems as UniformItems
from disttrack.adversaries.contents.streams import ZipfItems as ZipfItems

if not typing.TYPE_CHECKING:  # type checkers read the imports above
    __all__ = [name for name in vars() if name[0].isupper()]
