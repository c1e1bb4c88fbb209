"""The verdict against going through every step in exact arithmetic."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from math import inf, nan
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from disttrack.protocols.base import Exactly, Number
from disttrack.simulator.game.judging import EXACT, extremes
from disttrack.simulator.game.outputs import exact
from disttrack.simulator.game.verdict import IntervalJudge


@dataclass
class GameTrace:
    """A game as it is told to the referee: which steps brought an item, and which outputs came when."""

    alpha: float | None
    start: int
    feeds: list[bool]
    outputs: dict[int, Any]
    first: Any

    def sent(self, step: int) -> int:
        return self.start + sum(self.feeds[:step])

    def step_of(self, n: int) -> int:
        """Return the step of the n-th item of all; beyond the last step if there is none."""
        sums = [self.sent(step) for step in range(1, len(self.feeds) + 1)]
        return bisect_left(sums, n) + 1


@dataclass
class Facts:
    changes: int
    failing: int
    first_failure: int | None
    first_failing_step: int | None
    highest: Fraction | float
    lowest: Fraction | float


ODD: list[Any] = [
    nan, inf, -inf, np.float64(nan), np.float32(inf), None, "12", 1j, [3], Exactly(1, 0), Exactly(nan, 1),  # type: ignore[arg-type]
]  # fmt: skip
"""Outputs that are no finite number."""
UNUSUAL: list[Any] = [np.float64(7.5), np.float32(3.25), np.int64(9), True, Exactly(np.int64(21), 2), Fraction(9, 2)]  # type: ignore[arg-type]
"""Outputs that are, in other types than usual."""


def judged(output: Any) -> Any:
    """Return an output in the types of Python, None for what is no number."""
    if isinstance(output, Exactly):
        whole = all(isinstance(part, int | np.integer) for part in output) and output.denominator
        return Exactly(int(output.numerator), int(output.denominator)) if whole else None
    if not isinstance(output, int | float | Fraction | np.generic) or output != output:
        return None
    return output.item() if isinstance(output, np.generic) else output


def error_of(output: Any, items: int) -> Fraction | float:
    if output is None or abs(exact_or_infinite(output)) > 10**308:  # beyond all floats
        return -inf if output is not None and exact_or_infinite(output) < 0 else inf
    if not items:
        return float(output) * inf if float(output) else Fraction(0)
    return (exact(output) - items) / items


def exact_or_infinite(output: Any) -> Fraction | float:
    return output if isinstance(output, float) and abs(output) == inf else exact(output)


def slowly(trace: GameTrace) -> Facts:
    """Look at the end of every step, by the definition."""
    output = judged(trace.first)
    failing, first_failure, first_step = 0, None, None
    errors: list[Fraction | float] = []
    changes = 0
    for step in range(1, len(trace.feeds) + 1):
        if step in trace.outputs and judged(trace.outputs[step]) != output:
            output = judged(trace.outputs[step])
            changes += 1
        items = trace.sent(step)
        if not items:
            continue
        errors.append(error_of(output, items))
        if trace.alpha is not None and abs(errors[-1]) > Fraction(str(trace.alpha)):
            failing += 1
            if first_failure is None:
                first_failure, first_step = items, step
    # an infinite error counts on its own side
    highest = max((error for error in errors if error > -inf), default=Fraction(0))
    lowest = min((error for error in errors if error < inf), default=Fraction(0))
    return Facts(changes, failing, first_failure, first_step, highest, lowest)


def told(trace: GameTrace) -> IntervalJudge:
    """Tell the referee of changes only."""
    referee = IntervalJudge(trace.alpha, trace.start, trace.first)
    skips = not all(trace.feeds)
    for step, output in sorted(trace.outputs.items()):
        if type(output) is not int or output != referee.output:
            step_of = trace.step_of if skips else None
            referee.change(step, trace.sent(step), trace.sent(step - 1), output, step_of)
    last = len(trace.feeds)
    referee.close(last, trace.sent(last), trace.step_of if skips else None)
    return referee


def agree(referee: IntervalJudge, facts: Facts) -> None:
    assert referee.changes == facts.changes
    assert referee.failing_steps == facts.failing
    assert referee.first_failure == facts.first_failure
    assert referee.first_failing_step == facts.first_failing_step
    assert referee.highest == float(facts.highest)
    assert referee.lowest == float(facts.lowest)
    assert referee.max_rel_error == float(max(abs(facts.highest), abs(facts.lowest)))
    if referee.alpha is None:
        assert referee.verdict() == "undecided"
    else:
        assert referee.verdict() == ("failed" if facts.failing else "ok")


def numbers(most: int) -> st.SearchStrategy[Number]:
    return st.one_of(
        st.integers(-3, most),
        st.integers(-16, 8 * most).map(lambda eighths: eighths / 8),
        st.builds(Exactly, st.integers(-40, 21 * most), st.just(21)),
    )


@st.composite
def traces(draw: Any, skips: bool, odd: bool = False) -> GameTrace:
    length = draw(st.integers(1, 60))
    start = draw(st.integers(0, 30))
    # one item at least has come by the first step: before any there is no relative error
    feeds = draw(st.lists(st.booleans(), min_size=length, max_size=length)) if skips else [True] * length
    feeds[0] |= not start
    alpha = draw(st.sampled_from([None, 0.0, 0.05, 0.1, 0.25, 0.5, 0.9]))
    near = start + length
    steps = draw(st.lists(st.integers(1, length), unique=True, max_size=12))
    outputs = {step: draw(numbers(near + 5)) for step in steps}
    if draw(st.booleans()):  # borders hit exactly, from both sides: where rounding would decide
        for step in steps:
            items = start + sum(feeds[:step])
            if alpha is not None:
                side = draw(st.sampled_from([1, -1]))
                border = items * (1 + side * Fraction(str(alpha)))
                outputs[step] = Exactly(border.numerator, border.denominator)
    first: Any = draw(st.sampled_from([start, start, start + 2, start - 3, Exactly(2 * start + 1, 2)]))
    if odd:
        outputs |= {step: draw(st.sampled_from([*ODD, *UNUSUAL])) for step in steps if draw(st.booleans())}
        first = draw(st.sampled_from([start, start, *ODD]))
    return GameTrace(alpha, start, feeds, outputs, first)


@settings(max_examples=160, deadline=None)
@given(st.tuples(st.booleans(), st.booleans()).flatmap(lambda which: traces(*which)))
@example(GameTrace(0.1, 0, [True] * 12, {1: 1, 10: 11}, 0))  # 11 of 10 items: exactly alpha, which holds
@example(GameTrace(0.1, 0, [True] * 12, {1: 1, 10: 11.000000000000002}, 0))  # a hair above
@example(GameTrace(0.1, 0, [True] * 9, {}, nan))
@example(GameTrace(0.1, 0, [True] * 9, {4: nan, 6: nan, 8: 8}, 0))
@example(GameTrace(0.1, 5, [True] * 3, {1: 10**400}, 5))
@example(GameTrace(0.1, 5, [True] * 3, {1: Exactly(10**400, 3)}, 5))
def test_every_step_is_judged(trace: GameTrace) -> None:
    """With an infinite error by what is no finite number; what is no number does not change into itself."""
    agree(told(trace), slowly(trace))


@settings(max_examples=150, deadline=None)
@given(
    traces(skips=False, odd=True), st.lists(st.integers(0, 12), max_size=3),
    st.sampled_from([None, (1, 1), (21, 20), (100552427, 10**8)]),
)  # fmt: skip
@example(GameTrace(0.1, 0, [True] * 80, {step: float(step) if step % 9 else nan for step in range(1, 80)}, 0), [], None)
@example(GameTrace(0.1, 13, [True] * 6, {1: 0, 2: 0, 3: 0, 4: 0, 6: 0}, nan), [], (21, 20))
@example(GameTrace(0.1, 13, [True] * 6, {1: 0, 2: 0, 3: 0, 4: 0, 6: 0}, inf), [], (21, 20))
def test_many_changes_at_once(trace: GameTrace, cuts: list[int], scale: tuple[int, int] | None) -> None:
    """change_many() over any cuts and scales, and catch_up() without one, do what change() does one by one."""
    steps, outputs = sorted(trace.outputs), [trace.outputs[step] for step in sorted(trace.outputs)]
    if scale not in (None, (1, 1)):
        outputs = [trace.sent(step) * scale[1] // scale[0] + step % 5 - 2 for step in steps]
        scaled = {step: Exactly(output * scale[0], scale[1]) for step, output in zip(steps, outputs, strict=True)}
        trace = replace(trace, outputs=scaled)
    referee = IntervalJudge(trace.alpha, trace.start, trace.first)
    for begin, end in pairwise(sorted({0, *(min(cut, len(steps)) for cut in cuts), len(steps)})):
        some = outputs[begin:end]
        if scale is None:
            for note, what in zip(referee.later, (steps[begin:end], some), strict=True):
                note.extend(what)
            referee.catch_up(trace.start)
            continue
        kinds = {*map(type, some)}
        array = np.empty(end - begin, dtype=kinds.pop() if len(kinds) == 1 and kinds <= {int, float} else object)
        array[:] = some
        referee.change_many(np.array(steps[begin:end], dtype=np.int64), trace.start, array, scale)
    referee.close(len(trace.feeds), trace.sent(len(trace.feeds)))
    agree(referee, slowly(trace))


def test_huge_outputs_with_a_long_scale_are_judged_exactly() -> None:
    """Numbers beyond 64 bits once scaled: 8·10^11 · 1.00552427."""
    scale = 100552427, 10**8
    steps = np.array([5, 6], dtype=np.int64)
    sums = np.array([8 * 10**11, 8 * 10**11 + 1], dtype=np.int64)
    referee = IntervalJudge(0.00552427, 8 * 10**11 - 6, 8 * 10**11 - 6)
    referee.change_many(steps, 8 * 10**11 - 6, sums, scale)
    referee.close(6, 8 * 10**11)
    # at step 6: (8e11 + 1) (1 + alpha) / 8e11 - 1 > alpha by 1.3e-12
    assert referee.failing_steps == 2
    assert referee.output == Exactly((8 * 10**11 + 1) * scale[0], scale[1])


def test_an_output_before_any_item_is_infinitely_wrong() -> None:
    referee = IntervalJudge(0.1, 0, 0)
    referee.change(1, 0, 0, 3, lambda n: 9)
    referee.close(2, 0, lambda n: 9)
    assert referee.max_rel_error == float("inf")
    assert referee.verdict() == "failed"


def state_of(referee: IntervalJudge) -> list[str]:
    """Return all that a judge knows, as texts: so that types count, and no number equals no number."""
    return [repr(getattr(referee, name)) for name in IntervalJudge.__slots__]


@pytest.mark.parametrize(
    ("whole", "scale"), [(False, (1, 1)), (True, (1, 1)), (True, (21, 20)), (True, (100552427, 10**8))]
)
@pytest.mark.parametrize("start", [0, 1, 1000, 2**49])
def test_a_log_is_judged_as_many_changes(start: int, whole: bool, scale: tuple[int, int]) -> None:
    """change_log() leaves what change_many() leaves, over any cuts, wherever the error is near or above alpha."""
    rng, judged = np.random.default_rng(7), [0, 0]

    def counted(*given: Any) -> bool:
        answer = extremes(*given)
        judged[answer] += 1
        return answer

    for case in range(120):
        alpha, steps = (None, 0.1, 0.3)[case % 3], np.flatnonzero(rng.random(60) < (0.3, 0.9)[case % 2]) + 1
        spread = (0.0, 0.02, 0.4, 2.0)[case % 4]
        outputs = (start + steps) * scale[1] / scale[0] * (1 + spread * (rng.random(len(steps)) - 0.5))
        outputs[rng.random(len(steps)) < 0.03 * (case % 5 == 0)] = nan if not whole else 2.0**61
        log = np.zeros((2 + len(steps), 3))
        log[2:, 0], log[2:, 1] = steps, outputs.round() if whole else outputs
        referees = [IntervalJudge(alpha, start, start) for _ in range(2)]
        cuts = np.unique([2, *rng.integers(2, len(log), 2), len(log)]).tolist()
        for first, last in pairwise(cuts):
            rows = log[first:last]
            referees[0].change_log(log[:last], first, start, scale, whole, counted)
            kind = np.int64 if whole else float
            referees[1].change_many(rows[:, 0].astype(np.int64), start, rows[:, 1].astype(kind), scale)
            assert state_of(referees[0]) == state_of(referees[1])
        for referee in referees:
            referee.close(60, start + 60)
        facts = [(one.highest, one.lowest, one.failing_steps, one.first_failure) for one in referees]
        assert facts[0] == facts[1]
    exact_as_floats = (start + 60) * scale[0] < EXACT
    assert judged[0] >= 40, judged
    assert (judged[1] >= 40) is exact_as_floats, judged
