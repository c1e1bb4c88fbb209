"""Base class of adversaries that choose the items too: a plan says the site and the item of every step."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from disttrack.adversaries.base import Opponent, View
from disttrack.adversaries.contents.plans import Pairs
from disttrack.mechanisms.shortcuts import Shortcut


class ItemAdversary(Opponent, ABC):
    """Chooses the next sites and items. Subclasses define `plan`, as for `Adversary`.

    In `view.output` it sees the estimates that the server has, by item, as they are at any time: a copy keeps old ones;
    `view.changes` counts the steps in which one of them changed.
    """

    plays: ClassVar[tuple[str, ...]] = ("item-frequency", "frequent-items", "item-sampling", "item-rank")
    each_item: ClassVar[bool] = False
    """Whether it needs time for each item, and not only for each change."""

    @abstractmethod
    def plan(self, view: View) -> Pairs | None:
        """Return the moves until an estimate changes; None to continue with the present plan, or to end the game."""

    def turns(self, view: View) -> Pairs | None:
        """Return a list of pairs if its rule is to give one without end, and to go on to the next after each change.

        For the engine `compiled`; None if its rule is another one.
        """
        return None

    shortcuts: ClassVar = {"turns": Shortcut(turns)}
