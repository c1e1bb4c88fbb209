"""Engines: three ways to play the same game. `step` is the reference; the others give its transcript."""

from __future__ import annotations

from typing import TYPE_CHECKING

from disttrack.lazy import lazy_names

if TYPE_CHECKING:
    from disttrack.simulator.game.engines.base import Engine as Engine
    from disttrack.simulator.game.engines.compiled import Compiled as Compiled
    from disttrack.simulator.game.engines.leap import Leap as Leap
    from disttrack.simulator.game.engines.step import Step as Step
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
