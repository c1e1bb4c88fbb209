"""What a task is: the game that a scenario plays. `count` is the tracking game.

A task knows how to make the two sides of a point, how to play one game, and roughly what
a game needs. The scenario, the runner, the journal and the tables know nothing else of it.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final

from disttrack.simulator.errors import printable
from disttrack.simulator.tasks.answers import USUAL, Answer
from disttrack.simulator.tasks.sizes import ITEMS, SITES, START, Size

if TYPE_CHECKING:
    from disttrack.simulator.points.point import Point
    from disttrack.simulator.points.registry import Family


MOST: Final = 10**300
"""The largest whole number in a table: a float can hold it."""
MOST_LETTERS: Final = 300
"""Letters of an error in a line."""


@dataclass(frozen=True)
class Record:
    """What one game leaves behind, in plain values: it crosses processes and is kept in the journal.

    Attributes
    ----------
    row
        Columns of ``trials.csv`` that the game knows.
    series
        Columns of ``series.csv`` and their values, a value a checkpoint.
    kinds
        Columns of ``kinds.csv`` and their values, a value a kind of message and direction.
    engine_reason
        Why this engine was taken.
    error
        What ended the game before its time: the traceback of a user's class that raised or exited, or a line that says
        how its process ended; None if nothing did.
    coins
        Whether chance may have had a part; if it had none, every seed gives the same game. A task that does not know
        leaves it: whoever plays the game asks its streams (`Task.draws_coins`).
    """

    row: dict[str, Any]
    series: dict[str, list[Any]] = field(default_factory=dict)
    kinds: dict[str, list[Any]] = field(default_factory=dict)
    engine_reason: str = ""
    error: str | None = None
    coins: bool = True

    @property
    def cause(self) -> str:
        r"""Return the error in a line, class and message; nothing without one.

        Examples
        --------
        >>> Record({}, error='Traceback:\n  File "a.py", line 3, in plan\n    fail()\nValueError: no\nmore').cause
        'ValueError: no more'
        """
        lines = (self.error or "").strip().splitlines()
        stack = [number for number, line in enumerate(lines) if line.startswith('  File "')]
        said = lines[stack[-1] + 1 :] if stack else lines
        while said[1:] and said[0].startswith(" "):  # the source of that line, and marks below it
            said = said[1:]
        line = re.sub(r"^disttrack_user_[0-9a-f]+_", "", " ".join(" ".join(said).split()))  # the file's own name
        return line if len(line) <= MOST_LETTERS else line[: MOST_LETTERS - 1] + "…"


def lost(error: str) -> Record:
    """Return the record of a game that an error ended: a traceback, or a line that says what happened."""
    return Record(row={"verdict": "error", "ok": False}, error=printable(error))


def fault_of(record: Any) -> str:
    """Return what makes a user's record none that can be kept and written into tables; nothing if all is right.

    Examples
    --------
    >>> fault_of(Record({"words": 3})), fault_of(Record({"words": [3]}))
    ('', 'row of its Record must hold text, numbers and None; got a list')
    """
    if not isinstance(record, Record):
        return f"play must return a Record; got a {type(record).__name__}"
    if not isinstance(record.row, dict):
        return f"row of its Record must be a mapping; got a {type(record.row).__name__}"
    if not isinstance(record.error, str | None):
        return f"error of its Record must be a text or None; got a {type(record.error).__name__}"
    if said := _fault_of_values("row", record.row.values()):
        return said
    for name, columns in (("series", record.series), ("kinds", record.kinds)):
        if not isinstance(columns, dict) or not all(isinstance(values, list) for values in columns.values()):
            return f"{name} of its Record must be a mapping of columns to lists"
        if len({len(values) for values in columns.values()}) > 1:
            return f"the lists of {name} must be of one length"
        if said := next(filter(None, (_fault_of_values(name, values) for values in columns.values())), ""):
            return said
    return ""


def _fault_of_values(name: str, values: Iterable[Any]) -> str:
    for value in values:
        if isinstance(value, list | tuple | dict | set):
            return f"{name} of its Record must hold text, numbers and None; got a {type(value).__name__}"
        if isinstance(value, int) and abs(value) > MOST:
            return f"{name} of its Record has a whole number of {value.bit_length():,} bits: no table can hold it"
        if isinstance(value, str) and printable(value) != value:
            return f"{name} of its Record has a text that cannot be written: {printable(value)}"
    return ""


@dataclass(frozen=True)
class Demand:
    """How much one game needs, roughly: known before it is played, within milliseconds.

    Attributes
    ----------
    seconds
        Time that it takes.
    memory
        Bytes that it needs.
    messages
        Messages that it sends at most, by the protocol's cost bound; 0 if it sends none.
    """

    seconds: float
    memory: float = 0.0
    messages: float = 0.0


class Task(ABC):
    """One game: how its points are checked, what they cost, and how one is played."""

    kind: ClassVar[str] = ""
    """The value of `task:` in scenario files."""
    rules: ClassVar[int] = 1
    """Version of the rules. A change that moves results adds one: finished games are then played again."""
    sizes: ClassVar[Sequence[Size]] = (SITES, ITEMS, START)
    """What sizes its games have, each with its key in scenario files; other size keys are refused."""
    columns: ClassVar[Sequence[str]] = ()
    """Columns of trials.csv beyond those that all tasks have."""
    answers: ClassVar[Sequence[Answer]] = USUAL
    """What its table shows of the games; a class that declares none shows its `columns` after the usual ones."""
    draws_coins: ClassVar[bool] = True
    """Whether it may draw random numbers that no stream of `simulator.game.streams` gives. A class that says False
    draws from such streams of its seed only; a game in which nothing was drawn from them is then counted once."""
    idle: ClassVar[Sequence[str]] = ()
    """Sides that play no part in the game, protocol or adversary: tables leave them out."""
    families: ClassVar[Mapping[str, Family]] = {"protocol": "protocol", "adversary": "adversary"}
    """Which registered kinds may stand under `protocol:` and `adversary:`."""

    @abstractmethod
    def check(self, point: Point) -> None:
        """Make both sides of a point and whatever else it needs; play nothing.

        The sizes have been checked against `sizes`: they are there if they are needed, and not too small.

        Raises
        ------
        PointError
            Something in the point is wrong; it says where.
        """

    @abstractmethod
    def play(self, point: Point, seed: int) -> Record:
        """Play one game."""

    def demand(self, point: Point) -> Demand:
        """Return how much one game needs. By it work is shared out, announced, and refused if it is too much."""
        return Demand(seconds=0.01)
