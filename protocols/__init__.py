"""Protocols: what the sites and the server do. One file a family."""

from protocols.base import EVERYONE, FOREVER, Message, Protocol, Server, Site
from protocols.block import Block
from protocols.deterministic import Deterministic
from protocols.deterministic_rounds import DeterministicRounds
from protocols.difference_estimators import DifferenceEstimators
from protocols.exact import Exact
from protocols.martingale import Martingale
from protocols.private_copies import PrivateCopies
from protocols.randomized import Randomized
from protocols.robust import Robust
from protocols.sketch_switching import SketchSwitching

__all__ = [
    "EVERYONE",
    "FOREVER",
    "Block",
    "Deterministic",
    "DeterministicRounds",
    "DifferenceEstimators",
    "Exact",
    "Martingale",
    "Message",
    "PrivateCopies",
    "Protocol",
    "Randomized",
    "Robust",
    "Server",
    "Site",
    "SketchSwitching",
]
