"""Base class of beliefs: the expected error of each site, and the expected effect of feeding it."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
import numpy.typing as npt

from disttrack.adversaries.base import View

Reals = npt.NDArray[np.float64]


class Belief(ABC):
    """A belief about the errors of the sites, from the outputs and the algorithm.

    Attributes
    ----------
    errors
        Expected error of each site, in items: the server's estimate of it minus its items.
    epoch
        Increases whenever the distribution of the reports has changed, so that plans should be reconsidered.
    """

    def __init__(self, view: View) -> None:
        self.errors: Reals = np.zeros(view.sites)
        self.epoch = 0

    @abstractmethod
    def note(self, view: View, site: int, items: int, changed: bool) -> None:
        """Record that `site` was given `items` items, and whether the output changed with the last of them."""

    @abstractmethod
    def prospects(self) -> tuple[Reals, Reals]:
        """Return the growth of each site's error if it is fed until the output changes, and the items needed for it."""

    def ideal(self) -> float:
        """Return the largest relative error expected from feeding each site until it reports; 0 if unknown."""
        return 0.0
