"""Signal rules of a round: the counts of its own items at which a site signals."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from disttrack.mechanisms.rules import BlockLayout
from disttrack.protocols.base import FOREVER
from disttrack.protocols.coins import Coins, gap_scale


class SignalRule(ABC):
    """The rule of one round, which the server and all sites derive from the announced count.

    Attributes
    ----------
    last
        The item with this number in the round makes a site send END; `FOREVER` for never.
    drawn
        Whether it takes a coin for each signal.
    """

    last: int = FOREVER
    drawn: bool = True

    @abstractmethod
    def after(self, due: int) -> int:
        """Return the count in the round at which a site signals next, after it has signalled at `due` (0: not yet)."""


class BlockRule(BlockLayout, SignalRule):
    """A site signals once in each block of `size` items; `BlockLayout` places the blocks.

    Parameters
    ----------
    size
        Items in a block.
    blocks
        Blocks that a site may use in a round; the item after the last of them makes it send END.
    """

    def __init__(self, size: int, blocks: int | None = None) -> None:
        super().__init__(size)
        self.last = FOREVER if blocks is None else min(self.items(blocks) + 1, FOREVER)  # Algorithm 1, l. 5: j > k'

    offset: Callable[[], int]
    """Returns the item of a block, from 1 to `size`, at which a site signals; random if the rule is."""

    def after(self, due: int) -> int:
        return self.full(due) + self.offset()  # Algorithm 1, Initialize: r_ij, drawn when block j begins


class CoinRule(SignalRule):
    """Each item makes its site signal with probability p, independently of the past.

    Parameters
    ----------
    p
        The bias of the coin.
    coins
        The coins of the sites.
    """

    def __init__(self, p: float, coins: Coins) -> None:
        self.p = p
        self._scale = gap_scale(p)
        self._coins = coins

    def after(self, due: int) -> int:
        gap: int = self._coins.gap(self._scale)
        return due + gap


RuleOf = Callable[[int, int], SignalRule | None]
"""Maps a round's number (from 1) and the count at its start to its signal rule; None: forward every item."""


def items_until_rule(rule_of: RuleOf, number: int, base: int, most: int) -> int:
    """Return after how many items more than `base` the round of this number begins, at most `most`."""

    def begins(items: int) -> bool:
        return rule_of(number, base + items) is not None

    if not begins(most):
        return most
    low, high = 0, most  # begins(high), and never before low + 1: it takes at least one item
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if begins(middle) else (middle, high)
    return high


def remembering(rule_of: RuleOf) -> RuleOf:
    """Return `rule_of` with its last result cached, which all k sites of a game ask for in turn."""
    asked: tuple[int, int] | None = None
    answer: SignalRule | None = None

    def rule(number: int, total: int) -> SignalRule | None:
        nonlocal asked, answer
        if asked != (number, total):
            asked, answer = (number, total), rule_of(number, total)
        return answer

    return rule
