"""Sketch switching: many copies of the randomised tracker, each used for one change of the output."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from disttrack.mechanisms.checks import Share
from disttrack.protocols.base import Guarantee, Server
from disttrack.protocols.coins import StraightCoins
from disttrack.protocols.kernel import KernelForm
from disttrack.protocols.rounds.martingale import strength_for
from disttrack.protocols.sampling.copies import CopiesProtocol, CopiesServer, Largest
from disttrack.protocols.sampling.copies_kernel import MOST_CELLS, SwitchingForm, has_grown
from disttrack.protocols.sampling.randomized import LARGEST_COUNT, Randomized

CHECKPOINTS: Final = 32
"""Steps at which the copy in use must be right: a factor 1 + alpha/24 apart while N grows by 1 + alpha; p changes."""


@dataclass(frozen=True)
class SketchSwitching(CopiesProtocol):
    """A copy is shown once, when it lets the output grow by 1 + alpha/2; then the next one takes over.

    All copies count all items, since marking the first item of a copy's turn would take a message to each site. Each
    copy is a randomised tracker of accuracy alpha/8, and is right throughout its turn with probability 1 - delta /
    copies: the outputs depend on it only from its turn on. The next broadcast lists the copies that are used up.

    Parameters
    ----------
    alpha
        Relative error allowed, in (0, 1).
    delta
        Probability that the error ever exceeds it, in (0, 1).
    largest
        Planned number of items, which fixes the number of copies: log(largest / start) to the base 1 + alpha/2.
        With more items the last copy stays in use, and nothing is guaranteed any more.

    Source
    ------
    Ben-Eliezer et al. 2022, in Xiong, Zhu, Huang 2023, section 1.2; constants derived.
    Ben-Eliezer, Jayaram, Woodruff, Yogev 2022. An enlarged confidence replaces medians of copies, which would cost
    more.
    """

    alpha: Share
    delta: Share = 0.05
    largest: Largest = LARGEST_COUNT

    kind: ClassVar[str] = "sketch-switching"
    mark: ClassVar = ("#56B4E9", "<")
    faults: ClassVar = {"coarse": "disttrack.protocols.faults:Coarse"}
    guarantee: ClassVar[Guarantee] = "adaptive"
    reveals: ClassVar[str] = "each change concerns a copy that is never used again"
    announced: ClassVar[int] = 2  # with the first copy in use

    def copies(self, start: int = 0) -> int:
        """Return the number of copies for a game that begins with `start` items."""
        return self.changes(start)

    def tracker(self, k: int, start: int = 0) -> Randomized:
        """Return the tracker of each copy.

        Of its alpha/8, alpha/12 is for the steps at which it must be right and the rest for growth in between. An
        estimate there is a sum of k independent geometric gaps over p. It is c sqrt(k)/p too low with probability
        exp(-c^2 / (2 (1 + c / sqrt k))) at most, since E exp(s (p G - 1)) <= exp(s^2 / (2 (1 - s))), and too high
        with less: the tails of the martingale tracker's rounds.
        """
        failure = self.delta / (self.copies(start) * CHECKPOINTS)
        return Randomized(alpha=self.alpha / 12, confidence=strength_for(failure, k))

    def kernel_form(
        self, k: int, site_rng: np.random.Generator, server_rng: np.random.Generator, start: Sequence[int] = ()
    ) -> KernelForm | None:
        if k * self.copies(sum(start)) > MOST_CELLS:
            return None
        server = _Server(self, k, start)
        return SwitchingForm(server, k, StraightCoins(site_rng), 1 + self.alpha / 2, start)

    def server(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> Server:
        return _Server(self, k, start)


class _Server(CopiesServer):
    """Shows the estimate of the copy in use when it has grown by 1 + alpha/2 over the output, and takes the next."""

    __slots__ = ("_growth", "active")

    def __init__(self, protocol: SketchSwitching, k: int, start: Sequence[int]) -> None:
        super().__init__(protocol, k, start)
        self._growth = 1 + protocol.alpha / 2
        self.active = 0
        """The copy in use."""

    @property
    def in_use(self) -> int:
        return self.active

    def look(self) -> None:
        active = self.active
        estimate = self.exact
        if estimate is None:
            estimate = int(self.estimates[active])
        if has_grown(estimate, self._growth, float(self.output)):
            self.output = estimate
            self.active = min(active + 1, self.copies - 1)
