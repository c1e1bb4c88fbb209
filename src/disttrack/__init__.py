"""One import for users: everything that scripts and notebooks need.

>>> import disttrack
>>> disttrack.play(disttrack.Deterministic(alpha=0.1), disttrack.RoundRobin(), sites=4, items=100).ok
True

What plays, runs and checks (`play`, `run`, `load`, `Results`, `check_protocol`, …), and every protocol, adversary and
mechanism as a class, with the base classes for one's own. The same classes by their side are in
`disttrack.protocols`, `disttrack.adversaries` and `disttrack.mechanisms`. The classes that installed packages register
as protocols or adversaries, or by entry points ``disttrack.names`` (a class, or a package whose ``__all__`` is meant),
follow. Names are looked up when they are first used.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import EntryPoint
from typing import TYPE_CHECKING, Any, Final

import disttrack.loaded  # noqa: F401 - notes the modules that are there

if TYPE_CHECKING:
    from disttrack import adversaries, mechanisms, protocols  # noqa: F401, I001
    from disttrack.mechanisms import *  # noqa: F403
    from disttrack.adversaries import *  # noqa: F403
    from disttrack.protocols import *  # noqa: F403
    from disttrack.simulator import *  # noqa: F403

_GROUPS: Final = ("adversaries", "mechanisms", "protocols")
"""Packages that are names too."""
_HOMES: Final = ("disttrack.simulator", "disttrack.protocols", "disttrack.adversaries", "disttrack.mechanisms")
"""Where the names come from; of two classes of one name, the first is taken."""


def _homes() -> Iterator[str]:
    """Yield the packages whose names are names here too: those of this package, then of installed ones."""
    from disttrack.simulator.kinds.installed import entry_points

    yield from _HOMES
    yield from (point.module for point in entry_points(group="disttrack.names") if not point.attr)


def _plugged() -> dict[str, EntryPoint]:
    """Return the classes that installed packages register one by one, by name; of two of one name, the first."""
    from disttrack.simulator.kinds.installed import entry_points

    groups = ("disttrack.protocols", "disttrack.adversaries", "disttrack.names")
    points = [point for group in groups for point in entry_points(group=group) if point.attr]
    return {point.attr: point for point in reversed(points)}


def __getattr__(name: str) -> Any:
    if name == "__all__":
        own = (exported for home in _homes() for exported in import_module(home).__all__)
        return sorted({*_GROUPS, *own, *_plugged()})
    if name in _GROUPS:
        return import_module(f"disttrack.{name}")
    if name == "__version__":
        from importlib.metadata import PackageNotFoundError, version

        try:
            return version("disttrack")
        except PackageNotFoundError:
            return "0+not-installed"  # run from its source folder
    if not name.startswith("_"):
        for home in _homes():
            module = import_module(home)
            if name in module.__all__:
                value = globals()[name] = getattr(module, name)
                return value
        if name in (plugged := _plugged()):
            value = globals()[name] = plugged[name].load()
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*(name for name in globals() if name.startswith("__")), "__version__", *__getattr__("__all__")]
