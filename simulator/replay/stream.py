"""Who was fed when in a recorded game: the truth at any step, of all sites and of each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from disttrack.simulator.replay.plans import SKIP
from disttrack.simulator.replay.record import GameRecord

SHORT: Final = 4096
"""Steps up to which a rotation is written out as single steps; a longer one is counted by its formula."""


class Stream:
    """The items of a game, as runs on single sites and laps over many.

    Parameters
    ----------
    record
        The game.
    """

    def __init__(self, record: GameRecord) -> None:
        self.steps = int(record.about["steps"])
        begins: list[Any] = []
        sites: list[Any] = []
        self._laps: list[tuple[int, int, int, int]] = []
        for turn in record.asked:
            if turn.plan is not None:
                self._add(turn.plan, turn.step, turn.taken, begins, sites)
        self._begins = np.concatenate([[0], *begins]).astype(np.int64)  # the step before the run's first
        self._sites = np.concatenate([[SKIP], *sites]).astype(np.int64)
        self._lengths = np.diff(np.append(self._begins, self.steps))
        fed = np.where(self._sites == SKIP, 0, self._lengths)
        for begin, taken, *_ in self._laps:
            fed[np.flatnonzero((self._begins == begin) & (self._lengths == taken))] = taken
        self._before = np.concatenate(([0], np.cumsum(fed)))
        self._fed = fed

    def _add(self, plan: Any, step: int, taken: int, begins: list[Any], sites: list[Any]) -> None:
        match plan:
            case {"site": site}:
                begins.append([step])
                sites.append([site])
            case {"rest": True}:
                begins.append([step])
                sites.append([SKIP])
            case {"rotation": [of, first]} if taken > SHORT:
                self._laps.append((step, taken, of, first))
                begins.append([step])
                sites.append([SKIP])  # counted by its formula
            case {"rotation": [of, first]}:
                begins.append(step + np.arange(taken))
                sites.append((first + np.arange(taken)) % of)
            case {"runs": [fed, lengths]}:
                begins.append(step + np.concatenate(([0], np.cumsum(lengths)[:-1])))
                sites.append(fed)

    def sent(self, steps: Any) -> Any:
        """Return the items sent by the end of each of these steps."""
        run = self._run(steps)
        within = np.asarray(steps) - self._begins[run]
        return self._before[run] + np.where(self._fed[run] > 0, within, 0)

    def step_sites(self, steps: Any) -> Any:
        """Return the site that was fed in each of these steps, -1 for none."""
        steps = np.asarray(steps)
        sites = self._sites[self._run(steps)]
        for begin, taken, of, first in self._laps:
            there = (steps > begin) & (steps <= begin + taken)
            sites = np.where(there, (first + steps - begin - 1) % of, sites)
        return np.where(steps > 0, sites, SKIP)

    def _run(self, steps: Any) -> Any:
        """Return the run that each step lies in."""
        return np.maximum(np.searchsorted(self._begins, steps, side="left") - 1, 0)

    def of_site(self, site: int) -> Callable[[Any], Any]:
        """Return the function that gives the items of one site by the end of each of these steps."""
        mine = self._sites == site
        begins, lengths = self._begins[mine], self._lengths[mine]
        before = np.concatenate(([0], np.cumsum(lengths)))
        laps = [lap for lap in self._laps if site < lap[2]]

        def items_at(steps: Any) -> Any:
            items = np.zeros(len(steps), dtype=np.int64)
            if len(begins):
                run = np.searchsorted(begins, steps, side="left") - 1
                there = np.maximum(run, 0)
                items = np.where(run >= 0, before[there] + np.minimum(steps - begins[there], lengths[there]), 0)
            for begin, taken, of, first in laps:
                items = items + (np.clip(steps - begin, 0, taken) + of - 1 - (site - first) % of) // of
            return items

        return items_at
