"""Engines: four ways to play the same game. `step` is the reference; the others must agree with it."""

from disttrack.simulator.game.engines.base import Engine, NoBulkError
from disttrack.simulator.game.engines.bulk import Bulk
from disttrack.simulator.game.engines.compiled import Compiled
from disttrack.simulator.game.engines.leap import Leap
from disttrack.simulator.game.engines.step import Step

__all__ = ["Bulk", "Compiled", "Engine", "Leap", "NoBulkError", "Step"]
