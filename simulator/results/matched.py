"""Which point of one result is which of another: matched by all parameters, here for terminal, page and programs alike.

A point is its task, both kinds with all their parameters (defaults too), the sizes, and the network. A parameter that
one result lacks, because its games were played before the kind had it, sets points apart like a different value: nobody
knows what it would have been.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from disttrack.simulator.points.point import canonical
from disttrack.simulator.points.swept import LEFT_OUT, flat
from disttrack.simulator.results.answers import games_by_point
from disttrack.simulator.results.folder import Results
from disttrack.simulator.results.formats import cell
from disttrack.simulator.results.settings import FIRST, SIDES, UNSET, brief

if TYPE_CHECKING:
    pass

Parameter = tuple[str, str]
"""What it belongs to (`protocol`, `adversary` or `network`; nothing for task, kinds and sizes), and its name."""
Values = dict[Parameter, Any]

TAKEN: Final = ("task", *SIDES, "results", "result", "measure")
"""Names that a parameter of a side does not have to itself: it is preceded by its side."""


@dataclass(frozen=True)
class MatchedPoint:
    """A point that one or more results have.

    Attributes
    ----------
    setting
        All its parameters, by the names that readers see.
    places
        Which results have it, by their places; of each, the row of the point in the result's table.
    """

    setting: Mapping[str, Any]
    places: Mapping[int, int]

    def said(self, name: str) -> str:
        """Return a parameter as a table shows it: nothing if the point has none, a word if it is not set."""
        if name not in self.setting:
            return ""
        return UNSET if self.setting[name] is None else cell(brief(self.setting[name]))


@dataclass(frozen=True)
class Matched:
    """The points of several results.

    Attributes
    ----------
    points
        Every point once, in the order of the results.
    varying
        The names of the parameters in which they differ. A parameter of a side counts if points of one kind differ in
        it, or some of them lack it.
    shared
        What all of them have alike.
    head
        The names of those that a table shows above its rows: kinds, sizes, the network, the accuracy and privacy.
    apart
        The names of what no two results have alike, if they have no point in common.
    """

    points: tuple[MatchedPoint, ...]
    varying: tuple[str, ...]
    shared: Mapping[str, Any]
    head: tuple[str, ...]
    apart: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """Return what a table says of each point: what sets points apart, or at least who plays."""
        return self.varying or ("protocol",)

    @property
    def common(self) -> bool:
        """Tell whether a point is in more than one result."""
        return any(len(point.places) > 1 for point in self.points)

    def alone(self, place: int) -> int:
        """Return how many points are in one result only, the one at that place."""
        return sum(tuple(point.places) == (place,) for point in self.points)


def match(results: Sequence[Results]) -> Matched:
    """Return the points of results, each with the results that have it."""
    by_result = [_points(result) for result in results]
    known = [values for mine in by_result for values in mine]
    _spell_out_networks(known)
    headers = _headers(known)
    points: dict[tuple[str, int], MatchedPoint] = {}
    for place, mine in enumerate(by_result):
        seen: Counter[str] = Counter()
        for row, values in enumerate(mine):
            key = canonical([[*name, value] for name, value in sorted(values.items())])
            setting = {headers[name]: values[name] for name in headers if name in values}
            point = points.setdefault((key, seen[key]), MatchedPoint(setting, {}))
            points[key, seen[key]] = MatchedPoint(point.setting, {**point.places, place: row})
            seen[key] += 1  # a scenario may give the same point twice
    shared = [name for name in headers if len({canonical(one[name]) if name in one else "" for one in known}) == 1]
    return Matched(
        points=tuple(points.values()),
        varying=tuple(header for name, header in headers.items() if _differs(name, known)),
        shared={headers[name]: known[0][name] for name in shared},
        head=tuple(headers[name] for name in shared if _is_shown(name, known[0][name])),
        apart=tuple(headers[name] for name in headers if _sets_apart(name, by_result)),
    )


def _points(result: Results) -> list[Values]:
    """Return all parameters of each point that was played, in the order of the result's table."""
    described = {int(point["point"]): point for point in result.manifest.get("points") or []}
    kind = str(result.scenario.get("task") or "count")
    points = []
    for games in games_by_point(result):
        first = games.iloc[0]
        point = described.get(int(first["point"]), {})
        values: Values = {("", "task"): kind} | {("", side): str(first[side]) for side in SIDES}
        sizes = {("", size.key): point.get(size.column) for size in result.task.sizes}
        values |= {name: _plain(value) for name, value in sizes.items() if value is not None}
        values |= {("network", name): _plain(value) for name, value in flat(point.get("network") or {}).items()}
        for side in SIDES:
            given = point.get(side) or {}
            values |= {(side, name): _plain(value) for name, value in given.items() if name != "kind"}
        points.append(values)
    return points


def _plain(value: Any) -> Any:
    """Return a value so that equal ones are written alike: 2.0 as 2."""
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, Mapping):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _spell_out_networks(known: Sequence[Values]) -> None:
    """Give each point what parameters of networks are where they are left out, if any point has a network."""
    names = dict.fromkeys(name for one in known for name in one if name[0] == "network")
    for one in known:
        for name in names:
            one.setdefault(name, LEFT_OUT.get(name[1]))


def _headers(known: Sequence[Values]) -> dict[Parameter, str]:
    """Return what readers see for each parameter: its name, after its side where the name is not its own."""
    names = list(dict.fromkeys(name for one in known for name in one))
    order = ["", "network", *SIDES]
    names.sort(key=lambda name: order.index(name[0]))
    often = Counter(name for _, name in names)
    return {(of, name): f"{of} {name}" if of and (often[name] > 1 or name in TAKEN) else name for of, name in names}


def _differs(name: Parameter, known: Sequence[Values]) -> bool:
    """Tell whether points differ in something; of a parameter of a side only points of one kind are compared."""
    by_kind: dict[str, set[str]] = {}
    for one in known:
        by_kind.setdefault(_kind(name, one), set()).add(canonical(one[name]) if name in one else "")
    return any(len(values) > 1 for values in by_kind.values())


def _kind(name: Parameter, values: Values) -> str:
    """Return the kind whose parameter it is; nothing of what is no side's."""
    return str(values["", name[0]]) if name[0] in SIDES else ""


def _is_shown(name: Parameter, value: Any) -> bool:
    """Tell whether what all points share is to stand above a table."""
    if name == ("", "task") or value is None:
        return False
    if name[0] == "network":
        return bool(value != LEFT_OUT.get(name[1]))
    return name[1] in ("alpha", *FIRST) if name[0] else bool(value)  # a start of 0 is none


def _sets_apart(name: Parameter, by_result: Sequence[Sequence[Values]]) -> bool:
    """Tell whether no two results have something alike, nor both lack it."""
    had = [{canonical(one[name]) if name in one else "" for one in mine} for mine in by_result]
    return len(had) > 1 and all(one.isdisjoint(other) for place, one in enumerate(had) for other in had[:place])
