"""The values in the figures of a report are those of its tables, for each kind and key of a figure.

The figures are read as a page has them: the data from which it shows values under the pointer, the table of a figure,
and its CSV. The reference reads the tables with pandas alone. A value must belong to the games with the protocol
and the adversary that the page names, at that place of the axis: it is a value of a game, or the median, mean, share,
smallest, largest, 5 % or 95 % quantile of the games of a point or of all of them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
import yaml
from scipy.stats import binomtest

from disttrack.simulator.experiments.results.folder import Results
from disttrack.simulator.experiments.results.read import read_tables
from disttrack.simulator.experiments.scenario.shipped import shipped_scenarios
from disttrack.simulator.shown.plots import check_plot
from disttrack.simulator.shown.plots.base import Picture
from disttrack.simulator.shown.plots.requests import described_of
from disttrack.simulator.shown.report.figures import figures

REFERENCE: Final = Path(__file__).resolve().parents[4] / "results" / "reference"
LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""Reads all shipped scenarios in a tenth of the time, if there is libyaml."""
DATA: Final = re.compile(r'<script type="application/json" id="figure-1-data">(.*?)</script>', re.DOTALL)
THEORY: Final = ("bound", "lower bound", "crossing")
"""Parts of series that no table has."""
COURSES: Final = ("timeline", "ratio", "size", "windows")
"""Kinds of figures that show the course of games: series.csv."""
QUANTILES: Final = (0.0, 0.05, 0.5, 0.95, 1.0)
TOLERANCE: Final = 1e-9
SHOWN: Final = {
    "error": ["over_alpha"], "frontier": ["over_alpha", "max_rel_error", "words"], "matrix": ["failed"],
    "cost": ["words"], "words-per-efold": ["per_efold"],
}  # fmt: skip
"""Columns that kinds of figures show which ask for none, and what a figure calls otherwise."""

SVG: Final = "<svg xmlns='http://www.w3.org/2000/svg' width='1pt' height='1pt' viewBox='0 0 1 1'></svg>"
"""Stands for the figure, of which only the values matter here."""

Floats = npt.NDArray[np.float64]
Data = dict[str, Any]


def pages_of(name: str) -> Iterator[tuple[Data, Data]]:
    """Yield each figure of a scenario as it asks for it, and its data in the page."""
    tables = read_tables([REFERENCE / name])
    for one in tables.scenarios[name].get("plots", []):
        request = {"kind": one} if isinstance(one, str) else one
        plot = check_plot(request)
        if plot.kind == "ratio" and tables.series.empty:
            continue  # its reference results are shipped without the courses of their games
        described = described_of(tables, plot)
        match = DATA.search(str(figures([Picture(plot.name, Path("none.svg"), "", described, SVG)])))
        assert match is not None
        yield request, json.loads(match[1])


@cache
def table(path: Path) -> pd.DataFrame:
    """Return a table; nobody changes it."""
    return pd.read_csv(path, low_memory=False)


