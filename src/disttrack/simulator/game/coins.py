"""Whether a game depends on chance: only a game that does not is valid for every seed."""

from __future__ import annotations

from typing import Final

from disttrack.adversaries.base import Adversary, Choice
from disttrack.adversaries.replay import Replay
from disttrack.protocols.base import Protocol
from disttrack.simulator.game.engines import Engine

SHIPPED: Final = ("disttrack.adversaries.", "disttrack.protocols.")
"""Packages of this project whose kinds draw only from the generators that they are given."""


def chance_had_a_part(game: Engine, adversary: Adversary) -> bool:
    """Return whether another seed may give another game.

    It may if any of the game's streams was used, if the adversary's moves come from its own rehearsal,
    or if a side may have coins that no engine sees: a generator in a field, the `random` module, a clock.
    """
    if isinstance(adversary, Replay) or not (_draws_nothing_unseen(adversary) and _draws_nothing_unseen(game.protocol)):
        return True
    return game.rngs.drawn


def _draws_nothing_unseen(side: Adversary | Protocol) -> bool:
    """Return whether a side is known to have no coins of its own: it is a shipped kind, or its class declares it."""
    shipped = type(side).__module__.startswith(SHIPPED) and not isinstance(side, Choice)  # calls a user's policy
    return shipped or not type(side).draws_coins
