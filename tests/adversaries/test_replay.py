"""Recording and replaying moves: the same moves, against fresh randomness."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from disttrack.adversaries import Adversary, Burst, Freeze, Replay, Rest, Rotation, Schedule, Uniform, View
from disttrack.adversaries.replay import Prefix, Recorder
from disttrack.protocols import Exact, Randomized
from disttrack.simulator.game.engines import Leap
from disttrack.simulator.game.short_games import rehearse


class Mixed(Adversary):
    """Bursts, rests, rotations and random labels, some of them cut short by a change."""

    kind = "mixed"
    source = "the test"
    calls = 0

    def plan(self, view: View) -> Schedule:
        self.calls += 1
        turn = self.calls % 4
        if turn == 0:
            return Burst(view.changes % view.sites, 30)
        if turn == 1:
            return Rest(3)
        return Rotation(view.sites, first=view.changes) if turn == 2 else Uniform().plan(view)


def moves_of(schedule: Schedule, steps: int) -> list[int | None]:
    return [schedule.at(step) for step in range(1, steps + 1)]


@pytest.mark.parametrize("inner", [Mixed(), Freeze(), Uniform()], ids=lambda one: one.kind)
def test_the_moves_are_the_same(inner: Adversary) -> None:
    """Against `exact` each item is a message, so the transcript shows the moves; the replay must give the same one."""
    recorder = Recorder(inner)
    game = Leap(Exact(), recorder, sites=5, items=700, seed=3, record=True)
    game.play()
    replay = Replay().rehearsed(recorder.moves(game.game_end))
    replayed = Leap(Exact(), replay, sites=5, items=700, seed=99, record=True)
    replayed.play()
    assert game.transcript == replayed.transcript
    assert game.transcript is not None
    assert len(game.transcript) == 700


@pytest.mark.parametrize("plan", [Burst(1), Rotation(3, first=2), Rest(50)], ids=lambda plan: type(plan).__name__)
def test_a_prefix_answers_as_its_list_of_moves(plan: Schedule) -> None:
    prefix = Prefix(plan, 17)
    moves = moves_of(plan, 17)
    for site in range(3):
        steps = [step for step, fed in enumerate(moves, 1) if fed == site]
        for n in range(1, 20):
            step = prefix.nth(site, n)
            assert step == steps[n - 1] if n <= len(steps) else step >= 2**62
        for step in range(18):
            assert prefix.count(site, step) == sum(s <= step for s in steps)
    sent = [step for step, fed in enumerate(moves, 1) if fed is not None]
    assert prefix.sent(17) == len(sent)
    assert [prefix.step_of(n) for n in range(1, len(sent) + 1)] == sent
    assert prefix.step_of(len(sent) + 1) >= 2**62


def test_the_rehearsal_has_randomness_of_its_own() -> None:
    options: dict[str, Any] = {"sites": 4, "items": 2000, "start": 0, "network": None}
    protocol = Randomized(alpha=0.2)

    def lengths(seed: int) -> list[int]:
        replay = rehearse(Replay(), protocol, seed, **options)
        view = View(sites=4, items=2000, rng=np.random.default_rng(0))
        plans: Any = iter(lambda: replay.plan(view), None)
        return [int(length) for plan in plans for length in plan.lengths]

    assert lengths(1) == lengths(1)
    assert lengths(1) != lengths(2)

    def played(seed: int) -> list[int]:
        game = Leap(protocol, Recorder(Freeze()), sites=4, items=2000, seed=seed)
        game.play()
        return [length for _, length in game.adversary.moves(game.game_end)]  # type: ignore[attr-defined]

    assert played(1) != lengths(1)  # the same attack in the game itself, with the game's coins
    # recorded results rest on it: a branch of the tree of seeds beyond those of all roles
    branch = np.random.SeedSequence(1, spawn_key=(1000,))
    assert played(int(branch.generate_state(1, np.uint64)[0]) // 2) == lengths(1)
