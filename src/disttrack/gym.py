"""The game in Gymnasium: importing this module registers its names.

``gymnasium.make("disttrack.gym:disttrack/Tracking-v0")`` imports it first. What a name means never changes; another
game would be called v1.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Final

try:
    import gymnasium
except ModuleNotFoundError as error:
    message = f"disttrack.gym needs {error.name}, which is not installed: pip install 'disttrack[gym]'"
    raise ModuleNotFoundError(message, name=error.name) from None
if find_spec("disttrack.attack") is None:
    message = "disttrack.gym needs disttrack.attack, which this installation does not have: install all of disttrack"
    raise ModuleNotFoundError(message, name="disttrack.attack")

_BENCHMARK: Final = {"sites": 64, "items": 10_000, "burst": 20}
IDS: Final[dict[str, dict[str, object]]] = {
    "disttrack/Tracking-v0": {"protocol": {"kind": "randomized", "alpha": 0.1}, "sites": 16, "items": 2000},
    "disttrack/Randomized-v0": {"protocol": {"kind": "randomized", "alpha": 0.1}, **_BENCHMARK},
    "disttrack/Robust-v0": {"protocol": {"kind": "robust", "alpha": 0.1}, **_BENCHMARK},
    "disttrack/Martingale-v0": {"protocol": {"kind": "martingale", "alpha": 0.1}, **_BENCHMARK},
}
"""What is registered, with the arguments of `DistributedCount`; `make` takes others over them."""

for _name, _arguments in IDS.items():
    gymnasium.register(
        _name,
        entry_point="disttrack.attack.learners.environment:DistributedCount",
        vector_entry_point="disttrack.attack.learners.vector_environment:DistributedCounts",
        kwargs=_arguments,
    )
