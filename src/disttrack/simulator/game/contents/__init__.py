"""The problems of games with content, which judge the answers of trackers of items."""

from collections.abc import Mapping
from typing import Final

from disttrack.simulator.game.contents.heavy_hitters import HeavyItems
from disttrack.simulator.game.contents.problem import Frequency, Problem
from disttrack.simulator.game.contents.representative import Rank, Representative

PROBLEMS: Final[Mapping[str, type[Problem]]] = {one.name: one for one in (Frequency, HeavyItems, Representative, Rank)}
"""Each problem by its task."""
