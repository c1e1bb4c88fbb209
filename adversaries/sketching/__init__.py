"""Who chooses the updates of a stream that a sketch follows: streams fixed in advance, attacks and their controls."""

from adversaries.sketching.base import RESET, Attacker, ObliviousStream, StreamView
from adversaries.sketching.distinct import QuietItems, UnsortedItems
from adversaries.sketching.frequencies import CoverAttack, RandomTails, TailAttack
from adversaries.sketching.second_moment import AmsAttack, RandomUpdates
from adversaries.sketching.streams import FlipFlop, FreshItems, RandomItems

__all__ = [
    "RESET",
    "AmsAttack",
    "Attacker",
    "CoverAttack",
    "FlipFlop",
    "FreshItems",
    "ObliviousStream",
    "QuietItems",
    "RandomItems",
    "RandomTails",
    "RandomUpdates",
    "StreamView",
    "TailAttack",
    "UnsortedItems",
]
