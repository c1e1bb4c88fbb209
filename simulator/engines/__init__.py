"""Engines: three ways to play the same game. `step` is the definition, the others must agree with it."""

from simulator.engines.base import Engine
from simulator.engines.bulk import Bulk, NoBulkError
from simulator.engines.leap import Leap
from simulator.engines.step import Step

__all__ = ["Bulk", "Engine", "Leap", "NoBulkError", "Step"]
