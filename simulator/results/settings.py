"""In what the points of a result differ, and what they share: the first columns of its table, and its subtitle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from disttrack.simulator.points.point import canonical
from disttrack.simulator.points.swept import LEFT_OUT, flat
from disttrack.simulator.results.folder import Results
from disttrack.simulator.results.formats import setting

if TYPE_CHECKING:
    import pandas as pd

    from disttrack.simulator.tasks.base import Task

SIDES: Final = ("protocol", "adversary")
FIRST: Final = ("epsilon", "delta", "rho")
"""Parameters that are shown wherever there are some: the promise depends on them."""

UNSET: Final = "none"
"""A parameter that a kind has, and that is not set."""
MOST_LETTERS: Final = 24
"""Letters of a parameter that is a list or a mapping, if it is to be shown."""


@dataclass(frozen=True)
class Setting:
    """One parameter of the points.

    Attributes
    ----------
    header, says
        Its name, and what it is.
    values
        Its value at each point; None where a point has no such parameter, `UNSET` where it has one that is not set.
    rank
        As in `simulator.tasks.answers.Answer`.
    of
        The kinds that have it, where others do not.
    source
        The column of trials.csv that has it, if one has.
    """

    header: str
    says: str
    values: tuple[Any, ...]
    rank: int = 0
    of: str = ""
    source: str = ""

    @property
    def there(self) -> list[Any]:
        """Return the different values, without None."""
        return list({canonical(value): value for value in self.values if value is not None}.values())

    @property
    def varies(self) -> bool:
        """Tell whether points differ in it; those that have no such parameter are not counted."""
        return len(self.there) > 1

    @property
    def words(self) -> str:
        """Return name and value as one reads them: `16 sites`, `alpha 0.05`, `delta 0.05 (robust)`."""
        value = self.there[0]
        of = f" ({self.of})" if self.of else ""
        if isinstance(value, bool):
            return f"{'' if value else 'not '}{self.header}{of}"
        counted = isinstance(value, int) and value != 1 and self.header.endswith("s") and " " not in self.header
        return (f"{setting(value)} {self.header}" if counted else f"{self.header} {setting(value)}") + of


def settings(results: Results, task: type[Task], games: Sequence[pd.DataFrame]) -> tuple[list[Setting], list[str]]:
    """Return the parameters in which points differ, and in words those that they share.

    Parameters
    ----------
    games
        The games of each point that was played, rows of trials.csv.
    """
    known = {int(point["point"]): point for point in results.manifest.get("points") or []}
    points = [known.get(int(mine["point"].iloc[0]), {}) for mine in games]
    every = [
        *_sides(task, games),
        *_sizes(task, points, games),
        *_alpha(games),
        *_network(points),
        *_parameters(results.scenario, task, points, games),
    ]
    varying = [one for one in every if one.varies]
    fixed = [one.words for one in every if one.there and not one.varies]
    if not varying:  # then rows need a name all the same
        named = [one for one in every if one.header in SIDES and one.there][:1]
        return named, [one.words for one in every if one.there and one not in named]
    return varying, fixed


def _sides(task: type[Task], games: Sequence[pd.DataFrame]) -> Iterator[Setting]:
    for side in SIDES:
        if side not in task.idle:
            says = f"kind of the {side}"
            yield Setting(side, says, tuple(str(mine[side].iloc[0]) for mine in games), source=side)


def _sizes(task: type[Task], points: Sequence[Mapping[str, Any]], games: Sequence[pd.DataFrame]) -> Iterator[Setting]:
    """Yield the sizes: as the scenario gives them, or else as the games had them."""
    for size in task.sizes:
        given = [point.get(size.column) for point in points]
        values = [
            int(mine[size.column].median())
            if value is None and size.column in mine and mine[size.column].notna().any()
            else value
            for value, mine in zip(given, games, strict=True)
        ]
        if any(values):  # a start of 0 is none
            yield Setting(size.key, size.says, tuple(values), 0 if any(given) else 2, source=size.column)


def _alpha(games: Sequence[pd.DataFrame]) -> Iterator[Setting]:
    values = [float(mine["alpha"].iloc[0]) if "alpha" in mine else 0.0 for mine in games]
    promised = tuple(value if value > 0 else None for value in values)
    yield Setting("alpha", "relative error that is promised", promised, source="alpha")


def _network(points: Sequence[Mapping[str, Any]]) -> Iterator[Setting]:
    given = [flat(point.get("network") or {}) for point in points]
    if any(given):
        yield Setting("latency", "delay of a message, in steps", _with_default(given, "latency"), source="latency")
        for name in dict.fromkeys(name for one in given for name in one if name != "latency"):
            says = f"of the network: {name.replace('_', ' ')}"
            yield Setting(name, says, _with_default(given, name), source=name)


def _with_default(networks: Sequence[Mapping[str, Any]], name: str) -> tuple[Any, ...]:
    return tuple(network.get(name, LEFT_OUT.get(name)) for network in networks)


def _parameters(
    scenario: Mapping[str, Any],
    task: type[Task],
    points: Sequence[Mapping[str, Any]],
    games: Sequence[pd.DataFrame],
) -> Iterator[Setting]:
    """Yield the parameters of both sides that the scenario gives, or that points of one kind differ in."""
    names = {side: _shown(scenario, side, points) for side in SIDES if side not in task.idle}
    for side, mine in names.items():
        others = [name for other, their in names.items() if other != side for name in their]
        kinds = [str((point.get(side) or {}).get("kind", "")) for point in points]
        for name in mine:
            if side == "protocol" and name == "alpha":
                continue
            values = _values([(point.get(side) or {}) for point in points], name)
            having = dict.fromkeys(kind for kind, value in zip(kinds, values, strict=True) if value is not None)
            header = f"{side} {name}" if name in (*others, *(size.key for size in task.sizes)) else name
            yield Setting(
                header.replace("_", " "),
                f"parameter of the {side}",
                values,
                0 if name in FIRST else 1,
                ", ".join(having) if len(having) < len(set(kinds)) else "",
                next((column for column in (f"{side}_{name}", name) if column in games[0]), ""),
            )


def _shown(scenario: Mapping[str, Any], side: str, points: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the names of the parameters of a side that are shown: those of the promise, then those that are given."""
    entries = scenario.get(side)
    entries = entries if isinstance(entries, list) else [entries]
    given = dict.fromkeys(name for entry in entries if isinstance(entry, Mapping) for name in entry)
    there = {name for point in points for name in point.get(side) or {}}
    first = [name for name in FIRST if name in there]
    return [name for name in dict.fromkeys([*first, *given]) if name in there and name not in ("kind", "sees")]


def _values(entries: Sequence[Mapping[str, Any]], name: str) -> tuple[Any, ...]:
    """Return a parameter at each point: `UNSET` where it is not set at a kind that has it set elsewhere."""
    setting_it = {entry.get("kind") for entry in entries if entry.get(name) is not None}
    return tuple(
        UNSET if name in entry and entry[name] is None and entry.get("kind") in setting_it else brief(entry.get(name))
        for entry in entries
    )


def brief(value: Any) -> Any:
    """Return a parameter as a table can show it; of one that holds several values only how many."""
    if value is None or isinstance(value, str | int | float | bool):
        return value
    text = canonical(value)
    return text if len(text) <= MOST_LETTERS else f"{len(value)} values"
