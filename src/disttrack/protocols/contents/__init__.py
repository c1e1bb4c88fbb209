"""Trackers of content: estimates for every item, not only for the number of items."""

import typing

from disttrack.protocols.contents.base import ItemServer as ItemServer
from disttrack.protocols.contents.base import ItemSite as ItemSite
from disttrack.protocols.contents.base import ItemTracker as ItemTracker
from disttrack.protocols.contents.frequency_deterministic import FrequencyDeterministic as FrequencyDeterministic
from disttrack.protocols.contents.frequency_randomized import FrequencyRandomized as FrequencyRandomized
from disttrack.protocols.contents.frequency_sample import FrequencySample as FrequencySample
from disttrack.protocols.contents.frequency_switching import FrequencySwitching as FrequencySwitching
from disttrack.protocols.contents.heavy_hitters import HeavyHitters as HeavyHitters
from disttrack.protocols.contents.rank_deterministic import RankDeterministic as RankDeterministic
from disttrack.protocols.contents.rank_randomized import RankRandomized as RankRandomized
from disttrack.protocols.contents.sample import ItemSample as ItemSample

if not typing.TYPE_CHECKING:  # type checkers read the imports above
    __all__ = [name for name in vars() if name[0].isupper()]
