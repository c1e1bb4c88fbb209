"""Which point of one result is which point of another: equal in all parameters, or in all but those that differ."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from disttrack.simulator.experiments.results.formats import exact
from disttrack.simulator.experiments.scenario.settings import SIDES, Setting
from disttrack.simulator.game.columns import TASK
from disttrack.simulator.kinds.point import canonical

LISTED: Final = 4
"""Values that are named of a parameter of unmatched points."""

KINDS: Final = (TASK, *SIDES)
"""The parameters that say what plays."""

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
    own: dict[int, Mapping[str, object]] = field(default_factory=dict)

    @property
    def values(self) -> Mapping[str, object]:
        """Return its values in the first result that has it."""
        return self.own[min(self.own)]

    def changes(self, other: int) -> dict[str, object]:
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
    points = _equal(parameters, shown, owners)
    places = [place for place, _ in owners]
    for other in sorted({*places} - {0}):
        keys = _named(parameters, match) if match else _unchanged(parameters, places, other)
        _pair(points, other, dict(zip(owners, keys, strict=True)))
    return [point for point in points if point.places]


def _equal(parameters: Sequence[Setting], shown: Sequence[Setting], owners: Sequence[Owner]) -> list[Point]:
    """Return the points, those that are equal in all parameters as one."""
    own = {one.header: one.named([other.name for other in shown if other.side == one.name]) for one in shown}
    points: defaultdict[tuple[str, int], Point] = defaultdict(Point)
    times = Counter[tuple[int, str]]()
    for index, (place, row) in enumerate(owners):
        key = canonical([one.values[index] for one in parameters])
        times[place, key] += 1  # a scenario may give the same point twice
        point = points[key, times[place, key]]
        point.places[place], point.own[place] = row, {header: values[index] for header, values in own.items()}
    return list(points.values())


def _pair(points: Sequence[Point], other: int, key_of: Mapping[Owner, str]) -> None:
    """Join each point that only the first result has with the one that only the other has, if no third has its key."""
    left: dict[int, defaultdict[str, list[Point]]] = {0: defaultdict(list), other: defaultdict(list)}
    for point in points:
        if len(there := left.keys() & point.places.keys()) == 1:
            (place,) = there
            left[place][key_of[place, point.places[place]]].append(point)
    for key, mine in left[0].items():
        theirs = left[other][key]
        if len(mine) == len(theirs) == 1:
            mine[0].places[other], mine[0].own[other] = theirs[0].places.pop(other), theirs[0].own.pop(other)


def _named(parameters: Sequence[Setting], match: Sequence[str]) -> list[str]:
    """Return the key of each point: its task, and the values of these parameters."""
    columns = [one.values for one in parameters if one.name == TASK or one.header in match]
    return [canonical(list(values)) for values in zip(*columns, strict=True)]


def _unchanged(parameters: Sequence[Setting], places: Sequence[int], other: int) -> list[str]:
    """Return the key of each point: its task and kinds, and the parameters in which two results do not differ.

    They differ in a parameter if no value of it occurs in both, among points of the same kinds. Where each has only
    one protocol, or only one adversary, and it is another one, this is no part of the key; all that is not its own is.
    """
    kinds = [one for one in parameters if _is_kind(one)]
    replaced = [one.name for one in kinds if _is_replaced(one, places, other)]
    changed = replaced[0] if len(replaced) == 1 else ""
    roles = [canonical(role) for role in zip(*(one.values for one in kinds if one.name != changed), strict=True)]
    keys: list[list[object]] = [[role] for role in roles]
    for one in parameters:
        texts = [canonical(value) for value in one.values]
        there = {(place, role, text) for place, role, text in zip(places, roles, texts, strict=True)}
        alike = {role for place, role, text in there if place == 0 and (other, role, text) in there}
        for key, role, value in zip(keys, roles, one.values, strict=True):
            if one not in kinds and (role in alike or (changed and one.side != changed)):
                key.append([one.side, one.name, value])
    return [canonical(key) for key in keys]


def _is_kind(one: Setting) -> bool:
    return not one.side and one.name in KINDS


def _is_replaced(one: Setting, places: Sequence[int], other: int) -> bool:
    """Return whether two results have one kind of a side each, and not the same."""
    first, second = (
        {canonical(value) for value, place in zip(one.values, places, strict=True) if place == of} for of in (0, other)
    )
    return one.name in SIDES and len(first) == len(second) == 1 and first != second


def unmatched(points: Sequence[Point], names: Sequence[str], match: Sequence[str] = ()) -> Iterator[str]:
    """Yield the points that the first result lacks, or that no other has: their number and the reason, a line each.

    With a key, the reason is a value of the key that the other results lack, or that several points share it.
    """
    reasons: defaultdict[tuple[tuple[int, ...], tuple[str, ...]], list[Point]] = defaultdict(list)
    for point in points:
        if 0 not in point.places or len(point.places) == 1:
            reasons[tuple(point.places), _strange(point, points, match)].append(point)
    for (own, strange), alike in reasons.items():
        values = {name: list(dict.fromkeys(exact(one.values[name]) or "none" for one in alike)) for name in strange}
        lacked = [f"{name} {', '.join(each[:LISTED])}{' …' * (len(each) > LISTED)}" for name, each in values.items()]
        why = "; ".join(lacked) or "these values together, or just once,"
        unmatched_points = f"{len(alike)} of {' and '.join(names[place] for place in own)} without a match"
        if match and not strange:
            yield f"{unmatched_points}: several points have one {' and '.join(match)}; name more in --match"
            continue
        missing = " and ".join(names[place] for place in range(len(names)) if _is_other(place, own))
        yield f"{unmatched_points}: {why} not in {missing}"


def _is_other(place: int, own: Sequence[int]) -> bool:
    """Return whether a result is one with which those of a point are compared."""
    return place not in own and 0 in (place, *own)


def _strange(point: Point, points: Sequence[Point], match: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the parameters of a point whose values no other result has; kinds only, for others differ with them.

    With a key, only those of the key count. Without one, values are those of the same kinds, if others have them, and a
    parameter in which matched points differ is no reason.
    """
    others = [one.own[place] for one in points for place in one.own if _is_other(place, tuple(point.places))]
    looked = {name: value for name, value in point.values.items() if not match or name in match}
    strange = [name for name in looked if not _has(others, point, name)]
    if kinds := [name for name in strange if name in KINDS]:
        return tuple(kinds)
    if match:
        return tuple(strange)
    alike = [other for other in others if all(_has([other], point, name) for name in KINDS if name in looked)]
    changed = {
        name for one in points for name in one.values if len({canonical(own[name]) for own in one.own.values()}) > 1
    }
    return tuple(name for name in looked if name not in changed and not _has(alike or others, point, name))


def _has(others: Sequence[Mapping[str, object]], point: Point, name: str) -> bool:
    """Return whether one of these has the value of a point."""
    return any(canonical(other[name]) == canonical(point.values[name]) for other in others)
