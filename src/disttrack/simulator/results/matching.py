"""Which point of one result is which point of another: equal in all parameters, or in all but those that differ."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from disttrack.simulator.points.point import canonical
from disttrack.simulator.points.settings import SIDES, Setting
from disttrack.simulator.results.formats import exact

LISTED: Final = 4
"""Values that are named of a parameter of unmatched points."""

Owner = tuple[int, int]
"""A result by its place, and the place of a point among the points of that result."""


@dataclass(frozen=True)
class Point:
    """A point that one or more results have.

    Attributes
    ----------
    places
        The results that have it, by their places; of each, its place among the points of that result.
    own
        Its values in each of them, by the header of the parameter: None if it has no such parameter.
    """

    places: dict[int, int] = field(default_factory=dict)
    own: dict[int, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def values(self) -> Mapping[str, Any]:
        """Return its values in the first result that has it."""
        return self.own[min(self.own)]

    def changes(self, other: int) -> dict[str, Any]:
        """Return its values in another result where they differ from those in the first."""
        own = self.own[other]
        return {name: own[name] for name, value in self.values.items() if canonical(own[name]) != canonical(value)}


def matched(
    parameters: Sequence[Setting], shown: Sequence[Setting], owners: Sequence[Owner], match: Sequence[str]
) -> list[Point]:
    """Return every point once, in the order of the results.

    Points that are equal in all parameters are one. Points of the first result that are left are then matched with
    those of each other result by a key, where each has one point with it.

    Parameters
    ----------
    shown
        The parameters of `Point.own`.
    owners
        The owner of each point, in the order of the parameters' values.
    match
        Headers of the parameters that are the key; left out, all parameters but those in which the two results differ.
    """
    own = {one.header: one.named([other.name for other in shown if other.side == one.name]) for one in shown}
    points: defaultdict[tuple[str, int], Point] = defaultdict(Point)
    times = Counter[tuple[int, str]]()
    for index, (place, row) in enumerate(owners):
        key = canonical([one.values[index] for one in parameters])
        times[place, key] += 1  # a scenario may give the same point twice
        point = points[key, times[place, key]]
        point.places[place], point.own[place] = row, {header: values[index] for header, values in own.items()}
    for other in sorted({place for place, _ in owners if place}):
        keys = _named(parameters, match) if match else _unchanged(parameters, [place for place, _ in owners], other)
        key_of = dict(zip(owners, keys, strict=True))
        left: dict[int, dict[str, list[Point]]] = {0: defaultdict(list), other: defaultdict(list)}
        for point in points.values():
            for place in {0, other} & point.places.keys() if not {0, other} <= point.places.keys() else ():
                left[place][key_of[place, point.places[place]]].append(point)
        for key, mine in left[0].items():
            if len(mine) == len(theirs := left[other][key]) == 1:
                mine[0].places[other], mine[0].own[other] = theirs[0].places.pop(other), theirs[0].own.pop(other)
    return [point for point in points.values() if point.places]


def _named(parameters: Sequence[Setting], match: Sequence[str]) -> list[str]:
    """Return the key of each point: its task, and the values of these parameters."""
    columns = [one.values for one in parameters if one.name == "task" or one.header in match]
    return [canonical(list(values)) for values in zip(*columns, strict=True)]


def _unchanged(parameters: Sequence[Setting], places: Sequence[int], other: int) -> list[str]:
    """Return the key of each point: its task and kinds, and the parameters in which two results do not differ.

    They differ in a parameter if no value of it occurs in both, among points of the same kinds. A protocol or adversary
    that only one has counts as the same kind as the only one that it replaces.
    """
    of_two = [index for index, place in enumerate(places) if place in (0, other)]
    keys: list[list[Any]] = [[] for _ in places]

    def values(one: Setting, indices: Sequence[int]) -> list[set[str]]:
        return [{canonical(one.values[index]) for index in indices if places[index] == place} for place in (0, other)]

    kinds = [one for one in parameters if not one.side and one.name in ("task", *SIDES)]
    for one in kinds:
        first, second = values(one, of_two)
        replaced = one.name in SIDES and len(first - second) == len(second - first) == 1
        for index in of_two:
            text = canonical(one.values[index])
            keys[index].append("" if replaced and text in first ^ second else text)
    roles = defaultdict(list)
    for index in of_two:
        roles[canonical(keys[index])].append(index)
    for one in parameters:
        for indices in roles.values() if one not in kinds else ():
            first, second = values(one, indices)
            for index in indices if first & second else ():
                keys[index].append([one.side, one.name, one.values[index]])
    return [canonical(key) for key in keys]


def unmatched(points: Sequence[Point], names: Sequence[str]) -> Iterator[str]:
    """Yield the points that the first result lacks, or that no other has: their number and the reason, a line each."""
    reasons: defaultdict[tuple[tuple[int, ...], tuple[str, ...]], list[Point]] = defaultdict(list)
    for point in points:
        if 0 not in point.places or len(point.places) == 1:
            own = tuple(point.places)
            others = [one.own[place] for one in points for place in one.own if place not in own and 0 in (place, *own)]
            known = {name: {canonical(other[name]) for other in others} for name in point.values}
            strange = [name for name, value in point.values.items() if canonical(value) not in known[name]]
            kinds = [name for name in strange if name in ("task", *SIDES)]  # other parameters differ with them
            reasons[own, tuple(kinds or strange)].append(point)
    for (own, names_of), alike in reasons.items():
        values = {name: list(dict.fromkeys(exact(one.values[name]) or "none" for one in alike)) for name in names_of}
        lacked = [f"{name} {', '.join(each[:LISTED])}{' …' * (len(each) > LISTED)}" for name, each in values.items()]
        why = "; ".join(lacked) or "these values together, or just once,"
        missing = " and ".join(name for place, name in enumerate(names) if place not in own and 0 in (place, *own))
        yield f"{len(alike)} of {' and '.join(names[place] for place in own)} without a match: {why} not in {missing}"
