"""The deterministic tracker with increments that all sites share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from disttrack.mechanisms.checks import Share
from disttrack.protocols.base import Guarantee, bound_by_doublings, ratio
from disttrack.protocols.coins import Coins
from disttrack.protocols.rounds.base import DoublingServer, RoundProtocol
from disttrack.protocols.rounds.rules import BlockRule, RuleOf, SignalRule
from disttrack.protocols.rounds.sites import RoundServer


class LastOfBlock(BlockRule):
    """A site signals at the last item of each block."""

    drawn = False

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self.offset = lambda: size


@dataclass(frozen=True)
class DeterministicRounds(RoundProtocol):
    """Each site signals every q = floor(alpha M / k) items of a round begun with M of them.

    The output M + q * signals lags by less than k q <= alpha M. A round ends when it reaches 2 M: a poll of
    3k messages. Until M >= k / alpha every item is forwarded.

    Parameters
    ----------
    alpha
        Relative error allowed, in (0, 1).

    Source
    ------
    variant of Yi, Zhang 2009 with global increments; derived.
    Folklore.
    """

    alpha: Share

    kind: ClassVar[str] = "deterministic-rounds"
    mark: ClassVar = ("#777777", "P")
    guarantee: ClassVar[Guarantee] = "always"
    reveals: ClassVar[str] = "everything: an adversary that keeps count knows the site of each change"
    one_sided: ClassVar[bool] = True
    kernel_form = RoundProtocol.round_form
    carries: ClassVar = "delays"

    def rule_of(self, k: int, coins: Coins) -> RuleOf:
        part, whole = ratio(self.alpha)

        def rule(number: int, total: int) -> SignalRule | None:
            step = part * total // (whole * k)
            return LastOfBlock(step) if step >= 1 else None

        return rule

    def server_by(self, rule_of: RuleOf, k: int, rng: np.random.Generator, total: int) -> RoundServer:
        return DoublingServer(rule_of, k, total)

    def cost_bound(self, k: int, items: int, start: int = 0) -> float:
        """Return k/alpha for the start, then 2k/alpha + 3k per doubling (q is rounded down by up to a half)."""
        part, whole = ratio(self.alpha)
        early = -(-whole * k // part)  # k/alpha rounded up: floating point may miss it by one
        return bound_by_doublings(items, start, early, 2 * k / self.alpha + 3 * k)
