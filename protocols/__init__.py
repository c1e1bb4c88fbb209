"""Protocols: what the sites and the server do. One file a family."""

from protocols.base import EVERYONE, FOREVER, Message, Protocol, Server, Site
from protocols.block import Block
from protocols.deterministic import Deterministic
from protocols.deterministic_rounds import DeterministicRounds
from protocols.exact import Exact
from protocols.martingale import Martingale
from protocols.randomized import Randomized
from protocols.robust import Robust

__all__ = [
    "EVERYONE",
    "FOREVER",
    "Block",
    "Deterministic",
    "DeterministicRounds",
    "Exact",
    "Martingale",
    "Message",
    "Protocol",
    "Randomized",
    "Robust",
    "Server",
    "Site",
]
