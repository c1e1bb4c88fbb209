"""Protocols: what the sites and the server do. One file or folder per family."""

from protocols.base import EVERYONE, FOREVER, Message, Protocol, Server, Site
from protocols.deterministic import Deterministic
from protocols.exact import Exact
from protocols.rounds.block import Block
from protocols.rounds.deterministic_rounds import DeterministicRounds
from protocols.rounds.difference_estimators import DifferenceEstimators
from protocols.rounds.martingale import Martingale
from protocols.rounds.robust import Robust
from protocols.sampling.private_copies import PrivateCopies
from protocols.sampling.randomized import Randomized
from protocols.sampling.sketch_switching import SketchSwitching

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
