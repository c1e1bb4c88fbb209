"""Games with a clock and one curator: private counters, threshold monitors, threshold queries, experts.

In all of them `items` is the number of steps, in scenarios and in result tables; an adversary that skips
steps sends fewer, and the column `sent` is their number. In addition to the
scenario files, each game can be played from Python: `play_counter`, `play_monitor`, `play_queries`,
`play_experts`.
"""

from __future__ import annotations

from disttrack.simulator.tasks.continual.count import play_counter
from disttrack.simulator.tasks.continual.experts import play_experts
from disttrack.simulator.tasks.continual.monitor import play_monitor
from disttrack.simulator.tasks.continual.queries import play_queries

__all__ = ["play_counter", "play_experts", "play_monitor", "play_queries"]
