"""The manifest: all that is needed to know where a result comes from and to make it again."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from disttrack.simulator.points.code import own_code, versions
from disttrack.simulator.points.point import Point
from disttrack.simulator.results.files import remove_drawings, writing
from disttrack.simulator.results.stored import digests_of, read_manifest
from disttrack.simulator.scenario.document import comment
from disttrack.simulator.scenario.load import Scenario
from disttrack.simulator.tasks.adversary import recorded
from disttrack.simulator.tasks.base import Record


def write_manifest(folder: Path, scenario: Scenario, first: Mapping[int, Record], facts: Mapping[str, Any]) -> None:
    """Write ``manifest.json``, the only file of a result with the time of day in it, after its tables.

    It has their digests: a reader refuses other tables. Figures and a page of other tables are removed.

    Parameters
    ----------
    first
        The first game of each point, which names its engine and the reason for it.
    facts
        How the run went: its workers, begin and duration, the numbers of its games, the seed of each trial.
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
        "tables": digests_of(folder),
        "points": [_point(point, first[point.number]) for point in scenario.points],
    }
    before = None
    with suppress(ValueError):
        before = read_manifest(folder / "manifest.json").get("tables")
    if manifest["tables"] != before:
        remove_drawings(folder)
    with writing(folder) as start:
        start("manifest.json").write(json.dumps(manifest, indent=1, default=str, ensure_ascii=False) + "\n")


def _point(point: Point, first: Record) -> dict[str, Any]:
    """Return a point with every parameter of its sides, and the engine that played its first game."""
    stream = recorded(point)
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
        **({} if stream is None else {"rows": {"played": stream.items, "dropped": dict(stream.stream().dropped)}}),
    }
