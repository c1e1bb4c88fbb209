"""From lists to points: a scalar is fixed, a list is swept, `zip` groups lists that move together.

The points are the Cartesian product of all lists below the swept keys, in the order of the file, the
last one fastest. A list of mappings is swept, and so is a list inside one mapping; an element of a list
that is itself a list is a value.

``zip: [[sites, protocol.alpha]]`` lets the lists that stand at `sites` and at `alpha` of any protocol
entry move together: with the i-th number of sites goes the i-th alpha. A protocol entry whose alpha is a
scalar keeps it and is not part of the group. ``protocol.1.alpha`` names one entry only. Lists of a group
are equally long; YAML's anchors save writing them again: ``alpha: &accuracies [0.1, 0.05]``, then
``alpha: *accuracies``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

Place = tuple[str | int, ...]


class SweepError(Exception):
    """A `zip` that cannot be done: where, and why."""

    def __init__(self, path: Place, message: str) -> None:
        super().__init__(message)
        self.path = path


class Combination(NamedTuple):
    """One combination: its values without lists, and where in the file each of them stands."""

    values: dict[str, Any]
    places: dict[Place, Place]


def combinations(data: Mapping[str, Any], groups: Sequence[Sequence[str]] = ()) -> Iterator[Combination]:
    """Return the combinations of all lists in `data`, one after the other.

    Parameters
    ----------
    data
        The swept keys and what the file says of them.
    groups
        The scenario's `zip`.

    Raises
    ------
    SweepError
        A group names no list, or lists of different lengths.

    Examples
    --------
    >>> [c.values for c in combinations({"sites": [1, 2], "start": [0, 5]}, [["sites", "start"]])]
    [{'sites': 1, 'start': 0}, {'sites': 2, 'start': 5}]
    """
    patterns: list[list[Place]] = [[tuple(key.split(".")) for key in group] for group in groups]
    _check_groups(data, groups, patterns)
    for values, places, _ in _expand(dict(data), (), (), patterns, {}):
        yield Combination(values, places)


_Expanded = tuple[Any, dict[Place, Place], dict[int, int]]


def _expand(
    value: Any, key: Place, place: Place, patterns: list[list[Place]], bound: dict[int, int]
) -> Iterator[_Expanded]:
    """Expand the value at `place` of the file, `key` of the point; `bound`: indices of groups so far."""
    if isinstance(value, list):
        group = _group(place, patterns)
        if group is not None and group in bound:
            indices: Sequence[int] = (bound[group],)
        else:
            indices = range(len(value))
        for index in indices:
            now = bound if group is None else {**bound, group: index}
            inner = (*place, index)
            if isinstance(value[index], dict):
                yield from _expand(value[index], key, inner, patterns, now)
            else:
                yield value[index], {key: inner}, now
    elif isinstance(value, dict):
        yield from _product(list(value.items()), key, place, patterns, bound)
    else:
        yield value, {key: place}, bound


def _product(
    items: list[tuple[str, Any]], key: Place, place: Place, patterns: list[list[Place]], bound: dict[int, int]
) -> Iterator[_Expanded]:
    if not items:
        yield {}, {key: place}, bound
        return
    *before, (name, value) = items
    for head, head_places, head_bound in _product(before, key, place, patterns, bound):
        for tail, tail_places, tail_bound in _expand(value, (*key, name), (*place, name), patterns, head_bound):
            yield {**head, name: tail}, {**head_places, **tail_places}, tail_bound


def _group(place: Place, patterns: list[list[Place]]) -> int | None:
    """Return the group that the list at `place` belongs to, None if it moves by itself."""
    named = tuple(str(part) for part in place)
    short = tuple(str(part) for part in place if isinstance(part, str))
    for number, group in enumerate(patterns):
        if named in group or short in group:
            return number
    return None


def _check_groups(data: Mapping[str, Any], groups: Sequence[Sequence[str]], patterns: list[list[Place]]) -> None:
    there = list(_inside(dict(data), ()))
    for number, (group, keys) in enumerate(zip(groups, patterns, strict=True)):
        lengths: dict[int, str] = {}
        for text, pattern in zip(group, keys, strict=True):
            mine = [value for place, value in there if _group(place, [[pattern]]) is not None]
            if not mine:
                lists = ", ".join(sorted({_short(place) for place, value in there if isinstance(value, list)}))
                raise SweepError(("zip", number), f"there is nothing at {text!r} (lists: {lists or 'none'})")
            mine = [value for value in mine if isinstance(value, list)]  # a scalar is fixed
            for value in mine:
                lengths.setdefault(len(value), text)
        if len(lengths) > 1:
            several = ", ".join(f"{text} has {length}" for length, text in lengths.items())
            raise SweepError(("zip", number), f"lists that move together must be of one length ({several})")


def _inside(value: Any, place: Place) -> Iterator[tuple[Place, Any]]:
    """Return every value and where it stands."""
    yield place, value
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, entry in entries:
        if isinstance(value, dict) or isinstance(entry, dict):
            yield from _inside(entry, (*place, key))


def _short(place: Place) -> str:
    return ".".join(part for part in place if isinstance(part, str))
