"""The manifest: all that is needed to know where a result comes from and to make it again."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from disttrack.simulator.points.code import own_code, versions
from disttrack.simulator.points.point import Point
from disttrack.simulator.results.files import remove_drawings, writing
from disttrack.simulator.results.stored import digests_of, read_manifest
from disttrack.simulator.scenario.document import comment
from disttrack.simulator.scenario.load import Scenario
from disttrack.simulator.tasks.base import Record


def write_manifest(
    folder: Path,
    scenario: Scenario,
    *,
    first: Mapping[int, Record],
    seeds: Sequence[int],
    games: Mapping[str, int],
    workers: str,
    seconds: float,
) -> None:
    """Write ``manifest.json``, the only file of a result with the time of day in it, after its tables.

    It has their digests: a reader refuses other tables. Figures and a page of other tables are removed.

    Parameters
    ----------
    first
        The first game of each point, which names its engine and the reason for it.
    seeds
        The seed of each trial.
    games
        How many were played, taken from the journal, and lost to errors.
    workers
        Who played them.
    seconds
        How long it took.
    """
    manifest = {
        "scenario": dict(scenario.data),
        "comment": _comment(scenario),
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
        "begun": (datetime.now(UTC) - timedelta(seconds=seconds)).isoformat(timespec="seconds"),
        "seconds": round(seconds, 3),
        "workers": workers,
        "games": dict(games),
        "tables": digests_of(folder),
        "seeds": list(seeds),
        "points": [_point(point, first[point.number]) for point in scenario.points],
    }
    if manifest["tables"] != _tables_before(folder):
        remove_drawings(folder)
    with writing(folder) as start:
        start("manifest.json").write(json.dumps(manifest, indent=1, default=str, ensure_ascii=False) + "\n")


def _tables_before(folder: Path) -> Any:
    """Return the digests of the tables with which the manifest that is there was written; None if it has none."""
    try:
        return read_manifest(folder / "manifest.json").get("tables")
    except ValueError:
        return None


def _comment(scenario: Scenario) -> str:
    """Return what the scenario's file says above its first key; nothing of a scenario that is in no file."""
    path = Path(scenario.file)
    return comment(path) if path.is_file() else ""


def _point(point: Point, first: Record) -> dict[str, Any]:
    """Return a point with every parameter of its sides, and the engine that played its first game."""
    return {
        "point": point.number,
        "protocol": {"kind": point.protocol.kind, **point.protocol.given()},
        "adversary": {"kind": point.adversary.kind, **point.adversary.given()},
        "sites": point.sites,
        "items": point.items,
        "start": point.start,
        "network": point.network,
        "engine": first.row.get("engine", ""),
        "engine_reason": first.engine_reason,
    }
