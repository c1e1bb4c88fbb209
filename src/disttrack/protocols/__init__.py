"""Protocols: the rules of the sites and the server. One file or folder per family."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from disttrack.lazy import Kinds, lazy_names

if TYPE_CHECKING:
    from disttrack.protocols.base import EVERYONE as EVERYONE
    from disttrack.protocols.base import FOREVER as FOREVER
    from disttrack.protocols.base import Message as Message
    from disttrack.protocols.base import Protocol as Protocol
    from disttrack.protocols.base import Server as Server
    from disttrack.protocols.base import Site as Site
    from disttrack.protocols.base import SumOfReports as SumOfReports

    "Tracking"
    from disttrack.protocols.deterministic import Deterministic as Deterministic
    from disttrack.protocols.exact import Exact as Exact
    from disttrack.protocols.rounds.block import Block as Block
    from disttrack.protocols.rounds.block import DeterministicRounds as DeterministicRounds
    from disttrack.protocols.rounds.difference_estimators import DifferenceEstimators as DifferenceEstimators
    from disttrack.protocols.rounds.martingale import Martingale as Martingale
    from disttrack.protocols.rounds.robust import Robust as Robust
    from disttrack.protocols.sampling.copies import SketchSwitching as SketchSwitching
    from disttrack.protocols.sampling.private_copies import PrivateCopies as PrivateCopies
    from disttrack.protocols.sampling.randomized import Randomized as Randomized

    "Alarms at a threshold"
    from disttrack.protocols.thresholds.alarms import Batch as Batch
    from disttrack.protocols.thresholds.alarms import CoinReports as CoinReports
    from disttrack.protocols.thresholds.alarms import Countdown as Countdown

    "Items with content"
    from disttrack.protocols.contents import *  # noqa: F403
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)

PROTOCOLS: Final[Kinds[Protocol]] = Kinds.of(__name__)
"""Every built-in protocol by its name."""
