"""Games with a clock, played from Python: one private mechanism against one stream."""

from simulator.tasks.continual import play_counter, play_experts, play_monitor, play_queries

__all__ = ["play_counter", "play_experts", "play_monitor", "play_queries"]
