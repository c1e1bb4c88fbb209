"""The attacker that predicts the steps in which the robust tracker releases a new output."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Literal

from disttrack.adversaries.base import Adversary, View
from disttrack.adversaries.schedules import Burst, Schedule
from disttrack.mechanisms.checks import ZeroToOne

Side = Literal["above", "below"]
STORES = 4
"""Maximum number of sites that get the items of the quiet time in turn."""


@dataclass
class Phase(Adversary):
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
    """

    kind: ClassVar[str] = "phase"
    source: ClassVar[str] = "derived; aims at the leaked set of Xiong, Zhu, Huang 2023, section 4"

    near: ZeroToOne = 0.5
    side: Side = "above"
    _caught: list[int] = field(default_factory=list, init=False, repr=False, compare=False)
    _length: float = field(default=0.0, init=False, repr=False, compare=False)
    _changes: int = field(default=0, init=False, repr=False, compare=False)
    _since: int = field(default=0, init=False, repr=False, compare=False)
    _aiming: bool = field(default=False, init=False, repr=False, compare=False)
    _site: int = field(default=0, init=False, repr=False, compare=False)

    def plan(self, view: View) -> Schedule:
        if view.changes != self._changes:
            passed, self._since, self._changes = view.sent - self._since, view.sent, view.changes
            # a moving mean: phases grow with the count, from round to round
            self._length = passed if not self._length else 0.7 * self._length + 0.3 * passed
            if view.output == view.start + view.sent:
                self._caught.clear()  # the output is exact: a new round
            elif self._aiming and self._site not in self._caught[-view.sites :]:
                self._caught.append(self._site)
            self._aiming = False
        quiet = int(self.near * self._length) - (view.sent - self._since)
        if quiet > 0:
            self._site = view.sites - 1 - view.changes % min(STORES, view.sites)
            return Burst(self._site, quiet)
        self._aiming = True
        self._site = self._target(view)
        return Burst(self._site)

    def _target(self, view: View) -> int:
        caught = self._caught
        if self.side == "below" and caught:
            return caught[view.changes % len(caught)]
        return len(caught) % view.sites if self.side == "above" else view.changes % view.sites
