"""Two or more results side by side: the points that they share, and the ratios of their medians at each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath
from typing import Final

import numpy as np
import pandas as pd

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.experiments.claims.statistics import EACH, order_interval
from disttrack.simulator.experiments.claims.tails import log_ways
from disttrack.simulator.experiments.results.answers import SHARES, games_by_point, measured
from disttrack.simulator.experiments.results.folder import Results, finished, rows_of
from disttrack.simulator.experiments.results.formats import exact, number, span
from disttrack.simulator.experiments.results.listing import TEXTS
from disttrack.simulator.experiments.results.matching import Point, matched, unmatched
from disttrack.simulator.experiments.results.stored import Plain
from disttrack.simulator.experiments.scenario.settings import SIDES, Setting, Settings
from disttrack.simulator.game.columns import ADVERSARY, POINT, PROTOCOL, TASK
from disttrack.simulator.game.tasks.answers import Answer, answers_of
from disttrack.simulator.kinds.point import canonical

UNLIKELY: Final = 0.05
"""Two shares of games differ if Fisher's exact test has at most this value."""
UNIMPORTANT: Final = (*TEXTS, "sites", "items", PROTOCOL, ADVERSARY, "zip")
"""Keys of scenarios in which results may differ without a warning: the points have sizes and sides."""


