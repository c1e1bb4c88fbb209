"""Who fails against whom, from where on, and what it costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf, nan
from typing import Final

import pandas as pd

from disttrack.simulator.experiments.results.formats import in_short, number, span
from disttrack.simulator.experiments.results.lines import lines, swept_axes, terms_of
from disttrack.simulator.experiments.results.read import GAME, Tables
from disttrack.simulator.experiments.scenario.settings import flat
from disttrack.simulator.game.columns import ADVERSARY, FAILED, OK, PART, POINT, PROTOCOL, RESULT, UNDECIDED, VERDICT
from disttrack.simulator.game.tasks.answers import judged_error, over_alpha
from disttrack.simulator.kinds.names import with_name

OFTEN: Final = 0.5
"""From this share of failing games on, a protocol is broken, and does not only miss now and then."""
FAULTS: Final = ("loss", "duplication", "reordering", "partition", "crash", "server", "faults")
"""Keys of a network that make it a faulty one."""
BESIDE: Final = "beside"
"""The column with the largest value of what a task measures beside its verdict: a promise kept may be a poor one."""
COLUMNS: Final = {
    PART: "",
    PROTOCOL: "",
    "against": "",
    "games failed": "of those with a verdict",
    "fails at": "settings with at least half of the games failed",
    "error/alpha": "largest median error",
    BESIDE: "largest of its games",
    "words": "median",
    "at": "setting of the words",
    "ratio": "words over the least unbroken, on equal terms",
    "state": "",
}
"""The columns of the table, with their meanings."""
STATES: Final = {
    "holds": "no game fails",
    "fails": "less than half at each setting",
    "broken": "at least half at some setting",
    "undecided": "no game has a verdict",
}
"""The states of a pair, with their meanings."""
LONGEST: Final = 16
"""Letters of a header; a longer label is that of an axis, and the column has its own name."""
TEXTS: Final = (PART, PROTOCOL, "against", "fails at", "at", "state")
"""Columns whose cells are no numbers."""


@dataclass(frozen=True)
class Pair:
    """All games of one protocol, or of one variant of it, against one adversary.

    Attributes
    ----------
    part, protocol, adversary
        The part of the scenario, and the names, with the parameters of variants.
    games, failed
        Games with a verdict, and those of them that fail.
    worst
        The largest median error, in units of alpha; NaN if alpha was not promised.
    fails_at
        The settings at which at least half of the games fail; empty if there are none, or only one setting.
    state
        ``holds``; ``fails``, in less than half of the games of each setting; ``broken``; ``broken: loss 0.05``, if that
        happens on faulty networks only; ``broken: no number``, if its output was none; ``undecided``.
    beside
        The largest value of what the task measures beside its verdict; NaN if it measures nothing.
    words, at
        Median of the words at the setting that it shares with most others, of several the last; and this setting.
    terms
        Sizes, accuracy and network at this setting, where games differ in them: others' costs do not compare.
    whole
        Whether no adversary ended a game of it early, which then costs less.
    ratio
        `words` over the least of those that are not broken, against the same adversary at equal terms; else NaN.
    """

    part: str
    protocol: str
    adversary: str
    games: int
    failed: int
    worst: float
    fails_at: str
    state: str
    beside: float
    words: float
    at: str
    terms: tuple[str, ...]
    whole: bool
    ratio: float = nan

    @property
    def broken(self) -> bool:
        """Whether at least half at some setting."""
        return self.state.startswith("broken")

    @property
    def cells(self) -> tuple[str, ...]:
        """The row of the table, by `COLUMNS`."""
        failed = f"{self.failed:,} of {self.games:,}" if self.games else ""
        words = in_short(self.words) if self.words < inf else ""
        return (
            *(self.part, self.protocol, self.adversary, failed, self.fails_at),
            *(number(self.worst), number(self.beside), words, self.at if words else ""),
            *(number(float(f"{self.ratio:.3g}")), self.state),
        )


def columns(tables: Tables, listed: Sequence[Pair]) -> list[tuple[str, str]]:
    """Return the headers of the table of pairs, with their meanings: those of states that some of them have."""
    column = tables.task.beside
    label, name = tables.task.label(column), column.replace("_", " ")
    called = {BESIDE: name if not label or len(label) > LONGEST else label}
    states = {**STATES, "holds": tables.held or STATES["holds"]}
    shown = {pair.state.partition(":")[0] for pair in listed}
    says = {
        **COLUMNS,
        "words": COLUMNS["words"] + ", without words of links" * tables.links,
        "state": "; ".join(f"{state}: {meaning}" for state, meaning in states.items() if state in shown),
    }
    return [(called.get(name, name), meaning) for name, meaning in says.items()]


def pairs(tables: Tables) -> list[Pair]:
    """Return the pairs of a result, the broken ones first; none if nothing was promised."""
    listed = [pair for part, mine in _parts(tables) for pair in _pairs(part, mine)]
    if not any(pair.games for pair in listed):
        return []
    broken_by = Counter((pair.part, pair.adversary) for pair in listed if pair.broken)

    def place(pair: Pair) -> tuple[bool, float, int]:
        worst = pair.worst if pair.worst == pair.worst else 0.0
        return not pair.broken, -worst if pair.broken else 0.0, -broken_by[pair.part, pair.adversary]

    return sorted(listed, key=place)


def _parts(tables: Tables) -> list[tuple[str, Tables]]:
    """Return the parts of a scenario by name, whose costs are of different streams; of several results the whole."""
    names = [] if tables.several or PART not in tables.trials else list(dict.fromkeys(tables.trials[PART].dropna()))
    return [(name, tables.where(f"part == {name!r}")) for name in names] or [("", tables)]


def _pairs(part: str, tables: Tables) -> list[Pair]:
    """Return the pairs of a part in the order of play."""
    named = tables.with_adversaries_named()
    trials = named.trials.assign(_over=over_alpha(named.trials), _failed=named.trials[VERDICT] == FAILED)
    beside = f"_{tables.task.beside}"
    axis = _axis(trials[trials[VERDICT].isin((OK, FAILED))])
    points = [point for each in tables.points.values() for point in each.values()]
    networks = {name for point in points for name in flat(point.get("network") or {})}
    terms = [*terms_of(trials), *(name for name in swept_axes(trials) if name in networks)]
    trials = trials.assign(_setting=trials[axis] if axis else 0)
    every = [
        (line.label, str(adversary), games)
        for line in lines(trials, axis)
        for adversary, games in line.games.groupby(ADVERSARY, sort=False)
    ]
    users = Counter((adversary, setting) for _, adversary, games in every for setting in games["_setting"].unique())
    listed = []
    for protocol, adversary, games in every:
        _, at = max((users[adversary, setting], setting) for setting in games["_setting"].unique())
        there = games[games["_setting"] == at]
        judged = games[games[VERDICT] != UNDECIDED]
        failing = judged.groupby("_setting")["_failed"].mean()
        often = failing >= OFTEN
        pair = Pair(
            *(part, protocol, adversary, len(judged), int(judged["_failed"].sum())),
            worst=float(games.groupby("_setting")["_over"].median().max()),
            fails_at=_settings(axis, often) if axis and often.any() else "",
            state="" if often.any() else "fails" if failing.any() else "holds" if len(judged) else "undecided",
            beside=float(games[beside].max()) if beside in games else nan,
            words=float(there["words"].median()),
            at=with_name(named.called.get(axis, axis), at) if axis else "",
            terms=tuple(f"{name} {sorted(map(str, there[name].unique()))}" for name in terms),
            whole=not (games["_unsent"] > 0).any() if "_unsent" in games else True,
        )
        listed.append(replace(pair, state=_cause(judged, tables)) if not pair.state else pair)
    return [_with_ratio(pair, listed) for pair in listed]


def _axis(judged: pd.DataFrame) -> str:
    """Return the first axis of numbers along which games of one protocol differ; empty if there is none."""
    # no accuracy, and a start from nothing, are no values of an axis
    numeric = [axis for axis in swept_axes(judged) if judged[axis].dtype.kind in "if" and judged[axis].notna().all()]
    within = judged.groupby(PROTOCOL)[numeric].nunique().max()  # what sets protocols apart only is no axis
    axes = (axis for axis in numeric if within[axis] > 1 and judged.loc[judged[axis] > 0, axis].nunique() > 1)
    return next(axes, "")


def _settings(axis: str, often: pd.Series[bool]) -> str:
    """Return the settings at which something is often so: from the first one on if it is so at all after it."""
    places = often.index[often]
    if often.loc[places[0] :].all():
        return with_name(axis, places[0]).replace("=", "≥", 1)
    return ", ".join(with_name(axis, place) for place in places)


def _cause(judged: pd.DataFrame, tables: Tables) -> str:
    """Return the state of a broken pair, with what is wrong where at least half of its games fail."""
    if _without_number(judged, tables):
        return "broken: no number"
    values: dict[str, list[object]] = {}
    for _, mine in judged.groupby([RESULT, POINT]):
        if mine["_failed"].mean() < OFTEN:
            continue
        network = tables.points[mine[RESULT].iloc[0]][mine[POINT].iloc[0]].get("network") or {}
        faults = [name for name in FAULTS if network.get(name)]
        if not faults:
            return "broken"
        for name in faults:
            values.setdefault(name, []).append(network[name])
    return f"broken: {', '.join(_fault(name, each) for name, each in values.items())}"


def _fault(name: str, values: Sequence[object]) -> str:
    numbers = [value for value in values if isinstance(value, int | float)]
    return f"{name} {span(numbers)}" if numbers else name


def _without_number(games: pd.DataFrame, tables: Tables) -> bool:
    """Return whether an output was no finite number, in any of the games whose error is infinite."""
    endless = games.loc[judged_error(games).abs() == inf, list(GAME)]
    if endless.empty or tables.series.empty:
        return False
    shown = tables.series.merge(endless, on=list(GAME))
    return not (shown["output"].astype(float).abs() < inf).all()


def _with_ratio(pair: Pair, listed: Sequence[Pair]) -> Pair:
    def comparable() -> Iterator[float]:
        for one in listed:
            equal = (one.adversary, one.at, one.terms) == (pair.adversary, pair.at, pair.terms)
            if equal and one.whole and not one.broken and one.words > 0:
                yield one.words

    least = min(comparable(), default=nan)
    return replace(pair, ratio=pair.words / least if pair.whole else nan)
