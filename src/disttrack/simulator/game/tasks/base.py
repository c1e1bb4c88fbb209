"""Base class of tasks, the kinds of game that a scenario can play. `count` is the tracking game.

A task makes the two sides of a point, plays one game, and estimates the resources of
a game. The scenario, the runner, the journal and the tables use nothing else of it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from keyword import iskeyword
from math import inf
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from disttrack.mechanisms.checks import one_of
from disttrack.mechanisms.shortcuts import Shortcut, Shortcuts
from disttrack.simulator.errors import must_be, must_be_one_of, printable
from disttrack.simulator.game.columns import (
    ENDED_COLUMNS,
    ERROR,
    FAILED,
    MAX_REL_ERROR,
    NETWORK_COLUMNS,
    OK,
    SENT,
    SIZE_COLUMNS,
    TRIAL_COLUMNS,
    UNDECIDED,
    VERDICT,
    SizeColumn,
)
from disttrack.simulator.game.face import Outcome
from disttrack.simulator.game.tasks.answers import USUAL, Answer
from disttrack.simulator.kinds.installed import BUILT_IN
from disttrack.simulator.kinds.point import Point, PointError
from disttrack.simulator.kinds.registry import kinds, kinds_for

if TYPE_CHECKING:
    from disttrack.simulator.kinds.registry import Family, Kind


Row = dict[str, Any]
"""The columns of a game in ``trials.csv``, with its value in each."""
Columns = dict[str, list[Any]]
"""The columns of a game in ``series.csv`` or ``kinds.csv``."""
VERDICTS: Final = (OK, FAILED, UNDECIDED)
"""The verdicts of a game that no error ended."""
MOST: Final = 10**300
"""The largest whole number in a table, which still fits a float."""


@dataclass(frozen=True, repr=False)
class Record(Outcome):
    """The record of one game, in plain values: it is sent between processes and stored in the journal.

    Attributes
    ----------
    row
        Columns of ``trials.csv`` that the game fills.
    series
        Columns of ``series.csv`` and their values, one per checkpoint.
    kinds
        Columns of ``kinds.csv`` and their values, one per kind of message and direction.
    engine_reason
        Reason for the choice of the engine.
    error
        Cause of an early end of the game: the traceback of a user's class that raised or exited, or a line on the end
        of its process; None without an error.
    coins
        Whether the game may depend on chance; if not, every seed gives the same game. A task that does not know this
        leaves it: the caller then asks the random streams (`Task.draws_coins`).
    drawn
        Whether a number was drawn from the random streams of the game; a class may have coins of its own besides. Games
        of a point that drew none, and whose records are all equal, are counted once.
    judged
        Whether anything was compared with the promise. If not, the verdict is undecided in place of ok, and claims
        about the game do not pass.

    The columns of `row` are attributes too; `words` is None where nothing is counted in words. The column `ok` follows
    from `verdict`, and gives the verdict of a row without one.
    """

    row: Row
    series: Columns = field(default_factory=dict)
    kinds: Columns = field(default_factory=dict)
    engine_reason: str = ""
    error: str | None = None
    coins: bool = True
    judged: bool = True
    drawn: bool = True

    def __post_init__(self) -> None:
        if not isinstance(self.row, dict):
            return  # refused by its caller
        verdict, held = self.row.get(VERDICT), self.row.get("ok")
        if verdict is None and isinstance(held, bool):
            verdict = OK if held else FAILED
        if verdict == OK and not self.judged:
            verdict = UNDECIDED
        if verdict is not None:
            self.row.update(verdict=verdict, ok=verdict == OK)

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["row"][name]
        except KeyError:
            raise AttributeError(f"a record has no {name!r}") from None

    @property
    def facts(self) -> Row:
        """The columns of `row`."""
        return self.row

    @property
    def words(self) -> int | None:
        """Words that were sent, or that a sketch keeps."""
        return self.row.get("words")


def lost(error: str) -> Record:
    """Return the record of a game ended by an error: a traceback, or a line with the reason."""
    return Record(row={VERDICT: ERROR, "ok": False}, error=printable(error))


_COLUMNS: Final = (*TRIAL_COLUMNS, *NETWORK_COLUMNS, *ENDED_COLUMNS)
"""The columns that have the same meaning in all tasks."""


def fault_of(record: object, point: Point) -> str:
    """Return the reason why a user's record cannot be stored and written into tables; empty if it can."""
    if not isinstance(record, Record):
        return must_be("a Record", record, "the value of play")
    if not isinstance(record.row, dict):
        return must_be("a mapping", record.row, "Record.row")
    if not isinstance(record.error, str | None):
        return must_be("a text or None", record.error, "Record.error")
    for name in ("series", "kinds"):
        columns = getattr(record, name)
        if not isinstance(columns, dict) or not all(isinstance(values, list) for values in columns.values()):
            return f"Record.{name} must map columns to lists"
        if len({len(values) for values in columns.values()}) > 1:
            return f"Record.{name}: lists must be of one length"
    for column in _COLUMNS:
        value = record.row.get(column.name)
        holds = "truth" if type(value) is bool else "text" if isinstance(value, str) else "number"
        if value is not None and holds != column.holds:
            return must_be(f"a {column.holds}", value, f"Record.row: {column.name}")
    series, kinds = record.series.values(), record.kinds.values()
    for name, values in (("row", record.row.values()), ("series", chain(*series)), ("kinds", chain(*kinds))):
        if fault := next(filter(None, map(_fault_of_value, values)), ""):
            return f"Record.{name} {fault}"
    return next((f"Record.row: {fault}" for fault in _faults_of_row(record, point)), "")


