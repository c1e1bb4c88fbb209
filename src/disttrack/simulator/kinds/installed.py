"""What installed packages register, read once: to read it opens a file of each of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from disttrack.simulator.errors import ScenarioError

BUILT_IN: Final = "built in"
"""The origin of what comes with this distribution."""


CORE: Final = tuple(
    f"disttrack.{name}" for name in ("adversaries", "gym", "lazy", "loaded", "mechanisms", "protocols", "simulator")
)
"""The packages and modules of the core, which its own tests compare."""
_in_doubt: set[str] = set()
"""Packages whose declaration is being verified."""


def distribution_of(point: metadata.EntryPoint) -> str:
    """Return the distribution that states an entry point, `BUILT_IN` if it is this one."""
    whose = point.dist.name if point.dist is not None else point.group
    return BUILT_IN if whose == "disttrack" else whose


def entry_points(group: str) -> metadata.EntryPoints:
    """Return the entry points of a group."""
    chosen: metadata.EntryPoints = _all().select(group=group)
    return chosen


def packaged_files(group: str, package: str = "") -> list[Path]:
    """Return the YAML files of the folders that entry points of a group name as modules, of one package or of all."""
    modules = [
        point.value for point in entry_points(group=group) if f"{point.value}.".startswith(f"{package}.".lstrip("."))
    ]
    folders = [folder for module in modules for folder in folders_of(module)]
    return [path for folder in folders for path in folder_files(folder)]


def folders_of(package: str) -> list[Path]:
    """Return the folders of a package, whose modules are not imported; none if it is not there."""
    try:
        spec = find_spec(package)
    except ImportError:  # one that it is in
        return []
    return [Path(place) for place in spec.submodule_search_locations or ()] if spec is not None else []


def is_in(module: str, package: str) -> bool:
    """Return whether a module is a package or in it."""
    return f"{module}.".startswith(f"{package}.")


def folder_files(folder: Path) -> list[Path]:
    """Return the YAML files of a folder, in the order of their names."""
    return sorted(folder.glob("*.yaml"))


@cache
def compared() -> dict[str, str]:
    """Return the packages whose classes were compared with the reference engine, each with its distribution.

    They are those of the core, and those that a distribution declares, by an entry point ``anything = "package"`` of
    the group ``disttrack.compared``. `disttrack conformance PACKAGE` verifies a declaration.
    """
    declared = {point.value: distribution_of(point) for point in entry_points(group="disttrack.compared")}
    return {**declared, **dict.fromkeys(CORE, BUILT_IN)}


@cache
def package_of(module: str) -> str:
    """Return the innermost package in `compared` that has a module; empty if there is none."""
    inside = (name for name in compared() if is_in(module, name) and name not in _in_doubt)
    return max(inside, key=len, default="")


def is_compared(module: str) -> bool:
    """Return whether the classes of a module were compared with the reference engine.

    Classes of other modules are compared before their games, and may have faults that tests of ours would find.
    """
    return package_of(module) != ""


@contextmanager
def in_doubt(package: str) -> Iterator[None]:
    """Treat the classes of a package, within the block, as if nobody had compared them."""
    _in_doubt.add(package)
    package_of.cache_clear()
    try:
        yield
    finally:
        _in_doubt.discard(package)
        package_of.cache_clear()


def doubts() -> frozenset[str]:
    """Return the packages of the present blocks of `in_doubt`."""
    return frozenset(_in_doubt)


@cache
def _all() -> Any:
    return metadata.entry_points()  # of another type before Python 3.12


def plugged(group: str) -> dict[str, Any]:
    """Return the objects of the entry points of a group, by name.

    Raises
    ------
    ScenarioError
        One of them cannot be loaded; the message names it and its package.
    """
    found = {}
    for point in entry_points(group=group):
        try:
            found[point.name] = point.load()
        except Exception as error:
            whose = point.dist.name if point.dist is not None else point.value
            raise ScenarioError(
                f"{whose}: entry point {point.name} of {group}: {type(error).__name__}: {error}"
            ) from error
    return found
