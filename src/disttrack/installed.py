"""What installed packages register as entry points, read once.

`importlib.metadata` does the same, but its import takes 50 ms, half of the time of ``disttrack --help``: it can read
packages in zip files and parses their metadata as e-mail. Here a package is a folder ``….dist-info`` (or ``.egg-info``)
in a folder of `sys.path`; of two of one name the first is taken.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

OURS = "disttrack."
"""Beginning of the groups that are read."""


class EntryPoint(NamedTuple):
    """An object that an installed package registers.

    Attributes
    ----------
    name, value, group
        As the package writes them: ``name = module:object`` below ``[group]``.
    package
        The package.
    """

    name: str
    value: str
    group: str
    package: str = ""

    @property
    def attr(self) -> str:
        """Return the object's name in its module."""
        return self.value.partition(":")[2]

    def load(self) -> Any:
        """Return the object, or the module if the value names no object."""
        module, _, attr = self.value.partition(":")
        found: Any = import_module(module)
        for name in attr.split(".") if attr else ():
            found = getattr(found, name)
        return found


def entry_points(group: str) -> list[EntryPoint]:
    """Return the entry points of a group, one of disttrack's."""
    return [point for point in _all() if point.group == group]


@cache
def _all() -> tuple[EntryPoint, ...]:
    folders: dict[str, str] = {}
    for place in sys.path:
        with suppress(OSError):
            for name in os.listdir(place or "."):
                if name.endswith((".dist-info", ".egg-info")):
                    package = re.sub("[-_.]+", "_", name.rpartition(".")[0].partition("-")[0]).lower()
                    folders.setdefault(package, os.path.join(place, name))
    return tuple(point for folder in folders.values() for point in _points_of(folder))


def _points_of(folder: str) -> Iterator[EntryPoint]:
    """Yield the entry points of a package that are for disttrack."""
    try:
        with open(f"{folder}/entry_points.txt", encoding="utf-8") as file:
            text = file.read()
    except OSError:  # most have none
        return
    if f"[{OURS}" not in text:
        return
    package, group = _name_of(Path(folder)), ""
    for line in map(str.strip, text.splitlines()):
        if line.startswith("["):
            group = line.strip("[] ")
        elif group.startswith(OURS) and "=" in line and line[0] != "#":
            name, _, value = line.partition("=")
            yield EntryPoint(name.strip(), value.partition("[")[0].strip(), group, package)


def _name_of(folder: Path) -> str:
    """Return the name of a package as it spells it."""
    for file in ("METADATA", "PKG-INFO"):
        with suppress(OSError):
            lines = (folder / file).read_text(encoding="utf-8").splitlines()
            return next(line.removeprefix("Name:").strip() for line in lines if line.startswith("Name:"))
    return folder.name.partition("-")[0]
