"""MyAdversary: an adversary of my own.

Play it:  disttrack play --protocol randomized --adversary my_adversary.py:MyAdversary --sites 16 --items 1e5
In a scenario:  adversary: {kind: my_adversary.py:MyAdversary, patience: 2}
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from disttrack import Adversary, Burst, Schedule, View
from disttrack.mechanisms.checks import Whole


@dataclass
class MyAdversary(Adversary):
    """Feeds a site until the output has changed `patience` times, then goes on to the next.

    Parameters
    ----------
    patience
        Changes of the output for which it stays on a site, at least 1.
    """

    kind: ClassVar[str] = "my-adversary"
    source: ClassVar[str] = "me"

    # The fields of the dataclass are the parameters: `patience: 2` in a scenario, or MyAdversary(patience=2).
    # A value that its type does not accept is reported in one line, before any game starts.
    patience: Whole = 1

    def plan(self, view: View) -> Schedule | None:
        """Return what to do until the output changes.

        It is asked at the start, whenever the output has changed, and when a finite plan has run out.
        What it knows is the view: view.sites, view.items, view.steps, view.sent, view.output, view.changes,
        view.changed_at, view.known["alpha"] (the protocol's parameters), view.rng (its own randomness).
        Plans are Burst(site, length), Rest(length), Rotation(sites), Labels([…]), Runs(sites, lengths);
        None goes on with the present plan.
        """
        return Burst(site=(view.changes // self.patience) % view.sites)
