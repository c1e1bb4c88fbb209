"""A measure of games along a swept axis: medians with bands or shares with intervals, bounds, and fitted powers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from math import ceil
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from disttrack.simulator.errors import must_be, nearest
from disttrack.simulator.experiments.claims.statistics import CONFIDENCE, EACH, clopper_pearson, order_interval
from disttrack.simulator.experiments.results.lines import UNUSUAL, Line, lines, lines_of_panels, swept_axes
from disttrack.simulator.experiments.results.read import Tables
from disttrack.simulator.experiments.scenario.settings import SIDES, Settings
from disttrack.simulator.game.columns import ADVERSARY, FAILED, POINT, PROTOCOL, RESULT
from disttrack.simulator.kinds.names import count, name_of, with_name

Floats = npt.NDArray[np.float64]

MOST_LINES: Final = 7
"""More lines are not told apart in one panel."""
MOST_PANELS: Final = 9
"""Panels of a figure."""
MANY: Final = 20
"""Up to this number of games at a place the band is least to largest, beyond it 5 % to 95 %."""

FEWEST: Final = 4
"""Marks that a stated power has at least."""
LEAST: Final = 0.25
"""The least exponent that is stated: a smaller one is a logarithm more often than a power."""
_NAMED: Final = 6
"""Lines left out that are named; more are counted."""
BENT: Final = 0.12
"""The slope from each mark to the next may differ from the exponent by this share of it."""


@dataclass(frozen=True)
class Curve:
    """One line of a panel.

    Parameters
    ----------
    line
        The games behind it.
    x, middle, low, high
        Places on the axis and, at each, the median (or share) and the ends of the band.
    bound
        Theory at each place, NaN where there is none.
    broken
        Whether at least half of the games at a place failed.
    games
        Number of games with a value at each place.
    alone
        Whether nothing but the axis changes along it: with other parameters moving too, no power is one of the axis.
    """

    line: Line
    x: Floats
    middle: Floats
    low: Floats
    high: Floats
    bound: Floats
    broken: npt.NDArray[np.bool_]
    games: npt.NDArray[np.integer[Any]]
    alone: bool = True

    @cached_property
    def fit(self) -> str:
        """Return the exponent of the power through all of its marks; empty where they do not lie on one of the axis."""
        return fitted(self.x, self.middle) if self.alone else ""

    @property
    def ranged(self) -> bool:
        """Return whether a band is drawn, or bars: there are none of too few games, nor of equal ones."""
        return bool(np.any(self.high > self.low))


Values = Callable[[pd.DataFrame], "pd.Series[float]"]
Spread = Callable[[pd.DataFrame], pd.DataFrame]
"""Factors `low` and `high` of each game, with which the ends of an interval at `EACH` become those of a ratio."""
Game = Mapping[str, Any]
"""A row of trials.csv."""
Bound = Callable[[Game], float | None]


def place(games: pd.DataFrame, axis: str) -> pd.Series[float]:
    """Return the places of games on an axis, all finite, or NaN; the axis of alpha shows 1/alpha."""
    values = pd.to_numeric(games[axis], errors="coerce").astype(float)
    places: pd.Series[float] = 1.0 / values if axis == "alpha" else values
    return places.where(np.isfinite(places))


@dataclass(frozen=True)
class Facet:
    """One panel: its title and its lines."""

    title: str
    lines: Sequence[Line]


def facets(
    tables: Tables, x: str = "", by: str = "", apart: Sequence[str] = (ADVERSARY,), most: int = MOST_LINES
) -> tuple[list[Facet], str]:
    """Return the panels of a figure, and which lines are left out, as a sentence.

    There is a panel per adversary and per value of the column `by`. Where one has more than `most` lines, there is one
    per value of a further parameter; if that does not help, its lines are in several panels. Lines beyond `MOST_PANELS`
    panels are left out.

    Parameters
    ----------
    x, apart
        As for `lines`.
    """
    columns = _columns(tables, by)
    trials, axis = tables.trials, crowding(tables.trials, columns, x, apart, most)
    if axis:
        own = UNUSUAL[PROTOCOL]  # the title of the panel has it
        left = [tuple(pair for pair in pairs if name_of(pair[0]) != name_of(axis)) for pairs in trials[own]]
        trials, columns = trials.assign(**{own: pd.Series(left, trials.index)}), [*columns, axis]
    groups = [
        (", ".join(_title(one, tables.called.get(by, by) if one in (by, f"_{by}") else one, value)
                   for one, value in zip(columns, values, strict=True)), games)
        for values, games in _groups(trials, columns)
    ]  # fmt: skip
    every = []
    for (title, _), mine in zip(groups, lines_of_panels([games for _, games in groups], x, apart), strict=True):
        parts = _parts(mine, most)
        several = [f"({number} of {len(parts)})" if len(parts) > 1 else "" for number in range(1, len(parts) + 1)]
        every += [Facet(f"{title} {which}".strip(), part) for part, which in zip(parts, several, strict=True)]
    shown, rest = every[:MOST_PANELS], every[MOST_PANELS:]
    return shown, left_out([f"{line.label} {one.title}".strip() for one in rest for line in one.lines], "without room")


def tables_before(settings: Settings, known: Mapping[str, Sequence[object]], x: str) -> Tables:
    """Return what is known of the games of a figure along `x` before they are played, a row a point.

    Parameters
    ----------
    settings
        The points of the figure.
    known
        The columns of ``trials.csv`` that are known of them.
    """
    rows = {number: {**row, POINT: number} for number, row in enumerate(settings.rows)}
    unusual = {
        column: [tuple(row["unusual"].get(side, {}).items()) for row in rows.values()]
        for side, column in UNUSUAL.items()
    }
    trials = pd.DataFrame({RESULT: [""] * len(rows), POINT: [*rows], **known, **settings.cells(), **unusual})
    of_adversaries = frozenset(name for name, one in settings.swept.items() if one.side == ADVERSARY)
    tables = Tables(trials, trials.iloc[:0], {}, {"": rows}, of_adversaries)
    return tables.with_adversaries_named(x).with_common_apart()


def panels_of(tables: Tables, x: str) -> int:
    """Return the number of panels of a figure, of the largest one where a parameter has figures of its own."""
    axis = of_files(tables, x)
    files = [games for _, games in tables.trials.groupby(axis)] if axis else [tables.trials]
    return max(len(facets(replace(tables, trials=games), x)[0]) for games in files)


def settings_of_ratios(trials: pd.DataFrame, unit: pd.DataFrame, asked: str, x: str, keys: Sequence[str]) -> list[str]:
    """Return the swept parameters that differ among games of the unit that agree in the keys.

    Its words are those of the same ones. No value is a value too: it is that of games on both sides without the
    parameter.

    Raises
    ------
    ValueError
        Other games have not one of them.
    """
    every = dict(list(trials.groupby(list(keys))))
    parts = [(mine, every[key]) for key, mine in unit.groupby(list(keys))]
    apart = [axis for axis in swept_axes(trials) if axis not in (x, *SIDES)]
    differ = [axis for axis in apart if any(mine[axis].nunique(dropna=False) > 1 for mine, _ in parts)]
    for axis in differ:
        if any(mine[axis].notna().all() and games[axis].isna().any() for mine, games in parts):
            raise ValueError(f"ratio_to: {asked} has several values of {axis}; choose with where")
    return differ


def of_files(tables: Tables, x: str, by: str = "") -> str:
    """Return the parameter each of whose values has a figure of its own, since panels do not suffice; or nothing."""
    columns = _columns(tables, by)
    axis = crowding(tables.trials, columns, x)
    return crowding(tables.trials, [*columns, axis] if axis else columns, x, panels=len(tables.trials))


def crowding(
    trials: pd.DataFrame, columns: Sequence[str], x: str, apart: Sequence[str] = (ADVERSARY,),
    most: int = MOST_LINES, panels: int = MOST_PANELS,
) -> str:  # fmt: skip
    """Return the parameter that splits crowded panels best; empty if none is crowded, or it has no such parameter.

    Parameters
    ----------
    columns
        What splits them already.
    x, apart
        As for `lines`.
    most, panels
        How many lines a panel may have, and how many panels there may be.
    """
    each = [lines(games, x, apart) for _, games in _groups(trials, columns)]
    before = max((len(mine) for mine in each), default=0)
    best = (before, 0, "")
    axes = dict.fromkeys(axis for mine in each for line in mine for axis in line.free) if before > most else {}
    for axis in axes:
        if axis != RESULT and trials[axis].notna().all():
            split = [lines(games, x, apart) for _, games in _groups(trials, [*columns, axis])]
            after = max(map(len, split))
            if len(split) <= panels and after < before:
                best = min(best, (max(after, most), len(split), axis))
    return best[2]


def _columns(tables: Tables, by: str) -> list[str]:
    """Return the columns that each panel has one value of."""
    column = f"_{by}" if f"_{by}" in tables.trials else by or ADVERSARY  # a task's own have an underscore before them
    if column not in tables.trials:
        known = [str(one).lstrip("_") for one in tables.trials]
        raise ValueError(must_be("a column of trials.csv", by, "by") + nearest(by, known))
    return [one for one in dict.fromkeys([column, ADVERSARY]) if tables.trials[one].nunique() > 1]


def _groups(trials: pd.DataFrame, columns: Sequence[str]) -> Iterable[tuple[tuple[object, ...], pd.DataFrame]]:
    return trials.groupby([*columns], sort=False) if columns else [((), trials)]


def _parts(every: Sequence[Line], most: int) -> list[list[Line]]:
    """Return lines in parts of `most` at most, about equal, those of one protocol together where they fit."""
    equal = ceil(len(every) / max(1, ceil(len(every) / most)))
    parts: list[list[Line]] = [[]]
    for _, group in groupby(every, key=lambda line: line.protocol):
        mine = [*group]
        if parts[-1] and len(parts[-1]) + len(mine) > equal:
            parts.append([])
        for line in mine:
            if len(parts[-1]) == most:
                parts.append([])
            parts[-1].append(line)
    return parts


def _title(column: str, name: str, value: object) -> str:
    """Return the part of a panel's title on one column: `against freeze`, `items=3,000`."""
    return f"against {value}" if column == ADVERSARY else with_name(name, value)


