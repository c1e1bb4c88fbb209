"""Two or more results side by side: the points that they share, and the ratios of their medians at each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Final

import numpy as np
import pandas as pd
from scipy.stats import quantile_test

from disttrack.simulator.points.point import canonical
from disttrack.simulator.results.answers import SHARES, games_by_point, measured
from disttrack.simulator.results.folder import Results, finished
from disttrack.simulator.results.labels import SIDES
from disttrack.simulator.results.parameters import Parameter, parameters_of, played
from disttrack.simulator.tasks.answers import Answer, answers_of

EACH: Final = 0.975
"""Confidence of each median's interval: together the two hold, and so does that of their ratio, with 0.95."""
UNIMPORTANT: Final = (
    "name", "question", "finding", "claims", "plots", "comment", "sites", "items", "protocol", "adversary", "zip",
)  # fmt: skip
"""Keys of scenarios in which results may differ without a warning: the points have sizes and sides."""


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
        Their number.
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
        The values that set the point apart, by name.
    measure
        The header of the answer; `held` is a share of games.
    other
        The result that is compared with the first.
    one, two
        The first result and the other.
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
class Point:
    """A point that one or more results have.

    Attributes
    ----------
    values
        What sets it apart from others, by the header of the parameter: None if it has no such parameter.
    places
        The results that have it, by their places; of each, its place among the points of that result.
    """

    values: Mapping[str, Any]
    places: dict[int, int]


@dataclass(frozen=True)
class Compared:
    """The outcome of a comparison.

    Attributes
    ----------
    names
        The names of the results, the first one first.
    points
        Every point once, in the order of the results.
    shared
        The parameters that all points share.
    rows
        The points that the first result shares with another, a row for each measure and other result.
    warnings
        Further differences of the results, a line each.
    """

    names: tuple[str, ...]
    points: tuple[Point, ...]
    shared: tuple[Parameter, ...]
    rows: tuple[Row, ...]
    warnings: tuple[str, ...]

    @property
    def headers(self) -> list[str]:
        """Return the names of the parameters in which points differ, or of one that names them all the same."""
        return next((list(point.values) for point in self.points), [])

    @property
    def subtitle(self) -> str:
        """Return the parameters that all points share, in words."""
        shared = [one.words(self.headers) for one in self.shared if one.stated and one.header not in self.headers]
        return " · ".join(filter(None, shared))

    @property
    def alone(self) -> dict[str, int]:
        """Return for each result how many of its points no other one has."""
        places = [tuple(point.places) for point in self.points]
        return {name: places.count((place,)) for place, name in enumerate(self.names)}

    @property
    def alone_in_words(self) -> str:
        """Return the same in words: `4 of one, 1 of two`; empty if there are none."""
        return ", ".join(f"{many} of {name}" for name, many in self.alone.items() if many)


def compare_results(results: Sequence[Results], names: Sequence[str]) -> Compared:
    """Return the points of results, and how the first one's games compare with those of each other at shared points.

    A point is its task, both kinds with all their parameters (defaults too), the sizes, and the network. A parameter
    that one result lacks, because its games were played before the kind had it, sets points apart like a different
    value: its value is not known.
    """
    owners = [(place, row) for place, one in enumerate(results) for row in range(one.trials["point"].nunique())]
    parameters = parameters_of(
        results[0].task,
        [one.scenario for one in results],
        [each for one in results for each in played(one.trials, one.points)],
        {key: maker for one in results for key, maker in one.own.items()},
    )
    varying = [one for one in parameters if one.sets_apart and not one.in_labels] or [
        one for one in parameters if one.name == "protocol"
    ]
    varying.sort(key=lambda one: one.name not in SIDES)
    matches: dict[tuple[str, int], Point] = {}
    times = Counter[tuple[int, str]]()
    for index, (place, row) in enumerate(owners):
        key = canonical([one.values[index] for one in parameters])
        times[place, key] += 1  # a scenario may give the same point twice
        values = {one.header: (one.labels or one.values)[index] for one in varying}
        matches.setdefault((key, times[place, key]), Point(values, {})).places[place] = row
    points = tuple(matches.values())
    return Compared(
        names=tuple(names),
        points=points,
        shared=tuple(one for one in parameters if one.words() and not one.varies),
        rows=tuple(_rows(results, names, points)),
        warnings=tuple(_warnings(results, names, points, _apart(parameters, [place for place, _ in owners]))),
    )


