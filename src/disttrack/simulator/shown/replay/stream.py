"""Who was fed when in a recorded game: the truth at any step, of all sites and of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from disttrack.adversaries.schedules import Rotation, Runs
from disttrack.simulator.shown.replay.record import SKIP, GameRecord, Plan

SHORT: Final = 4096
"""Steps up to which a rotation is written out as single steps; a longer one is counted by its formula."""
UNFIT: Final = "its rows do not fit the game"
"""Why a record is refused that no game has: its steps, sites, losses or plans are others."""
Integers = npt.NDArray[np.int64]


class Stream:
    """The items of a recorded game: runs on single sites, and long rotations, which are counted by their formula.

    Parameters
    ----------
    record
        The game.

    Raises
    ------
    ValueError
        A plan is none, names a site that the game does not have, or does not fit the steps.
    """

    def __init__(self, record: GameRecord) -> None:
        self._rotations: list[tuple[int, int, Rotation]] = []
        sites, lengths, fed = [SKIP], [1], [0]  # in a step before the first, so that there is a run
        end = 0
        for turn in record.asked:
            if turn.plan is None:
                continue
            some, each, items = self._runs(turn.plan, turn.step, turn.taken)
            end = end + sum(each) if turn.step == end else SKIP
            sites.extend(some)
            lengths.extend(each)
            fed.extend(items)
        highest = max([*sites, *(rotation.named()[1] for *_, rotation in self._rotations)])
        if end != record.about.steps or min(sites) < SKIP or highest >= record.about.sites:
            raise ValueError(UNFIT)
        self._list = Runs(sites, lengths)
        self._ends = np.cumsum(lengths) - 1
        self._sent = np.cumsum(fed)

    def _runs(self, plan: Plan, begin: int, taken: int) -> tuple[Sequence[int], Sequence[int], Sequence[int]]:
        """Return sites, lengths and items of the runs of a plan."""
        match plan:
            case {"rotation": [of, first]} if taken > SHORT:
                self._rotations.append((begin, taken, Rotation(of, first)))
                return [SKIP], [taken], [taken]
            case {"rotation": [of, first]}:
                sites, lengths = Rotation(of, first).at(np.arange(1, taken + 1)).tolist(), [1] * taken
            case {"runs": [sites, lengths]}:
                pass
            case {"rest": True}:
                sites, lengths = [SKIP], [taken]
            case {"site": site}:
                sites, lengths = [site], [taken]
            case _:
                raise ValueError(UNFIT)
        return sites, lengths, [length * (site != SKIP) for site, length in zip(sites, lengths, strict=True)]

    def sent(self, steps: Integers) -> Integers:
        """Return the items sent by the end of each of these steps."""
        sent: Integers = np.interp(steps, self._ends, self._sent).astype(np.int64)  # exact below 2^53
        return sent

    def step_sites(self, steps: Integers) -> Integers:
        """Return the site that was fed in each of these steps, -1 for none."""
        sites: Integers = self._list.at(steps + 1)
        for begin, taken, rotation in self._rotations:
            within = (steps > begin) & (steps <= begin + taken)
            sites = np.where(within, rotation.at(steps - begin), sites)
        return sites

    def received(self, site: int, steps: Integers) -> Integers:
        """Return the items of one site by the end of each of these steps."""
        items: Integers = self._list.count(site, steps + 1)
        for begin, taken, rotation in self._rotations:
            items = items + rotation.count(site, np.clip(steps - begin, 0, taken))
        return items
