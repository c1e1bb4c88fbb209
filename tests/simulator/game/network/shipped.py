"""One of each shipped protocol and adversary."""

from __future__ import annotations

from typing import Any

from disttrack.adversaries.recorded import Trace
from disttrack.protocols import Martingale, Protocol, Robust
from disttrack.simulator.game.tasks.tracking import Count
from disttrack.simulator.kinds.registry import kinds, parameters


def protocols() -> list[Protocol]:
    """Return one protocol of each kind, and of two of them another choice of constants."""
    made = []
    for kind in Count.kinds("protocol").values():
        maker = kind.load()
        made.append(maker(**({"alpha": 0.3} if "alpha" in parameters(maker) else {})))
    return [*made, Robust(alpha=0.3, parameters="tight"), Martingale(alpha=0.3, parameters="simple")]


def adversaries() -> list[Any]:
    """Return one adversary of trackers of each kind but recorded traces."""
    loaded = {name: kind.load() for name, kind in kinds("adversary").items()}
    made = [(name, maker) for name, maker in loaded.items() if maker is not Trace and maker.plays_in("count")]
    given: dict[str, dict[str, object]] = {"replay": {"of": "freeze"}, "table": {"table": {}}}
    return [maker(**given.get(name, {})) for name, maker in made]
