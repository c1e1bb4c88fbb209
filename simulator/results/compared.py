"""Two or more results side by side: the points that they share, and how much one differs from another at each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from simulator.points.kept import kept_class
from simulator.points.point import canonical
from simulator.results.folder import Results
from simulator.results.formats import setting
from simulator.tasks.answers import Answer, answers_of

if TYPE_CHECKING:
    import pandas as pd

EACH: Final = 0.975
"""Confidence of each median's interval: together the two hold, and so does that of their ratio, with 0.95."""
UNIMPORTANT: Final = ("name", "title", "claims", "plots", "comment", "sites", "items", "protocol", "adversary", "zip")
"""Keys of scenarios in which results may differ without a warning: the points tell of sizes and sides."""


@dataclass(frozen=True)
class Middle:
    """The games of a point in one result.

    Attributes
    ----------
    value
        Their median, or the share of them that held; None if there are none.
    low, high
        The interval of the median; None where there are too few games for one.
    games
        How many they are.
    """

    value: float | None
    low: float | None
    high: float | None
    games: int


@dataclass(frozen=True)
class Row:
    """One measure at one point that two results share.

    Attributes
    ----------
    point
        What sets the point apart, by name.
    measure
        What was measured; `held` is a share of games.
    other
        The result that is compared with the first.
    one, two
        What the first result and the other say.
    ratio, low, high
        The second value over the first and its interval; None where there is none.
    """

    point: Mapping[str, Any]
    measure: str
    other: str
    one: Middle
    two: Middle
    ratio: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Compared:
    """What came of a comparison.

    Attributes
    ----------
    names
        What the results are called, the first one first.
    rows
        The matched points, a row for each measure and other result.
    alone
        For each result, how many of its points no other one has.
    warnings
        In what the results differ beside what is compared, a line each.
    """

    names: tuple[str, ...]
    rows: tuple[Row, ...]
    alone: tuple[int, ...]
    warnings: tuple[str, ...]


def compare_results(results: Sequence[Results], names: Sequence[str]) -> Compared:
    """Return the points that results share, and how the first one's games compare with those of each other."""
    points = [_points(one) for one in results]
    shared = [key for key in points[0] if any(key in other for other in points[1:])]
    known = [values for mine in points for values, _ in mine.values()]
    telling = [name for name in dict.fromkeys(key for one in known for key in one) if _differs(name, known)]
    named = [name for name in telling if name in ("protocol", "adversary")] or ["protocol"]
    rows = []
    for key in shared:
        values, games = points[0][key]
        point = {name: values.get(name) for name in [*named, *(each for each in telling if each not in named)]}
        for other, its in zip(names[1:], points[1:], strict=True):
            if key in its:
                rows += [_row(point, answer, other, games, its[key][1]) for answer in _answers(results[0])]
    return Compared(
        names=tuple(names),
        rows=tuple(row for row in rows if row.one.value is not None or row.two.value is not None),
        alone=tuple(
            sum(not any(key in other for other in points if other is not mine) for key in mine) for mine in points
        ),
        warnings=tuple(_warnings(results, names, points, matched=bool(shared))),
    )


def _points(results: Results) -> dict[str, tuple[dict[str, Any], pd.DataFrame]]:
    """Return the points of a result by all of their parameters, with these and their games."""
    described = {int(point["point"]): point for point in results.manifest.get("points") or []}
    found = {}
    for number, games in results.trials.groupby("point", sort=True):
        first = games.iloc[0]
        point = described.get(int(str(number))) or {name: first.get(name) for name in ("sites", "items", "alpha")}
        values: dict[str, Any] = {"protocol": str(first["protocol"]), "adversary": str(first["adversary"])}
        values |= {name: point.get(name) for name in ("sites", "items", "start", "alpha") if point.get(name)}
        values |= {"network": canonical(point["network"])} if point.get("network") else {}
        for side in ("protocol", "adversary"):
            given = point.get(side)
            if isinstance(given, Mapping):
                values |= {f"{side} {name}": value for name, value in given.items() if name != "kind"}
        found[canonical(values)] = values, games[games["verdict"] != "error"]
    return found


def _differs(name: str, known: Sequence[Mapping[str, Any]]) -> bool:
    """Tell whether points differ in something; of a parameter of a side only points of one kind are compared."""
    side = name.split(" ")[0] if " " in name else ""
    found: dict[Any, set[str]] = {}
    for one in known:
        if one.get(name) is not None:
            found.setdefault(one[side] if side else "", set()).add(canonical(one[name]))
    return any(len(values) > 1 for values in found.values())


def _answers(results: Results) -> list[Answer]:
    """Return what is compared: the medians that answer the question of the task, and how many games held."""
    task = kept_class("task", str(results.scenario.get("task") or "count"), results.manifest.get("own") or {})
    return [answer for answer in answers_of(task) if answer.how in ("median", "held", "share") and answer.rank < 2]


