"""The step engine: one SimPy event per item. Slow and simple, the reference for the other engines."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, ClassVar

import simpy

from disttrack.simulator.game.engines.simulated import END, Simulated, trigger_at


class Step(Simulated):
    """One process that delivers the items, one per step, each to its site."""

    name: ClassVar[str] = "step"

    def begin(self) -> None:
        self.env.process(self._feed())

    def _feed(self) -> Generator[simpy.Event, Any, None]:
        now, turns = 0, self.consultation
        while True:
            yield self.env.timeout(1)
            now += 1
            site = turns.plan.at(now - turns.begun)
            if site is not None:
                messages = self.sites[site].take(1)
                if messages:
                    self.speak(site, messages, now)
            if self.network is not None:
                judged = self.env.event()
                trigger_at(self.env, judged, now, END)
                yield judged
            if now >= turns.due:
                self.consult(now)
            if now >= self.game_end:
                self._ended.succeed()
                return

    def sync(self, site: int) -> None:
        """Do nothing: every site has all of its items."""

    def enter_plan(self, now: int) -> None:
        """Do nothing: each step asks the plan itself."""
