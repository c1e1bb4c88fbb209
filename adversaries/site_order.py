"""The order in which an attacker visits the sites: laps over the sites, with a wait between two laps."""

from __future__ import annotations

from collections.abc import Iterator

from disttrack.adversaries.base import View
from disttrack.adversaries.known import early


def laps(view: View, reach: float, growth: float, begin: float) -> Iterator[int | None]:
    """Yield the first sites in turn, lap after lap; None while items are to be stored at another site.

    The next value is asked for when the present site is done, and at each change while items are stored.

    Parameters
    ----------
    reach
        Share of the sites in a lap, above 0 and at most 1.
    growth
        Factor by which the output grows from the start of one lap to that of the next, at least 1. With 1
        laps follow immediately.
    begin
        Output at the start of the first lap, in units of c sqrt(k) / alpha items (see `early`); 0 for the start.
    """
    target = begin * early(view)
    while True:
        while (output := float(view.output)) < target:
            yield None
        target = output * growth if growth > 1 else 0.0
        yield from range(max(1, round(reach * view.sites)))
