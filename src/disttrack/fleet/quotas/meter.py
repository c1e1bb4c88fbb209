"""What a server that is asked, or reported to, counts against a limit that has another shape than `window`."""

from __future__ import annotations

from collections import deque
from typing import Any


class Meter:
    """What is spent of a sliding limit or a bucket, by a clock that counts slots.

    A cost counts from the slot in which it becomes known, so never for too short a time. At the end of a slot a bucket
    gets what it lacked at the beginning, as far as the rate allows: what is spent in between may be younger.

    Attributes
    ----------
    spent
        What must not be admitted now, of all that may be admitted at once.
    """

    def __init__(self, rule: Any) -> None:
        self.rule, self.spent = rule, 0
        self._slot = self._part = self._before = 0
        self._costs: deque[tuple[int, int]] = deque()

    def add(self, cost: int) -> None:
        """Count a cost."""
        self.spent += cost
        if cost and self.rule.shape == "sliding":
            self._costs.append((self._slot, cost))

    def turn(self, slot: int) -> None:
        """Begin a slot; those in between have passed."""
        rule = self.rule
        if rule.shape == "sliding":
            while self._costs and self._costs[0][0] + rule.rest <= slot:
                self.spent -= self._costs.popleft()[1]
        else:
            filled = (slot - self._slot) * rule.period * rule.limit
            whole, self._part = divmod(self._part + filled, rule.window)
            if self._before <= whole:
                whole, self._part = max(0, self._before), 0
            self.spent -= whole
        self._slot, self._before = slot, self.spent
