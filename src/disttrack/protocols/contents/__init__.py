"""Trackers of content: estimates for every item, not only for the number of items."""

from __future__ import annotations

from typing import TYPE_CHECKING

from disttrack.lazy import lazy_names

if TYPE_CHECKING:
    from disttrack.protocols.contents.base import ItemServer as ItemServer
    from disttrack.protocols.contents.base import ItemSite as ItemSite
    from disttrack.protocols.contents.base import ItemTracker as ItemTracker

    "Items with content"
    from disttrack.protocols.contents.frequencies import FrequencyDeterministic as FrequencyDeterministic
    from disttrack.protocols.contents.frequencies import FrequencyRandomized as FrequencyRandomized
    from disttrack.protocols.contents.frequencies import FrequencySample as FrequencySample
    from disttrack.protocols.contents.frequencies import HeavyHitters as HeavyHitters
    from disttrack.protocols.contents.frequency_switching import FrequencySwitching as FrequencySwitching
    from disttrack.protocols.contents.ranks import RankDeterministic as RankDeterministic
    from disttrack.protocols.contents.ranks import RankRandomized as RankRandomized
    from disttrack.protocols.contents.sample import ItemSample as ItemSample
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
