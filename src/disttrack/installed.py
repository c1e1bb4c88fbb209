"""What installed packages register as entry points, and their versions, read once.

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


def version_of(package: str) -> str:
    """Return the version of an installed package; empty if it is not there."""
    folder = _folders().get(_plain(package))
    return _stated("Version", folder) if folder is not None else ""


@cache
def _all() -> tuple[EntryPoint, ...]:
    return tuple(point for folder in _folders().values() for point in _points_of(folder))


@cache
def _folders() -> dict[str, str]:
    """Return the folder of each installed package."""
    folders: dict[str, str] = {}
    for place in sys.path:
        with suppress(OSError):
            for name in os.listdir(place or "."):
                if name.endswith((".dist-info", ".egg-info")):
                    folders.setdefault(_plain(name.rpartition(".")[0].partition("-")[0]), os.path.join(place, name))
    return folders


def _plain(package: str) -> str:
    return re.sub("[-_.]+", "_", package).lower()


def _points_of(folder: str) -> Iterator[EntryPoint]:
    """Yield the entry points of a package that are for disttrack."""
    try:
        with open(f"{folder}/entry_points.txt", encoding="utf-8") as file:
            text = file.read()
    except OSError:  # most have none
        return
    if f"[{OURS}" not in text:
        return
    package, group = _stated("Name", folder), ""
    for line in map(str.strip, text.splitlines()):
        if line.startswith("["):
            group = line.strip("[] ")
        elif group.startswith(OURS) and "=" in line and line[0] != "#":
            name, _, value = line.partition("=")
            yield EntryPoint(name.strip(), value.partition("[")[0].strip(), group, package)


def _stated(what: str, folder: str) -> str:
    """Return what the metadata of a package state: its name as it spells it, or its version."""
    for file in ("METADATA", "PKG-INFO"):
        with suppress(OSError), open(f"{folder}/{file}", encoding="utf-8") as lines:
            return next((line.partition(":")[2].strip() for line in lines if line.startswith(f"{what}:")), "")
    return ""
