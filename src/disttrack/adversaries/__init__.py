"""Adversaries, which feed the sites: oblivious streams, adaptive attackers, and base classes for users' own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from disttrack.lazy import Kinds, lazy_names

if TYPE_CHECKING:
    from disttrack.adversaries.base import Adversary as Adversary
    from disttrack.adversaries.base import Choice as Choice
    from disttrack.adversaries.base import Opponent as Opponent
    from disttrack.adversaries.base import View as View
    from disttrack.adversaries.schedules import NEVER as NEVER
    from disttrack.adversaries.schedules import Burst as Burst
    from disttrack.adversaries.schedules import Labels as Labels
    from disttrack.adversaries.schedules import Rest as Rest
    from disttrack.adversaries.schedules import Rotation as Rotation
    from disttrack.adversaries.schedules import Runs as Runs
    from disttrack.adversaries.schedules import Schedule as Schedule
    from disttrack.adversaries.views import StateView as StateView
    from disttrack.adversaries.views import TrafficView as TrafficView

    "Tracking"
    from disttrack.adversaries.adaptive import BoundedMemory as BoundedMemory
    from disttrack.adversaries.adaptive import Coin as Coin
    from disttrack.adversaries.adaptive import Drain as Drain
    from disttrack.adversaries.adaptive import Feedback as Feedback
    from disttrack.adversaries.adaptive import Freeze as Freeze
    from disttrack.adversaries.adaptive import Phase as Phase
    from disttrack.adversaries.adaptive import Policy as Policy
    from disttrack.adversaries.oblivious import Bursts as Bursts
    from disttrack.adversaries.oblivious import RoundRobin as RoundRobin
    from disttrack.adversaries.oblivious import SingleSite as SingleSite
    from disttrack.adversaries.oblivious import Uniform as Uniform
    from disttrack.adversaries.oblivious import Zipf as Zipf
    from disttrack.adversaries.recorded import Trace as Trace
    from disttrack.adversaries.replay import Moves as Moves
    from disttrack.adversaries.replay import Replay as Replay

    "Items with content"
    from disttrack.adversaries.contents import *  # noqa: F403
    from disttrack.adversaries.recorded import ItemTrace as ItemTrace
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)

ADVERSARIES: Final[Kinds[Opponent]] = Kinds.of(__name__)
"""Every built-in adversary by its name."""
