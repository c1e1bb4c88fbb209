"""A scenario under fresh seeds: how often each of its claims holds when all coins fall anew."""

from __future__ import annotations

import csv
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Any

from disttrack.simulator.experiments.claims.findings import SKIPPED, UNDECIDED, Finding
from disttrack.simulator.experiments.results.files import writing
from disttrack.simulator.experiments.results.stored import guarded
from disttrack.simulator.experiments.runs.own_folder import SEEDS, alone, claim, place_of
from disttrack.simulator.experiments.runs.runner import Report, run
from disttrack.simulator.experiments.scenario.load import Scenario

TABLE = "seeds.csv"


@dataclass(frozen=True)
class Held:
    """The outcome of a claim, or of one group of it, under fresh seeds.

    Attributes
    ----------
    name, group, measure, bound
        The claim's own.
    seeds, held
        Number of seeds, and number of seeds under which it held.
    least, most
        Least and largest measured value; None if nothing could be measured.
    failed
        The seeds under which it did not hold.
    undecided
        The seeds under which games of it ended in errors: it neither held nor failed.
    """

    name: str
    group: str
    measure: str
    bound: str
    seeds: int
    held: int
    least: float | None
    most: float | None
    failed: tuple[int, ...]
    undecided: tuple[int, ...] = ()

    @property
    def always(self) -> bool:
        """Return whether it held under every seed."""
        return self.held == self.seeds


def run_seeds(
    scenario: Scenario, seeds: int, *, out: str | Path | None = None, **options: Any
) -> tuple[list[Held], list[str]]:
    """Play a scenario under seeds that follow its own, without its controls, and write ``seeds.csv``.

    Each seed has a results folder of its own, with its journal: what is finished is not played again.

    Parameters
    ----------
    seeds
        Number of seeds.
    out
        The folder for the table and for the results of the seeds; as for `run` if left out.
    options
        Other options of `simulator.experiments.runs.runner.run`.

    Returns
    -------
    held, errors
        A row per claim and group; one line for each game that an error ended.

    Raises
    ------
    ScenarioError, RunError
        As `simulator.experiments.runs.runner.run`.
    """
    folder = place_of(scenario, out)
    again = {anew.head.seed: anew for anew in map(scenario.reseeded, range(1, seeds + 1))}
    places = {seed: folder / SEEDS / str(seed) for seed in again}
    for place in (folder, *places.values()):
        claim(place)
    with alone(folder):
        reports = {seed: run(anew, out=places[seed], controls=False, **options) for seed, anew in again.items()}
        held = _held(reports)
        with writing(folder) as start:
            table = csv.writer(start(TABLE), lineterminator="\n")
            table.writerow(field.name for field in fields(Held))
            for row in held:
                table.writerow(map(_cell, astuple(row)))
    return held, [f"seed {seed}: {error}" for seed, report in reports.items() for error in report.errors]


def _cell(value: object) -> object:
    value = " ".join(map(str, value)) if isinstance(value, tuple) else value
    return guarded(value) if isinstance(value, str) else value


def _held(reports: dict[int, Report]) -> list[Held]:
    """Return one row per claim and group, in the order in which they first occur."""
    by_claim: dict[tuple[str, ...], list[tuple[int, Finding]]] = {}
    for seed, report in reports.items():
        for finding in (one for one in report.findings if one.verdict != SKIPPED):  # claims may share a name
            place = (finding.name, finding.where, finding.measure, finding.group)
            by_claim.setdefault(place, []).append((seed, finding))
    rows = []
    for (name, _, measure, group), outcomes in by_claim.items():
        decided = [(seed, finding) for seed, finding in outcomes if finding.verdict != UNDECIDED]
        undecided = tuple(seed for seed, finding in outcomes if finding.verdict == UNDECIDED)
        failed = tuple(seed for seed, finding in decided if finding.fails)
        values = [finding.value for _, finding in decided if finding.value is not None]
        least, most = min(values, default=None), max(values, default=None)
        held, bound = len(decided) - len(failed), outcomes[-1][1].bound
        # a group that a seed has not made is not held under it
        rows.append(Held(name, group, measure, bound, len(reports), held, least, most, failed, undecided))
    return rows
