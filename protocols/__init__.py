"""Protocols: the rules of the sites and the server. One file or folder per family."""

from disttrack.protocols.base import EVERYONE, FOREVER, Message, Protocol, Server, Site, SumOfReports
from disttrack.protocols.deterministic import Deterministic
from disttrack.protocols.exact import Exact
from disttrack.protocols.rounds.block import Block
from disttrack.protocols.rounds.deterministic_rounds import DeterministicRounds
from disttrack.protocols.rounds.difference_estimators import DifferenceEstimators
from disttrack.protocols.rounds.martingale import Martingale
from disttrack.protocols.rounds.robust import Robust
from disttrack.protocols.sampling.private_copies import PrivateCopies
from disttrack.protocols.sampling.randomized import Randomized
from disttrack.protocols.sampling.sketch_switching import SketchSwitching

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
    "SumOfReports",
]
