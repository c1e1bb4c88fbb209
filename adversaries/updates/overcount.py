"""An adversary that reacts to the answers: it deletes items that the last answer over-counted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from disttrack.adversaries.updates.base import Codes, UpdateStream, UpdateView, draw_items
from disttrack.mechanisms.checks import NotNegative, Whole
from disttrack.mechanisms.queries import family

BATCH = 64
"""Pairs of updates planned at a time."""


@dataclass
class Overcount(UpdateStream):
    """Deletes items of the query whose answer is most above the truth, and inserts items that it does not count.

    It knows the truth, since it made the data. Deleting items where an answer is too high moves the truth away from it,
    as long as the answer is constant; if the next answer followed the noise of this one, errors would add up.

    Parameters
    ----------
    keep
        Number of live items that it maintains.
    exponent
        Value x is inserted with probability in proportion to (x + 1)^-exponent while it grows.
    """

    kind: ClassVar[str] = "overcount"
    source: ClassVar[str] = "the adversary that Definition 5 and Theorem 6 of Qiu, Yi 2022 allow: it sees all answers"
    oblivious: ClassVar[bool] = False
    deletes: ClassVar[bool] = True

    keep: Whole = 1_000
    exponent: NotNegative = 1.0

    def updates(self, view: UpdateView) -> Codes:
        missing = self.keep - len(view.live)
        if missing > 0:
            return draw_items(view.rng, view.sites, self.exponent, min(missing, 4096)) + 1
        queries = family(view.known["queries"], view.sites)
        assert view.truth is not None
        for query in np.argsort(view.truth - view.output)[:3].tolist():
            counted = queries.row(query) > 0
            steps = [step for step, item in view.live.items.items() if counted[item]][:BATCH]
            if steps:
                break
        else:
            steps = list(view.live.items)[:BATCH]
        others = np.flatnonzero(~counted)
        pool = others if len(others) else np.arange(view.sites)
        codes = np.empty(2 * len(steps), dtype=np.int64)
        codes[::2] = -np.array(steps)
        codes[1::2] = view.rng.choice(pool, len(steps)) + 1
        return codes
