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
from disttrack.simulator.experiments.results.stored import (
    ANSWERS,
    CONTROLS,
    MANIFEST,
    digests_of,
    read_manifest,
    store_manifest,
)
from disttrack.simulator.experiments.runs.jobs import Job
from disttrack.simulator.experiments.scenario.document import comment
from disttrack.simulator.experiments.scenario.load import Scenario
from disttrack.simulator.experiments.scenario.settings import row_of
from disttrack.simulator.game.tasks.adversary import recorded
from disttrack.simulator.game.tasks.base import Record
from disttrack.simulator.kinds.code import CORE_CODE
from disttrack.simulator.kinds.point import CODE_OF, RULES, Point, canonical

DRAWN: Final = ("report.html", "figures/", ANSWERS)
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
        **({"overrides": list(scenario.overrides)} if scenario.overrides else {}),
        **played_with(scenario.points),
        "files": scenario.files,
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


def played_with(points: Sequence[Point]) -> dict[str, Any]:
    """Return what the games of points are played with, beside the user's files: rules, code, versions of libraries."""
    made_of = {name: value for point in points for name, value in point.made_of().items() if ": " not in name}
    code = {name.removeprefix(CODE_OF): made_of.pop(name) for name in [*made_of] if name.startswith(CODE_OF)}
    return {"rules": int(made_of.pop(RULES)), "code": {"digest": code.pop(CORE_CODE), **code}, "versions": made_of}


def differences(folder: Path, points: Sequence[Point]) -> list[str]:
    """Return the names of what the games of the result in a folder were played with, if it is not that of points."""
    try:
        before = read_manifest(folder / MANIFEST)
    except ValueError:
        return []
    now = played_with(points)
    names = ["rules of the task"] if before.get("rules") != now["rules"] else []
    for what in ("code", "versions"):
        one, other = before.get(what, {}), now[what]
        changed = [name for name in {**one, **other} if one.get(name) != other.get(name)]
        names += [CORE_CODE if name == "digest" else name for name in changed]
    return list(dict.fromkeys(names))


def origin_of(scenario: Scenario, jobs: Sequence[Job]) -> str:
    """Return a digest of all that the tables depend on: the scenario, and the keys of its games in their order.

    A key stands for the code too, so that tables with this digest are those that would be written again.
    """
    return hashlib.sha256(canonical([scenario.data, [job.key for job in jobs]]).encode()).hexdigest()


def games_digest(jobs: Sequence[Job]) -> str:
    """Return a digest of the keys of games, in their order: what a question, claims and plots do not change."""
    return hashlib.sha256(canonical([job.key for job in jobs]).encode()).hexdigest()


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
