"""The lines of figures: the games of one protocol, and of one variant of it; the axes along which games differ."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, Final, TypeAlias

import pandas as pd

from disttrack.simulator.experiments.scenario.settings import SIDES, of_network, setting_in_words
from disttrack.simulator.game.columns import ADVERSARY, PART, PROTOCOL, RESULT, TRIALS
from disttrack.simulator.kinds.names import label_of, name_of

UNUSUAL: Final = {side: f"_unusual_{side}" for side in SIDES}
"""Columns of trials: the parameters of a side that differ from its defaults, as tuples of name and value in words."""

GameRow: TypeAlias = "pd.Series[Any]"
"""A row of trials."""
_BASIC_AXES: Final = ("sites", "items", "alpha")
_FIRST: Final = {"partition": "partition_sites", "crash": "crash_rate", "server": "server_at", "link": "link"}
"""Of faults with several parameters, the one that says that there is one."""


def swept_axes(trials: pd.DataFrame, *, unset: bool = False) -> tuple[str, ...]:
    """Return the axes along which the games differ, protocol and adversary not counted.

    Parameters
    ----------
    unset
        Whether games without a value differ from those with one: they do, if all are of one protocol. On a network
        they always do: it has no partition.
    """
    basic = (*TRIALS, RESULT, "start")
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
        its difference from other lines of this protocol, as notation; empty if there is none.
    order
        Place of its setting in a figure, from 0: see `lines_of_panels`.
    games, all_games
        Its rows of trials.csv, and those of all lines of this protocol.
    free
        The axes in which it differs.
    """

    protocol: str
    unusual: tuple[str, ...]
    variant: str
    games: pd.DataFrame
    order: int = 0
    free: tuple[str, ...] = ()
    all_games: pd.DataFrame = field(default_factory=pd.DataFrame)

    @property
    def setting(self) -> tuple[str, ...]:
        """Return the parameters that its label states, as notation."""
        return (*self.unusual, self.variant) if self.variant else self.unusual

    @property
    def label(self) -> str:
        """Return its label."""
        return label_of(self.protocol, self.setting)


def lines(
    trials: pd.DataFrame, x: str = "", apart: Sequence[str] = (ADVERSARY,),
    by_result: Mapping[str, Collection[str]] | None = None,
) -> list[Line]:  # fmt: skip
    """Split games into lines: by protocol, by result, and by every axis that still varies at one place of `x`.

    Where lines differ in a size or the accuracy, each of them states its own. Of other axes that move with the parts of
    a scenario the part's name is enough.

    Parameters
    ----------
    x
        The axis that a line runs along; empty for none.
    apart
        Columns by which the caller splits the games already (panels, kinds of marker).
    by_result
        The protocols of several results, with the axes that each result has one value of; left out, those of the games.
    """
    each = []
    by_result = _by_result([trials], x, apart) if by_result is None else by_result
    stated = [axis for axis in terms_of(trials) if axis != x and axis not in apart]
    for protocol, games in trials.groupby(PROTOCOL, sort=False):
        values = games.groupby([RESULT, *(column for column in (*apart, x) if column in games)], dropna=False)
        axes = [axis for axis in swept_axes(games, unset=True) if axis != x and axis not in apart]
        free = (RESULT,) * (protocol in by_result)
        free += tuple(axis for axis in axes if (values[axis].nunique(dropna=False) > 1).any())
        free = _without_details(games, _beside_parts(games, free))
        groups = list(games.groupby(list(free), dropna=False, sort=False)) if free else [((), games)]
        for key, part in groups:
            variant = ", ".join(setting_in_words(dict(zip(free, key, strict=True))))
            apart_too = [axis for axis in by_result.get(str(protocol), ()) if axis not in free]
            apart_too += [axis for axis in stated if axis not in (*free, *apart_too) and _has_one(part[axis], axis)]
            own = (
                *texts(shared(part[UNUSUAL[PROTOCOL]]), (x, *free, *apart_too)),
                *setting_in_words({axis: part[axis].iloc[0] for axis in apart_too}),
            )
            each.append(Line(str(protocol), own, variant, part, free=free, all_games=games))
    return each


def lines_of_panels(
    panels: Sequence[pd.DataFrame], x: str = "", apart: Sequence[str] = (ADVERSARY,)
) -> list[list[Line]]:
    """Return the lines of each panel of a figure, with an order for each setting, whatever the protocol.

    It is the least that no other setting of a protocol with this one has: lines of one protocol always differ in it.
    A line that states its result in one panel does so in all.
    """
    by_result = _by_result(panels, x, apart)
    each = [lines(games, x, apart, by_result) for games in panels]
    users, orders = dict[tuple[str, ...], set[str]](), dict[tuple[str, ...], int]()
    for line in (line for part in each for line in part):
        users.setdefault(line.setting, set()).add(line.protocol)
    for setting in sorted(users, key=bool):
        beside = {order for other, order in orders.items() if users[other] & users[setting]}
        orders[setting] = next(order for order in count() if order not in beside)
    return [[replace(line, order=orders[line.setting]) for line in part] for part in each]


def _has_one(values: pd.Series[float], axis: str) -> bool:
    """Return whether all games have one value, an accuracy above 0."""
    return bool(values.notna().all()) and values.nunique() == 1 and not (axis == "alpha" and values.iloc[0] == 0)


def _by_result(panels: Iterable[pd.DataFrame], x: str, apart: Sequence[str]) -> dict[str, dict[str, None]]:
    """Return the protocols that a panel has of several results, with the axes of which each of these has one value."""
    stated: dict[str, dict[str, None]] = {}
    for protocol, games in (pair for trials in panels for pair in trials.groupby(PROTOCOL, sort=False)):
        if games[RESULT].nunique() > 1:
            groups, axes = games.groupby(RESULT), stated.setdefault(str(protocol), {})
            for axis in swept_axes(games, unset=True):
                differs = axis != x and axis not in apart and games[axis].nunique(dropna=False) > 1
                if differs and (groups[axis].nunique(dropna=False) <= 1).all():
                    axes[axis] = None
    return stated


def _beside_parts(games: pd.DataFrame, free: tuple[str, ...]) -> tuple[str, ...]:
    """Return the axes without those that have one value in each part of the scenario: the part's name says it."""
    if PART not in free:
        return free
    parts = games.groupby(PART, dropna=False)
    return tuple(axis for axis in free if axis == PART or (parts[axis].nunique(dropna=False) > 1).any())


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
    return label_of(str(game[PROTOCOL]), texts(game[UNUSUAL[PROTOCOL]], shown))


def texts(pairs: Iterable[tuple[str, str]], shown: Iterable[str]) -> Iterator[str]:
    """Yield parameters in words, those left out that the columns `shown` show already."""
    names = set(map(name_of, shown))
    return (text for name, text in pairs if name_of(name) not in names)
