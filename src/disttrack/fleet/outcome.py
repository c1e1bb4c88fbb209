"""The outcome of a game of quotas."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from disttrack.fleet.quotas.base import Quota
from disttrack.simulator.game.outcome import Game

if TYPE_CHECKING:
    from disttrack.simulator.plots.description import Description


@dataclass(repr=False)
class FleetGame(Game):
    """The outcome of a game of quotas.

    Attributes
    ----------
    quota, looks
        The protocol, and what the sites had done at steps spread over each window (`disttrack.fleet.fleet`).
    """

    quota: Quota = field(kw_only=True, repr=False)
    looks: list[dict[str, Any]] = field(default_factory=list, repr=False)

    @property
    def max_error(self) -> None:
        """None: a quota estimates no total; the task `quota` judges what was admitted in each window."""

    def described(self) -> Description:
        """Return the figure of the first window, which `plot` draws."""
        from disttrack.fleet.figure import window_described

        return window_described(self)
