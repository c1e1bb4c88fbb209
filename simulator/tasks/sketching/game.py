"""One game of a sketch against an adversary that chooses the updates, compared with the truth at every update."""

from __future__ import annotations

import copy
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from disttrack.adversaries.sketching import RESET, Attacker, StreamView
from disttrack.mechanisms.sketches import Sketch, SketchRun
from disttrack.simulator.errors import MoveError
from disttrack.simulator.game.streams import streams
from disttrack.simulator.tasks.continual.clocked_points import known
from disttrack.simulator.tasks.sketching.referee import UpdateReferee
from disttrack.simulator.tasks.sketching.truth import Norm, Truth, truth_of

ROLES = ("sketch", "adversary")
"""Random streams: the sketch's coins, and the attacker's moves."""
STRETCH = 1 << 14
"""Updates of a fixed stream passed at once."""


@dataclass(frozen=True)
class SketchGame:
    """One game of a sketch.

    Attributes
    ----------
    items
        Number of updates.
    touched
        Different items among them, in the last stream if there were several.
    max_rel_error, first_failure, failing_fraction, output_changes
        As in the tracking game; the error is relative to the truth, or to the norm for a frequency.
    least_ratio, most_ratio, last_ratio
        Estimate over truth, where the truth is above 0.
    half_at
        The first update after which the estimate was below half of the truth.
    exhausted_at
        The update at which a robust form had used up its planned changes.
    series
        The timeline at checkpoints.
    """

    items: int
    touched: int
    max_rel_error: float
    first_failure: int | None
    failing_fraction: float
    output_changes: int
    least_ratio: float | None
    most_ratio: float | None
    last_ratio: float | None
    half_at: int | None
    exhausted_at: int | None
    engine: str
    series: dict[str, list[Any]]
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        """Whether the error stayed within alpha after every update."""
        return self.first_failure is None

    @property
    def held(self) -> bool:
        """Whether it did so for as long as the sketch was built for."""
        return self.first_failure is None or (
            self.exhausted_at is not None and self.first_failure > self.exhausted_at
        )  # fmt: skip


def play_sketch(
    sketch: Sketch, attacker: Attacker, *, updates: int, norm: Norm = "two", seed: int = 0, engine: str = "auto"
) -> SketchGame:
    """Play one game and return its outcome.

    Parameters
    ----------
    sketch
        Follows the stream.
    attacker
        Chooses the updates. It sees the estimates. It is copied.
    updates
        Maximum number of updates.
    norm
        For a frequency: the norm that its error is relative to, two or one.
    seed
        Root of all random streams of the game.
    engine
        auto, step, or bulk: bulk takes many updates at once, of streams that are fixed in advance.

    Examples
    --------
    >>> from disttrack.adversaries.sketching import AmsAttack, RandomUpdates
    >>> from disttrack.mechanisms.sketches import Ams
    >>> attacked = play_sketch(Ams(rows=128), AmsAttack(), updates=1280, seed=1)
    >>> attacked.half_at < 1280, play_sketch(Ams(rows=128), RandomUpdates(), updates=1280, seed=1).ok
    (True, True)
    """
    begun = time.perf_counter()
    rngs = streams(seed, ROLES)
    truth, referee = truth_of(sketch.goal, norm), UpdateReferee(sketch.alpha, updates)
    run = sketch.start(rngs["sketch"])
    attacker = copy.deepcopy(attacker)
    bulk = attacker.oblivious and sketch.built_for is None and engine != "step"
    exhausted_at = None
    if bulk:
        _in_bulk(run, attacker, truth, referee, updates, rngs["adversary"])
    else:
        view = StreamView(updates=updates, rng=rngs["adversary"], known=known(sketch))
        exhausted_at = _by_steps(run, attacker, truth, referee, view)
    return SketchGame(
        referee.steps,
        truth.touched,
        referee.largest,
        referee.failure,
        referee.failing / max(1, referee.steps),
        referee.changes,
        referee.least,
        referee.most,
        referee.last,
        referee.half,
        exhausted_at,
        "bulk" if bulk else "step",
        referee.series,
        time.perf_counter() - begun,
    )


def _by_steps(run: SketchRun, attacker: Attacker, truth: Truth, referee: UpdateReferee, view: StreamView) -> int | None:
    """Play update by update, and return the one at which the sketch was exhausted, if it was."""
    exhausted_at = None
    moving, note = attacker.move, referee.note
    for step in range(1, view.updates + 1):
        move = moving(view)
        if move is None:
            break
        item, change = move
        if move == RESET:
            _reset(run, truth, f"attacker {attacker.kind}: step {step}")
        elif item < 0 or not change or item.__class__ is not int or change.__class__ is not int:
            accepted = "accepted: an item from 0 and a change that is not 0, both whole numbers; RESET; None"
            raise MoveError(f"attacker {attacker.kind}: move() returned {move!r} at step {step}; {accepted}")
        else:
            try:
                run.update(item, change)
            except ValueError as error:
                raise MoveError(f"attacker {attacker.kind}: step {step}: {error}") from error
            truth.update(item, change)
        view.output = output = run.estimate()
        view.steps = step
        note(output, truth.value, truth.scale())
        if exhausted_at is None and run.exhausted:
            exhausted_at = step
    referee.close()
    return exhausted_at


def _reset(run: SketchRun, truth: Truth, where: str) -> None:
    try:
        run.reset()
    except NotImplementedError as error:
        raise MoveError(f"{where}: {error}") from error
    truth.reset()


def _in_bulk(
    run: SketchRun, attacker: Any, truth: Truth, referee: UpdateReferee, updates: int, rng: np.random.Generator
) -> None:
    """Play many updates at once."""
    for begun in range(0, updates, STRETCH):
        length = min(STRETCH, updates - begun)
        items, changes = attacker.stretch(begun, length, rng)
        try:
            outputs = run.play(items, changes)
        except ValueError as error:
            raise MoveError(f"attacker {attacker.kind}: after step {begun}: {error}") from error
        values, scales = np.empty(length), np.empty(length)
        for place, (item, change) in enumerate(zip(items.tolist(), changes.tolist(), strict=True)):
            truth.update(item, change)
            values[place], scales[place] = truth.value, truth.scale()
        referee.compare(outputs, values, scales)
