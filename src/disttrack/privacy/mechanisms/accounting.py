"""A privacy ledger: the loss granted to each mechanism, the items it covers, and their composition.

An entry is a budget. The losses granted from it compose by its rule: in `sequence` they add up (Theorem
2 of Qiu, Yi 2022); in `parallel` every part declares the sub-universe that it reads, these must be disjoint, and only
the largest loss counts (adaptive parallel composition, Theorem 6: the next items may depend on all answers so far). A
use or a part that would overdraw raises before it is entered, so a mechanism that enters its use before drawing never
overdraws.

Entries of the same name are merged, so a ledger stays small: a few entries per level, for any length of the game.
`record` and `lines` give it as plain values, and as a text tree of the epsilon spent.

>>> budget = PrivacyLedger("game", epsilon=1.0)
>>> halves = [budget.part(name, 0.5, rule="parallel") for name in ("left", "right")]
>>> halves[0].use("release", 0.5, over=(1, 10))
>>> halves[0].use("release", 0.5, over=(11, 20))
>>> budget.spent
(0.5, 0.0)
>>> try:
...     budget.use("one more", 0.1)
... except Overdrawn as error:
...     print(error)
game: one more asks for epsilon 0.1, and 0 of 1 are left
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from disttrack.mechanisms.checks import one_of, positive

Loss = tuple[float, float]
"""A loss (epsilon, delta)."""
Rule = Literal["sequence", "parallel"]
Range = tuple[int, int]
"""A sub-universe: the first and the last of its items in the order of time."""
Over = tuple[int, int | None]
"""A sub-universe that may still be open: its last item is then None."""
ROUNDING: Final = 1e-9
"""Relative excess of the sum of parts over their budget that rounding may cause."""


class Overdrawn(ValueError):
    """A request exceeds the remaining budget, or names items that were used before."""


@dataclass(slots=True)
class Use:
    """Uses under one name: their number, and the sum and maximum of their losses."""

    count: int = 0
    epsilon: float = 0.0
    delta: float = 0.0
    largest: Loss = (0.0, 0.0)

    def add(self, epsilon: float, delta: float) -> None:
        """Enter a use."""
        self.count += 1
        self.epsilon += epsilon
        self.delta += delta
        self.largest = max(self.largest[0], epsilon), max(self.largest[1], delta)


class PrivacyLedger:
    """One budget and its uses.

    Parameters
    ----------
    name
        Purpose of the budget.
    epsilon, delta
        The loss allowed.
    rule
        Composition rule of its parts.
    over
        The items that it may read; None for all.

    Attributes
    ----------
    uses
        Losses granted to mechanisms, by name.
    parts
        Budgets within this one: the open ones, and of the closed ones of each name the one with the largest loss.
    made
        Number of parts made under each name.
    """

    __slots__ = (
        "_begun", "_done", "_end", "_granted", "delta", "epsilon", "made", "name", "over", "parts", "rule", "uses",
    )  # fmt: skip

    def __init__(
        self, name: str, epsilon: float, delta: float = 0.0, rule: Rule = "sequence", over: Range | None = None
    ) -> None:
        positive("epsilon", epsilon)
        one_of("rule", rule, get_args(Rule))
        if over is not None and (over[1] is None or over[1] < over[0]):
            raise ValueError(f"{name}: over must end, and not before it begins; got {over!r}")
        self.name, self.epsilon, self.delta, self.rule, self.over = name, epsilon, delta, rule, over
        self.uses: dict[str, Use] = {}
        self.parts: list[PrivacyLedger] = []
        self.made: dict[str, int] = {}
        self._done = False
        self._granted: Loss = (0.0, 0.0)
        self._end: int | None = None
        """The last declared item, in a parallel budget."""
        self._begun: int | None = None
        """The first item of the range that is still open."""

    def use(self, name: str, epsilon: float, delta: float = 0.0, over: Over | None = None) -> None:
        """Enter a mechanism that draws now, with its loss and, in a parallel budget, the items that it reads.

        Raises
        ------
        Overdrawn
            The remaining budget is too small, or some of the items have been used before, or are not of this budget.
        ValueError
            The loss is below 0, or the items end before they begin.
        """
        self._admit(name, epsilon, delta, over)
        self.uses.setdefault(name, Use()).add(epsilon, delta)

    def part(
        self, name: str, epsilon: float, delta: float = 0.0, rule: Rule = "sequence", over: Range | None = None
    ) -> PrivacyLedger:
        """Reserve a budget within this one, and return it; refused like a use. Its items have an end."""
        made = PrivacyLedger(name, epsilon, delta, rule, self.over if over is None else over)
        self._admit(name, epsilon, delta, over)
        self.parts.append(made)
        self.made[name] = self.made.get(name, 0) + 1
        return made

    def declare(self, last: int) -> None:
        """Set the end of the open range of a parallel budget; the next use may have the items after it.

        Raises
        ------
        ValueError
            No range is open, or it began later.
        """
        if self._begun is None or last < self._begun:
            begun = "none is open" if self._begun is None else f"it begins at {self._begun}"
            raise ValueError(f"{self.name}: no range of items can end at {last}, since {begun}")
        self._within("the open range", (self._begun, last))
        self._begun, self._end = None, last

    def close(self, part: PrivacyLedger) -> None:
        """Close a part of a parallel budget; of the closed parts of each name the costliest is kept."""
        part._seal()
        done = [one for one in self.parts if one._done and one.name == part.name]
        kept = max(done, key=lambda one: one.spent)
        self.parts = [one for one in self.parts if not (one._done and one.name == part.name) or one is kept]

    @property
    def spent(self) -> Loss:
        """The loss actually spent so far, by the rule of composition."""
        inner = [part.spent for part in self.parts]
        if self.rule == "parallel":
            inner += [use.largest for use in self.uses.values()]
            return max((one for one, _ in inner), default=0.0), max((one for _, one in inner), default=0.0)
        inner += [(use.epsilon, use.delta) for use in self.uses.values()]
        return sum(one for one, _ in inner), sum(one for _, one in inner)

    def _admit(self, name: str, epsilon: float, delta: float, over: Over | None) -> None:
        """Refuse an overdraft; otherwise record the loss granted."""
        if not (epsilon >= 0 and delta >= 0):
            raise ValueError(f"{self.name}: {name} must lose 0 or more; got epsilon {epsilon!r}, delta {delta!r}")
        if self._done:
            raise Overdrawn(f"{self.name}: {name} comes after this budget was closed")
        if over is not None:
            self._within(name, over)
        after = self._granted[0] + epsilon, self._granted[1] + delta
        for what, asked, total, limit in (
            ("epsilon", epsilon, after[0], self.epsilon),
            ("delta", delta, after[1], self.delta),
        ):
            if total > limit * (1 + ROUNDING):
                left = max(0.0, limit - (total - asked))
                raise Overdrawn(f"{self.name}: {name} asks for {what} {asked:g}, and {left:g} of {limit:g} are left")
        if self.rule == "parallel":
            self._take(name, over)
        else:
            self._granted = after

    def _within(self, name: str, over: Over) -> None:
        """Refuse items that end before they begin, or that are not of this budget."""
        first, last = over
        if last is not None and last < first:
            raise ValueError(f"{self.name}: the items of {name} must not end before they begin; got {over!r}")
        if self.over is None:
            return
        begin, end = self.over
        if first < begin or (first if last is None else last) > end:
            raise Overdrawn(f"{self.name}: {name} looks at items {over}, and this budget has {self.over}")

    def _take(self, name: str, over: Over | None) -> None:
        """Record the items of a parallel use or part; refuse items declared before."""
        if over is None:
            raise Overdrawn(
                f"{self.name}: {name} must declare the items that it looks at, since its budget is parallel"
            )
        first, last = over
        if self._begun is not None or (self._end is not None and first <= self._end):
            before = f"those up to {self._end}" if self._begun is None else "an undeclared range"
            raise Overdrawn(f"{self.name}: {name} looks at items from {first} on, and {before} have been used")
        self._begun, self._end = (first, self._end) if last is None else (None, last)

    def _seal(self) -> None:
        """Close this budget and its parts to further uses."""
        self._done = True
        for part in self.parts:
            part._seal()


def record(ledger: PrivacyLedger, depth: int = 99) -> dict[str, object]:
    """Return a ledger as plain values for JSON: the budget, the loss spent, and the parts.

    For parallel parts, only the costliest of each name is included.

    Parameters
    ----------
    depth
        Levels of parts that are shown.

    Examples
    --------
    >>> budget = PrivacyLedger("tree", 1.0, rule="parallel")
    >>> budget.use("release", 0.5, over=(1, 2))
    >>> record(budget)["parts"]
    [{'name': 'release', 'count': 1, 'epsilon': 0.5, 'delta': 0.0, 'spent': 0.5}]
    """
    spent, spent_delta = ledger.spent
    shown = _costliest(ledger) if ledger.rule == "parallel" else ledger.parts
    counts = ledger.made if ledger.rule == "parallel" else {}
    parts = [{"count": counts.get(part.name, 1), **record(part, depth - 1)} for part in shown] if depth else []
    for name, use in ledger.uses.items() if depth else ():
        most = use.largest if ledger.rule == "parallel" else (use.epsilon, use.delta)
        parts.append({"name": name, "count": use.count, "epsilon": most[0], "delta": most[1], "spent": most[0]})
    head: dict[str, object] = {
        "name": ledger.name,
        "rule": ledger.rule,
        "epsilon": ledger.epsilon,
        "delta": ledger.delta,
    }
    return {**head, "spent": spent, "spent_delta": spent_delta, "parts": parts}


def _costliest(ledger: PrivacyLedger) -> list[PrivacyLedger]:
    """Return the part of each name that has lost most."""
    names = dict.fromkeys(part.name for part in ledger.parts)
    return [max((part for part in ledger.parts if part.name == name), key=lambda part: part.spent) for name in names]


def lines(ledger: PrivacyLedger | dict[str, object]) -> Iterator[str]:
    """Yield a ledger, or its record, as lines of text: a tree with shares, rules and counts.

    Examples
    --------
    >>> budget = PrivacyLedger("tree", 1.0)
    >>> budget.use("count", 0.25)
    >>> print(*lines(budget), sep="\\n")
    tree: 0.25 of epsilon 1, in sequence
      count: 0.25
    """
    yield from _lines(record(ledger) if isinstance(ledger, PrivacyLedger) else ledger, "")


def _lines(entry: dict[str, Any], margin: str) -> Iterator[str]:
    times = f" (the costliest of {entry['count']:,})" if entry.get("count", 1) > 1 else ""
    if "rule" not in entry:
        times = f" ({entry['count']:,} times)" if entry["count"] > 1 else ""
        yield f"{margin}{entry['name']}: {entry['spent']:.4g}{_delta(entry['delta'])}{times}"
        return
    how = {"sequence": "in sequence", "parallel": "in parallel"}
    of = f"{entry['spent']:.4g} of epsilon {entry['epsilon']:.4g}{_delta(entry['delta'])}"
    yield f"{margin}{entry['name']}: {of}, {how[entry['rule']]}{times}"
    for part in entry["parts"]:
        yield from _lines(part, margin + "  ")


def _delta(delta: float) -> str:
    return f" and delta {delta:.3g}" if delta else ""
