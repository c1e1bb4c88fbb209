"""The game and everything that runs, records, checks and draws it.

>>> from simulator import play
>>> from protocols import Deterministic
>>> play(Deterministic(alpha=0.1), lambda view: view.steps % view.sites, sites=4, items=100).ok
True
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simulator.conformance import check_adversary, check_bulk_form, check_counter, check_protocol
    from simulator.game.outcome import Game
    from simulator.game.play import play
    from simulator.runs.runner import run

__all__ = ["Game", "check_adversary", "check_bulk_form", "check_counter", "check_protocol", "play", "run"]

_HOMES = {
    "Game": "simulator.game.outcome",
    "check_adversary": "simulator.conformance",
    "check_bulk_form": "simulator.conformance",
    "check_counter": "simulator.conformance",
    "check_protocol": "simulator.conformance",
    "play": "simulator.game.play",
    "run": "simulator.runs.runner",
}


def __getattr__(name: str) -> Any:
    # lazy, so that `disttrack --help` need not load numpy and pandas
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
