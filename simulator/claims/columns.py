"""The columns of the result tables: each name stands here once, with what it means, its unit, and who knows it.

Games, runner, tables, figures and `docs/scenarios.md` take the names from here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

Scalar = str | int | float | bool | None
"""A value of a table."""
Holds = Literal["number", "truth", "text", "unknown"]
"""What a column holds."""
Origin = Literal["run", "point", "game", "claim"]
"""Who knows the value: the run, the point of the scenario, the game that was played, or a claim that was judged."""


@dataclass(frozen=True)
class Column:
    """One column of a table.

    Parameters
    ----------
    name
        Its name in the header.
    says
        What it is.
    unit
        Unit of its numbers, or the values it takes; empty where it is a name or a plain number.
    origin
        Who knows the value.
    label
        The label of an axis that shows it; empty for its name.
    holds
        What it holds, as far as expressions need to know.
    """

    name: str
    says: str
    unit: str = ""
    origin: Origin = "game"
    label: str = ""
    holds: Holds = "number"


TRIAL_COLUMNS: Final = (
    Column("point", "number of the point: one combination of the swept values", "", "run"),
    Column("trial", "number of the game at its point", "", "run"),
    Column("seed", "seed of the trial, the same at all points", "", "run"),
    Column("task", "what game is played", "", "run", holds="text"),
    Column("protocol", "kind of the protocol", "", "point", holds="text"),
    Column("adversary", "kind of the adversary", "", "point", holds="text"),
    Column("sites", "number of sites, k", "sites"),
    Column("items", "items really sent", "items"),
    Column("alpha", "relative error promised; empty if none is", "share"),
    Column("engine", "engine that played", "step, leap, bulk", holds="text"),
    Column("verdict", "whether the promise was kept at every step", "ok, failed, undecided, error", holds="text"),
    Column("ok", "whether the verdict is ok", "True, False", holds="truth"),
    Column("max_rel_error", "largest relative error over all steps", "share", label="largest relative error"),
    Column("first_failure", "items, with those of `start`, at the first failing step; empty if none failed", "items"),
    Column("failing_fraction", "failing steps over all steps", "share", label="share of failing steps"),
    Column("output_changes", "how often the output changed", "changes", label="changes of the output"),
    Column("rounds", "rounds that the protocol began", "rounds"),
    Column("messages", "messages in both directions; a broadcast is k of them", "messages"),
    Column("words", "cost in both directions", "words"),
    Column("words_up", "cost from the sites to the server", "words", label="words to the server"),
    Column("words_down", "cost from the server to the sites", "words", label="words to the sites"),
    Column("bits", "cost in bits: a signal is one, a word is ceil(log2(items + 1))", "bits"),
    Column("broadcasts", "messages of the server to all sites, each counted once", "broadcasts"),
    Column("seconds", "time that the game took; differs from run to run", "s", label="seconds per game"),
    Column("error", "what ended the game: class and message of the error; its measures are then empty", "", "run",
           holds="text"),
)  # fmt: skip
"""Columns of ``trials.csv``, a row per game, in this order; a task's own and the swept parameters follow."""

NETWORK_COLUMNS: Final = (
    Column(
        "max_lag_error",
        "largest error after the warm-up, for what could be known of the items",
        "share",
        label="largest lag-aware error",
    ),
    Column("max_lag", "largest number of steps for which something was on its way", "steps", label="longest lag"),
    Column("messages_link", "messages that reliable links have added", "messages", label="messages of links"),
    Column("words_link", "cost that reliable links have added; `words` is without it", "words", label="words of links"),
    Column("link_factor", "words with those of links, over `words`", "", label="words with links, over words"),
    Column("lost", "messages, of links too, lost on the way or at one who was down", "messages", label="lost messages"),
    Column("restarts", "how often a site or the server has stopped", "restarts"),
)  # fmt: skip
"""Columns of ``trials.csv`` that follow these in scenarios with a `network`."""

PLACE: Final = ("point", "trial", "protocol", "adversary")
"""The columns that say, in the other tables, which game a row belongs to."""
_PLACE: Final = tuple(column for column in TRIAL_COLUMNS if column.name in PLACE)

SERIES_COLUMNS: Final = (
    *_PLACE,
    Column("step", "step of the checkpoint, from 1", "steps"),
    Column("items", "items so far, with those of `start`", "items"),
    Column("output", "the server's output", "items"),
    Column("rel_error", "signed relative error of the output", "share"),
    Column("messages", "messages so far", "messages"),
    Column("words", "words so far", "words"),
)
"""Columns of ``series.csv``: a row per checkpoint of a game."""

KIND_COLUMNS: Final = (
    *_PLACE,
    Column("kind", "kind of message"),
    Column("direction", "up is from a site to the server, down from the server to a site", "up, down"),
    Column("messages", "how many were sent", "messages"),
    Column("words", "their cost", "words"),
    Column("bits", "their cost in bits", "bits"),
)
"""Columns of ``kinds.csv``: a row per kind of message, direction and game."""

CLAIM_COLUMNS: Final = (
    Column("name", "the claim", "", "claim"),
    Column("where", "which games it speaks of; empty for all", "", "claim"),
    Column("group", "the group that `each` made, as a condition; empty without it", "", "claim"),
    Column("measure", "what is measured", "", "claim"),
    Column("value", "measured value; empty if nothing could be measured", "", "claim"),
    Column("low", "lower end of its 95 % confidence interval; empty if there is none", "", "claim"),
    Column("high", "upper end", "", "claim"),
    Column("bound", "what the value had to meet", "", "claim"),
    Column("games", "different games that it was measured on", "games", "claim"),
    Column(
        "verdict", "whether it meets the bound, and its control does not", "PASS, FAIL, VACUOUS, UNDECIDED", "claim"
    ),
    Column("note", "why nothing could be measured, or is decided; empty otherwise", "", "claim"),
    Column("control", "value of the measure in the control, where it must fail; empty if not measured", "", "claim"),
    Column("broken", "what is broken in the control, or why there can be none; empty without one", "", "claim"),
    Column(
        "false_alarm",
        "chance that a fresh run misses the bound though the claim is true; empty if unknown",
        "",
        "claim",
    ),
    Column(
        "power",
        "value of the measure, beyond the bound, that the claim refutes with probability 95 %; empty if unknown",
        "",
        "claim",
    ),
    Column(
        "of_goal",
        "violation that it finds with probability 95 %, over that of the goal: at most 1 if the goal is reached",
        "",
        "claim",
    ),
    Column("played", "games with those that repeat another one: without coins, or at an equal point", "games", "claim"),
)
"""Columns of ``claims.csv``: a row per claim and group of its `each`."""


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
SERIES: Final = names(SERIES_COLUMNS)
KINDS: Final = names(KIND_COLUMNS)
CLAIMS: Final = names(CLAIM_COLUMNS)

_LABELS: Final = {column.name: column.label for column in (*TRIAL_COLUMNS, *NETWORK_COLUMNS) if column.label}


def label(name: str) -> str:
    """Return what an axis that shows a measured column says.

    Examples
    --------
    >>> label("words_up"), label("max_abs_error")
    ('words to the server', 'max abs error')
    """
    return _LABELS.get(name, name.replace("_", " "))


def documented(columns: Sequence[Column]) -> list[str]:
    """Return the rows of the Markdown table that documents columns."""
    return [f"| `{column.name}` | {column.says} | {column.unit} | {column.origin} |" for column in columns]