def _faults_of_row(record: Record, point: Point) -> Iterator[str]:
    """Yield what a row states otherwise than its columns, or than its point."""
    row = record.row
    for column in _COLUMNS:
        value = row.get(column.name)
        if value is not None and column.holds == "number" and column.origin == "game" and value < 0:
            yield must_be("a number of at least 0", value, column.name)
    if record.error is None and (verdict := row.get(VERDICT)) not in (None, *VERDICTS):
        yield must_be_one_of(VERDICTS, verdict, VERDICT)
    known = {"sites": point.sites, "items": point.items, "alpha": point.protocol.given().get("alpha")}
    for name, value in known.items():
        stated = row.get(name)
        if stated is None or value is None or stated == value or (name == "items" and stated < value):
            continue
        yield f"{name} is {value}, not {stated}: leave it out"


def fault_of_columns(own: Sequence[str], columns: Sequence[str]) -> str:
    """Return why a task cannot add its own columns to those of trials.csv; empty if it can.

    Parameters
    ----------
    own
        The columns that the task adds.
    columns
        The names of all columns.

    Examples
    --------
    >>> fault_of_columns(["pips"], ["words", "pips"]), fault_of_columns(["words"], ["words", "words"])
    ('', "columns: 'words' is taken")
    """
    if isinstance(own, str) or not all(isinstance(name, str) for name in own):
        return must_be("a list of names", own, "columns:")
    for name in own:
        if not name.isidentifier() or iskeyword(name):
            return must_be("words", name, "columns:")
        if columns.count(name) > 1:
            return f"columns: {name!r} is taken"
    return ""


def _fault_of_value(value: object) -> str:
    if isinstance(value, list | tuple | dict | set | complex) or getattr(value, "ndim", False):
        return f"must be text, numbers or None; got a {type(value).__name__}"
    if isinstance(value, int) and abs(value) > MOST:
        return f"has a number of {value.bit_length():,} bits"
    if isinstance(value, str) and printable(value) != value:
        return f"has an unwritable text: {printable(value)}"
    return ""


@dataclass(frozen=True)
class Demand:
    """Estimated resources of one game: known before it is played, within milliseconds.

    Attributes
    ----------
    seconds
        Playing time.
    memory
        Bytes of memory.
    messages
        Largest average number of messages, by the protocol's cost bound; 0 if it sends none.
    unbounded
        Whether the protocol states no cost bound, so that they are one an item.
    without_rests
        Whether that is for a game without rests, of which it is not known how many there will be, and in which messages
        may be sent too.
    saved
        Seconds of the playing time that compiled functions would save, where there is no compiler.
    """

    seconds: float
    memory: float = 0.0
    messages: float = 0.0
    unbounded: bool = False
    without_rests: bool = False
    saved: float = 0.0


def messages_within(bound: object, items: float, point: Point) -> tuple[float, bool]:
    """Return the messages of a game by its cost bound, and whether there is none, so that they are one an item.

    Raises
    ------
    PointError
        The bound is no number, or below 0.
    """
    if not isinstance(bound, Real) or not float(bound) >= 0:
        reason = f"{point.protocol.kind}: cost_bound() must return a number of at least 0; got {bound!r}"
        raise PointError(("protocol",), reason)
    return (float(bound), False) if float(bound) < inf else (float(items), True)


COST: Final = ("rounds", *SENT)
"""Columns of what was sent."""
OF_ERROR: Final = (MAX_REL_ERROR, "failing_fraction")
"""Columns of the error of a count."""


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
    column: SizeColumn
    says: str
    least: int = 1
    needed: bool = False

    def __post_init__(self) -> None:
        if not self.key.isidentifier():
            raise ValueError(must_be("a word", self.key, "key"))
        one_of("column", self.column, SIZE_COLUMNS)


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


