"""The verdict on a network with delays: outputs against the numbers of items that they can depend on.

While messages are in transit, the lag-aware error of a step is the least relative error of the output to any number
from the items before the oldest open chain of messages (`simulator.game.network.voyages`) up to the present number.
Without messages in transit only the present number counts, and the lag-aware error is the relative error.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import isfinite

from disttrack.protocols.base import Number
from disttrack.simulator.game.network.voyages import Origin
from disttrack.simulator.game.outputs import exact, measured, relative_error
from disttrack.simulator.game.verdict import Verdict


class LagReferee:
    """Judges a running game on a network, over all steps after the warm-up.

    Parameters
    ----------
    alpha
        The promised relative error; None if nothing is promised.
    warm_up
        Initial steps that are not judged.
    output
        The output before the first step.

    Attributes
    ----------
    max_error
        The largest lag-aware error.
    max_lag
        The largest age of the oldest open chain, in steps.
    failing_steps, first_failure, first_failing_step
        Steps whose lag-aware error exceeded alpha, the items at the first of them, and that step.
    """

    def __init__(self, alpha: float | None, warm_up: int, output: Number) -> None:
        self._alpha = None if alpha is None else Fraction(str(alpha))
        self._warm_up = warm_up
        self._since = 1
        self._output, _ = measured(output)
        self._oldest: Origin | None = None
        self.max_error = 0.0
        self.max_lag = 0
        self.failing_steps = 0
        self.first_failure: int | None = None
        self.first_failing_step: int | None = None

    def note(
        self,
        step: int,
        output: Number,
        oldest: Origin | None,
        items_at: Callable[[int], int],
        step_of: Callable[[int], int],
    ) -> None:
        """Record the state from `step` on: the output, and the origin of the oldest open chain.

        Parameters
        ----------
        items_at, step_of
            The number of items at the end of a step since the last note, and the step of the n-th item.
        """
        output, _ = measured(output)
        if output == self._output and oldest == self._oldest:
            return
        self.close(step - 1, items_at, step_of)
        self._since, self._output, self._oldest = step, output, oldest

    def close(self, last: int, items_at: Callable[[int], int], step_of: Callable[[int], int]) -> None:
        """Judge the steps since the last note up to `last`."""
        first = max(self._since, self._warm_up + 1)
        if last < first:
            return
        oldest, output = self._oldest, self._output
        if oldest is not None:
            self.max_lag = max(self.max_lag, last - oldest.step + 1)
        at_first, at_last = items_at(first), items_at(last)
        floor = at_last if oldest is None else oldest.before
        errors = [relative_error(output, at_first), -relative_error(output, floor)]
        if float(output) < 0 or not isfinite(float(output)):
            errors = [abs(errors[0])]  # the end nearest to the present number of items, at its worst when that is least
        self.max_error = max(self.max_error, *errors)
        if self._alpha is not None and max(errors) >= 0.99 * float(self._alpha):
            self._count_failing(first, last, at_first, step_of)

    def _count_failing(self, first: int, last: int, at_first: int, step_of: Callable[[int], int]) -> None:
        """Add the failing steps from `first` to `last`, in exact arithmetic: a head that is too high, a low tail."""
        alpha, oldest = self._alpha, self._oldest
        assert alpha is not None
        if not isfinite(float(self._output)):
            head, tail = last, last + 1
        else:
            value = exact(self._output)
            least = -((-value) // (1 + alpha))  # the first number of items for which the output is not too high
            most = value // (1 - alpha)  # the last one for which it is not too low
            head = first - 1 if at_first >= least else min(last, step_of(int(least)) - 1)
            if oldest is None:
                tail = first if at_first > most else max(first, min(last + 1, step_of(int(most) + 1)))
            else:
                tail = first if oldest.before > most else last + 1
        tail = max(tail, head + 1)
        failing = head - first + 1 + last - tail + 1
        if failing and self.first_failure is None:
            at_once = head >= first or tail == first
            self.first_failure = at_first if at_once else int(most) + 1
            self.first_failing_step = first if at_once else tail
        self.failing_steps += failing

    def verdict(self) -> Verdict:
        """Return ok, failed, or undecided if nothing is promised."""
        if self._alpha is None:
            return "undecided"
        return "failed" if self.failing_steps else "ok"
