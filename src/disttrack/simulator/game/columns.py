"""The columns of the result tables: their names in order, what they hold, and where their values come from.

Games, runner, tables and figures take the names from here, and the handbook its table of the columns of
``trials.csv``, which are:

Parameters
----------
point
    Number of the point, one combination of the swept values.
trial
    Number of the game at its point.
seed
    Seed of the trial, the same at all points.
task
    What game is played.
protocol
    Kind of the protocol.
adversary
    Kind of the adversary.
sites
    Number of sites, k.
items
    Items really sent.
alpha
    Relative error promised; empty if none is.
engine
    Engine that played: step, leap, compiled or arrays.
verdict
    Whether the promise was kept at every step: ok, failed, undecided or error.
ok
    Whether the verdict is ok: True or False.
max_rel_error
    Largest relative error over all steps.
first_failure
    Items, with those of `start`, at the first failing step; empty if none failed.
failing_fraction
    Failing steps over all steps.
output_changes
    How often the output changed.
rounds
    Rounds that the protocol began; of one that does not count them, its broadcasts.
messages
    Messages in both directions; a broadcast is k of them.
words
    Cost in both directions.
words_up
    Cost from the sites to the server.
words_down
    Cost from the server to the sites.
bits
    Cost in bits: a signal is one, a word is ceil(log2(items + 1)).
broadcasts
    Messages of the server to all sites, each counted once.
seconds
    Time that the game took; empty if it is that of another seed.
error
    Class and message of the error that ended the game; measures are then empty.
max_lag_error
    Largest lag-aware error after the warm-up.
max_lag
    Longest window, in steps, with messages in transit.
messages_link
    Messages that reliable links have added.
words_link
    Cost that reliable links have added; `words` is without it.
link_factor
    Words with those of links, over `words`.
lost
    Messages lost on the way or at a stopped receiver, with those of links.
restarts
    How often a site or the server has stopped.
unsent
    Items left when your adversary ended the game.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, get_args

TRIALS_CSV: Final = "trials.csv"
SERIES_CSV: Final = "series.csv"
KINDS_CSV: Final = "kinds.csv"
CLAIMS_CSV: Final = "claims.csv"
"""The files of the tables."""
POINT: Final = "point"
TRIAL: Final = "trial"
PROTOCOL: Final = "protocol"
ADVERSARY: Final = "adversary"
VERDICT: Final = "verdict"
TASK: Final = "task"
MAX_REL_ERROR: Final = "max_rel_error"
MAX_LAG_ERROR: Final = "max_lag_error"
PART: Final = "part"
RESULT: Final = "result"
UNSENT: Final = "unsent"
"""The columns that most tables and pages read by their names; those of the sides are called by their roles."""
Verdict = Literal["ok", "failed", "undecided", "error"]
OK: Final = "ok"
FAILED: Final = "failed"
UNDECIDED: Final = "undecided"
ERROR: Final = "error"
"""What the column of verdicts holds."""
SizeColumn = Literal["sites", "items", "start"]
SIZE_COLUMNS: Final[tuple[SizeColumn, ...]] = get_args(SizeColumn)
"""Fields of a point that are columns of the tables."""
Scalar = str | int | float | bool | None
"""A value of a table."""
ColumnType = Literal["number", "truth", "text", "unknown"]
"""What a column holds."""
_TEXT: Final = "text"
Origin = Literal["run", "point", "game"]
"""Where the value comes from: the run, the point of the scenario, or the game that was played."""


@dataclass(frozen=True)
class Column:
    """One column of a table.

    Parameters
    ----------
    name
        Its name in the header.
    origin
        Where the value comes from.
    label
        The label of an axis that shows it; empty for its name.
    holds
        What it holds, as far as expressions need to know.
    cost
        Whether it counts what is sent, and grows with the length of a game.
    """

    name: str
    origin: Origin = "game"
    label: str = ""
    holds: ColumnType = "number"
    cost: bool = False


TRIAL_COLUMNS: Final = (
    Column("point", "run"),
    Column("trial", "run"),
    Column("seed", "run"),
    Column("task", "run", holds=_TEXT),
    Column("protocol", "point", holds=_TEXT),
    Column("adversary", "point", holds=_TEXT),
    Column("sites"),
    Column("items"),
    Column("alpha"),
    Column("engine", holds=_TEXT),
    Column("verdict", holds=_TEXT),
    Column("ok", holds="truth"),
    Column(MAX_REL_ERROR, label="largest relative error"),
    Column("first_failure"),
    Column("failing_fraction", label="share of failing steps"),
    Column("output_changes", label="changes of the output"),
    Column("rounds"),
    Column("messages", cost=True),
    Column("words", cost=True),
    Column("words_up", label="words to the server", cost=True),
    Column("words_down", label="words to the sites", cost=True),
    Column("bits", cost=True),
    Column("broadcasts", cost=True),
    Column("seconds", label="seconds per game"),
    Column("error", "run", holds=_TEXT),
)
"""Columns of ``trials.csv``, a row per game, in this order; a task's own and the swept parameters follow."""

