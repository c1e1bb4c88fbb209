"""One import for users: everything that scripts and notebooks need.

>>> import disttrack
>>> disttrack.play(disttrack.Deterministic(alpha=0.1), disttrack.RoundRobin(), sites=4, items=100).ok
True
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mechanisms import *  # noqa: F403, I001
    from adversaries import *  # type: ignore[assignment]  # noqa: F403
    from protocols import *  # noqa: F403
    from simulator import *  # noqa: F403

# of two classes of one name, the hard instance that plays comes before the one that is computed
_ROOMS = ("simulator", "protocols", "adversaries", "mechanisms")


def __getattr__(name: str) -> Any:
    # lazy: each package is loaded when something in it is asked for
    if not name.startswith("_"):
        for room in _ROOMS:
            package = import_module(room)
            if name in package.__all__:
                return getattr(package, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({name for room in _ROOMS for name in import_module(room).__all__})
