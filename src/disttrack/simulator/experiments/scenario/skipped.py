"""Claims and figures that a scenario leaves without games: they are skipped with a reason, neither failed nor refused.

A claim whose condition is one misspelt name away from a game is left undecided, so that the run does not end well.

A scenario that was edited still has the claims of all that it once played. What can be seen before a game is played is
enough to tell: its points, and the columns that kinds of this task could have.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Final, NamedTuple

from disttrack.simulator.errors import MEANT, nearest
from disttrack.simulator.experiments.claims.claim import Claim
from disttrack.simulator.experiments.claims.expression_checks import is_column, possible_rows
from disttrack.simulator.experiments.claims.expressions import (
    Columns,
    ExpressionError,
    column_of,
    columns_of,
    parse,
    rows,
    select,
)
from disttrack.simulator.experiments.scenario.settings import LEFT_OUT
from disttrack.simulator.game.columns import NETWORK, PART, ColumnType
from disttrack.simulator.game.tasks.base import Task
from disttrack.simulator.kinds.point import Point
from disttrack.simulator.kinds.registry import ROLES, kinds, parameters

MOST: Final = 8
"""Values of a column that are listed, at most."""
_CLOSE: Final = 0.8
"""Names at least this much alike differ by a slip."""


class Skipped(NamedTuple):
    """A claim or a figure that is skipped.

    It has which it is (`claim` or `plot`), its number in the file, its name, why, and its file and line.
    """

    what: str
    number: int
    name: str
    why: str
    at: str = ""

    @property
    def line(self) -> str:
        """Return it in a line, for the terminal."""
        from disttrack.simulator.experiments.claims.findings import SKIPPED, without_games

        verdict = without_games(self.why) if self.what == "claim" else SKIPPED
        return f"{self.at}: {verdict} {self.what} {self.name!r}: {self.why}"


class Beforehand(NamedTuple):
    """What is known of the games of a scenario before they are played.

    Attributes
    ----------
    task, points
        The task, and the points.
    known
        The columns that are known, a row per point.
    columns
        The types of all columns that the results will have.
    """

    task: Task
    points: Sequence[Point]
    known: Columns
    columns: Mapping[str, ColumnType]


def columns_of_kinds(game: Task, points: Sequence[Point] = ()) -> frozenset[str]:
    """Return the columns that scenarios of a task may have: all parameters of its kinds, and of networks.

    Parameters
    ----------
    points
        Those of a scenario, which may have classes of the user's.
    """
    names = {*NETWORK, *(size.key for size in game.sizes), *(size.column for size in game.sizes)}
    names |= {*LEFT_OUT, "crash_down", "crash_state", "start", "alpha", PART}
    for role in ROLES:
        makers = [kind.load() for kind in game.kinds(role).values()]
        makers += {getattr(point, role).maker() for point in points}
        own = {name for maker in makers for name in parameters(maker)}
        names |= own | {f"{role}_{name}" for name in own}
    return frozenset(names)


def why_skipped(claim: Claim, games: Beforehand, *, edited: bool = False) -> str:
    """Return why a claim has no games to be measured on; empty if it may have some, or is wrong.

    Parameters
    ----------
    edited
        Whether something is set over the file, and not the claim: a value that no point has is then no mistake.
    """
    try:
        texts = [text for text in (claim.where, claim.measure, claim.margin) if text]
        missing = {*claim.columns, *(name for text in texts for name in columns_of(text))}
        if missing := {name for name in missing if not is_column(name, games.columns)}:
            return why_not_here(missing, games.columns, games)
        chosen = possible_rows(claim.where, games.known)
        if not chosen.any():
            return unmet(claim.where, games.known, edited=edited)
        known = select(games.known, chosen.nonzero()[0])
        for condition in _conditions(claim.measure):
            if not possible_rows(condition, known).any():
                return unmet(condition, known, edited=edited)
        for axis in _axes(claim.measure):
            if columns_of(axis) <= set(known) and len(set(rows(axis, known).tolist())) < 2:
                return f"{axis} has one value"
    except ExpressionError:
        return ""  # the check of the claim has the reason
    return ""


def why_not_here(missing: Collection[str], columns: Collection[str], games: Beforehand) -> str:
    """Return why there are no columns of these names, if other scenarios of the task may have them; else nothing.

    All kinds are loaded for that. A name that no kind of the scenario knows, and that is very close to a column, seems
    to be misspelt.
    """
    if not set(missing) <= columns_of_kinds(games.task, games.points):
        return ""
    known = {name for point in games.points for role in ROLES for name in parameters(getattr(point, role).maker())}
    strange = sorted({*missing} - known - {*columns})
    advice = next(filter(None, (nearest(one, columns, _CLOSE) for one in strange)), "")
    return f"nothing here sweeps {', '.join(sorted(missing))}{advice}"


def why_elsewhere(claim: Claim | str, known: Columns, left_out: Sequence[str]) -> str:
    """Return why a claim, or a condition, has no games if it is on parts that are left out; else nothing."""
    texts = [claim] if isinstance(claim, str) else [claim.where or "", *_conditions(claim.measure)]
    for text in texts if left_out and PART in known else ():
        here, there = (possible_rows(text, {PART: column}).any() for column in (known[PART], column_of(left_out)))
        if there and not here:
            return f"no game meets {text!r}"
    return ""


def why_undrawn(where: str, known: Columns, *, edited: bool = False) -> str:
    """Return why a figure has no games; empty if it may have some. `edited` is as for `why_skipped`."""
    with suppress(ExpressionError):
        if not possible_rows(where, known).any():
            return unmet(where, known, edited=edited)
    return ""


def unmet(where: str, known: Columns, *, edited: bool = False) -> str:
    """Return the message on a condition that no game meets, with advice; `edited` is as for `why_skipped`."""
    return f"no game meets {where!r}{_near_text(where, known, edited=edited)}"


def _near_text(where: str, known: Columns, *, edited: bool) -> str:
    """Return advice for a condition that no point meets: a near text, else the values that there are.

    There is none for a kind that no point has and that is registered: an edit has left it out. `edited` is as for
    `why_skipped`.
    """
    texts = sorted({str(value) for column in known.values() for value in column if isinstance(value, str)})
    asked = [node.value for node in ast.walk(parse(where)) if isinstance(node, ast.Constant)]
    missing = [one for one in asked if isinstance(one, str) and one not in texts]
    if advice := next(filter(None, (nearest(one, texts, _CLOSE) for one in missing if not _is_kind(one))), ""):
        return advice
    if any(edited or _is_kind(one) for one in missing):
        return ""
    columns = {name: known[name].tolist() for name in sorted(columns_of(where) & known.keys())}
    values = {name: list(dict.fromkeys(one for one in each if one == one)) for name, each in columns.items()}  # no nan
    listed = [
        f"{name}: {', '.join(f'{one:g}' if isinstance(one, float) else str(one) for one in each) or 'no value'}"
        for name, each in values.items()
        if len(each) <= MOST
    ]
    others = f"({'; '.join(listed)})" * bool(listed)
    return f" {others}".rstrip() if edited else f"{MEANT}another value {others}?".replace(" ?", "?")


def _is_kind(name: str) -> bool:
    """Return whether a side may be of this kind: an edit has left it out."""
    return any(name in kinds(role) for role in ROLES)


def stated_trials(data: Mapping[str, object]) -> dict[str, int]:
    """Return the trials of each part of a file that is not checked yet; what is no number is refused later."""
    parts = data.get("parts")
    named = parts if isinstance(parts, Mapping) and parts else {"": {}}
    trials = {name: own.get("trials", data.get("trials")) for name, own in named.items() if isinstance(own, Mapping)}
    return {str(name): number for name, number in trials.items() if isinstance(number, int)}


def why_too_few(trials: Mapping[str, int], written: Mapping[str, int]) -> str:
    """Return why claims may have too few games, if a part has fewer trials than its file; empty if none has."""
    fewer = [(written[name], number) for name, number in trials.items() if number < written.get(name, 0)]
    return "too few games: needs {:,} trials, has {:,}".format(*fewer[0]) if fewer else ""


def _calls(measure: str) -> Iterator[ast.Call]:
    for node in ast.walk(parse(measure)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node


def _conditions(measure: str) -> Iterator[str]:
    """Yield the conditions by which a measure selects games, or counts them."""
    for call in _calls(measure):
        yield from (ast.unparse(one.value) for one in call.keywords if one.arg == "where")
        selecting = {"crossing": call.args[2:4], "fraction": call.args[:1]}
        yield from map(ast.unparse, selecting.get(call.func.id, ()))  # type: ignore[attr-defined]


def _axes(measure: str) -> Iterator[str]:
    """Yield the quantities along which a measure compares games."""
    for call in _calls(measure):
        if call.func.id in ("slope", "crossing"):  # type: ignore[attr-defined]
            yield from map(ast.unparse, call.args[1:2])