class Tables:
    """The tables of a result, read with pandas alone."""

    def __init__(self, folder: Path, request: Mapping[str, Any]) -> None:
        results = Results(folder)
        self.folder = folder
        self.request = request
        self.axis = str(request.get("x", ""))
        also = [*str(request.get("also", "")).split(","), request.get("limit", ""), request.get("cost", "")]
        own = [request.get("y", ""), *also]
        named = [str(name).strip() for name in own]
        known = [SHOWN.get(name, [name]) for name in named if name] if named[0] else [SHOWN.get(request["kind"], [])]
        self.shown = [name for names in known for name in names]
        trials = table(folder / "trials.csv.gz")
        if request.get("controls"):  # with points of their own
            controls = table(folder / "controls.csv.gz")
            trials = pd.concat([trials, controls.assign(point=-1 - controls["point"])], ignore_index=True)
        starts = {number: point.get("start") or 0 for number, point in enumerate(results.manifest["points"])}
        efolds = np.log1p(trials["items"] / trials["point"].map(starts).clip(lower=1))
        alpha = trials["alpha"].where(trials["alpha"] > 0)
        made = {"per_efold": trials["words"] / efolds, "over_alpha": trials["max_rel_error"] / alpha}
        trials = trials.assign(**made, failed=(trials["verdict"] == "failed").astype(float))
        # the words of the task for its sizes, beside the columns
        free = [size for size in results.task.sizes if size.key not in trials]
        trials = trials.assign(**{size.key: trials[size.column] for size in free if size.column in trials})
        if request.get("where"):
            trials = trials.query(request["where"], engine="python").copy()
        if request.get("over"):  # words in units of those of some games at the same place
            unit = trials.query(request["over"], engine="python")
            for column in ("words", "per_efold"):
                trials[column] /= trials[self.axis].map(unit.groupby(self.axis)[column].median())
        self.trials = trials

    @cache  # noqa: B019 - a reference lives as long as its test
    def games(self, protocol: str, adversary: str, place: float | None) -> pd.DataFrame:
        """Return the games of a protocol against an adversary, at a place of the axis; all where that is not known."""
        games = self.trials
        for column, value in (("protocol", protocol), ("adversary", adversary)):
            if value in set(games[column]):
                games = games[games[column] == value]
        if place is not None:
            there = pd.to_numeric(games[self.axis], errors="coerce")
            there = 1 / there if self.axis == "alpha" else there
            games = games[np.isclose(there, place, rtol=TOLERANCE)]
        assert len(games)
        return games

    @cache  # noqa: B019
    def measured(self, protocol: str, adversary: str, place: float | None) -> Floats:
        """Return the values of these games, of each point, and of all together."""
        games = self.games(protocol, adversary, place)
        limit = self.request.get("limit")
        values: list[Any] = [[limit]] if isinstance(limit, int | float) else []
        for _, mine in [*games.groupby("point"), ("", games)]:
            mine = mine[[name for name in self.shown if name in mine]]
            numbers = mine.select_dtypes("number").astype(float)
            values += [numbers, numbers.mean(), numbers.quantile(QUANTILES)]
            for column in mine:
                answers = mine[column].dropna().astype(str)
                if len(answers) and set(answers) <= {"True", "False"}:
                    share = binomtest(int((answers == "True").sum()), len(answers))
                    interval = share.proportion_ci(0.95, "exact")
                    values.append([share.statistic, 1 - share.statistic, interval.low, interval.high])
        return np.unique(np.concatenate([np.ravel(np.asarray(part, dtype=float)) for part in values]))

    @cache  # noqa: B019
    def courses(self, protocol: str, adversary: str) -> pd.DataFrame:
        """Return the courses of games, and the quantiles over the games of a point at each step."""
        games = self.games(protocol, adversary, None)
        rows = table(self.folder / "series.csv.gz").merge(games[["point", "trial", "alpha"]], on=["point", "trial"])
        rows = rows.select_dtypes("number").astype(float)
        error = rows["rel_error"]
        rows["over_alpha"] = error / rows["alpha"].where(rows["alpha"] > 0)
        rows["ratio"], rows["absolute"] = 1 + error, (error * rows["items"].clip(lower=1)).clip(lower=0.5)
        numbers = rows.drop(columns="trial").groupby(["point", "step"]).quantile(QUANTILES).reset_index()
        return pd.concat([rows, numbers], ignore_index=True)

    @cache  # noqa: B019
    def course(self, protocol: str, adversary: str, place: float) -> Floats:
        """Return the values of the courses at a step, or at a number of items."""
        rows = self.courses(protocol, adversary)
        there = np.isclose(rows["step"], place) | np.isclose(rows["items"], place)
        # the truth is drawn as a curve of its own, at items of its own
        return np.append(rows[there].drop(columns=["point", "step"]).to_numpy(dtype=float).ravel(), place)

    @cache  # noqa: B019
    def kinds(self, protocol: str, adversary: str) -> Floats:
        """Return the share of each kind of messages in the words of the games of each point."""
        points = self.games(protocol, adversary, None)["point"].unique()
        kinds = table(self.folder / "kinds.csv.gz")
        sums = kinds[kinds["point"].isin(points)].groupby(["point", "kind", "direction"])["words"].sum()
        return np.asarray(sums / sums.groupby("point").sum(), dtype=float)

    @cache  # noqa: B019
    def budgets(self) -> Floats:
        """Return for each game the share of its budget that it has spent, and the whole."""
        ledgers = map(json.loads, self.trials["ledger"].dropna())
        return np.array([1.0, *(ledger["spent"] / ledger["epsilon"] for ledger in ledgers)])


