"""Every kind of figure of every protocol beside another is drawn, or refused in one line, whatever the values are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import copy
from dataclasses import MISSING, replace
from functools import cache
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import pytest
from synthetic_results import write_result

from disttrack.protocols.contents import ItemTracker
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.experiments.results.folder import Results
from disttrack.simulator.experiments.results.read import GAME, Tables, read_tables
from disttrack.simulator.kinds.registry import kinds, kinds_for, parameters
from disttrack.simulator.shown.plots.requests import caption_of, described_of, figure_of, plot_of
from disttrack.simulator.shown.plots.style import house_style

COUNTING = kinds_for("protocol", "disttrack.protocols.base:Protocol")
TRACKERS = sorted(name for name, kind in COUNTING.items() if not issubclass(kind.load(), ItemTracker))
PLOTS = [one.name for one in kinds("plot").values() if one.origin == "built in"]
AXES = ("sites", "items", "alpha", "start", "epsilon", "protocol")
SIZES = {"one": (16,), "two": (16, 64), "many": (4, 16, 64, 256)}
ODD: dict[str, Any] = {"zero": 0.0, "missing": np.nan, "infinite": np.inf, "mixed": [0.0, np.nan, np.inf, 1.0]}


@cache
def tables(protocols: tuple[str, ...], number: str, axis: str = "sites") -> Tables:
    """Return the tables of small results: one, two or many values of an axis."""
    sizes: dict[str, Any] = {"sites": (16,), "items": (1000,), "alphas": (0.1,)}
    values = {"sites": SIZES[number], "items": SIZES[number], "alpha": tuple(1 / one for one in SIZES[number])}
    sizes |= {"alphas" if axis == "alpha" else axis: values[axis]} if axis in values else {}
    with TemporaryDirectory() as folder:
        place = write_result(Path(folder) / "r", **sizes, protocols=dict.fromkeys(protocols), trials=2, plots=())
        made = read_tables([Results(place)])
        _ = (made.series, made.kinds)  # read as long as the folder is there
        return made


def with_values(made: Tables, column: str, value: Any) -> Tables:
    """Return tables with other values in a column of the games and, if they have it, in the courses of games."""

    def changed(table: pd.DataFrame) -> pd.DataFrame:
        if column not in table and table is not made.trials:
            return table
        return table.assign(**{column: np.resize(value, len(table)) if len(table) else []})

    return with_tables(made, trials=changed(made.trials), series=changed(made.series), kinds=changed(made.kinds))


def with_tables(made: Tables, trials: pd.DataFrame, **others: pd.DataFrame) -> Tables:
    """Return tables with other games, and other timelines or messages of them."""
    ((name, result),) = made.results.items()
    result = copy(result)
    for table, rows in others.items():
        setattr(result, table, rows.drop(columns="result"))
    return replace(made, trials=trials, results={name: result})


def requests() -> Iterator[dict[str, Any]]:
    """Yield each built-in kind of figure along each axis, with the least that it needs beside."""
    for kind in PLOTS:
        known = parameters(kinds("plot")[kind].load())
        needed = {name: "words" for name, default in known.items() if default is MISSING and name not in ("x", "cost")}
        axes = AXES if known.get("x") is MISSING or known.get("x") else ("",)
        yield from ({"kind": kind, **({"x": x} if x else {}), **needed} for x in axes)


REQUESTS = list(requests())


def hold(made: Tables, request: dict[str, Any], *, drawn: bool = False) -> bool:
    """Hold that a figure is described, or that the reason why not is one line; return whether it is."""
    try:
        plot = plot_of(request, made)
        described = described_of(made, plot)
        caption_of(plot, described)
        if drawn:
            with house_style():
                figure_of(made, plot, described).draw_without_rendering()
    except (ValueError, ScenarioError) as error:
        said = str(error)
    else:
        return True
    assert len(said.splitlines()) == 1, request
    assert not re.search(r"cannot convert|could not|Traceback|nan", said), (request, said)
    return False


@pytest.mark.parametrize("value", ODD.values(), ids=ODD)
def test_the_cost_of_a_tracker_without_accuracy_is_drawn_or_refused(value: Any) -> None:
    made = with_values(tables(("deterministic", "exact"), "two", "alpha"), "alpha", value)
    hold(made, {"kind": "cost", "x": "alpha"}, drawn=True)
    made = with_values(tables(("deterministic", "exact"), "two", "alpha"), "items", value)
    hold(made, {"kind": "cost", "x": "alpha"})


def test_games_without_a_step_have_a_timeline_or_are_refused() -> None:
    hold_without_steps("timeline")


def hold_without_steps(kind: str) -> None:
    """Hold that games without a step are drawn beside games with steps, and refused alone: a line of no points is none.

    Parameters
    ----------
    kind
        A figure of the course of games.
    """
    made = tables(("deterministic", "exact"), "two", "items")
    course = pd.DataFrame({"step": [1, 2], "items": [1, 2], "output": [1, 2], "rel_error": 0.0, "words": [1, 2]})
    made = replace(made, trials=made.trials.assign(max_abs_error=1.0))  # as games on data sets have
    shown = made.trials["protocol"] == "exact"
    series = made.trials.loc[shown, [*GAME, "protocol", "alpha"]].merge(course, how="cross")
    for trials in (made.trials, made.trials[~shown]):
        assert hold(with_tables(made, trials, series=series), {"kind": kind}) == (len(trials) == len(made.trials))


@pytest.mark.slow
def test_every_kind_is_described_at_some_axis() -> None:
    made = tables(("robust", "randomized"), "two")
    missing = {request["kind"] for request in REQUESTS} - {one["kind"] for one in REQUESTS if hold(made, one)}
    assert missing <= {"windows", "size", "budget", "spread", "ratio"}, "these are of other games"


@pytest.mark.drawn(1)
@pytest.mark.quick_cases(0)
@pytest.mark.parametrize("number", SIZES)
def test_every_kind_and_pair_is_described_or_refused(number: str) -> None:
    """Each pair in some kinds; of many values each kind of some pairs too, of one or two they are tested below."""
    pairs = list(zip(TRACKERS, TRACKERS[1:] + TRACKERS[:1], strict=True))
    for axis in ("sites", "alpha") if number == "many" else ("sites",):
        requests = [request for request in REQUESTS if request.get("x", axis) == axis]
        for place in range(max(len(pairs), len(requests) if number == "many" else 0)):
            hold(tables(pairs[place % len(pairs)], number, axis), requests[place % len(requests)])


@pytest.mark.drawn(1)
@pytest.mark.quick_cases(0)
@pytest.mark.parametrize("column", ["alpha", "max_rel_error", "items"])
def test_odd_values_are_drawn_or_refused(column: str) -> None:
    sides = [(("deterministic", "exact"), "one"), (("exact",), "two"), (("robust", "exact"), "many")]
    for place, (value, (protocols, number)) in enumerate(zip(ODD.values(), cycle(sides), strict=False)):
        made = with_values(tables(protocols, number, "alpha"), column, value)
        for request in REQUESTS[place % 2 :: 2]:  # each kind along some axes
            hold(made, request)
