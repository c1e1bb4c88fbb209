"""What installed packages register, read once: to read it opens a file of each of them."""

from __future__ import annotations

from functools import cache
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

BUILT_IN: Final = "built in"
"""The origin of what comes with this distribution."""


def distribution_of(point: metadata.EntryPoint) -> str:
    """Return the distribution that states an entry point, `BUILT_IN` if it is this one."""
    whose = point.dist.name if point.dist is not None else point.group
    return BUILT_IN if whose == "disttrack" else whose


def entry_points(group: str) -> metadata.EntryPoints:
    """Return the entry points of a group."""
    chosen: metadata.EntryPoints = _all().select(group=group)
    return chosen


def packaged_files(group: str) -> list[Path]:
    """Return the YAML files of the folders that the entry points of a group name as modules."""
    specs = [find_spec(point.value) for point in entry_points(group=group)]
    folders = [Path(place) for spec in specs if spec for place in spec.submodule_search_locations or ()]
    return [path for folder in folders for path in folder_files(folder)]


def folder_files(folder: Path) -> list[Path]:
    """Return the YAML files of a folder, in the order of their names."""
    return sorted(folder.glob("*.yaml"))


@cache
def _all() -> Any:
    return metadata.entry_points()  # of another type before Python 3.12