def curve_of(
    line: Line, axis: str, values: Values, bound: Bound | None, *, judged: bool = True, band: str = "",
    spread: Spread | None = None,
) -> Curve:  # fmt: skip
    """Return a line along an axis; games without a place on it or a value are left out.

    Along an axis that is one adversary's parameter, the games against the others have no place.

    Parameters
    ----------
    values
        The value of each game: a number, or True or False, whose shares are drawn.
    bound
        Theory for a game (a row of trials.csv), None if there is none.
    judged
        Whether marks are hollow where at least half of the games failed.
    band
        interval, games or none; empty for what suits the values.
    spread
        Of ratios with intervals: what the unit's own interval adds.
    """
    shown, failed = values(line.games), (line.games.verdict == FAILED) & judged
    every = pd.DataFrame({"x": place(line.games, axis), "y": shown, "failed": failed})
    table = every.dropna().astype(float)
    groups = table.groupby("x")
    confidence = EACH if spread else CONFIDENCE
    ends = _shares(groups["y"]) if shown.dtype == bool else _medians(groups["y"], band, confidence)
    middle, low, high = map(np.asarray, ends)
    if spread:
        factors = spread(line.games).loc[table.index].groupby(table["x"]).first()
        low, high = low * factors["low"].to_numpy(), high * factors["high"].to_numpy()
    if band == "none":
        low = high = middle
    firsts = table.drop_duplicates("x").sort_values("x").index
    bounds: Floats = np.array([bound(line.games.loc[at].to_dict()) if bound else None for at in firsts], dtype=float)
    # of all games at the place, also those without a value
    broken = every.groupby("x")["failed"].mean().loc[table["x"].sort_values().unique()] >= 0.5
    x, fails = broken.index.to_numpy(dtype=float), broken.to_numpy(dtype=bool)
    sizes = groups.size().to_numpy()
    return Curve(line, x, middle, low, high, bounds, fails, sizes, alone=set(swept_axes(line.games)) <= {axis})


