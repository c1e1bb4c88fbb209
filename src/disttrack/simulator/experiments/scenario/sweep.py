"""From lists to points: a scalar is fixed, a list is swept, `zip` groups lists that move together.

The points are the Cartesian product of all lists below the swept keys, in the order of the file, the
last one fastest. A list of mappings is swept, and so is a list inside one mapping; an element of a list
that is itself a list is a value.

``zip: [[sites, protocol.alpha]]`` moves the lists at `sites` and at `alpha` of any protocol entry together:
with the i-th number of sites goes the i-th alpha. A protocol entry whose alpha is a
scalar keeps it and is not part of the group. ``protocol.1.alpha`` names one entry only. Lists of a group
are equally long; YAML's anchors save writing them again: ``alpha: &accuracies [0.1, 0.05]``, then
``alpha: *accuracies``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final, NamedTuple

from disttrack.simulator.errors import accepted
from disttrack.simulator.kinds.point import PointError

MOST_POINTS: Final = 30_000
"""A scenario of more points is taken for a slip: each of them is made once before anything is played."""

Place = tuple[str | int, ...]
_Groups = Sequence[Sequence[tuple[str, ...]]]


class Combination(NamedTuple):
    """One combination: its values without lists, and the index that was taken in each list, by the list's place."""

    values: Any
    taken: dict[Place | int, int]

    def place(self, path: Sequence[str | int]) -> Place:
        """Return the place in the file of the value at a path of the combination."""
        place: Place = ()
        for key in path:
            place = (*place, key)
            while place in self.taken:
                place = (*place, self.taken[place])
        return place


def combinations(data: Mapping[str, object], groups: Sequence[Sequence[str]] = ()) -> list[Combination]:
    """Return the combinations of all lists in `data`.

    Parameters
    ----------
    data
        The swept keys and their values in the file.
    groups
        The scenario's `zip`.

    Raises
    ------
    PointError
        A list is empty, a group names no list, one of another group, or lists of different lengths, or there are too
        many combinations.

    Examples
    --------
    >>> [c.values for c in combinations({"sites": [1, 2], "start": [0, 5]}, [["sites", "start"]])]
    [{'sites': 1, 'start': 0}, {'sites': 2, 'start': 5}]
    """
    patterns = [[tuple(key.split(".")) for key in group] for group in groups]
    _check_groups(data, patterns)
    return _expand(dict(data), (), patterns, {})


def _expand(value: object, place: Place, groups: _Groups, taken: dict[Place | int, int]) -> list[Combination]:
    """Return the combinations of the value at a place of the file; a group's number is a key of `taken` too."""
    if isinstance(value, dict):
        combined = [Combination({}, taken)]
        for name, inner in value.items():
            combined = _limited(
                Combination({**head, name: tail}, now)
                for head, before in combined
                for tail, now in _expand(inner, (*place, name), groups, before)
            )
        return combined
    if not isinstance(value, list) or isinstance(place[-1], int):  # a list in a list is a value
        return [Combination(value, taken)]
    if not value:
        raise PointError(place, "is an empty list")
    group = next((number for number, group in enumerate(groups) if _names(place) & {*group}), None)
    keys: list[Place | int] = [place] if group is None else [place, group]
    indices = [taken[group]] if group in taken else range(len(value))
    return _limited(
        one
        for index in indices
        for one in _expand(value[index], (*place, index), groups, {**taken, **dict.fromkeys(keys, index)})
    )


def _limited(combined: Iterator[Combination]) -> list[Combination]:
    some = list(islice(combined, MOST_POINTS + 1))
    if len(some) > MOST_POINTS:
        raise PointError((), f"more than {MOST_POINTS:,} points; shorten the lists")
    return some


def _names(place: Place) -> set[tuple[str, ...]]:
    """Return the names of a place in groups: with its indices, and without."""
    return {tuple(map(str, place)), tuple(key for key in place if isinstance(key, str))}


def _check_groups(data: Mapping[str, object], groups: _Groups) -> None:
    values = list(_inside(dict(data), ()))
    lists = [(place, value) for place, value in values if isinstance(value, list)]
    known = accepted(sorted({".".join(key for key in place if isinstance(key, str)) for place, _ in lists}))
    for number, group in enumerate(groups):
        earlier = {pattern for before in groups[:number] for pattern in before}
        for pattern in group:
            if not any(pattern in _names(place) for place, _ in values):
                raise PointError(("zip", number), f"nothing at {'.'.join(pattern)!r} ({known})")
            if any(pattern in _names(place) and _names(place) & earlier for place, _ in values):
                raise PointError(("zip", number), f"{'.'.join(pattern)!r} is in two groups; join them")
        lengths = {".".join(map(str, place)): len(value) for place, value in lists if _names(place) & {*group}}
        if len({*lengths.values()}) > 1:
            several = ", ".join(f"{name}: {length}" for name, length in lengths.items())
            raise PointError(("zip", number), f"lists of different lengths ({several})")


def check_moving(data: Mapping[str, object], groups: Sequence[Sequence[str]]) -> None:
    """Raise PointError for a group of `zip` without a list."""
    names = {name for place, value in _inside(dict(data), ()) if isinstance(value, list) for name in _names(place)}
    for number, group in enumerate(groups):
        if group and not names & {tuple(key.split(".")) for key in group}:
            raise PointError(("zip", number), f"no list among {', '.join(group)}; remove it")


def _inside(value: object, place: Place) -> Iterator[tuple[Place, object]]:
    """Return every value and its place; not the elements of lists but mappings."""
    yield place, value
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, entry in entries:
        if isinstance(value, dict) or isinstance(entry, dict):
            yield from _inside(entry, (*place, key))
