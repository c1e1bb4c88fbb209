"""The lines of figures: the games of one protocol, and of one variant of it; the axes along which games differ."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, count
from typing import Any, Final, TypeAlias

import pandas as pd

from disttrack.simulator.experiments.scenario.networks import of_network, setting_in_words
from disttrack.simulator.experiments.scenario.settings import SIDES
from disttrack.simulator.game.columns import TRIALS
from disttrack.simulator.kinds.names import label_of, name_of, with_name

UNUSUAL: Final = {side: f"_unusual_{side}" for side in SIDES}
"""Columns of trials: the parameters of a side that differ from its defaults, as tuples of name and value in words."""

STYLES: Final = 4
"""Number of line styles. They distinguish the variants of a protocol, or several results."""
PLACE: Final = "_place"
"""Column of trials of several results: the place of the result among them, in an order that leaves dashes for last."""
PLACES: Final = (0, 2, 3, 1)
"""The places of results: that of dashes, which bounds have too, is the last."""

GameRow: TypeAlias = "pd.Series[Any]"
"""A row of trials."""
_BASIC_AXES: Final = ("sites", "items", "alpha")
_FIRST: Final = {"crash": "crash_rate", "server": "server_at", "link": "link"}
"""Of faults with several parameters, the one that says that there is one."""


def swept_axes(trials: pd.DataFrame, *, unset: bool = False) -> tuple[str, ...]:
    """Return the axes along which the games differ, protocol and adversary not counted.

    Parameters
    ----------
    unset
        Whether games without a value differ from those with one: they do, if all are of one protocol. On a network
        they always do: it has no partition.
    """
    basic = (*TRIALS, "result", "start")
    extras = [column for column in trials.columns if column not in basic and column[0] != "_"]
    axes = [axis for axis in (*_BASIC_AXES, "start", *extras) if axis in trials]
    return tuple(axis for axis in axes if trials[axis].nunique(dropna=not (unset or of_network(axis))) > 1)


def terms_of(trials: pd.DataFrame) -> list[str]:
    """Return the sizes and the accuracy if games differ in them: no costs or errors at different ones compare.

    An accuracy of 0 is none: what promises no error is compared with all.
    """
    promised = trials.assign(alpha=trials["alpha"].where(trials["alpha"] != 0)) if "alpha" in trials else trials
    return [axis for axis in swept_axes(promised) if axis in (*_BASIC_AXES, "start")]


@dataclass(frozen=True, eq=False)
class Line:
    """The games of one line: one protocol, and one variant of it where there are several.

    Parameters
    ----------
    protocol, unusual, variant
        Its kind, the parameters that differ from the defaults in all of its games or from those of another result, and
        its difference from other lines of this protocol, in words; empty if there is none.
    order
        Place among the lines of this protocol, from 0. That of a line with unusual parameters is at least 1: it looks
        like no line with the defaults, in no figure. Of several results each has the same place for all protocols,
        and further lines of it have places `STYLES` further on.
    games, all_games
        Its rows of trials.csv, and those of all lines of this protocol.
    free
        The axes in which it differs.
    """

    protocol: str
    unusual: tuple[str, ...]
    variant: str
    order: int
    games: pd.DataFrame
    free: tuple[str, ...] = ()
    all_games: pd.DataFrame = field(default_factory=pd.DataFrame)

    @property
    def label(self) -> str:
        """Return its label."""
        return label_of(self.protocol, filter(None, [*self.unusual, self.variant]))


def lines(trials: pd.DataFrame, x: str = "", apart: Sequence[str] = ("adversary",)) -> list[Line]:
    """Split games into lines: by protocol, by result, and by every axis that still varies at one place of `x`.

    Where lines differ in a size or the accuracy, each of them states its own. Of other axes that move with the parts of
    a scenario the part's name is enough.

    Parameters
    ----------
    x
        The axis that a line runs along; empty for none.
    apart
        Columns by which the caller splits the games already (panels, kinds of marker).
    """
    each = []
    stated = [axis for axis in terms_of(trials) if axis != x and axis not in apart]
    for protocol, games in trials.groupby("protocol", sort=False):
        values = games.groupby(["result", *(column for column in (*apart, x) if column in games)], dropna=False)
        axes = [axis for axis in swept_axes(games, unset=True) if axis != x and axis not in apart]
        free = ("result",) * (games["result"].nunique() > 1)
        free += tuple(axis for axis in axes if (values[axis].nunique(dropna=False) > 1).any())
        free = _without_details(games, _beside_parts(games, free))
        groups = list(games.groupby(list(free), dropna=False, sort=False)) if free else [((), games)]
        unusual = [shared(part[UNUSUAL["protocol"]]) for _, part in groups]
        odd = [bool(list(texts(pairs, [x]))) for pairs in unusual]
        places, of_result = {True: max(1, odd.count(False)), False: 0}, Counter[int]()
        for (key, part), pairs, is_odd in zip(groups, unusual, odd, strict=True):
            variant = ", ".join(setting_in_words(dict(zip(free, key, strict=True))))
            apart_too = _apart_with_result(games, axes, free)
            apart_too += [axis for axis in stated if axis not in (*free, *apart_too) and _has_one(part[axis], axis)]
            own = (
                *texts(pairs, (x, *free, *apart_too)),
                *setting_in_words({axis: part[axis].iloc[0] for axis in apart_too}),
            )
            if PLACE in part:  # a result looks the same in all protocols
                result = int(part[PLACE].iloc[0])
                order = result + STYLES * of_result[result]
                of_result[result] += 1
            else:
                order = places[is_odd]
                places[is_odd] += 1
            each.append(Line(str(protocol), own, variant, order, part, free, games))
    return each


def lines_of_panels(
    panels: Iterable[pd.DataFrame], x: str = "", apart: Sequence[str] = ("adversary",)
) -> list[list[Line]]:
    """Return the lines of each panel of a figure, with orders that are a function of their setting in all of them."""
    each = [lines(games, x, apart) for games in panels]
    every = [line for part in each for line in part]
    several = [int(line.games[PLACE].iloc[0]) for line in every if PLACE in line.games]
    orders = _orders_of_results(every, 1 + max(several) // STYLES) if several else _orders(every)
    return [[replace(line, order=orders[line.label]) for line in part] for part in each]


def _orders(every: Sequence[Line]) -> dict[str, int]:
    """Return the order of each line by its label: one for a setting, whatever its protocol, and of no other setting.

    Where there are more settings than styles, only those of one protocol always have different ones.
    """
    users, orders = _users({line: _setting(line) for line in every}), dict[str, int]()
    for line in every:
        if (setting := _setting(line)) in orders:
            continue
        beside = {order for other, order in orders.items() if users[other] & users[setting]}
        # plain lines are those of defaults: as such they look alike but for values of one parameter
        taken = {order for other, order in orders.items() if setting and (order or _names(other) & _names(setting))}
        least = min(1, line.order)
        free = [one for one in (line.order, *range(least, STYLES)) if one < STYLES and one not in beside | taken]
        more = (one for one in chain((line.order,), count(least)) if one not in beside)
        orders[setting] = free[0] if free else next(more)
    return {line.label: orders[_setting(line)] for line in every}


def _orders_of_results(every: Sequence[Line], rounds: int) -> dict[str, int]:
    """Return the same for several results: the style is that of the result, further settings are lighter.

    Parameters
    ----------
    rounds
        How often the results use each style.
    """
    rests = {line: _setting(line).replace(with_name("result", line.games["result"].iloc[0]), "") for line in every}
    users, levels = _users(rests), dict[str, int]()
    for rest in rests.values():
        beside = {level for other, level in levels.items() if users[other] & users[rest]}
        levels.setdefault(rest, next(one for one in count() if one not in beside))
    return {line.label: int(line.games[PLACE].iloc[0]) + STYLES * rounds * levels[rests[line]] for line in every}


def _setting(line: Line) -> str:
    return line.label.removeprefix(line.protocol)


def _names(setting: str) -> set[str]:
    """Return the parameters of a setting, as far as their values in words show them: without their numbers."""
    parts = (re.sub(r"[\d.,:]+", " ", part).split() for part in setting.split(", "))
    return {words[0] for words in parts if words}


def _users(settings: Mapping[Line, str]) -> dict[str, set[str]]:
    """Return the protocols that have each setting."""
    return {one: {line.protocol for line, other in settings.items() if other == one} for one in settings.values()}


def _has_one(values: pd.Series[float], axis: str) -> bool:
    """Return whether all games have one value, an accuracy above 0."""
    return bool(values.notna().all()) and values.nunique() == 1 and not (axis == "alpha" and values.iloc[0] == 0)


def _apart_with_result(games: pd.DataFrame, axes: Iterable[str], free: Sequence[str]) -> list[str]:
    """Return the axes that have one value in each result, and not the same in all."""
    if "result" not in free:
        return []
    groups = games.groupby("result")
    return [
        axis
        for axis in axes
        if axis not in free
        and games[axis].nunique(dropna=False) > 1
        and (groups[axis].nunique(dropna=False) <= 1).all()
    ]


def _beside_parts(games: pd.DataFrame, free: tuple[str, ...]) -> tuple[str, ...]:
    """Return the axes without those that have one value in each part of the scenario: the part's name says it."""
    if "part" not in free:
        return free
    parts = games.groupby("part", dropna=False)
    return tuple(axis for axis in free if axis == "part" or (parts[axis].nunique(dropna=False) > 1).any())


