"""The `cost`, `error` and `measure` figures, lines along a swept axis, and `frontier`, the error against words."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import isfinite, log, log1p, nan, sqrt
from typing import Any, Final

import numpy as np
import pandas as pd

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.experiments.claims.statistics import EACH, order_interval
from disttrack.simulator.experiments.results.folder import class_of
from disttrack.simulator.experiments.results.formats import number
from disttrack.simulator.experiments.results.lines import terms_of
from disttrack.simulator.experiments.results.read import GAME, ITEMS_SENT, Tables
from disttrack.simulator.experiments.scenario.settings import Row, flat, setting_in_words
from disttrack.simulator.game.columns import ADVERSARY, POINT, PROTOCOL, RESULT
from disttrack.simulator.game.tasks.answers import over_alpha
from disttrack.simulator.kinds.registry import make
from disttrack.simulator.shown.plots.description import DOTS, Description, Item, Look, Panel, Rule, Series
from disttrack.simulator.shown.plots.kinds import EFOLD, NO_BOUND, NO_LIMIT, NO_ROOM, Cost, Error, Measure
from disttrack.simulator.shown.plots.marks import BORDER
from disttrack.simulator.shown.plots.panels import (
    ABOUT_ONE,
    FLOOR,
    IN_ALPHA,
    border,
    column_of,
    curves,
    measured_label,
)
from disttrack.simulator.shown.plots.sweep import Floats, Game, Values, place, settings_of_ratios

_LINEAR_SPAN: Final = 60.0
"""Against N costs grow logarithmically: a linear scale shows that straight, if they differ by less than this."""
_LABELS: Final = {EFOLD: "words per e-fold of the stream"}
_LOWER_LOOK: Final = Look("#777777", "", DOTS, 1.1, order=3.5)
_LOWER_BOUNDS: Final[tuple[tuple[str, Callable[[float, float], float]], ...]] = (
    ("k/α", lambda k, alpha: k / alpha),
    ("√k/α", lambda k, alpha: sqrt(k) / alpha),
)
"""The b of `lower_bound` by k and alpha: Yi, Zhang 2009, and Huang, Yi, Zhang 2012."""
LOWER_NOTE: Final = (
    "Dots: lower bounds up to a factor: b ln(N/b) words, b = k/α without coins, √k/α with them;"
    " after a start s > b, b ln(N/s)."
)


def lower_bound(b: float, items: float, start: float = 0) -> float:
    """Return the words that a tracker must send until `items`, those of the start among them, by `LOWER_NOTE`.

    The bound is b per e-fold from b items on; before that an item costs a word at most.

    >>> round(lower_bound(100, 10_000), 1), lower_bound(100, 50), round(lower_bound(100, 10_000, start=1000), 1)
    (460.5, 0.0, 230.3)
    """
    return b * max(0.0, log(items / max(start, b)))


def error(plot: Error, tables: Tables) -> Description:
    """Return an `error` figure."""
    return curves(
        plot,
        tables,
        f"{tables.error}, {IN_ALPHA}",
        over_alpha,
        more=border(),
        low=FLOOR,
        always=ABOUT_ONE,
        by=plot.by,
    )


def measure(plot: Measure, tables: Tables) -> Description:
    """Return a `measure` figure."""
    column = column_of(tables.trials, "y", plot.y)
    expected = column_of(tables.trials, "theory", plot.theory) if isinstance(plot.theory, str) and plot.theory else ""
    shares = tables.trials[column].dtype == bool

    def values(games: pd.DataFrame) -> pd.Series[float]:
        return games[column] if shares else games[column].astype(float)

    def bound(game: Game) -> float | None:
        return float(game[expected] if expected else plot.theory)

    limit = [] if plot.limit == "" else [_limit(tables.trials, plot.limit)]
    return curves(
        plot, tables, measured_label(plot.y, tables), values, bound if plot.theory != "" else None,
        more=border(limit[0], plot.limit) if limit else [], always=limit, scale="linear" if shares else "", by=plot.by,
        judged=plot.theory == "", theory=measured_label(str(plot.theory), tables) if expected else "theory",
    )  # fmt: skip


def _limit(trials: pd.DataFrame, limit: str | float) -> float:
    """Return the limit of all games of a figure."""
    if not isinstance(limit, str):
        return float(limit)
    values = trials[column_of(trials, "limit", limit)].dropna().unique()
    if len(values) != 1:
        raise ValueError(NO_LIMIT.format(limit, len(values)))
    return float(values[0])


def cost(plot: Cost, tables: Tables) -> Description:
    """Return a `cost` figure."""
    column = "words" if plot.y == EFOLD else plot.y
    if tables.trials[column].isna().all():
        raise ValueError(f"these games have no {column}")

    def point(game: Game) -> Game:
        return tables.points.get(str(game[RESULT]), {}).get(int(game[POINT]), {})

    def start(game: Game) -> int:
        return int(point(game).get("start") or 0)

    def efolds(game: Game) -> float:
        return log1p(float(game[ITEMS_SENT]) / max(1, start(game))) if plot.y == EFOLD else 1.0

    def values(games: pd.DataFrame) -> pd.Series[float]:
        words = games[column].astype(float)
        return words / games.apply(efolds, axis=1) if plot.y == EFOLD else words

    def bound(game: Game) -> float | None:
        if not isfinite(game[ITEMS_SENT]) or tuple(game[key] for key in GAME) in tables.rested:
            return None
        most = _cost_bound(point(game), int(game[ITEMS_SENT]), tables.own)
        return None if most is None else most / efolds(game)

    if plot.over:
        name = "where " + re.sub(r" *== *(['\"]?)([\w.-]+)\1", r" is \2", plot.over)
        return _relative(plot, tables, values, tables.where(plot.over).trials, name)
    medians = tables.trials.groupby(PROTOCOL)[column].median()
    linear = plot.x in ("items", "start") and bool(medians.max() / max(1.0, medians.min()) < _LINEAR_SPAN)
    least = _lower_bounds(tables.trials, plot.x, start, efolds) if plot.lower_bounds else []
    words = curves(
        plot, tables, _LABELS.get(plot.y, plot.y), values, bound if column != "bits" else None, more=least,
        scale="linear" if linear else "", theory="upper bound on the mean",
        more_note=LOWER_NOTE,
    )  # fmt: skip
    return _beside_ratios(plot, tables, words, values) if plot.ratio_to else words


def _cost_bound(point: Row, items: int, own: Mapping[str, object]) -> float | None:
    """Return the words that a game is expected to need at most, None if no bound is known.

    None is of items with weights, nor on a network that delays or loses messages.

    Parameters
    ----------
    point
        The point of a scenario as its manifest has it: protocol, with all parameters, sites and start.
    items
        Number of items really sent.
    own
        The users' classes that the result was made with.
    """
    network = {name: value for name, value in flat(point.get("network") or {}).items() if name != "warm_up"}
    if setting_in_words(network) or (point.get(ADVERSARY) or {}).get("heaviest", 1) > 1:
        return None
    arguments = dict(point.get(PROTOCOL) or {})
    kind = arguments.pop("kind", None)
    try:
        protocol = make(PROTOCOL, class_of(PROTOCOL, str(kind), own), arguments)
        bound = protocol.cost_bound(int(point["sites"]), items, int(point.get("start") or 0))
    except (ScenarioError, KeyError, AttributeError, TypeError, ValueError, ArithmeticError):
        return None  # a user's class that was not given, or one without a bound, as a sketch: no line
    return float(bound) if isfinite(bound) and bound > 0 else None


def _relative(
    plot: Cost, tables: Tables, words: Values, unit: pd.DataFrame, name: str, keys: Sequence[str] = (),
    looks: Mapping[str, Look] | None = None,
) -> Description:  # fmt: skip
    """Return a `cost` figure in units of the median words of the games `unit`, called `name` in the foot.

    Parameters
    ----------
    keys
        Columns in which a game and those of its unit agree, beside the place on the axis.
    looks
        As for `curves`.
    """

    def at(games: pd.DataFrame) -> list[pd.Series[float]]:
        return [place(games, plot.x).rename("place"), *(games[key] for key in keys)]

    groups = words(unit).groupby(at(unit), dropna=False)  # no value is a value too
    medians = groups.median()

    def of_unit(table: pd.Series[Any], games: pd.DataFrame) -> Floats:
        where = pd.MultiIndex.from_arrays(at(games)) if keys else at(games)[0]
        return table.reindex(where).to_numpy(dtype=float)

    def values(games: pd.DataFrame) -> pd.Series[float]:
        return words(games) / of_unit(medians, games)

    ends = {"low": 1, "high": 0} if plot.band == "interval" else {}
    factors = {name: medians / groups.agg(partial(_end_of_median, end)) for name, end in ends.items()}
    sizes = groups.size()

    def spread(games: pd.DataFrame) -> pd.DataFrame:
        # games that are the unit itself have a ratio of 1, whatever it is
        beside = words(games).groupby(at(games), dropna=False).transform("size")
        own = games.index.isin(unit.index) & (of_unit(sizes, games) == beside)
        return pd.DataFrame({name: of_unit(one, games) for name, one in factors.items()}, games.index).mask(own)

    counted = _LABELS.get(plot.y, plot.y)
    one = Rule(1.0, Look(BORDER, width=1.0, order=1))
    plural = {PROTOCOL: "protocols", ADVERSARY: "adversaries"}
    pooled = [names for side, names in plural.items() if side not in keys and unit[side].nunique() > 1]
    note = f"1: the {counted} {name}{', a median over all' * bool(pooled)} {' and '.join(pooled)}".rstrip() + "."
    if tables.ended:
        note += " Games ended early: both sides of a ratio may differ in length."
    drawn = curves(
        plot, tables, f"relative {counted}", values, more=[one], scale="log", always=[1.0], note=note, looks=looks,
        spread=spread if factors else None,
    )  # fmt: skip
    panels, crossed = [], []
    for panel in drawn.panels:
        marks, texts = _crossed(panel)
        panels.append(replace(panel, items=[*panel.items, *marks]))
        crossed += [f"{text} {panel.title}".strip() for text in texts]
    note = f"{drawn.note} ×: crossed by {'; '.join(crossed)}." if crossed else drawn.note
    return replace(drawn, panels=panels, note=note)


def _end_of_median(end: int, values: pd.Series[float]) -> float:
    """Return an end of the interval at `EACH` of a median; NaN of too few values."""
    return order_interval(np.sort(values.to_numpy()), 0.5, EACH)[end] or nan


def _crossed(panel: Panel) -> tuple[list[Item], list[str]]:
    """Return marks at the places at which lines of a panel cross 1, and these in words."""
    marks: list[Item] = []
    texts = []
    for line in panel.of(Series, ""):
        if crossings := _crossings(np.asarray(line.x, dtype=float), np.asarray(line.y, dtype=float)):
            look = Look(line.look.colour, "x", "", size=8, edge=1.6, order=3.3)
            marks.append(Series(line.name, crossings, np.ones(len(crossings)), look, "crossing"))
            texts.append(f"{line.name} at {' and '.join(map(number, crossings))}")
    return marks, texts


def _beside_ratios(plot: Cost, tables: Tables, words: Description, values: Values) -> Description:
    """Return a figure of words, and below it one of their ratios to those of `plot.ratio_to`, on a common axis."""
    trials, asked = tables.trials, plot.ratio_to
    results = list(tables.scenarios) if tables.several else []
    if why := plot.refuses([*results, *tables.protocols], len(words.panels)):
        raise ValueError(why)
    if len(words.panels) > words.columns:  # in one column of a paper
        raise ValueError(NO_ROOM.format(words.columns, len(words.panels)))
    by_result = asked in results
    unit = trials[trials[RESULT if by_result else PROTOCOL] == asked]
    keys = [ADVERSARY, *[PROTOCOL] * by_result, *[RESULT] * (tables.several and not by_result)]
    settings = settings_of_ratios(trials, unit, asked, plot.x, keys)
    keys += settings
    name = f"of {asked}" + f" with the same {' and '.join(settings)}" * bool(settings)
    # variants are tinted beside bounds, which ratios have not
    looks = {line.name: line.look for panel in words.panels for line in panel.of(Series, "")}
    ratios = _relative(plot, tables, values, unit, name, keys, looks)
    notes = list(dict.fromkeys([*_sentences(words.note), *_sentences(ratios.note)]))
    below = [replace(panel, title="") for panel in ratios.panels]
    alike = "bars" in ratios.marks  # an interval of a ratio needs more games
    marks = words.marks.replace("medians, bars", f"medians{' and their ratios' * alike}, bars")
    marks += ", none of ratios: too few games" * (not alike and "bars" in marks)
    return replace(
        words, panels=[*words.panels, *below], height=words.height + 0.7 * ratios.height, note=" ".join(notes),
        marks=marks, share=("col", "row"),
    )  # fmt: skip


def _sentences(note: str) -> list[str]:
    return re.split(r"(?<=\.) (?=[A-Z1×↓∞])", note)


def _crossings(x: Floats, ratios: Floats) -> list[int]:
    """Return the places at which a line, straight between its marks on logarithmic scales, crosses 1.

    >>> _crossings(np.array([1.0, 100.0]), np.array([10.0, 0.1]))
    [10]
    """
    over, up = np.log(x), np.log(ratios)
    changes = np.flatnonzero(up[:-1] * up[1:] < 0)
    return [round(float(np.exp(over[i] - up[i] * (over[i + 1] - over[i]) / (up[i + 1] - up[i])))) for i in changes]


def _lower_bounds(
    trials: pd.DataFrame, axis: str, start: Callable[[Game], int], per: Callable[[Game], float]
) -> list[Series]:
    """Return the lower bounds on words at each place of an axis.

    The papers leave a constant factor open, so the lines show growth, not height.

    Parameters
    ----------
    start
        Items before a game.
    per
        What the words of a game are divided by.

    Raises
    ------
    ValueError
        Games at one place have several bounds.
    """
    bounds = []
    for text, bound in _LOWER_BOUNDS:

        def words(game: Game, bound: Callable[[float, float], float] = bound) -> float:
            begun = start(game)
            return lower_bound(bound(game["sites"], game["alpha"]), begun + game[ITEMS_SENT], begun) / per(game)

        table = pd.DataFrame({"x": place(trials, axis), "y": trials.apply(words, axis=1)}).dropna()
        groups = table.groupby("x")["y"]
        if (groups.max() > 1.001 * groups.min()).any():
            differ = " and ".join(one for one in terms_of(trials) if one != axis) or "length"
            raise ValueError(NO_BOUND.format(axis, differ))
        if table.empty or (table["y"] <= 0).any():
            continue
        least = groups.first()
        x, y = least.index.to_numpy(dtype=float), least.to_numpy(dtype=float)
        bounds.append(Series(text, x, y, _LOWER_LOOK, "lower bound", label=f"b = {text}"))
    return bounds
