"""The attacker that predicts the steps in which the robust tracker releases a new output."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

from disttrack.adversaries.base import Adversary, View
from disttrack.adversaries.machines import BELOW, NEAR, STORES, Machine, machine, phase_burst
from disttrack.adversaries.schedules import Burst
from disttrack.adversaries.scripts import Scripted
from disttrack.mechanisms.checks import ZeroToOne

Side = Literal["above", "below"]


@dataclass
class Phase(Scripted, Adversary):
    """Predicts the next release from earlier ones, and feeds a suitable site at that time.

    The robust tracker changes its output once per phase, and a release shows that the last site has just
    signalled. Phases are about equally long, so the next release can be predicted. In the first part of a phase it
    feeds the last sites. In the second part it feeds, to err ``above``, a site that has not yet been caught in this
    round, and leaves it permanently once it is; to err ``below``, one that has been caught, whose block still takes
    items without a signal while the output lags behind anyway.

    Parameters
    ----------
    near
        Share of a phase that it lets pass first, from 0 to 1.
    side
        above or below.

    Source
    ------
    derived; aims at the leaked set of Xiong, Zhu, Huang 2023, section 4.
    """

    kind: ClassVar[str] = "phase"

    near: ZeroToOne = 0.5
    side: Side = "above"

    def script(self, view: View) -> Iterator[Burst]:
        caught: list[int] = []
        length = 0.0
        while True:
            target, begun, changes = None, view.sent, view.changes
            while view.changes == changes:
                quiet = int(self.near * length) - (view.sent - begun)
                if quiet > 0:
                    yield Burst(view.sites - 1 - changes % min(STORES, view.sites), quiet)
                else:
                    target = self._target(view, caught)
                    yield Burst(target)
            passed = view.sent - begun
            # a moving mean: phases grow with the count, from round to round
            length = passed if not length else 0.7 * length + 0.3 * passed
            if view.output == view.start + view.sent:
                caught.clear()  # the output is exact: a new round
            elif target is not None and target not in caught[-view.sites :]:
                caught.append(target)

    def machine(self, view: View) -> Machine:
        return machine(phase_burst, {NEAR: self.near, BELOW: self.side == "below"}, [0.0] * (2 * view.sites))

    def _target(self, view: View, caught: list[int]) -> int:
        """Return the site to feed in the second part of a phase."""
        if self.side == "below" and caught:
            return caught[view.changes % len(caught)]
        return len(caught) % view.sites if self.side == "above" else view.changes % view.sites
