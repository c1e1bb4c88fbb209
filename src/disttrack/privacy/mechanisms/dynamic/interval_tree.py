"""The online interval tree: items inserted and deleted, split into few sets by time of insertion. Not private itself.

Time is cut into segments 1, 2, ...; node v_i is built when segment i closes. In the in-order numbering of the infinite
tree the height of v_i is the number of trailing zeros of i, its nearest ancestor on the left is i without its lowest
set bit, and v_i contains the items alive at its birth that were inserted after that ancestor. So at time q the nodes q,
q without its lowest set bit, ... contain each live item exactly once: their ranges (i & (i - 1), i] of segments cover
1 ... q, as in a Fenwick tree. A node leaves that chain when a later node takes over its range; it is then freed.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Label = TypeVar("Label")


class Node(Generic[Key, Label]):
    """A node in use: the live items inserted in the segments `first` ... `number`.

    Attributes
    ----------
    number
        In-order number: the segment at whose end it was built.
    items
        Its live items, label by key.
    departed
        Labels of the items that left it since they were taken last.
    """

    __slots__ = ("departed", "items", "number")

    def __init__(self, number: int, items: dict[Key, Label]) -> None:
        self.number = number
        self.items = items
        self.departed: list[Label] = []

    @property
    def level(self) -> int:
        """Level in the tree: 1 for a leaf."""
        return level_of(self.number)

    @property
    def first(self) -> int:
        """The first segment of its range: one past its nearest ancestor on the left."""
        return left_ancestor(self.number) + 1

    def leave(self, key: Key) -> bool:
        """Remove an item from the node if it is there; it counts as departed."""
        if key not in self.items:
            return False
        self.departed.append(self.items.pop(key))
        return True

    def take_departed(self) -> list[Label]:
        """Return the labels of the items that left it since the last call."""
        departed, self.departed = self.departed, []
        return departed


class OnlineIntervalTree(Generic[Key, Label]):
    """An interval tree that grows from left to right while items are inserted and deleted.

    Items have keys that are never used again, so equal items are distinct. There is no order within a segment:
    an item deleted in the segment of its insertion never existed.

    Memory: the live items, and one node per set bit of the number of segments.

    Source
    ------
    Qiu, Yi 2022, section 4.1 and Lemma 9; the numbering by bits is derived.

    Examples
    --------
    >>> tree = OnlineIntervalTree()
    >>> tree.insert("a", 1), tree.insert("b", 2), tree.close().number
    (None, None, 1)
    >>> tree.delete("b"), tree.insert("c", 3), tree.close().number
    (True, None, 2)
    >>> tree.delete("nobody"), [sorted(node.items.items()) for node in tree.chain]
    (False, [[('a', 1), ('c', 3)]])
    """

    __slots__ = ("_chain", "_coming", "segments")

    def __init__(self) -> None:
        self.segments = 0
        """Segments closed so far."""
        self._chain: list[Node[Key, Label]] = []  # oldest first
        self._coming: dict[Key, Label] = {}

    @property
    def chain(self) -> tuple[Node[Key, Label], ...]:
        """The nodes that cover the present: the newest and its ancestors on the left, of section 4.1.2."""
        return tuple(reversed(self._chain))

    def insert(self, key: Key, label: Label) -> None:
        """Insert an item whose key was never used before."""
        self._coming[key] = label

    def delete(self, key: Key) -> bool:
        """Delete an item; False, without effect, if there is none of that key."""
        if self._coming.pop(key, None) is not None:
            return True
        return any(node.leave(key) for node in reversed(self._chain))

    def close(self) -> Node[Key, Label]:
        """Close the segment, build its node (section 4.1.1), free the nodes it replaces, and return it."""
        self.segments += 1
        left = left_ancestor(self.segments)  # the lowest ancestor on the left: D(v_i) has what came after it
        items = self._coming
        self._coming = {}
        while self._chain and self._chain[-1].number > left:
            older = self._chain.pop().items
            if len(older) > len(items):
                items, older = older, items
            items.update(older)
        newest = Node(self.segments, items)
        self._chain.append(newest)
        return newest


def left_ancestor(number: int) -> int:
    """Return the nearest ancestor on the left of node `number`, 0 if there is none.

    >>> [left_ancestor(number) for number in (1, 5, 6, 7, 8)]
    [0, 4, 4, 6, 0]
    """
    return number & (number - 1)


def level_of(number: int) -> int:
    """Return the level of node `number`: 1 for a leaf.

    >>> [level_of(number) for number in (1, 2, 3, 4, 12)]
    [1, 2, 1, 3, 3]
    """
    return (number & -number).bit_length()


def last_query(number: int) -> int:
    """Return the last segment after which node `number` is in use.

    >>> [last_query(number) for number in (4, 5, 6)]
    [7, 5, 7]
    """
    return number + (number & -number) - 1
