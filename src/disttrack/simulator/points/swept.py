"""The parameters in which the points of a scenario differ: they become columns of the tables and axes of figures."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final

from disttrack.simulator.claims.columns import TRIALS, Scalar
from disttrack.simulator.points.point import Point, canonical


def swept_columns(points: Sequence[Point], measured: Collection[str] = ()) -> dict[str, list[Scalar]]:
    """Return the swept parameters that ``trials.csv`` has no column for, with their value at each point.

    A parameter is swept if two points of the same kind differ in it. Kinds that do not have it leave it
    empty, kinds that have it show their default. The name is the parameter's; where a protocol's and an
    adversary's would be the same, or it is taken, it is preceded by ``protocol_`` or ``adversary_``.

    Parameters
    ----------
    measured
        Columns that the task adds to ``trials.csv``; these names are taken.

    Examples
    --------
    >>> from disttrack.simulator.points.point import Part
    >>> freeze = Part("adversary", "freeze")
    >>> def tracker(centred):
    ...     return Part("protocol", "deterministic", {"alpha": 0.1, "centred": centred})
    >>> count = Part("task", "count")
    >>> swept_columns([Point(0, count, tracker(True), freeze), Point(1, count, tracker(False), freeze)])
    {'centred': [True, False]}
    """
    columns: dict[str, list[Scalar]] = {}
    own: dict[str, list[Scalar]] = {"start": [point.start for point in points]}
    if any(point.part for point in points):
        columns["part"] = [point.part for point in points]
    networks = [flat(point.network or {}) for point in points]
    for key in dict.fromkeys(name for one in networks for name in one):
        own[key] = [one.get(key, LEFT_OUT.get(key)) for one in networks]
    for key, values in own.items():
        if differ(values):
            columns[f"network_{key}" if key in measured else key] = values
    sides = {role: [getattr(point, role).given() for point in points] for role in ("protocol", "adversary")}
    kinds = {role: [getattr(point, role).kind for point in points] for role in sides}
    names = {role: _varying(kinds[role], sides[role]) for role in sides}
    for role, other in (("protocol", "adversary"), ("adversary", "protocol")):
        for name in names[role]:
            if role == "protocol" and name == "alpha":
                continue  # the accuracy that was promised: the game's own column
            taken = name in TRIALS or name in measured or name in columns or name in names[other]
            column = f"{role}_{name}" if taken else name
            columns[column] = [_scalar(given.get(name)) for given in sides[role]]
    return columns


def differ(values: Iterable[Any]) -> bool:
    """Return whether not all values are equal."""
    return len({canonical(value) for value in values}) > 1


def _varying(kinds: Sequence[str], given: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the parameters in which two entries of one kind differ, in the order in which they appear."""
    seen: dict[tuple[str, str], set[str]] = {}
    for kind, entry in zip(kinds, given, strict=True):
        for name, value in entry.items():
            seen.setdefault((kind, name), set()).add(canonical(value))
    return list(dict.fromkeys(name for (_, name), values in seen.items() if len(values) > 1))


LEFT_OUT: Final[dict[str, Scalar]] = {
    "latency": 0,
    "loss": 0,
    "duplication": 0,
    "reordering": 0,
    "crash_rate": 0,
    "link": "bare",
}
"""What parameters of a network are where they are left out, so far as figures show them."""


def _distribution(value: Mapping[str, Any]) -> str:
    """Return ``{"exponential": 5}`` as ``exponential(5)``; nothing if it has another form, as by others."""
    name, inner = next(iter(value.items()), ("", {}))
    numbers = list(inner.values() if isinstance(inner, Mapping) else (inner,))
    if len(value) != 1 or not all(isinstance(number, int | float) for number in numbers):
        return ""
    return f"{name}({', '.join(f'{float(number):g}' for number in numbers)})"


def flat(network: Mapping[str, Any]) -> dict[str, Scalar]:
    """Return the parameters of a network by names of their own: ``latency``, ``crash_rate``.

    >>> flat({"latency": {"exponential": 5}, "crash": {"rate": 0.1, "down": 3}})
    {'latency': 'exponential(5)', 'crash_rate': 0.1, 'crash_down': 3}
    """
    columns: dict[str, Scalar] = {}
    for key, value in network.items():
        if not isinstance(value, Mapping):
            columns[key] = _scalar(value)
        elif key == "link":
            columns |= {key: "reliable", **{f"{key}_{name}": inner for name, inner in flat(value).items()}}
        elif key.startswith("latency") and (text := _distribution(value)):
            columns[key] = text
        else:
            columns |= {f"{key}_{name}": inner for name, inner in flat(value).items()}
    return columns


def _scalar(value: Any) -> Scalar:
    return value if isinstance(value, str | int | float | bool | None) else canonical(value)
