"""Engines: three ways to play the same game. `step` is the reference; the others give its transcript."""

from disttrack.simulator.game.engines.base import Engine, UncompiledError
from disttrack.simulator.game.engines.compiled import Compiled
from disttrack.simulator.game.engines.leap import Leap
from disttrack.simulator.game.engines.step import Step

__all__ = ["Compiled", "Engine", "Leap", "Step", "UncompiledError"]