DIFFERENCES: Final = ("ratio", "points", "differ", "changed", "from 0", "other sides")
"""How the rows of one measure differ: columns of a table, of which those without any cell are not shown."""


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
    hits
        Of a share, in how many of them something held.
    """

    value: float | None
    low: float | None
    high: float | None
    games: int
    hits: int | None = None

    @property
    def words(self) -> str:
        """Return the median as text, or in how many games something held."""
        return number(self.value) if self.hits is None else f"{self.hits} of {self.games}"


@dataclass(frozen=True)
class Row:
    """One measure at one point that two results share.

    Attributes
    ----------
    point
        The values that set the point apart in the first result, by name.
    change
        Those that differ in the other result, by name.
    measure
        The header of the answer; `held` is a share of games.
    other
        The result that is compared with the first.
    one, two
        The first result and the other.
    ratio, low, high
        The second value over the first and its interval; None where there is none.
    """

    point: Mapping[str, object]
    change: Mapping[str, object]
    measure: str
    other: str
    one: Middle
    two: Middle
    ratio: float | None = None
    low: float | None = None
    high: float | None = None

    @cached_property
    def changed(self) -> bool:
        """Return whether the interval, to three decimals, excludes 1; of shares, whether Fisher's exact test does."""
        if self.low is not None and self.high is not None:
            return not round(self.low, 3) <= 1 <= round(self.high, 3)
        table = [[each.hits, each.games - each.hits] for each in (self.one, self.two) if each.hits is not None]
        if len(table) < 2 or table[0] == table[1]:
            return False
        return fisher(*table) <= UNLIKELY

    @property
    def could_change(self) -> bool:
        """Return whether there are enough games for Fisher's exact test to find that one share is 0 and the other 1."""
        return fisher((self.one.games, 0), (0, self.two.games)) <= UNLIKELY

    @cached_property
    def cells(self) -> dict[str, str]:
        """Return the values of the point as text, by name; a value that differs as `0.1 → 0.05`."""
        texts = {name: exact(value) for name, value in self.point.items()}
        after = {name: exact(value) or "none" for name, value in self.change.items()}
        return texts | {name: f"{texts[name] or 'none'} → {text}" for name, text in after.items()}


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
        The points that the first result shares with another, a row for each measure and other result; those that
        changed are first.
    unmatched
        The points that the first result lacks, or that no other has: their number, and the reason, a line each.
    warnings
        Further differences of the results, a line each.
    """

    names: tuple[str, ...]
    points: tuple[Point, ...]
    shared: tuple[Setting, ...]
    rows: tuple[Row, ...]
    unmatched: tuple[str, ...]
    warnings: tuple[str, ...]

    @property
    def apart(self) -> list[str]:
        """Return the other results none of whose points matches one of the first result."""
        matched = {place for point in self.points if 0 in point.places for place in point.places}
        return [name for place, name in enumerate(self.names) if place not in matched | {0}]

    @cached_property
    def headers(self) -> list[str]:
        """Return the names of the parameters in which points of a protocol differ, or of one that all share."""
        return [name for name in self._names if name not in {**self._moved, **self._of_protocols}]

    @cached_property
    def _names(self) -> list[str]:
        return next((list(point.values) for point in self.points), [])

    @property
    def subtitle(self) -> str:
        """Return the differences that matched points, or those of a protocol, have, and what all share, in words."""
        moved = [f"{name} {text}" for name, texts in self._moved.items() for text in texts]
        shared = [one for one in self.shared if one.stated and one.header not in self.headers]
        moved += [f"{name} {text}" for name, text in self._of_protocols.items()]
        return " · ".join([*moved, *filter(None, (one.words(self.headers) for one in shared))])

    @cached_property
    def _of_protocols(self) -> dict[str, str]:
        """Return the parameters that have one value, or one change, at all matched points of each protocol, in words.

        There are none of a single protocol.
        """
        words: dict[str, str] = {}
        for name in self._names if PROTOCOL in self._names else ():
            pairs = {(row.cells[PROTOCOL], row.cells[name]): row for row in self.rows}
            protocols = dict.fromkeys(protocol for protocol, _ in pairs)
            if name in (*SIDES, *self._moved) or len(pairs) > len(protocols) or len(protocols) < 2 or self.unmatched:
                continue
            having: dict[str, list[str]] = {}
            for protocol, text in pairs:
                having.setdefault(text, []).append(protocol)
            kinds = {text: those for text, those in having.items() if text not in ("", "none")}
            words[name] = ", ".join(f"{text} ({', '.join(those)})" for text, those in kinds.items())
        return words

    @cached_property
    def _moved(self) -> dict[str, list[str]]:
        """Return the parameters that differ in the same way at all points of another result, and how."""
        moved: dict[str, list[str]] = {}
        for name in dict.fromkeys(name for row in self.rows for name in row.change):
            texts = {(row.other, row.cells[name], name in row.change) for row in self.rows}
            if len(texts) == len({row.other for row in self.rows}) and not self.unmatched:
                several = len(self.names) > 2
                moved[name] = [f"{text} ({other})" if several else text for other, text, new in sorted(texts) if new]
        return moved

    def measures(self) -> Iterator[tuple[str, str, list[Row], list[str]]]:
        """Yield each measure in each other result: its name, the result, its rows, and the cells of `DIFFERENCES`."""
        pairs = dict.fromkeys((row.other, row.measure) for row in self.rows)
        for other, measure in sorted(pairs, key=lambda pair: self.names.index(pair[0])):
            every = [row for row in self.rows if (row.other, row.measure) == (other, measure)]
            # a key of the user's may match points of different kinds among others: these are no change of one
            rows = [row for row in every if not {*SIDES} & {*row.change}] or every
            yield measure, other, every, _differences(rows, len(every) - len(rows))


def _differences(rows: Sequence[Row], left: int) -> list[str]:
    """Return the cells of `DIFFERENCES`; `left` more rows are of other protocols or adversaries."""
    ratios = [row.ratio for row in rows if row.ratio is not None]
    tested = any(row.low is not None for row in rows) if ratios else any(row.could_change for row in rows)
    from_zero = sum(row.one.value == 0 for row in rows if row.two.value) if ratios else 0
    numbers = (len(rows), sum(row.one.value != row.two.value for row in rows))
    changed = number(sum(row.changed for row in rows)) * tested
    return [span(ratios), *map(number, numbers), changed, *(number(one) * bool(one) for one in (from_zero, left))]


def fisher(first: Sequence[int], second: Sequence[int]) -> float:
    """Return the value of Fisher's exact test, two-sided, that two shares differ: of each the hits and the misses.

    It is the probability of a table with the same margins that is at most as likely. scipy.stats has the same, but
    takes a second to be imported.

    >>> round(fisher((8, 2), (1, 5)), 6), fisher((3, 3), (3, 3))
    (0.034965, 1.0)
    """
    games, others, hits = sum(first), sum(second), first[0] + second[0]
    some = np.arange(max(0, hits - others), min(games, hits) + 1)
    likely = log_ways(games, some) + log_ways(others, hits - some)
    likely = np.exp(likely - likely.max())
    rarer = likely <= likely[first[0] - some[0]] * (1 + 1e-7)  # equal ones differ by rounding
    return float(likely[rarer].sum() / likely.sum())


def compare_results(results: Sequence[Results], names: Sequence[str], match: Sequence[str] = ()) -> Compared:
    """Return the points of results, and how the first one's games compare with those of each other at shared points.

    A point is its task, both kinds with all their parameters (defaults too), the sizes, and the network. Points that
    are equal in all of them are matched first. Those that remain are matched without the parameters in which the two
    results differ, if that leaves one of each: parameters of which no value occurs in both (of points of the same
    kinds). Points of different protocols, or adversaries, are matched only where each result has a single one and all
    else is equal.

    Parameters
    ----------
    match
        The parameters that matched points share, by their headers, instead.

    Raises
    ------
    ScenarioError
        There is no such parameter.
    """
    owners = [(place, row) for place, one in enumerate(results) for row in range(one.trials[POINT].nunique())]
    rows = [row for one in results for row in rows_of(one, results[0].task)]
    parameters = Settings(results[0].task, rows, [one.scenario for one in results]).columns
    varying = [one for one in parameters if one.sets_apart] or [one for one in parameters if one.name == PROTOCOL]
    varying.sort(key=lambda one: one.name not in SIDES)
    if unknown := [name for name in match if name not in [one.header for one in parameters]]:
        known = ", ".join(one.header for one in varying)
        raise ScenarioError(f"--match {unknown[0]}: no such parameter; points differ in: {known}")
    points = matched(parameters, varying, owners, match)
    return Compared(
        names=tuple(names),
        points=tuple(points),
        shared=tuple(one for one in parameters if one.words() and _is_shared(one)),
        rows=tuple(sorted(_rows(results, names, points), key=lambda row: not row.changed)),
        unmatched=tuple(unmatched(points, names, match)),
        warnings=tuple(_warnings(results, names)),
    )


def _is_shared(one: Setting) -> bool:
    """Return whether all points that have a parameter have one value of it."""
    return len({*map(canonical, one.shown)} - {"null"}) == 1


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
                    values = (point.values, point.changes(other), answer.header, names[other])
                    yield Row(*values, first, second, *ratio)


def _ratio(first: Middle, second: Middle) -> tuple[float | None, float | None, float | None]:
    """Return the second median over the first, and its interval."""
    if not first.value or second.value is None:
        return None, None, None
    ratio = second.value / first.value
    if first.low is None or first.high is None or first.low <= 0 or second.low is None or second.high is None:
        return ratio, None, None
    return ratio, second.low / first.high, second.high / first.low


def _middle(answer: Answer, games: pd.DataFrame) -> Middle:
    """Return the answer of the games of a point: a share of them, or a median with its interval."""
    values = measured(answer, games)
    if values is None:
        return Middle(None, None, None, 0)
    if answer.how in SHARES:
        return Middle(float(values.mean()), None, None, len(values), int(values.sum()))
    try:
        numbers = np.asarray(values, dtype=float)
    except ValueError:  # texts have no median
        return Middle(None, None, None, len(values))
    low, high = (None if end != end else end for end in order_interval(np.sort(numbers), 0.5, EACH))
    return Middle(float(np.median(numbers)), low, high, len(numbers))


def _warnings(results: Sequence[Results], names: Sequence[str]) -> list[str]:
    """Return the differences of results other than in what is compared."""
    warnings = []
    manifests = [one.manifest for one in results]
    facts = {
        "tasks": [str(one.scenario.get(TASK) or "count") for one in results],
        "rules": [str(one.get("rules")) for one in manifests],
        "code": [_code(one) for one in manifests],
        "files": [_files(one) for one in manifests],
        "versions of disttrack": [str(one.get("versions", {}).get("disttrack")) for one in manifests],
    }
    for key in dict.fromkeys(key for one in results for key in one.scenario if key not in (*UNIMPORTANT, TASK)):
        facts[key] = [_stated(one.scenario, key) for one in results]
    for difference, texts in facts.items():
        if len(set(texts)) > 1:
            each = ", ".join(f"{text} ({name})" for name, text in zip(names, texts, strict=True))
            warnings.append(f"different {difference}: {each}")
    return warnings


def _stated(scenario: Plain, key: str) -> str:
    """Return what a scenario states for all its points, or else what its protocols state one by one."""
    if scenario.get(key) is not None:
        return canonical(scenario[key])
    protocols = scenario.get(PROTOCOL)
    listed = protocols if isinstance(protocols, list) else [protocols]
    values = [canonical(one[key]) for one in listed if isinstance(one, dict) and one.get(key) is not None]
    usual = {"seed": 0, "trials": 1, "engine": "auto", "start": 0}
    return " and ".join(dict.fromkeys(values)) or (canonical(usual[key]) if key in usual else "none")


def _code(manifest: Plain) -> str:
    """Return the beginnings of the digests of the code that played, that of the core first."""
    code = manifest.get("code") or {"digest": "unknown"}
    return " ".join(f"{digest[:12]}" if name == "digest" else f"{name} {digest[:12]}" for name, digest in code.items())


def _files(manifest: Plain) -> str:
    """Return the users' files that a result was made of, wherever they were: their names and digests."""
    files = manifest.get("files", {}).items()
    return ", ".join(sorted(f"{PurePath(path).name} {digest[:12]}" for path, digest in files)) or "none"