def _rows(results: Sequence[Results], names: Sequence[str], points: Sequence[Point]) -> Iterator[Row]:
    """Yield the measures at each point that the first result shares with another."""
    games = [games_by_point(one) for one in results]
    answers = [one for one in answers_of(results[0].task) if one.how in ("median", *SHARES) and one.rank < 2]
    for point in points:
        for other in [place for place in point.places if place and 0 in point.places]:
            one, two = (finished(games[place][point.places[place]]) for place in (0, other))
            for answer in answers:
                first, second = _middle(answer, one), _middle(answer, two)
                if first.value is not None or second.value is not None:
                    ratio = _ratio(first, second) if answer.how == "median" else (None, None, None)
                    yield Row(point.values, answer.header, names[other], first, second, *ratio)


def _apart(parameters: Sequence[Parameter], places: Sequence[int]) -> str:
    """Return the names of the parameters in which no two results are equal at any point; each point is of a result."""
    values = [(one.header, [canonical(value) for value in one.values]) for one in parameters]
    names = [name for name, each in values if len({*each}) == len({*zip(places, each, strict=True)})]
    return ", ".join(names) or "how these values go together"


def _ratio(first: Middle, second: Middle) -> tuple[float | None, float | None, float | None]:
    """Return the second median over the first, and its interval."""
    if not first.value or second.value is None:
        return None, None, None
    ratio = second.value / first.value
    if first.low is None or first.high is None or first.low <= 0 or second.low is None or second.high is None:
        return ratio, None, None
    return ratio, second.low / first.high, second.high / first.low


def _middle(answer: Answer, games: pd.DataFrame) -> Middle:
    """Return the answer of the games of a point: a share of them, or a median with its interval.

    The interval lies between two of the ordered values and is exact for any distribution; too few games have none.
    """
    values = measured(answer, games)
    if values is None:
        return Middle(None, None, None, 0)
    if answer.how in SHARES:
        return Middle(float(values.mean()), None, None, len(values))
    try:
        numbers = np.asarray(values, dtype=float)
    except ValueError:  # texts have no median
        return Middle(None, None, None, len(values))
    ends = quantile_test(numbers, p=0.5).confidence_interval(EACH)
    low, high = (None if end != end else float(end) for end in ends)
    return Middle(float(np.median(numbers)), low, high, len(numbers))


def _warnings(results: Sequence[Results], names: Sequence[str], points: Sequence[Point], apart: str) -> list[str]:
    """Return the differences of results other than in what is compared."""
    warnings = []
    if not any(len(point.places) > 1 for point in points):
        warnings.append(f"no two results have a point in common; they differ in: {apart}")
    elif not any(0 in point.places and len(point.places) > 1 for point in points):
        warnings.append(f"no other result has a point of {names[0]}, with which all others are compared")
    manifests = [one.manifest for one in results]
    facts = {
        "they are results of different tasks": [str(one.scenario.get("task") or "count") for one in results],
        "games were played by different rules": [str(one.get("rules")) for one in manifests],
        "games were played by different code": [_code(one) for one in manifests],
        "games were made of different files": [_files(one) for one in manifests],
        "different versions of disttrack": [str(one.get("versions", {}).get("disttrack")) for one in manifests],
    }
    for key in dict.fromkeys(key for one in results for key in one.scenario if key not in (*UNIMPORTANT, "task")):
        values = [one.scenario.get(key) for one in results]
        facts[f"different {key}"] = [canonical(value) if value is not None else "none" for value in values]
    for difference, texts in facts.items():
        if len(set(texts)) > 1:
            each = ", ".join(f"{text} ({name})" for name, text in zip(names, texts, strict=True))
            warnings.append(f"{difference}: {each}")
    return warnings


def _code(manifest: Mapping[str, Any]) -> str:
    """Return the beginning of the digest of the code that played."""
    return str(manifest.get("code", {}).get("digest") or "unknown")[:12]


def _files(manifest: Mapping[str, Any]) -> str:
    """Return the users' files that a result was made of, wherever they were: their names and digests."""
    files = manifest.get("files", {}).items()
    return ", ".join(sorted(f"{PurePath(path).name} {digest[:12]}" for path, digest in files)) or "none"