NETWORK_COLUMNS: Final = (
    Column(MAX_LAG_ERROR, label="largest lag-aware error"),
    Column("max_lag", label="longest lag"),
    Column("messages_link", label="messages of links", cost=True),
    Column("words_link", label="words of links", cost=True),
    Column("link_factor", label="words with links, over words"),
    Column("lost", label="lost messages"),
    Column("restarts"),
)
"""Columns of ``trials.csv`` that follow these in scenarios with a `network`."""

ENDED_COLUMNS: Final = (Column("unsent", label="items not sent"),)
"""Columns of ``trials.csv`` that follow in scenarios with an adversary of the user's, which may end its game early."""

GAME: Final = "which game "
"""A number that games share if they are the same game: a column of claims that no expression can name."""
COINLESS: Final = "without coins "
"""Whether chance had no part in a game, so that another seed gives it again: another such column."""

UNJUDGED: Final = "not judged "
"""Whether a game that claims leave out ended without a judged step, and not with an error: another such column."""

PLACE: Final = ("point", "trial", "protocol", "adversary")
"""The columns that say, in the other tables, which game a row belongs to."""
CHECKPOINT: Final = ("step", "items", "output", "rel_error", "messages", "words")
SERIES: Final = (*PLACE, *CHECKPOINT)
"""Columns of ``series.csv``: a row per checkpoint of a game."""


class Sent(NamedTuple):
    """The messages of one kind in one direction: further columns of ``kinds.csv``."""

    kind: str
    direction: str
    messages: int
    words: int
    bits: int


def by_column(rows: Sequence[Sent]) -> dict[str, list[Any]]:
    """Return the columns of rows, each with its values."""
    return {name: [getattr(row, name) for row in rows] for name in Sent._fields}


KINDS: Final = (*PLACE, *Sent._fields)
"""Columns of ``kinds.csv``: a row per kind of message, direction and game."""
CLAIMS: Final = (
    *("name", "where", "group", "measure", "value", "low", "high", "bound", "games", "verdict", "note", "control"),
    *("broken", "false_alarm", "power", "of_goal", "played"),
)
"""Columns of ``claims.csv``: a row per claim and group of its `each`; the fields of a `Finding`."""


def names(columns: Sequence[Column], *origins: Origin) -> tuple[str, ...]:
    """Return the names of columns, in order; with origins, of those that have one of these.

    Examples
    --------
    >>> names(TRIAL_COLUMNS, "run")
    ('point', 'trial', 'seed', 'task', 'error')
    """
    return tuple(column.name for column in columns if not origins or column.origin in origins)


TRIALS: Final = names(TRIAL_COLUMNS)
NETWORK: Final = names(NETWORK_COLUMNS)
ENDED: Final = names(ENDED_COLUMNS)
SENT: Final = names([column for column in TRIAL_COLUMNS if column.cost])
"""Columns of what was sent, without that of reliable links."""
COSTS: Final = frozenset(SENT) | {column.name for column in NETWORK_COLUMNS if column.cost}
"""Columns that grow with the length of a game."""


def label(name: str) -> str:
    """Return the label of an axis that shows a measured column.

    Examples
    --------
    >>> label("words_up"), label("max_abs_error")
    ('words to the server', 'max abs error')
    """
    labels = {column.name: column.label for column in (*TRIAL_COLUMNS, *NETWORK_COLUMNS, *ENDED_COLUMNS)}
    return labels.get(name) or name.replace("_", " ")
