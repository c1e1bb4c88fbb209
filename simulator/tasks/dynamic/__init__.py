"""Games on data sets: an adversary inserts and deletes items, and a curator answers all queries of a family privately.

`play_static` has one release at the end, `play_dynamic` new ones during the game, which the adversary sees.
"""

from __future__ import annotations

from disttrack.simulator.tasks.dynamic.game import DynamicGame, play_dynamic
from disttrack.simulator.tasks.dynamic.static_game import StaticGame, play_static

__all__ = ["DynamicGame", "StaticGame", "play_dynamic", "play_static"]
