"""Engines: three ways to play the same game. `step` is the definition, the others must agree with it."""

from simulator.engines.base import Engine
from simulator.engines.leap import Leap
from simulator.engines.step import Step

__all__ = ["Engine", "Leap", "Step"]
