"""Attackers that search, compute or learn: policies, machines, tables, beliefs, exact values, environments.

A plug-in of the simulator: it registers by the entry points of pyproject.toml, as a package of anybody's does, and
nothing outside of this folder knows it.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from disttrack.lazy import lazy_names

if TYPE_CHECKING:
    from disttrack.attack.learners.environment import DistributedCount as DistributedCount
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
    if find_spec("gymnasium") is None:
        __all__.remove("DistributedCount")  # a name that cannot be had is not shown

COMMANDS: Final = {
    "attack": (
        "disttrack.attack.command:attack",
        "Search for the worst policy against a protocol.",
        "",
        "Play and run",
    ),
}
"""Its command, what it does, the extra that it needs, and its heading in ``disttrack --help``."""
