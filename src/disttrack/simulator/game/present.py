"""The game that this process is playing, for whoever waits for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

_shares: Final[list[Callable[[], float]]] = []
"""The share of each game in play, those within another one last."""


@contextmanager
def in_play(share: Callable[[], float]) -> Iterator[None]:
    """Let `share_in_play` know how much of a game is over while the block plays it."""
    _shares.append(share)
    try:
        yield
    finally:
        _shares.pop()


def share_in_play() -> float:
    """Return the share of the items of the game in play that are sent, from 0 to 1; also in another thread.

    Not-a-number if no game is in play, or if it does not know.
    """
    try:
        return min(1.0, max(0.0, float(_shares[0]())))
    except Exception:  # it has just ended, or is between two states
        return float("nan")
