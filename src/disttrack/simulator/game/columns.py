"""The columns of the result tables: their names in order, what they hold, and where their values come from.

Games, runner, tables and figures take the names from here, and the handbook its tables of columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

Scalar = str | int | float | bool | None
"""A value of a table."""
ColumnType = Literal["number", "truth", "text", "unknown"]
"""What a column holds."""
Origin = Literal["run", "point", "game"]
"""Where the value comes from: the run, the point of the scenario, or the game that was played."""


@dataclass(frozen=True)
class Column:
    """One column of a table.

    Parameters
    ----------
    name
        Its name in the header.
    says
        What it is, for the handbook.
    origin
        Where the value comes from.
    label
        The label of an axis that shows it; empty for its name.
    holds
        What it holds, as far as expressions need to know.
    """

    name: str
    says: str
    origin: Origin = "game"
    label: str = ""
    holds: ColumnType = "number"


TRIAL_COLUMNS: Final = (
    Column("point", "number of the point, one combination of the swept values", "run"),
    Column("trial", "number of the game at its point", "run"),
    Column("seed", "seed of the trial, the same at all points", "run"),
    Column("task", "what game is played", "run", holds="text"),
    Column("protocol", "kind of the protocol", "point", holds="text"),
    Column("adversary", "kind of the adversary", "point", holds="text"),
    Column("sites", "number of sites, k"),
    Column("items", "items really sent"),
    Column("alpha", "relative error promised; empty if none is"),
    Column("engine", "engine that played: step, leap, compiled or arrays", holds="text"),
    Column("verdict", "whether the promise was kept at every step: ok, failed, undecided or error", holds="text"),
    Column("ok", "whether the verdict is ok: True or False", holds="truth"),
    Column("max_rel_error", "largest relative error over all steps", label="largest relative error"),
    Column("first_failure", "items, with those of `start`, at the first failing step; empty if none failed"),
    Column("failing_fraction", "failing steps over all steps", label="share of failing steps"),
    Column("output_changes", "how often the output changed", label="changes of the output"),
    Column("rounds", "rounds that the protocol began"),
    Column("messages", "messages in both directions; a broadcast is k of them"),
    Column("words", "cost in both directions"),
    Column("words_up", "cost from the sites to the server", label="words to the server"),
    Column("words_down", "cost from the server to the sites", label="words to the sites"),
    Column("bits", "cost in bits: a signal is one, a word is ceil(log2(items + 1))"),
    Column("broadcasts", "messages of the server to all sites, each counted once"),
    Column("seconds", "time that the game took; empty if it is that of another seed", label="seconds per game"),
    Column("error", "class and message of the error that ended the game; measures are then empty", "run", holds="text"),
)
"""Columns of ``trials.csv``, a row per game, in this order; a task's own and the swept parameters follow."""

NETWORK_COLUMNS: Final = (
    Column("max_lag_error", "largest lag-aware error after the warm-up", label="largest lag-aware error"),
    Column("max_lag", "longest window, in steps, with messages in transit", label="longest lag"),
    Column("messages_link", "messages that reliable links have added", label="messages of links"),
    Column("words_link", "cost that reliable links have added; `words` is without it", label="words of links"),
    Column("link_factor", "words with those of links, over `words`", label="words with links, over words"),
    Column("lost", "messages lost on the way or at a stopped receiver, with those of links", label="lost messages"),
    Column("restarts", "how often a site or the server has stopped"),
)
"""Columns of ``trials.csv`` that follow these in scenarios with a `network`."""

ENDED_COLUMNS: Final = (Column("unsent", "items left when your adversary ended the game", label="items not sent"),)
"""Columns of ``trials.csv`` that follow in scenarios with an adversary of the user's, which may end its game early."""

GAME: Final = "which game "
"""A number that games share if they are the same game: a column of claims that no expression can name."""
COINLESS: Final = "without coins "
"""Whether chance had no part in a game, so that another seed gives it again: another such column."""

UNJUDGED: Final = "not judged "
"""Whether a game that claims leave out ended without a judged step, and not with an error: another such column."""

PLACE: Final = ("point", "trial", "protocol", "adversary")
"""The columns that say, in the other tables, which game a row belongs to."""
SERIES: Final = (*PLACE, "step", "items", "output", "rel_error", "messages", "words")
"""Columns of ``series.csv``: a row per checkpoint of a game."""
KINDS: Final = (*PLACE, "kind", "direction", "messages", "words", "bits")
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
COSTS: Final = frozenset(
    {"messages", "words", "words_up", "words_down", "bits", "broadcasts", "messages_link", "words_link"}
)
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
