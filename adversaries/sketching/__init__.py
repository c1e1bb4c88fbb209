"""Adversaries of sketches, which choose the updates of a stream: fixed streams, attacks and their controls."""

from disttrack.adversaries.sketching.attacks import (
    AmsAttack,
    CoverAttack,
    QuietItems,
    RandomTails,
    RandomUpdates,
    TailAttack,
    UnsortedItems,
)
from disttrack.adversaries.sketching.base import Attacker, ObliviousStream, StreamView
from disttrack.adversaries.sketching.streams import FlipFlop, FreshItems, RandomItems
from disttrack.mechanisms.sketches import RESET

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
