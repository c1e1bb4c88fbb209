"""Games with a clock and one curator: private counters, threshold monitors, threshold queries, experts.

In all of them `items` is the number of steps, in scenarios and in result tables; an adversary that skips
steps sends fewer, and the column `sent` says how many. Besides the
scenario files, each game can be played from Python: `play_counter`, `play_monitor`, `play_queries`,
`play_experts`.
"""

from __future__ import annotations

from simulator.continual.count import play_counter
from simulator.continual.experts import play_experts
from simulator.continual.monitor import play_monitor
from simulator.continual.queries import play_queries

__all__ = ["play_counter", "play_experts", "play_monitor", "play_queries"]
