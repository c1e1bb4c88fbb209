"""Whether a game depends on chance: only a game that does not is valid for every seed."""

from __future__ import annotations

from disttrack.adversaries.base import Adversary
from disttrack.adversaries.replay import Replay
from disttrack.protocols.base import Protocol
from disttrack.simulator.game.engines import Engine
from disttrack.simulator.game.reference import own_code


def chance_had_a_part(game: Engine, adversary: Adversary, *, own: bool = True) -> bool:
    """Return whether another seed may give another game; `own`: whether a side may be of the user's.

    It may if any of the game's streams was used, if the adversary's moves come from its own rehearsal,
    or if a side may have coins that no engine sees: a generator in a field, the `random` module, a clock.
    """
    sides: tuple[Adversary | Protocol, ...] = (adversary, game.protocol) if own else ()
    if isinstance(adversary, Replay) or not all(map(_draws_nothing_unseen, sides)):
        return True
    return game.rngs.drawn


def _draws_nothing_unseen(side: Adversary | Protocol) -> bool:
    """Return whether a side is known to have no coins of its own: it was compared, or its class declares it."""
    return not own_code(side) or not type(side).draws_coins
