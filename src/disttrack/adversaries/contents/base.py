"""Base class of adversaries that choose the items too: a plan says the site and the item of every step."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

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

    def machine(self, view: View) -> ItemMachine | None:
        """Return its rule as a function on numbers, for the engine `compiled`; None if it has none."""
        return None

    shortcuts: ClassVar = {"machine": Shortcut(machine)}


class ItemMachine(NamedTuple):
    """An adversary of items as numbers; it is asked where the adversary would be asked for a plan.

    Attributes
    ----------
    rule
        Returns the site and the place in `items` of the next burst, and its length. It takes the state, the number of
        sites, the steps so far and those in which an estimate has changed.
    state
        Parameters and state, which the rule changes.
    items
        The items that it uses.
    """

    rule: Callable[..., tuple[int, int, int]]
    state: npt.NDArray[np.float64]
    items: Sequence[int]