class Task(Shortcuts, ABC):
    """A kind of game: the checks of its points, its cost, and how it is played."""

    kind: ClassVar[str] = ""
    """The value of `task:` in scenario files."""
    rules: ClassVar[int] = 1
    """Version of the rules. A change that moves results adds one: finished games are then played again."""
    sizes: ClassVar[Sequence[Size]] = (SITES, ITEMS, START)
    """The sizes of its games, each with its key in scenario files; other size keys are refused."""
    defaults: ClassVar[Sequence[str]] = ("alpha",)
    """Parameters of protocols that a scenario may give once for all that take them, beside its sizes."""
    columns: ClassVar[Sequence[str]] = ()
    """Columns of trials.csv in addition to those of all tasks."""
    empty: ClassVar[Collection[str]] = ()
    """Columns of all tasks, and tables, that its games leave empty: no figure can show them."""
    answers: ClassVar[Sequence[Answer]] = USUAL
    """The columns of its table; a class that declares none shows its `columns` after the usual ones."""
    labels: ClassVar[Mapping[str, str]] = {
        "max_abs_error": "largest absolute error",
        "rms_error": "root mean square error",
    }
    """Labels of columns in figures, where the name does not say it; those of the classes that it extends hold too."""
    axes: ClassVar[Mapping[str, str]] = {
        "sites": "number of sites, k",
        "items": "items, N",
        "alpha": "accuracy, 1/α",
        "start": "items at the start, N₀",
        "epsilon": "privacy budget, ε",
        "latency": "latency, in steps",
        "loss": "share of messages lost",
        "crash_rate": "crashes of a site, per step",
    }
    """The same for axes, by the swept size or parameter: a label ends with the letter, or the unit, after a comma."""
    draws_coins: ClassVar[bool] = True
    """Whether it may draw random numbers that no stream of `simulator.game.streams` gives. A class with False
    draws only from such streams of its seed; a game that drew nothing from them is then counted once."""
    replayed: ClassVar[bool] = False
    """Whether its games have a record, which `disttrack replay` shows."""
    idle: ClassVar[Sequence[str]] = ()
    """Sides without effect on the game, protocol or adversary: tables leave them out."""
    beside: ClassVar[str] = ""
    """The column whose largest value belongs beside the verdicts, where "holds" alone would mislead."""
    in_steps: ClassVar[str] = ""
    """What follows from a step per row for users of a trace with times, where a parameter is a length of time. Cost
    bounds then take steps for items, and are not drawn for games that rest."""
    stamps: ClassVar[int] = 0
    """Numbers of a message that only say what it belongs to, such as its window, and are part of its word."""
    bases: ClassVar[Mapping[str, str]] = {
        "protocol": "disttrack.protocols.base:Protocol",
        "adversary": "disttrack.adversaries.base:Adversary",
    }
    """The class that a kind under `protocol:` and `adversary:` must extend, as ``module:Class``; empty for any."""
    headed: ClassVar[bool] = False
    """Whether, of what comes with this distribution, only kinds below its own heading can stand under `protocol:`: the
    others are then not imported to see that they cannot."""

    output_by_messages: ClassVar[bool] = True
    """Whether the output is what the server knows, so that it changes at most once per message. False for a task whose
    output the sites make together, or that counts several changes for one message."""
    own_engines: ClassVar[Mapping[str, type]] = {}
    """Engines of its own, `step` and `leap`, by which `disttrack.play` plays the protocols that are made for it."""

    @classmethod
    def label(cls, name: str, of: Literal["labels", "axes"] = "labels") -> str:
        """Return the label of a column or an axis, of this class or the nearest that it extends; empty without one."""
        stated = (vars(each).get(of, {}) for each in cls.__mro__)
        return next((labels[name] for labels in stated if name in labels), "")

    @classmethod
    def promises(cls, point: Mapping[str, object], game: Row) -> bool:
        """Return whether a game promised something: not where its guarantee allows all that was offered.

        Figures and pages count such a game as undecided; its verdict in trials.csv is that of its guarantee.

        Parameters
        ----------
        point
            The row of its point in the table of settings.
        game
            Its row of trials.csv.
        """
        return True

    @classmethod
    def meant_for(cls, maker: type) -> bool:
        """Return whether a kind under `protocol:` that extends its base is made for it, as far as the class says."""
        plays = getattr(maker, "plays", ())
        return not plays or cls.kind in plays

    @classmethod
    def kinds(cls, role: Family) -> dict[str, Kind]:
        """Return the registered kinds that can stand under `protocol:` or `adversary:`, by their names."""
        own = kinds("task").get(cls.kind)
        heading = own.group if role == "protocol" and cls.headed and own and own.origin == BUILT_IN else ""
        known = kinds_for(role, cls.bases[role], heading)
        return {name: kind for name, kind in known.items() if role == "adversary" or cls.meant_for(kind.load())}

    @abstractmethod
    def check(self, point: Point) -> None:
        """Make both sides of a point and all other parts that it needs; play nothing.

        The sizes have been checked against `sizes`: they are given if needed, and not too small.

        Raises
        ------
        PointError
            The point is invalid; the message says where.
        """

    @abstractmethod
    def play(self, point: Point, seed: int) -> Record:
        """Play one game."""

    def compare(self, point: Point) -> None:
        """Compare the engines of the games of a point in a short game, if a class of a side was not compared before.

        Raises
        ------
        DifferenceError
            They play different games.
        """

    def remark(self, point: Point) -> str:
        """Return a line on a valid point whose games show less than a reader may think; empty if there is none."""
        return ""

    def last_step(self, point: Point) -> float:
        """Return the last step of the games of a point, at most; infinite if it is not known before they are played."""
        return inf

    def demand(self, point: Point) -> Demand:
        """Return the resources of one game: to share out the work, to announce it, and to refuse too much."""
        return Demand(seconds=0.01)

    shortcuts: ClassVar = {"draws_coins": Shortcut(True)}
