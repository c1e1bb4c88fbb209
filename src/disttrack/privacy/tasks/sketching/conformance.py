"""The conformance tests of sketches: one answer by all ways to update, and their errors over the range of sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from disttrack.mechanisms.compiler import available, compiled
from disttrack.privacy.mechanisms.sketches import kernel
from disttrack.privacy.mechanisms.sketches.base import TARGET, Sketch, SketchRun
from disttrack.simulator.workshop.conformance.facts import states
from disttrack.simulator.workshop.conformance.failure import COINS, OWN_SEED, Checks, require

SIZES: Final = (1, 32, 1 << 10, 1 << 15, 1 << 20)
"""Different items of a stream."""
MOST_WORK: Final = 1 << 30
"""Items times rows of a stream at most."""
RUNS: Final = 20
"""Runs of a size, which are a fault if all of them are wrong: once in 2^20 classes that are right in half of them."""
UPDATES: Final = 70_000
"""Updates by each way: more than 2^16."""
ERRORS: Final = "keeps its error"


def _states_its_facts(sketch: Sketch, sites: Sequence[int], items: int) -> Checks:
    goals = {"goal": ("second-moment", "distinct", "frequency", "sum")}
    return states(sketch, ("kind", "source", "error"), goals, parameters=True)


def _moves(count: int) -> Any:
    """Return updates by one of more than 2^16 items, and of the target."""
    items = np.random.default_rng(3).permutation(count)
    items[::7] = TARGET
    return np.column_stack((items, np.ones(count, dtype=np.int64)))


def _all_ways_agree(sketch: Sketch, sites: Sequence[int], items: int) -> Checks:
    """Updates one by one, many at once, by the compiled form, and a whole frequency vector."""
    count = min(UPDATES, max(500, MOST_WORK // (16 * sketch.active_rows)))
    moves = _moves(count)
    by_one, by_many = (sketch.start(np.random.default_rng(1)) for _ in range(2))
    few = moves[:500]
    singles = [by_one.step(move) for move in few.tolist()]
    many = by_many.release(moves)
    mend = "let release(updates) return what step(update) does for each"
    require(np.allclose(singles, many[: len(few)], rtol=1e-9), "step and release differ", mend)
    yield None
    form = sketch.start(np.random.default_rng(1)).form()
    if form is not None and available():
        fast = form.release(compiled(form.kernel, kernel.types), moves)
        what = f"its compiled form gives other estimates ({count:,} updates)"
        require(np.allclose(fast, many[: len(fast)], rtol=1e-9), what, "let form() do what update(item, change) does")
        yield None
    other = sketch.start(np.random.default_rng(2)).release(moves)
    again = sketch.start(np.random.default_rng(1)).release(moves)
    require(np.array_equal(again, many), "two runs with the same seed differ", COINS)
    exact = np.array_equal(other, many) and len(np.unique(many)) == len(np.unique(moves[:, 0]))
    require(exact or not np.array_equal(other, many), "another seed gives the same estimates", OWN_SEED)
    yield None


def _sizes(sketch: Sketch) -> list[int]:
    return [size for size in SIZES if size * sketch.active_rows <= MOST_WORK]


def _keeps_its_error(sketch: Sketch, sites: Sequence[int], items: int) -> Checks:
    """Streams that are fixed in advance: at each size some run errs by alpha at most."""
    for size in _sizes(sketch):
        vector = dict.fromkeys(range(size), 1)
        if sketch.goal == "frequency":
            vector[TARGET] = size
        off = []
        for seed in range(RUNS):
            run = sketch.start(np.random.default_rng(seed))
            run.absorb(vector)
            off.append(_off(sketch, run, size))
            if off[-1] <= sketch.alpha:
                break
        what = f"errs by more than alpha, {sketch.alpha:g}, in all of {RUNS} runs: by {min(off):.3g} at least"
        mend = "look at what grows with the items: hash values, ranks, counters, a correction of small numbers"
        require(min(off) <= sketch.alpha, f"{what} ({size:,} different items)", mend)
        yield None


def _off(sketch: Sketch, run: SketchRun, size: int) -> float:
    """Return the error over the truth; of a frequency over the reference that the sketch knows."""
    over = run.scale() if sketch.goal == "frequency" else size
    return abs(run.estimate() - size) / max(1.0, over)


CHECKS: Final = {
    "states its facts": _states_its_facts,
    "all ways agree": _all_ways_agree,
    ERRORS: _keeps_its_error,
}


def untested(sketch: Sketch) -> dict[str, str]:
    """Return nothing: every sketch states an error that counts as a failure."""
    return {}


def described(sketch: Sketch) -> dict[str, str]:
    """Return the streams of the checks, in words."""
    return {ERRORS: f"{', '.join(f'{size:,}' for size in _sizes(sketch))} different items"}
