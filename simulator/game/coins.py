"""Whether chance had a part in a game: only one in which it had none stands for every seed."""

from __future__ import annotations

from typing import Final

from disttrack.adversaries.base import Adversary, Choice
from disttrack.adversaries.replay import Replay
from disttrack.protocols.base import Protocol
from disttrack.simulator.game.engines import Engine
from disttrack.simulator.game.streams import drawn

SHIPPED: Final = ("disttrack.adversaries.", "disttrack.protocols.")
"""Packages of this project whose kinds draw from the generators that they are handed and from nothing else."""


def chance_had_a_part(game: Engine, adversary: Adversary) -> bool:
    """Tell whether another seed may give another game.

    It may if any of the game's streams has given a number, if the adversary's moves come from a rehearsal of their own,
    and if a side may hold coins that no engine sees: a generator in a field, the `random` module, a clock.
    """
    if isinstance(adversary, Replay) or not (_draws_nothing_unseen(adversary) and _draws_nothing_unseen(game.protocol)):
        return True
    return drawn(game.rngs.values())


def _draws_nothing_unseen(side: Adversary | Protocol) -> bool:
    """Tell whether a side is known to have no coins of its own: it is a shipped kind, or its class says so."""
    shipped = type(side).__module__.startswith(SHIPPED) and not isinstance(side, Choice)  # which asks a user's
    return shipped or not type(side).draws_coins
