"""Checks of the entries of `plots:`; without matplotlib, since scenarios are checked before anything runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import MISSING
from pathlib import Path
from typing import Any, Final

from disttrack.simulator.errors import CONDITION, ScenarioError, accepted, must_be, nearest, refusing
from disttrack.simulator.experiments.claims.expression_checks import check_condition, possible_rows
from disttrack.simulator.experiments.claims.expressions import Columns, ExpressionError, columns_of
from disttrack.simulator.experiments.scenario.settings import SIDES, Settings, row_of
from disttrack.simulator.game.columns import KINDS_CSV, PROTOCOL, RESULT, SERIES_CSV, ColumnType
from disttrack.simulator.game.tasks.base import Task
from disttrack.simulator.kinds.point import Point
from disttrack.simulator.kinds.registry import find, kinds, make, parameters
from disttrack.simulator.kinds.source import source_of

MORE_COLUMNS: Final[dict[str, ColumnType]] = {"sent": "number", RESULT: "text"}
"""Columns of figures that trials.csv does not have."""


class LackingError(ValueError):
    """A plot on names that the scenario does not have: axes that it does not sweep, or columns."""

    def __init__(self, names: Iterable[str], message: str) -> None:
        super().__init__(message)
        self.names = frozenset(names)


def check_plot(
    request: Any,
    swept: Iterable[str] | None = None,
    *,
    columns: Mapping[str, ColumnType] | None = None,
    called: Mapping[str, str] | None = None,
    folder: Path | None = None,
    maker: object = None,
) -> Any:
    """Return the plot that an entry of `plots:` asks for, a `simulator.shown.plots.Plot`.

    Parameters
    ----------
    request
        A mapping such as ``{"kind": "cost", "x": "sites"}``, or a kind alone; a plot is returned as it is.
    swept
        The axes that the scenario sweeps; with it an `x` that is not among them is refused.
    columns
        The columns of trials.csv and their types; with them a key or condition that names another one is refused.
    called
        What a task calls columns of its own sizes, such as ``{"items": "steps"}``: `x` may be either.
    folder
        Where files of users' plots are looked for, before the current folder.
    maker
        The plot's class where it is known already.

    Raises
    ------
    ValueError
        In one line: what is wrong and what is accepted.
    """
    if isinstance(request, str):
        request = {"kind": request}
    if hasattr(request, "describe"):
        return request
    kind = request.get("kind") if isinstance(request, Mapping) else None
    if not isinstance(kind, str) or not kind:
        known = accepted([*kinds("plot"), "module:Class", "file.py:Class"])
        raise ValueError(f"a plot needs a kind: {{kind: cost, x: sites}} ({known}); got {request!r}")
    given = {str(key): value for key, value in request.items() if key != "kind" and value is not None}
    if not isinstance(where := given.get("where", ""), str):
        raise ValueError(f"plot {kind!r}: where must be {CONDITION}; got a {type(where).__name__}")
    try:
        plot = make("plot", maker or find("plot", kind, source_of(kind, folder or Path.cwd()), folder), given)
    except ScenarioError as error:
        raise ValueError(f"plot {kind!r}: {error}") from error.__cause__  # that of a user's class
    with refusing(f"plot {kind!r}", ValueError, by=ValueError):
        _ = getattr(plot, "scales", None), getattr(plot, "inches", None)
    _check_columns(plot, kind, given, {**columns, **MORE_COLUMNS} if columns else None)
    names = called or {}
    axes = [names.get(axis, axis) for axis in swept or () if axis not in SIDES]
    axis = given.get("x", "")
    if axis and swept is not None and names.get(axis, axis) not in axes:
        known = ", ".join(axes) or "none: a list makes a sweep"
        if axis in SIDES:
            known = f"{', '.join(axes) or 'none'}; each {axis} has a line"
        advice = nearest(axis, axes)
        raise LackingError([axis], must_be(f"a swept axis ({known})", axis, f"plot {kind!r}: x") + advice)
    return plot


_IN_WORDS: Final = {SERIES_CSV: "timeline of errors", KINDS_CSV: "messages"}
"""What figures need, where it is no column of numbers."""


def why_without_unit(plot: Any, points: Sequence[Point], known: Columns) -> str:
    """Return why a cost figure has no games to compare with, since another edit left them out; else nothing.

    Raises
    ------
    ValueError
        It never has them, or has no room for its panels: unless outcomes choose its games, both are known before.
    """
    asked = getattr(plot, "ratio_to", "")
    if not asked or plot.kind != "cost" or not columns_of(plot.where or "True") <= {*known}:
        return ""
    there = possible_rows(plot.where, known) & (known[plot.x] == known[plot.x] if plot.x in known else True)
    chosen = [point for point, may in zip(points, there, strict=True) if may]
    protocols = list(dict.fromkeys(one.protocol.label for one in chosen))
    if asked not in protocols and asked in kinds(PROTOCOL):
        return f"nothing here plays {asked}"
    if not chosen:
        return ""
    settings = Settings(chosen[0].task.maker(), [*map(row_of, chosen)])
    beforehand = [one.known() for one in chosen]
    if why := plot.refuses_before(settings, {name: [one[name] for one in beforehand] for name in beforehand[0]}):
        raise ValueError(f"plot 'cost': {why}")
    return ""


def check_known(plot: Any, known: Columns, holds: Mapping[str, ColumnType]) -> None:
    """Refuse a figure of whose games the known values cannot be drawn, unless outcomes choose the games."""
    refuses = getattr(plot, "refuses_known", None)
    if refuses is None or not columns_of(plot.where or "True") <= {*known}:
        return
    chosen = possible_rows(plot.where, known)
    if chosen.any() and (why := refuses({name: values[chosen] for name, values in known.items()}, holds)):
        raise ValueError(f"plot {plot.kind!r}: {why}")


def check_drawable(plot: Any, kind: str, game: Task, columns: Mapping[str, ColumnType]) -> None:
    """Refuse a plot of what the games of a task do not have; ValueError lists the kinds that can be drawn."""
    lacking = _lacking(plot, game, columns)
    if not lacking:
        return
    names = [name for name, known in kinds("plot").items() if not _lacking(_bare(known.load()), game, columns)]
    said = ", ".join(_IN_WORDS.get(name, name) for name in lacking)
    raise ValueError(f"plot {kind!r}: task {game.kind} has no {said} ({accepted(names)})")


def _lacking(plot: Any, game: Task, columns: Mapping[str, ColumnType]) -> list[str]:
    """Return what a plot needs and the games of a task do not have."""
    asked = [name for key in plot.of_columns if isinstance(text := getattr(plot, key), str) for name in text.split(",")]
    filled = {SERIES_CSV, KINDS_CSV, "", *columns} - {*game.empty}
    return [name for name in dict.fromkeys(map(str.strip, (*plot.needs, *asked))) if name not in filled]


def _bare(maker: type[Any]) -> Any:
    """Return a plot of a kind with nothing for the keys that it must have."""
    return maker(**{key: "" for key, default in parameters(maker).items() if default is MISSING})


def _check_columns(plot: Any, kind: str, given: Mapping[str, Any], columns: Mapping[str, ColumnType] | None) -> None:
    """Refuse conditions that cannot be read, and columns that there are not, if they are known."""
    for key in ("where", "over"):
        text = given.get(key)
        if not isinstance(text, str) or not text:
            continue
        try:
            check_condition(text, columns)
        except ExpressionError as error:
            lacking = set[str]()
            with suppress(ExpressionError):
                lacking = columns_of(text) - set(columns) if columns else lacking
            message = f"plot {kind!r}: {key}: {error}"
            raise (LackingError(lacking, message) if lacking else ValueError(message)) from error
    if columns:
        _check_named(plot, kind, given, columns)


def _check_named(plot: Any, kind: str, given: Mapping[str, Any], columns: Mapping[str, ColumnType]) -> None:
    """Refuse keys whose text names a column that there is not, or one that holds no numbers."""
    for key in plot.of_columns:
        asked = given.get(key, "")
        usable = [one for one, holds in columns.items() if holds != "text" or key == "by"]
        for name in filter(None, map(str.strip, asked.split(","))) if isinstance(asked, str) else ():
            if name not in usable:
                of_numbers = " of numbers" * (key != "by")
                message = must_be(f"a column{of_numbers} ({', '.join(usable)})", name, f"plot {kind!r}: {key}")
                message += nearest(name, usable)
                raise LackingError([name], message) if name not in columns else ValueError(message)