def _without_details(games: pd.DataFrame, free: tuple[str, ...]) -> tuple[str, ...]:
    """Return the axes without details of a fault that are the same wherever it is: its first parameter says it."""
    left = []
    for axis in free:
        first = _FIRST.get(axis.partition("_")[0], "")
        if axis != first and first in free and games[axis].nunique() == 1:
            there = games[first].map(lambda value, first=first: bool(setting_in_words({first: value})))
            if (there == games[axis].notna()).all():
                continue
        left.append(axis)
    return tuple(left)


def shared(each: Iterable[tuple[tuple[str, str], ...]]) -> list[tuple[str, str]]:
    """Return the parameters that all games have alike."""
    first, *others = dict.fromkeys(each)
    return [pair for pair in first if all(pair in other for other in others)]


def named(game: GameRow, shown: Iterable[str] = ()) -> str:
    """Return the name of the protocol of a game, a row of trials, without the columns that are shown beside it."""
    return label_of(str(game["protocol"]), texts(game[UNUSUAL["protocol"]], shown))


def texts(pairs: Iterable[tuple[str, str]], shown: Iterable[str]) -> Iterator[str]:
    """Yield parameters in words, those left out that the columns `shown` show already."""
    names = set(map(name_of, shown))
    return (text for name, text in pairs if name_of(name) not in names)
