"""Classes of one's own that a result was made with: kept in its manifest, so that it can be drawn and read later.

Of a file the text is kept. As long as the file is where it was, it is read as it is now, so that a plot can be
worked on; when it is gone, or the result has moved, the text of the run stands in for it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from simulator.errors import ScenarioError
from simulator.points.point import Part
from simulator.points.registry import Family, find
from simulator.points.source import Source, is_reference, source_of

Kept = Mapping[str, Mapping[str, Any]]
"""By reference: the folder that it counts from, seen from where the run was started, and the text of its file."""


def keep(parts: Iterable[Part]) -> dict[str, dict[str, Any]]:
    """Return what a manifest keeps of the classes among these that are given by reference."""
    return {
        part.kind: {"folder": os.path.relpath(part.folder), "text": part.source.text if part.source else None}
        for part in parts
        if is_reference(part.kind)
    }


def kept_class(family: Family, kind: str, kept: Kept) -> Any:
    """Return the class that a kind of a result names.

    Raises
    ------
    ScenarioError
        There is none any more.
    """
    entry = kept.get(kind)
    folder = Path.cwd() if entry is None else Path(entry["folder"])
    try:
        source = source_of(kind, folder)
    except ScenarioError:
        if entry is None or entry["text"] is None:
            raise
        source = Source(kind.rpartition(":")[0], entry["text"])
    return find(family, kind, source, folder)
