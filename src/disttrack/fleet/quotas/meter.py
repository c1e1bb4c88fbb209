"""What is spent of a limit that has another shape than `window`: at a server, and of the tokens of a site."""

from __future__ import annotations

from typing import Any

from disttrack.fleet.quotas.amounts import drained, filled_in, weighed


def meter_of(rule: Any) -> Meter | None:
    """Return the meter of a server; None if its windows are counted one by one."""
    if rule.shape == "window":
        return None
    return WeightedMeter(rule) if rule.shape == "weighted" else Meter(rule)


class Meter:
    """What is spent of a sliding limit or a bucket, by a clock that counts slots.

    A cost counts from the slot in which it becomes known, so never for too short a time. At the end of a slot a bucket
    gets what it lacked at the beginning, as far as the rate allows: what is spent in between may be younger.

    A correction lowers the charge of its own slot, so it never outlives that charge. In a bucket, a charge that was
    smaller would have left less to drain: of a refund d, what is left is min(d, r), with r the least that any slot
    since has left of what it began with.

    Attributes
    ----------
    spent
        What must not be admitted now, of all that may be admitted at once.
    tokens
        Of a bucket, how much of its depth, and so of its rate, is filled in the present slot.
    """

    __slots__ = ("_before", "_part", "_slot", "_slots", "rule", "spent", "tokens")

    def __init__(self, rule: Any, slot: int = 0, tokens: int | None = None) -> None:
        self.rule, self.spent, self._slot = rule, 0, slot
        self.tokens: int = rule.pool if tokens is None else tokens
        self._part = self._before = 0
        """Of a bucket, the part of a unit that has come, and what was spent when the slot began."""
        self._slots: dict[int, int] = {}
        """Of the last slots, the charges; of a bucket, what was spent when the slot began and was not drained at its
        end."""

    def add(self, cost: int) -> None:
        """Count a cost."""
        self.spent += cost
        if cost and self.rule.shape == "sliding":
            self._slots[self._slot] = self._slots.get(self._slot, 0) + cost

    def correct(self, slot: int, refund: int) -> int:
        """Lower what was charged in a slot, or raise it if the refund is negative; return what is spent less by that.

        A charge that is a span old has come back: nothing of it is refunded.
        """
        if self.rule.shape == "sliding":
            refund = min(refund, self._slots.get(slot, 0)) if slot in self._slots else 0
            if refund:
                self._slots[slot] -= refund
            self.spent -= refund
            return refund
        if refund > 0:
            refund = self._undrained(slot, refund)
        self.spent -= refund
        return refund

    def _undrained(self, slot: int, refund: int) -> int:
        """Take a refund from what a bucket had spent since a slot; return what is left of it."""
        if slot + self.rule.rest <= self._slot:
            return 0
        for later, rest in self._slots.items():
            if later > slot:
                refund = min(refund, rest)
                self._slots[later] = rest - refund
        if slot < self._slot:
            self._before -= refund
        return refund

    def turn(self, slot: int) -> None:
        """Begin a slot; those in between have passed."""
        begun = self._slot
        if self.rule.shape == "bucket":
            filled = (slot - begun) * self._rate(self.tokens)
            tokens, self._part = drained(self._part, self._before, filled, self._unit)
            self._slots[begun] = max(0, self._before - tokens - (self._part > 0))
            self.spent -= tokens
        while self._slots and (first := next(iter(self._slots))) + self.rule.rest <= slot:
            charged = self._slots.pop(first)
            self.spent -= charged if self.rule.shape == "sliding" else 0
        self._slot, self._before = slot, self.spent

    def _rate(self, tokens: int) -> int:
        """Return by how much a slot fills a bucket of this many tokens."""
        rule = self.rule
        return int(filled_in(tokens, rule.period, rule.limit, self._unit, rule.rounding == "down"))

    @property
    def _unit(self) -> int:
        """One token, in units of `_rate`."""
        return int(self.rule.window * self.rule.depth)

    def turns_until(self, cost: int, tokens: int | None = None) -> int:
        """Return after how many turns this much less is spent, if nothing is added and it is at least spent.

        The tokens are those of the slots after the present one; the same by default.
        """
        if self.rule.shape == "sliding":
            for slot, charged in self._slots.items():
                cost -= charged
                if cost <= 0:
                    return int(slot + self.rule.rest - self._slot)
        whole, part = divmod(self._part + self._rate(self.tokens), self._unit)
        cost -= min(whole, self._before)
        if cost <= 0:
            return 1
        part = part if whole < self._before else 0
        return 1 - (part - cost * self._unit) // self._rate(self.tokens if tokens is None else tokens)


class WeightedMeter(Meter):
    """The same by the count of this window and that of the one before, which weighs what is left of this one.

    The counters have numbers of windows, each of `counted` slots: a cost counts in full up to the end of its window.
    """

    __slots__ = ("_current", "_previous")

    def __init__(self, rule: Any) -> None:
        super().__init__(rule)
        self._current = self._previous = 0

    def _sum(self) -> int:
        """Sum the counts anew; return what is spent less by that."""
        before, slots = self.spent, self.rule.counted
        self.spent = self._current + weighed(self._previous, slots - self._slot % slots, slots)
        return before - self.spent

    def add(self, cost: int) -> None:
        self._current += cost
        self.spent += cost

    def correct(self, slot: int, refund: int) -> int:
        """Lower the count of the window of a slot, as far as it goes, if it still counts."""
        age = self._slot // self.rule.counted - slot // self.rule.counted
        if age == 0:
            self._current -= min(refund, self._current)
        elif age == 1:
            self._previous -= min(refund, self._previous)
        return self._sum()

    def turn(self, slot: int) -> None:
        passed = slot // self.rule.counted - self._slot // self.rule.counted
        if passed:
            self._previous, self._current = self._current if passed == 1 else 0, 0
        self._slot = slot
        self._sum()

    def turns_until(self, cost: int, tokens: int | None = None) -> int:
        slots, target = self.rule.counted, self.spent - cost
        left = slots - self._slot % slots
        if target >= self._current:
            return int(max(1, left - (target - self._current) * slots // max(1, self._previous)))
        return int(left + slots - target * slots // self._current)
