"""The interval tree of the definition, built with all of time known: explicit nodes, parents and intervals.

Shares no code with the online tree: no arithmetic of bits, only a balanced search tree over 1 ... 2^h - 1.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf


@dataclass
class Offline:
    """A node of the search tree over the segments low ... high."""

    low: int
    high: int
    parent: Offline | None = None
    children: list[Offline] = field(default_factory=list)

    @property
    def number(self) -> int:
        return (self.low + self.high) // 2

    @property
    def ancestors(self) -> list[Offline]:
        """The ancestors, nearest first."""
        return [] if self.parent is None else [self.parent, *self.parent.ancestors]


def grown(height: int) -> dict[int, Offline]:
    """Return the nodes of the complete search tree of this height, by their in-order numbers."""
    found: dict[int, Offline] = {}

    def grow(low: int, high: int, parent: Offline | None) -> None:
        if low > high:
            return
        node = Offline(low, high, parent)
        found[node.number] = node
        grow(low, node.number - 1, node)
        grow(node.number + 1, high, node)

    grow(1, 2**height - 1, None)
    return found


Interval = tuple[int, float]
"""The segments in which an item came and went; infinity if it is still there."""


def stored(tree: dict[int, Offline], number: int, intervals: dict[str, Interval], time: int) -> set[str]:
    """Return the live items at `time` of node `number` by the rule of section 4.1: an item is stored at its own node
    and at each ancestor of it at whose time it was there."""
    node = tree[number]
    found = set()
    for key, (came, went) in intervals.items():
        up = [tree[came], *tree[came].ancestors] if came <= number else []
        if node in up and came <= number < went and went > time:
            found.add(key)
    return found


def asked(tree: dict[int, Offline], time: int) -> list[int]:
    """Return the nodes on the path from the root to v_time that are not later than it."""
    return [node.number for node in (tree[time], *tree[time].ancestors) if node.number <= time]


NEVER = inf
