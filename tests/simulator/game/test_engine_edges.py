"""Edges of engines: skipped steps in the verdict, and several answers in a step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import pytest
from scripted_protocol import Scripted

from disttrack.adversaries import Adversary, Burst, Rest, View
from disttrack.adversaries.schedules import Schedule
from disttrack.protocols import Deterministic, Message, Server, Site
from disttrack.simulator import play


class Boaster(Deterministic):
    """Promises a tenth of what it keeps."""

    kind: ClassVar[str] = "boaster"

    @property
    def accuracy(self) -> float | None:
        return self.alpha / 10


class Slow(Adversary):
    """Feeds in every fourth step."""

    kind: ClassVar[str] = "slow"
    oblivious: ClassVar[bool] = True

    def plan(self, view: View) -> Schedule | None:
        return Burst(view.sent % 3, 1) if view.steps % 4 == 3 else Rest(3)


@pytest.mark.parametrize("network", [None, {"latency": 0, "warm_up": 1}])
@pytest.mark.parametrize("engine", ["step", "leap"])
@pytest.mark.parametrize("start", [0, 7])
def test_skipped_steps_are_judged_like_others(engine: str, start: int, network: Any) -> None:
    game = play(Boaster(0.5), Slow(), sites=3, items=60, start=start, engine=engine, record=True, network=network)
    assert (game.items, game.steps) == (60, 240)
    changes = dict(game.outputs.itertuples(index=False, name=None))
    output, wrong, high, low = float(start), [], 0.0, 0.0
    for step in range(1, 241):
        output, items = changes.get(step, output), start + step // 4
        error = (output - items) / items if items else (0.0 if output == 0 else np.inf)
        high, low = max(high, error), min(low, error)
        if abs(error) > 0.05 + 1e-12 and (network is None or step > 1):
            wrong.append((step, items))
    assert game.failing_fraction == len(wrong) / 240
    assert (game.first_failing_step, game.first_failure) == wrong[0]
    assert (game.highest, game.lowest) == (pytest.approx(high), pytest.approx(low))
    assert (game.series["step"] == 4 * (game.series["items"] - start)).all()


def idle(view: View) -> Any:
    """Feed one item, and rest for 10^9 steps, 60 times."""
    for site in range(60):
        yield Burst(site % 3, 1)
        yield Rest(10**9)


def test_a_long_rest_costs_nothing_in_the_reference_engine() -> None:
    """Walking the rests would take days; their steps are judged all the same, and a wrong output fails in each."""
    by_step, by_leap = (play(Boaster(0.5), idle, sites=3, items=60, engine=engine) for engine in ("step", "leap"))
    told = ("steps", "failing_fraction", "first_failing_step", "first_failure", "highest", "lowest", "messages")
    assert [getattr(by_step, name) for name in told] == [getattr(by_leap, name) for name in told]
    assert by_step.series.equals(by_leap.series)
    assert by_step.steps > 5e10
    assert by_step.failing_fraction > 0.3


class TwoAtOnce(Site):
    """Sends two messages for each item."""

    def silence(self) -> int:
        return 0

    def take(self, items: int) -> Sequence[Message]:
        return [Message("item")] * 2 * items


class Answering(Server):
    """Answers each message, to the sites in turn."""

    def __init__(self, sites: int) -> None:
        self.sites, self.output = sites, 0

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        self.output += 1
        return [(self.output % self.sites, Message("answer"))]


class Answered(Scripted):
    """A tracker of which each item causes several answers."""

    def sites(self, k: int, rng: Any, start: Sequence[int] = ()) -> Sequence[Site]:
        return [TwoAtOnce() for _ in range(k)]

    def server(self, k: int, rng: Any, start: Sequence[int] = ()) -> Server:
        return Answering(k)


@pytest.mark.parametrize("engine", ["step", "leap"])
def test_each_message_of_an_item_has_its_answer(engine: str) -> None:
    game = play(Answered(), Slow(), sites=3, items=20, engine=engine, record=True)
    assert game.transcript["kind"].value_counts().to_dict() == {"item": 40, "answer": 40}
    assert game.transcript["receiver"][game.transcript["kind"] == "answer"].tolist() == [n % 3 for n in range(1, 41)]