def _medians(groups: Any, band: str, confidence: float) -> tuple[Any, Any, Any]:
    """Return medians, and the ends of their intervals, NaN of too few games, or of the bands of games."""
    if band == "interval":
        ends = [order_interval(np.sort(games.to_numpy()), 0.5, confidence) for _, games in groups]
        low, high = np.reshape(np.array(ends, dtype=float), (-1, 2)).T
        return groups.median(), low, high
    share = 0.05 if groups.size().max() > MANY else 0.0
    low, high = (groups.quantile(end).fillna(np.inf) for end in (share, 1 - share))  # between two infinite ones: NaN
    return groups.median(), low, high


def _shares(groups: Any) -> tuple[Any, Any, Any]:
    """Return shares and the ends of their 95 % intervals."""
    hits, count = groups.sum(), groups.count()
    ends = [clopper_pearson(int(some), int(many)) for some, many in zip(hits, count, strict=True)]
    low, high = np.reshape(ends, (-1, 2)).T
    return hits / count, low, high


def fitted(x: npt.ArrayLike, y: npt.ArrayLike) -> str:
    """Return the exponent of the power through these marks; empty where they are too few, or do not lie on one.

    The exponent is the slope of the least-squares line through log y over log x. Its standard error is rounded up.

    Examples
    --------
    >>> fitted([1, 10, 100, 1000], [3, 30, 300, 3000])
    '1.00 ± 0.01'
    >>> fitted([1, 10, 100], [3, 30, 300])  # three marks
    ''
    >>> fitted([2**4, 2**8, 2**12, 2**16], [4, 8, 12, 16])  # a logarithm
    ''
    """
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    usable = np.isfinite(x) & np.isfinite(y) & (x > 0) & (y > 0)
    if usable.sum() < FEWEST or len(set(x[usable])) < FEWEST or not usable.all():
        return ""
    over, up = np.log(x), np.log(y)
    (slope, _), covariance = np.polyfit(over, up, 1, cov=True)
    between = np.diff(up) / np.diff(over)
    if abs(slope) < LEAST or (np.abs(between - slope) > BENT * abs(slope)).any():
        return ""
    error = float(np.sqrt(covariance[0, 0]))
    return f"{slope:.2f} ± {max(1, ceil(100 * error - 1e-9)) / 100:.2f}"


