"""The shipped scenarios with their reference results, and which kinds play in which of them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from disttrack.simulator.experiments.results.stored import text_rows
from disttrack.simulator.experiments.scenario.document import comment
from disttrack.simulator.experiments.scenario.load import Scenario, load
from disttrack.simulator.experiments.scenario.shipped import shipped_scenarios
from disttrack.simulator.kinds.registry import Family
from handbook.written import ROOT

REFERENCE: Final = ROOT / "results" / "reference"

Row = dict[str, str]


@dataclass(frozen=True)
class Shipped:
    """A scenario of the project.

    Parameters
    ----------
    name
        Its name.
    path
        Its file.
    scenario
        What the file says, checked.
    comment
        The comment that the file begins with.
    games
        The first game of each point, as the reference results have it, by the number of the point.
    claims
        The rows of its claims.csv.
    captions
        The figures of its reference results by the names of their PNG files, and what each shows.
    """

    name: str
    path: Path
    scenario: Scenario
    comment: str
    games: dict[int, Row]
    claims: list[Row]
    captions: dict[str, str]


@dataclass(frozen=True, order=True)
class Use:
    """A point in which a kind plays; the quickest game comes first.

    Parameters
    ----------
    seconds
        How long the first game at that point took.
    scenario, point
        The scenario, and the number of the point.
    """

    seconds: float
    scenario: str
    point: int


@cache
def shipped() -> dict[str, Shipped]:
    """Return all scenarios of the project by name."""
    return {name: _read(path) for name, path in sorted(shipped_scenarios().items())}


@cache
def uses() -> dict[tuple[Family, str], list[Use]]:
    """Return for each kind the points in which it plays."""
    points: dict[tuple[Family, str], list[Use]] = {}
    for name, one in shipped().items():
        scenario = one.scenario
        for point in scenario.points:
            seconds = float(one.games.get(point.number, {}).get("seconds") or "inf")
            use = Use(seconds, name, point.number)
            for part in (point.protocol, point.adversary, point.task):
                points.setdefault((part.role, part.label), []).append(use)
        for plot in scenario.plots:
            points.setdefault(("plot", plot.label), []).append(Use(0.0, name, 0))
    return points


def _read(path: Path) -> Shipped:
    folder = REFERENCE / path.stem
    games = {int(row["point"]): row for row in text_rows(folder / "trials.csv") if row["trial"] == "0"}
    return Shipped(
        path.stem, path, load(path), comment(path), games, text_rows(folder / "claims.csv"),
        _captions(folder),
    )  # fmt: skip


def _captions(folder: Path) -> dict[str, str]:
    """Return the figures of a result, with their captions."""
    kept = folder / "figures" / "captions.json"
    texts = json.loads(kept.read_text(encoding="utf-8")) if kept.is_file() else {}
    return {f"{stem}.png": text for stem, text in texts.items()}