def _row(point: Mapping[str, Any], answer: Answer, other: str, one: pd.DataFrame, two: pd.DataFrame) -> Row:
    first, second = (middle_of(answer, games) for games in (one, two))
    if answer.how != "median" or not first.value or second.value is None:
        return Row(point, answer.header, other, first, second)
    ratio = second.value / first.value
    if None in (first.low, first.high, second.low, second.high) or (first.low or 0) <= 0:
        return Row(point, answer.header, other, first, second, ratio)
    low, high = float(second.low or 0) / float(first.high or 1), float(second.high or 0) / float(first.low or 1)
    return Row(point, answer.header, other, first, second, ratio, low, high)


def middle_of(answer: Answer, games: pd.DataFrame) -> Middle:
    """Return what the games of a point say: a median with its interval, or the share that held."""
    if answer.how == "held":
        decided = games[games["verdict"].isin(("ok", "failed"))]
        share = float((decided["verdict"] == "ok").mean()) if len(decided) else None
        return Middle(share, None, None, len(decided))
    found = games.get(answer.of) if isinstance(answer.of, str) else answer.of(games)
    found = None if found is None else found.dropna()
    if found is None or found.empty:
        return Middle(None, None, None, 0)
    if answer.how == "share":
        return Middle(float((found.astype(str) == "True").mean()), None, None, len(found))
    try:
        values = np.sort(np.asarray(found, dtype=float))
    except ValueError:  # words, of which there is no median
        return Middle(None, None, None, len(found))
    return Middle(float(np.median(values)), *order_interval(values), len(values))


def order_interval(ordered: Any, confidence: float = EACH) -> tuple[float | None, float | None]:
    """Return the interval of the median between two of the ordered values; none where there are too few of them.

    Exact for any distribution: fewer than j of n values lie below the median with the probability that a fair coin
    shows heads fewer than j times.

    >>> order_interval([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    (2.0, 9.0)
    >>> order_interval([1, 2, 3, 4, 5, 6])
    (None, None)
    """
    from scipy.special import bdtr

    many = len(ordered)
    places = [j for j in range(1, many // 2 + 1) if 2 * float(bdtr(j - 1, many, 0.5)) <= 1 - confidence]
    if not places:
        return None, None
    return float(ordered[places[-1] - 1]), float(ordered[many - places[-1]])


def _apart(points: Sequence[Mapping[str, tuple[Mapping[str, Any], Any]]]) -> list[str]:
    """Return the parameters of which no two results have a value in common, nor both have none.

    >>> _apart([{"a": ({"sites": 3, "alpha": 0.1}, None)}, {"b": ({"sites": 3, "alpha": 0.2}, None)}])
    ['alpha']
    """
    names = dict.fromkeys(name for mine in points for values, _ in mine.values() for name in values)
    found = []
    for name in names:
        had = [{canonical(values.get(name)) for values, _ in mine.values()} for mine in points]
        if all(one.isdisjoint(other) for place, one in enumerate(had) for other in had[:place]):
            found.append(name)
    return found


def _warnings(
    results: Sequence[Results],
    names: Sequence[str],
    points: Sequence[Mapping[str, tuple[Mapping[str, Any], Any]]],
    *,
    matched: bool,
) -> list[str]:
    """Return in what results differ beside what is compared."""
    found = []
    if not matched:
        differing = ", ".join(_apart(points)) or "how these values go together"
        found.append(f"no two results have a point in common; what keeps them apart: {differing}")
    tasks = {str(one.scenario.get("task") or "count") for one in results}
    if len(tasks) > 1:
        found.append(f"they are results of different tasks: {', '.join(sorted(tasks))}")
    for what, values in _facts(results).items():
        if len(set(values)) > 1:
            said = ", ".join(f"{value} ({name})" for name, value in zip(names, values, strict=True))
            found.append(f"{what}: {said}")
    return found


def _facts(results: Sequence[Results]) -> dict[str, list[str]]:
    """Return what results ought to have alike, and what each has."""
    facts: dict[str, list[str]] = {
        "games were played by different rules": [str(one.manifest.get("rules")) for one in results],
        "different versions of disttrack": [
            str((one.manifest.get("versions") or {}).get("disttrack")) for one in results
        ],
    }
    keys = dict.fromkeys(key for one in results for key in one.scenario if key not in (*UNIMPORTANT, "task"))
    for key in keys:
        values = [one.scenario.get(key) for one in results]
        facts[f"different {key}"] = [canonical(value) if value is not None else "none" for value in values]
    for name in sorted({name for one in results for name in _fixed(one)}):
        facts[f"different {name}"] = [", ".join(_fixed(one).get(name, ["none"])) for one in results]
    return facts


def _fixed(results: Results) -> dict[str, list[str]]:
    """Return the accuracy and the sizes of a result's points."""
    points = results.manifest.get("points") or []
    found: dict[str, list[str]] = {}
    alphas = {(point.get("protocol") or {}).get("alpha") for point in points} - {None}
    found["alpha"] = sorted(str(alpha) for alpha in alphas)
    for name in ("sites", "items"):
        found[name] = [setting(value) for value in sorted({point[name] for point in points if point.get(name)})]
    return found
