"""A `Game` in words: the names of its two sides, and what its network did."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from disttrack.simulator.experiments.results.formats import number
from disttrack.simulator.experiments.scenario.settings import SIDES
from disttrack.simulator.kinds.names import in_words, label_of


def sides_of(game: Any, kinds: Sequence[str] = ()) -> str:
    """Return the names of the two sides of a `Game`, as `robust(parameters=tight) against freeze`.

    Parameters
    ----------
    kinds
        Those of the two sides; empty for the game's own.
    """
    names = zip(SIDES, kinds or (game.protocol, game.adversary), strict=True)
    return " against ".join(label_of(kind, in_words(game.parameters.get(side, {})).values()) for side, kind in names)


def on_network(game: Any) -> str:
    """Return the lag, the lag-aware error and the losses of a `Game` on a network, in words; empty for another one."""
    if not (game.max_lag or game.lost or game.restarts or game.words_link):
        return ""
    return (
        f"lag {game.max_lag:,} steps, lag-aware error {number(game.max_lag_error)}, words of links "
        f"{game.words_link:,}, lost {game.lost:,}, restarts {game.restarts:,}"
    )
