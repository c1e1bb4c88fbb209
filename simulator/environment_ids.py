"""The names under which Gymnasium knows the game: `gymnasium.make("disttrack/Tracking-v0")`.

They are registered when both `disttrack` and Gymnasium have been imported, in whichever order: `import disttrack` does
not import Gymnasium, which would make it slow for everybody. `gymnasium.make("disttrack:disttrack/Tracking-v0")`
imports `disttrack` by itself. What a name means never changes; another game would be called v1.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any, Final

_BENCHMARK: Final = {"sites": 64, "items": 10_000, "burst": 20}
IDS: Final[dict[str, dict[str, Any]]] = {
    "disttrack/Tracking-v0": {"protocol": {"kind": "randomized", "alpha": 0.1}, "sites": 16, "items": 2000},
    "disttrack/Randomized-v0": {"protocol": {"kind": "randomized", "alpha": 0.1}, **_BENCHMARK},
    "disttrack/Robust-v0": {"protocol": {"kind": "robust", "alpha": 0.1}, **_BENCHMARK},
    "disttrack/Martingale-v0": {"protocol": {"kind": "martingale", "alpha": 0.1}, **_BENCHMARK},
}
"""What is registered, with the arguments of `DistributedCount`; `make` takes others over them."""


def register() -> None:
    """Register all names with Gymnasium, once."""
    import gymnasium

    for name, arguments in IDS.items():
        if name not in gymnasium.registry:
            gymnasium.register(name, entry_point="simulator.environment:DistributedCount", kwargs=arguments)


def register_when_imported() -> None:
    """Register them now if Gymnasium has been imported, and otherwise as soon as it is."""
    if hasattr(sys.modules.get("gymnasium"), "register"):
        register()
    elif not any(isinstance(finder, _Watch) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Watch())


class _Watch(MetaPathFinder):
    """Sees Gymnasium being imported, leaves that to whoever does it, and registers the names after it."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name != "gymnasium":
            return None
        sys.meta_path.remove(self)
        spec = find_spec(name)
        if spec is not None and spec.loader is not None:
            spec.loader = _AndRegister(spec.loader)
        return spec


class _AndRegister(Loader):
    """Loads as another loader does, and registers the names then."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        assert module.__spec__ is not None
        module.__spec__.loader = module.__loader__ = self._loader
        self._loader.exec_module(module)
        register()
