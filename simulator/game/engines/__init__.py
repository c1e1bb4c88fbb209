"""Engines: three ways to play the same game. `step` is the definition, the others must agree with it."""

from simulator.game.engines.base import Engine
from simulator.game.engines.bulk import Bulk
from simulator.game.engines.leap import Leap
from simulator.game.engines.segments import NoBulkError
from simulator.game.engines.step import Step

__all__ = ["Bulk", "Engine", "Leap", "NoBulkError", "Step"]