def power(curve: Curve, letter: str) -> str:
    """Return the power of an axis, by its letter, through all marks of a line, with its error, as text.

    It is empty where they do not lie on one.
    """
    if not curve.fit:
        return ""
    letter = letter if len(letter) < 3 else f"({letter})"
    return rf"$\propto {letter}^{{{curve.fit}}}$".replace(" ± ", r"\pm ")


def symbol(axis: str, label: str) -> str:
    """Return the letter of an axis, from its label, or its name.

    >>> symbol("sites", "number of sites, k"), symbol("latency", "latency of a message, in steps")
    ('k', 'latency')
    """
    letter = label.rpartition(", ")[2]
    return letter if len(letter) < 4 else name_of(axis)


def axis_label(axis: str, tables: Tables) -> str:
    """Return the label of a swept axis with its unit: that of the task's `axes`, or its name."""
    return tables.task.label(axis, "axes") or name_of(axis)


def estimate(curves: Sequence[Curve], band: str, *, shares: bool) -> str:
    """Return what marks and bands of curves are, for the line on what is equal; empty where each is one game."""
    games = [one for curve in curves for one in curve.games]
    if max(games) == 1:
        return ""
    ranged = [curve for curve in curves if curve.ranged]
    if shares:
        return "shares of games" + ", bars: 95 % intervals" * bool(ranged)
    if not ranged:
        few = band == "interval" and not any(np.isfinite(curve.low).any() for curve in curves)
        return "medians" + ", too few games for intervals" * few
    if band == "interval":
        return "medians, bars: their 95 % intervals"
    sizes = [curve.games.max() > MANY for curve in ranged]
    ends = ["least to largest game"] * (not all(sizes)) + ["5 % to 95 % of games"] * any(sizes)
    return f"medians, bands: {' or '.join(ends)}"


def of_games(sizes: Sequence[int], noun: str = "games") -> str:
    """Return numbers of games in words.

    >>> of_games([4, 4]), of_games([2, 4, 3]), of_games([53], "checkpoints")
    ('4 games', '2 to 4 games', '53 checkpoints')
    """
    least, most = min(sizes), max(sizes)
    return f"{least:,} to {most:,} {noun}" if least < most else f"{most:,} {noun}"


def missing_note(values: pd.Series[float]) -> str:
    """Return the number of games that have no value, in words; empty if all have one."""
    missing = int(values.isna().sum())
    return f" Left out: {missing:,} of {count(len(values), 'game')}, without a value." if missing else ""


def absent(
    every: Iterable[Line], there: Collection[int], why: str, label: Callable[[Line], str] = lambda line: line.label
) -> str:
    """Return the protocols, or lines of them, that have none of the games `there`, as a sentence; empty if all have."""
    names: dict[str, list[str]] = {}
    seen = set()
    for line in every:
        if line.games.index.isin(there).any():
            seen.add(line.protocol)
        else:
            names.setdefault(line.protocol, []).append(label(line))
    return left_out([one for kind, each in names.items() for one in (each if kind in seen else [kind])], why)


def left_out(names: Sequence[str], why: str) -> str:
    """Return what is left out, as a sentence; empty if nothing is."""
    return f" Left out, {why}: {listed(names)}." if names else ""


def cut_note(names: Iterable[str]) -> str:
    """Return which curves leave their panel, as a sentence; empty if none does."""
    cut = list(dict.fromkeys(names))
    return f"Beyond the panel: {listed(cut)}." if cut else ""


def listed(names: Sequence[str]) -> str:
    """Return names with semicolons between them: the first ones, and how many more there are."""
    more = f"; {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"{'; '.join(names[:_NAMED])}{more}"


def infinite_note(values: npt.ArrayLike) -> str:
    """Return the number of games that are infinite, in words; empty if none is.

    >>> infinite_note([1.0, float("inf")]), infinite_note([1.0])
    (' ∞: infinite, in 1 of 2 games.', '')
    """
    known = np.asarray(values, dtype=float)
    known = known[~np.isnan(known)]
    many = int(np.isinf(known).sum())
    return f" ∞: infinite, in {many:,} of {count(len(known), 'game')}." if many else ""
