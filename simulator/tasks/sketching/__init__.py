"""Games of sketches: second moments, distinct items and frequencies, against streams that may react to the estimates.

From Python: `play_sketch`.
"""

from __future__ import annotations

from disttrack.simulator.tasks.sketching.game import SketchGame, play_sketch

__all__ = ["SketchGame", "play_sketch"]
