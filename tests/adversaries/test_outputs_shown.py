"""What an adversary sees of an output is one value of one type, whichever engine plays."""

from __future__ import annotations

from dataclasses import MISSING, dataclass, field
from typing import Any

import pytest
from uncompiled import as_written

from disttrack import play
from disttrack.adversaries import Adversary, Burst, View
from disttrack.protocols.base import Protocol
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.game.engines import compiled as engine
from disttrack.simulator.kinds.registry import kinds_for, parameters

SEEN: list[tuple[int, str]] = []


@dataclass
class Watching(Adversary):
    """Feeds the sites in turn, and notes how each output is written."""

    turns: int = field(default=0, init=False)

    def plan(self, view: View) -> Burst:
        SEEN.append((view.sent, repr(view.output)))
        self.turns += 1
        return Burst(self.turns % view.sites, 3)


def seen(protocol: Any, **given: Any) -> list[tuple[int, str]]:
    SEEN.clear()
    play(protocol, Watching(), sites=3, items=200, seed=1, **given)
    return [*SEEN]


@pytest.mark.parametrize("network", [None, {"latency": 2}])
def test_each_engine_shows_the_same_text_of_an_output(
    network: dict[str, Any] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of every tracker of counts; with outputs in whole numbers and in others, as of `robust` and `martingale`."""
    monkeypatch.setattr(engine, "compiled", as_written)
    compared, texts = set(), set()
    for name, kind in kinds_for("protocol", f"{Protocol.__module__}:Protocol").items():
        maker = kind.load()
        needed = {one for one, default in parameters(maker).items() if default is MISSING}
        if not maker.plays and needed <= {"alpha"}:
            protocol = maker(**dict.fromkeys(needed, 0.1))
            try:
                leap, compiled = (seen(protocol, engine=engine, network=network) for engine in ("leap", "compiled"))
            except ScenarioError:
                continue  # it has no such form
            assert leap == compiled == seen(protocol, engine="step", network=network), name
            compared.add(name)
            texts |= {text for _, text in leap}
    assert len(compared) >= 7
    assert {"robust", "martingale"} <= compared
    assert sum("." in text for text in texts) >= 20
    assert not [text for text in texts if text.endswith(".0")]
