"""The game and everything that runs, records, checks and draws it.

>>> from simulator import play
>>> from protocols import Deterministic
>>> play(Deterministic(alpha=0.1), lambda view: view.steps % view.sites, sites=4, items=100).ok
True
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simulator.game import Game
    from simulator.play import play
    from simulator.runner import run

__all__ = ["Game", "check_adversary", "check_protocol", "play", "run"]

_HOMES = {
    "Game": "simulator.game",
    "check_adversary": "simulator.conformance",
    "check_protocol": "simulator.conformance",
    "play": "simulator.play",
    "run": "simulator.runner",
}


class _Package(ModuleType):
    """This package. Its name `play` means the function, also once the module `simulator.play` is imported."""

    @property
    def play(self) -> Any:
        return __getattr__("play")

    @play.setter
    def play(self, module: ModuleType) -> None:
        """Importing a module binds it in its package; this name is taken."""


sys.modules[__name__].__class__ = _Package


def __getattr__(name: str) -> Any:
    # lazy, so that `disttrack --help` need not load numpy and pandas
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
