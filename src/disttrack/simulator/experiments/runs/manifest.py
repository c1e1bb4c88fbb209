"""The manifest: all that is needed to know where a result comes from and to make it again."""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from disttrack.simulator.experiments.results.files import remove
from disttrack.simulator.experiments.results.stored import CONTROLS, MANIFEST, digests_of, read_manifest, store_manifest
from disttrack.simulator.experiments.runs.jobs import Job
from disttrack.simulator.experiments.scenario.document import comment
from disttrack.simulator.experiments.scenario.load import Scenario
from disttrack.simulator.experiments.scenario.settings import row_of
from disttrack.simulator.game.tasks.adversary import recorded
from disttrack.simulator.game.tasks.base import Record
from disttrack.simulator.kinds.code import own_code, versions
from disttrack.simulator.kinds.point import Point, canonical

DRAWN: Final = ("report.html", "figures/")
"""Beginnings of the names of files that show the tables."""


def write_manifest(
    folder: Path,
    scenario: Scenario,
    first: Mapping[int, Record],
    facts: Mapping[str, object],
    written: Sequence[str] = (),
) -> None:
    """Write ``manifest.json``, the only file of a result with the time of day in it, after its tables.

    It has their digests: a reader refuses other tables. Figures and a page of other tables are removed, those that the
    manifest before it lists.

    Parameters
    ----------
    first
        The first game of each point, which names its engine and the reason for it.
    facts
        How the run went: its workers, begin and duration, the numbers of its games, the seed of each trial.
    written
        Files that the run has written beside the tables that it always writes.
    """
    file = Path(scenario.file)
    manifest = {
        "scenario": dict(scenario.data),
        "comment": comment(file) if file.is_file() else "",
        "name": scenario.name,
        "rules": scenario.task.rules,
        "code": {"digest": own_code()},
        "files": scenario.files,
        "versions": versions(),
        "machine": {
            "system": platform.system(),
            "release": platform.release(),
            "processor": platform.machine(),
            "cores": os.cpu_count(),
        },
        **facts,
        "tables": {name: digest for name, digest in digests_of(folder).items() if name != CONTROLS or name in written},
        "points": [_point(point, first[point.number]) for point in scenario.points],
    }
    before: dict[str, Any] = {}
    with suppress(ValueError):
        before = read_manifest(folder / MANIFEST)
    drawn = {name for name in before.get("written", ()) if name.startswith(DRAWN)}
    if manifest["tables"] != before.get("tables"):
        remove(folder, drawn)
        drawn.clear()
    elif "drawn" in before:
        manifest["drawn"] = before["drawn"]
    store_manifest(folder, {**manifest, "written": sorted({*written, *drawn} - {CONTROLS})})


def origin_of(scenario: Scenario, jobs: Sequence[Job]) -> str:
    """Return a digest of all that the tables depend on: the scenario, and the keys of its games in their order.

    A key stands for the code too, so that tables with this digest are those that would be written again.
    """
    return hashlib.sha256(canonical([scenario.data, [job.key for job in jobs]]).encode()).hexdigest()


def are_tables_of(folder: Path, origin: str) -> bool:
    """Return whether the tables of a folder have this origin, and are as they were written."""
    try:
        manifest = read_manifest(folder / MANIFEST)
    except ValueError:
        return False
    no_errors = not manifest.get("games", {}).get("errors")
    return no_errors and manifest.get("origin") == origin and manifest.get("tables") == digests_of(folder)


def _point(point: Point, first: Record) -> dict[str, object]:
    """Return a point as the table of settings has it, and the engine that played its first game."""
    stream = recorded(point)
    return {
        **row_of(point),
        "engine": first.row.get("engine", ""),
        "engine_reason": first.engine_reason,
        **({} if stream is None else {"rows": {"played": stream.items, "dropped": dict(stream.stream().dropped)}}),
    }
