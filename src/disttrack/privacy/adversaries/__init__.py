"""Adversaries of the games of privacy: streams of bits, updates, analysts, attackers of sketches, of learners."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from disttrack.lazy import Kinds, lazy_names

if TYPE_CHECKING:
    from disttrack.adversaries.base import Opponent as Opponent
    from disttrack.privacy.adversaries.analysts import Analyst as Analyst
    from disttrack.privacy.adversaries.analysts import AnalystView as AnalystView
    from disttrack.privacy.adversaries.prediction import Examiner as Examiner
    from disttrack.privacy.adversaries.sketching.base import Attacker as Attacker
    from disttrack.privacy.adversaries.sketching.base import ObliviousStream as ObliviousStream
    from disttrack.privacy.adversaries.sketching.base import StreamView as StreamView
    from disttrack.privacy.adversaries.streams import Challenge as Challenge
    from disttrack.privacy.adversaries.updates.base import UpdateStream as UpdateStream
    from disttrack.privacy.adversaries.updates.base import UpdateView as UpdateView
    from disttrack.privacy.mechanisms.sketches.base import RESET as RESET

    "Tracking"
    from disttrack.privacy.adversaries.streams import Scattered as Scattered

    "Adaptive data analysis"
    from disttrack.privacy.adversaries.analysts import BestOfMany as BestOfMany
    from disttrack.privacy.adversaries.analysts import FixedQueries as FixedQueries
    from disttrack.privacy.adversaries.analysts import GradientAnalyst as GradientAnalyst
    from disttrack.privacy.adversaries.analysts import LeaderboardClimber as LeaderboardClimber
    from disttrack.privacy.adversaries.analysts import RandomSets as RandomSets
    from disttrack.privacy.adversaries.analysts import SignCorrelation as SignCorrelation
    from disttrack.privacy.adversaries.analysts import Speller as Speller
    from disttrack.privacy.adversaries.analysts import VariableSelection as VariableSelection

    "Private counters"
    from disttrack.privacy.adversaries.streams import Intruder as Intruder

    "Threshold monitors"
    from disttrack.privacy.adversaries.streams import HardInstance as HardInstance
    from disttrack.privacy.adversaries.streams import LastMoment as LastMoment

    "Experts"
    from disttrack.privacy.adversaries.streams import Biased as Biased

    "Data that changes"
    from disttrack.privacy.adversaries.updates.streams import Churn as Churn
    from disttrack.privacy.adversaries.updates.streams import Grow as Grow
    from disttrack.privacy.adversaries.updates.streams import GrowAndDelete as GrowAndDelete
    from disttrack.privacy.adversaries.updates.streams import InTheAir as InTheAir
    from disttrack.privacy.adversaries.updates.streams import Overcount as Overcount
    from disttrack.privacy.adversaries.updates.streams import Sliding as Sliding

    "Sketches under attack"
    from disttrack.privacy.adversaries.sketching.attacks import AmsAttack as AmsAttack
    from disttrack.privacy.adversaries.sketching.attacks import BlindResets as BlindResets
    from disttrack.privacy.adversaries.sketching.attacks import CoverAttack as CoverAttack
    from disttrack.privacy.adversaries.sketching.attacks import FlipFlop as FlipFlop
    from disttrack.privacy.adversaries.sketching.attacks import FreshItems as FreshItems
    from disttrack.privacy.adversaries.sketching.attacks import QuietItems as QuietItems
    from disttrack.privacy.adversaries.sketching.attacks import RandomItems as RandomItems
    from disttrack.privacy.adversaries.sketching.attacks import RandomTails as RandomTails
    from disttrack.privacy.adversaries.sketching.attacks import RandomUpdates as RandomUpdates
    from disttrack.privacy.adversaries.sketching.attacks import ResetSampled as ResetSampled
    from disttrack.privacy.adversaries.sketching.attacks import TailAttack as TailAttack
    from disttrack.privacy.adversaries.sketching.attacks import UnsortedItems as UnsortedItems

    "Online prediction"
    from disttrack.privacy.adversaries.prediction import Contrary as Contrary
    from disttrack.privacy.adversaries.prediction import Halving as Halving
    from disttrack.privacy.adversaries.prediction import Insertion as Insertion
    from disttrack.privacy.adversaries.prediction import PointStream as PointStream
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)

ADVERSARIES: Final[Kinds[Opponent]] = Kinds.of(__name__, GradientAnalyst="gradient")
"""Every adversary of this package by its name."""
