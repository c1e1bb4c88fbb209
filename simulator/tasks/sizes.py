"""The sizes of a task's games, and their names in scenario files.

A point has three sizes, and the tables have a column for each: `sites`, `items` and `start`. If one of them means
something else (the number of experts, the steps of a clock), the task gives it another name; that is its
key in scenario files, and claims and plots may use it for the column.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal, get_args

Column = Literal["sites", "items", "start"]
"""A field of a point, and a column of the tables."""
COLUMNS: Final[tuple[Column, ...]] = get_args(Column)


@dataclass(frozen=True)
class Size:
    """One size of a task's games.

    Parameters
    ----------
    key
        Its name in scenario files: a plural, as in `experts`.
    column
        The field of a point and the column of the tables that it fills.
    says
        Its meaning, in a few words.
    least
        The least value.
    needed
        Whether a scenario must give it.
    """

    key: str
    column: Column
    says: str
    least: int = 1
    needed: bool = False

    def __post_init__(self) -> None:
        if not self.key.isidentifier():
            raise ValueError(f"key must be a word; got {self.key!r}")
        if self.column not in COLUMNS:
            raise ValueError(f"column must be one of {', '.join(COLUMNS)}; got {self.column!r}")


SITES: Final = Size("sites", "sites", "Number of sites, k.")
ITEMS: Final = Size("items", "items", "Number of items of a game.", least=0)
START: Final = Size("start", "start", "Items counted before the game begins.", least=0)


def called(sizes: Iterable[Size]) -> dict[str, str]:
    """Return the columns with another key, and that key.

    Examples
    --------
    >>> called([SITES, Size("steps", "items", "Steps of the clock.")])
    {'items': 'steps'}
    """
    return {size.column: size.key for size in sizes if size.key != size.column}
