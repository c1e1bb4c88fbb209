"""The names of protocols and adversaries: the kind, and the parameters that differ from its defaults."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.points.point import unusual
from disttrack.simulator.results.folder import class_of
from disttrack.simulator.results.formats import name_of, number, with_name

if TYPE_CHECKING:
    from disttrack.simulator.points.registry import Family
    from disttrack.simulator.tasks.base import Task

SIDES: Final = ("protocol", "adversary")
UNUSUAL: Final = {side: f"_unusual_{side}" for side in SIDES}
"""Columns of trials: the parameters of a side that differ from its defaults, as tuples of name and value in words."""


def label_of(kind: str, parameters: Iterable[str]) -> str:
    """Return the name of a protocol or an adversary, of which parameters that differ from its defaults are a part.

    Everything that names one to a reader calls this: tables, figures, sentences, the terminal.

    >>> label_of("robust", []), label_of("robust", in_words({"parameters": "tight", "counter": "binary"}).values())
    ('robust', 'robust, tight, counter binary')
    """
    return ", ".join([kind, *parameters])


def in_words(parameters: Mapping[str, Any], without: Collection[str] = ()) -> dict[str, str]:
    """Return parameters with their values in words, by their names."""
    kept = {name: value for name, value in parameters.items() if name not in without}
    return {name: with_name(name.replace("_", " "), value) for name, value in kept.items()}


def unusual_of(task: type[Task], side: Family, point: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, str]:
    """Return the parameters of a side of a point, as the manifest has it, that differ from its defaults, in words.

    Of a user's class that was not given the defaults are not known, and nothing is returned.
    """
    given = point.get(side) or {}
    try:
        return in_words(unusual(class_of(side, str(given.get("kind")), own, task.bases[side]), given))
    except ScenarioError:
        return {}


def sides_of(game: Any, kinds: Sequence[str] = ()) -> str:
    """Return the names of the two sides of a `Game`: `robust, tight against freeze`; `kinds` in place of its own."""
    names = zip(SIDES, kinds or (game.protocol, game.adversary), strict=True)
    return " against ".join(label_of(kind, in_words(game.parameters.get(side, {})).values()) for side, kind in names)


def named(game: Any, shown: Iterable[str] = ()) -> str:
    """Return the name of the protocol of a game, a row of trials, without the columns that are shown beside it."""
    return label_of(str(game["protocol"]), texts(game[UNUSUAL["protocol"]], shown))


def on_network(game: Any) -> str:
    """Return the lag, the lag-aware error and the losses of a `Game` on a network, in words; empty for another one."""
    if not (game.max_lag or game.lost or game.restarts or game.words_link):
        return ""
    return (
        f"messages were on their way for {game.max_lag:,} steps, lag-aware error {number(game.max_lag_error)}; "
        f"{game.words_link:,} words of the links, {game.lost:,} messages lost, {game.restarts:,} restarts"
    )


def texts(pairs: Iterable[tuple[str, str]], shown: Iterable[str]) -> Iterator[str]:
    """Yield parameters in words, those left out that the columns `shown` show already."""
    names = set(map(name_of, shown))
    return (text for name, text in pairs if name_of(name) not in names)
