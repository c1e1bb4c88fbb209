"""Edges of engines: what bulk refuses, skipped steps in the verdict, a start on a network, rehearsals on one."""

from __future__ import annotations

import sys
from typing import Any, ClassVar

import numpy as np
import pytest

from disttrack.adversaries import Adversary, Burst, Freeze, Replay, Rest, RoundRobin, View
from disttrack.adversaries.schedules import Schedule
from disttrack.protocols import Deterministic, Exact, Robust
from disttrack.protocols.base import Protocol
from disttrack.simulator import play
from disttrack.simulator.game.engines import Bulk, NoBulkError
from disttrack.simulator.game.engines.bulk import Segment
from disttrack.simulator.game.network import Latency, Network
from disttrack.simulator.game.play import _Played
from tests.simulator.game.test_game_parts import Spy


class _Never(Deterministic):
    reacting_bulk: ClassVar[Any] = "none"


class _NoArrays(Robust):
    bulk_form = Protocol.bulk_form


@pytest.mark.parametrize(
    ("protocol", "adversary", "network", "said"),
    [
        (Exact(), RoundRobin(), Network(Latency(constant=1)), "messages take time"),
        (Robust(0.1), Spy(), None, "the adversary sees more than the outputs"),
        (_NoArrays(0.1), RoundRobin(), None, "the protocol has no array form"),
    ],
)
def test_what_bulk_refuses(protocol: Any, adversary: Any, network: Any, said: str) -> None:
    with pytest.raises(NoBulkError) as caught:
        Bulk(protocol, adversary, sites=2, items=5, network=network)
    assert str(caught.value) == said


def test_bulk_refuses_one_that_reacts_where_the_form_knows_no_change(monkeypatch: pytest.MonkeyPatch) -> None:
    from disttrack.protocols.bulk import BulkForm

    game = Bulk(Deterministic(0.1), RoundRobin(), sites=2, items=5)
    monkeypatch.setattr(type(game.bulk_form), "until_change", BulkForm.until_change)
    with pytest.raises(NoBulkError) as caught:
        Bulk(Deterministic(0.1), Freeze(), sites=2, items=5)
    assert str(caught.value) == "the adversary reacts to the outputs"


def test_a_form_that_goes_too_far_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    game = Bulk(Deterministic(0.1), RoundRobin(), sites=2, items=5)
    name = type(game.bulk_form).__name__
    monkeypatch.setattr(game.bulk_form, "advance", lambda stream, now, until: Segment(6, []))
    with pytest.raises(RuntimeError) as caught:
        game.play()
    assert str(caught.value) == f"{name}.advance() from step 0 to 5 ends at step 6"


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
    changes = dict(game._outputs or [])
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
    rows = zip(game._timeline["step"], game._timeline["items"], strict=True)
    assert all(step == 4 * (items - start) for step, items in rows)


@pytest.mark.parametrize("start", [0, 11])
def test_a_machine_knows_what_its_site_began_with(start: int) -> None:
    network = {"crash": {"at": 20, "down": 2, "state": "lost"}}
    game = play(Deterministic(0.1), RoundRobin(), sites=2, items=50, start=start, network=network, record=True)
    told = [row for row in game._transcript or [] if row[3] == "restarted"]
    assert [row[0] for row in told] == [22, 22]
    assert (game.restarts, game.ok, game.max_lag_error < 0.2) == (2, True, True)
    outputs = dict(game._outputs or [])
    assert outputs[22] == pytest.approx(start + 22, rel=0.1)


def test_a_rehearsal_knows_the_network_of_the_game(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, Any] = {}

    def rehearse(replay: Any, protocol: Any, **options: Any) -> Any:
        asked.update(options)
        raise KeyboardInterrupt

    monkeypatch.setattr(sys.modules["disttrack.simulator.game.play"], "rehearse", rehearse)
    network = Network(Latency(constant=2))
    played = _Played(Exact(), Replay(of="freeze"), "auto", network)
    size = {"sites": 2, "items": 5, "start": 0, "seed": 3}
    with pytest.raises(KeyboardInterrupt):
        played.go(dict(size), False, raises=False)
    assert asked == {"network": network, **size}


def test_skips_are_why_a_game_is_begun_anew() -> None:
    game = play(Deterministic(0.1), Slow(), sites=3, items=9)
    assert (game.engine, game.engine_reason) == (
        "leap",
        "exact for every game; not bulk, since the adversary skips steps",
    )


@pytest.mark.parametrize("engine", ["step", "leap", "bulk"])
@pytest.mark.parametrize("protocol", [Deterministic(0.1), Robust(0.3), Exact()], ids=lambda one: one.kind)
def test_a_game_costs_the_same_whether_it_is_recorded_or_not(protocol: Protocol, engine: str) -> None:
    one, other = (
        play(protocol, RoundRobin(), sites=3, items=200, seed=2, engine=engine, record=record)
        for record in (False, True)
    )
    assert one._kinds == other._kinds
    assert (one.bits, one.words, one.messages_of_site) == (other.bits, other.words, other.messages_of_site)
    assert one._timeline == other._timeline
