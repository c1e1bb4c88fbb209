"""Two or more results side by side: the points that they share, and how much one differs from another at each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from disttrack.simulator.points.point import canonical
from disttrack.simulator.results.answers import games_by_point, measured
from disttrack.simulator.results.folder import Results, finished
from disttrack.simulator.results.formats import setting
from disttrack.simulator.results.matched import Matched, match
from disttrack.simulator.results.settings import SIDES, UNSET
from disttrack.simulator.tasks.answers import Answer, answers_of

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
    matched
        Their points, each with the results that have it.
    rows
        The points that the first result shares with another, a row for each measure and other result.
    warnings
        In what the results differ beside what is compared, a line each.
    """

    names: tuple[str, ...]
    matched: Matched
    rows: tuple[Row, ...]
    warnings: tuple[str, ...]

    @property
    def alone(self) -> tuple[int, ...]:
        """Return for each result how many of its points no other one has."""
        return tuple(self.matched.alone(place) for place in range(len(self.names)))

    @property
    def alone_in_words(self) -> str:
        """Return the same as readers see it: `4 of one, 1 of two`; nothing if there are none."""
        return ", ".join(f"{many} of {name}" for name, many in zip(self.names, self.alone, strict=True) if many)


def compare_results(results: Sequence[Results], names: Sequence[str]) -> Compared:
    """Return the points of results, and how the first one's games compare with those of each other at shared points."""
    matched = match(results, names)
    games = [games_by_point(one) for one in results]
    answers = _answers(results[0])
    named: list[str] = [name for name in SIDES if name in matched.telling] or ["protocol"]
    named += [name for name in matched.telling if name not in named]
    rows = []
    for point in matched.points:
        if 0 not in point.places:
            continue
        setting = {name: point.setting.get(name) for name in named}
        setting |= {name: UNSET for name in named if name in point.setting and setting[name] is None}
        for other in range(1, len(results)):
            if other in point.places:
                one, two = (finished(games[place][point.places[place]]) for place in (0, other))
                rows += [_row(setting, answer, names[other], one, two) for answer in answers]
    return Compared(
        names=tuple(names),
        matched=matched,
        rows=tuple(row for row in rows if row.one.value is not None or row.two.value is not None),
        warnings=tuple(_warnings(results, names, matched)) if len(results) > 1 else (),
    )


def _answers(results: Results) -> list[Answer]:
    """Return what is compared: the medians that answer the question of the task, and how many games held."""
    return [
        answer for answer in answers_of(results.task) if answer.how in ("median", "held", "share") and answer.rank < 2
    ]


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
    found = measured(answer, games)
    if found is None:
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


def _warnings(results: Sequence[Results], names: Sequence[str], matched: Matched) -> list[str]:
    """Return in what results differ beside what is compared."""
    found = []
    if not matched.common:
        differing = ", ".join(matched.apart) or "how these values go together"
        found.append(f"no two results have a point in common; what keeps them apart: {differing}")
    elif not any(0 in point.places and len(point.places) > 1 for point in matched.points):
        found.append(f"no other result has a point of {names[0]}, with which all others are compared")
    found += matched.lacking
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
        "games were played by different code": [
            str((one.manifest.get("code") or {}).get("digest") or "unknown")[:12] for one in results
        ],
        "games were made of different files": [_files(one) for one in results],
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


def _files(results: Results) -> str:
    """Return the users' files that a result was made of, wherever they were: their names and digests."""
    files = (results.manifest.get("files") or {}).items()
    return ", ".join(sorted(f"{PurePath(path).name} {digest[:12]}" for path, digest in files)) or "none"


def _fixed(results: Results) -> dict[str, list[str]]:
    """Return the accuracy and the sizes of a result's points."""
    points = results.manifest.get("points") or []
    found: dict[str, list[str]] = {}
    alphas = {(point.get("protocol") or {}).get("alpha") for point in points} - {None}
    found["alpha"] = sorted(str(alpha) for alpha in alphas)
    for name in ("sites", "items"):
        found[name] = [setting(value) for value in sorted({point[name] for point in points if point.get(name)})]
    return found
