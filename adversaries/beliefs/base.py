"""What a belief is: the expected error of each site, and what feeding it would bring."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
import numpy.typing as npt

from disttrack.adversaries.base import View

Reals = npt.NDArray[np.float64]


class Belief(ABC):
    """What is known of the errors of the sites, from the outputs and the algorithm.

    Attributes
    ----------
    errors
        Expected error of each site, in items: the server's estimate of it minus its items.
    epoch
        Goes up whenever the distribution of the reports has changed: a good moment to think again.
    """

    def __init__(self, view: View) -> None:
        self.errors: Reals = np.zeros(view.sites)
        self.epoch = 0

    @abstractmethod
    def note(self, view: View, site: int, items: int, changed: bool) -> None:
        """Take in that `site` was given `items` items, and whether the output changed with the last of them."""

    @abstractmethod
    def prospects(self) -> tuple[Reals, Reals]:
        """Return what each site's error grows by if it is fed until the output changes, and the items that takes."""

    @abstractmethod
    def ideal(self) -> float:
        """Return the largest relative error that feeding each site until it reports is expected to reach."""