def reference(tables: Tables, row: list[Any], series: str, panel: Data) -> tuple[list[Any], Floats]:
    """Return the values of a row of a figure that tables must have, and what they have there."""
    x, y, low, high = row
    kind = tables.request["kind"]
    protocol = (y if isinstance(y, str) else series).split(",")[0]
    adversary = panel["title"].removeprefix("against ").split(",")[0]
    if kind == "budget":
        return [x] * (y == 0), tables.budgets()
    if kind == "breakdown":
        return [x], tables.kinds(protocol, adversary)
    if kind in COURSES:
        if " against " in panel["title"]:  # of one game
            protocol, adversary = panel["title"].split(" against ")[0].split(",")[0], ""
        return [y, low, high], tables.course(protocol, adversary, x)
    if isinstance(y, str):
        return [low if isinstance(x, str) else x], tables.measured(protocol, adversary, None)
    place = float(x) if tables.axis else None
    return [y, low, high] + [x] * (place is None), tables.measured(protocol, adversary, place)


def wrong(request: Data, data: Data, tables: Tables) -> list[str]:
    """Return the values of a figure that no table has."""
    faults = []
    for part in data["parts"]:
        panel, series = data["panels"][part["panel"]], data["series"][part["series"]]
        for row in part["rows"] if part["role"] not in THEORY else ():
            values, known = reference(tables, row, series, panel)
            numbers = [value for value in values if isinstance(value, float | int)]
            lost = [value for value in numbers if not np.isclose(known, value, rtol=TOLERANCE, atol=1e-12).any()]
            faults += [f"{request}: {panel['title']}: {series} ({part['role']}) has {value} in {row}" for value in lost]
    return faults


def keys_of(path: Path) -> set[tuple[str, str]]:
    """Return the kinds of figures that a scenario asks for, each with its keys."""
    plots = yaml.load(path.read_text(encoding="utf-8"), LOADER).get("plots") or []
    asked = [{"kind": one} if isinstance(one, str) else one for one in plots]
    return {(one["kind"], key) for one in asked for key in one}


def smallest() -> list[str]:
    """Return scenarios of small tables whose figures have each kind, and each key of a kind, that one asks for."""
    keys = {name: keys_of(path) for name, path in shipped_scenarios().items()}
    sizes = {name: (REFERENCE / name / "trials.csv.gz").stat().st_size for name in keys}
    left, chosen = set().union(*keys.values()), []
    for name in sorted(keys, key=sizes.__getitem__):
        if keys[name] & left:
            chosen.append(name)
            left -= keys[name]
    return chosen


@pytest.mark.drawn(9)
@pytest.mark.quick_cases(4)
@pytest.mark.parametrize("name", smallest())
def test_values_in_the_page_are_those_of_the_tables(name: str) -> None:
    every = [(request, data, Tables(REFERENCE / name, request)) for request, data in pages_of(name)]
    faults = [fault for one in every for fault in wrong(*one)]
    assert not faults, "\n".join([f"{len(faults)} values", *faults[:10]])


def test_values_that_are_clipped_to_the_scale_are_found() -> None:
    """The control: the errors of `deterministic` against `freeze` as they are drawn, and not as they are."""
    request, data = next((request, data) for request, data in pages_of("headline") if request["kind"] == "error")
    tables, clipped = Tables(REFERENCE / "headline", request), deepcopy(data)
    for part in clipped["parts"]:
        for row, at in zip(part["rows"], part["at"], strict=False):
            row[1] = at[1]
    assert wrong(request, data, tables) == []
    faults = wrong(request, clipped, tables)
    assert len(faults) == 4
    assert all("against freeze: deterministic () has 0.1 in" in fault for fault in faults)
