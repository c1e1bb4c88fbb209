"""The step engine: one SimPy event an item. Slow, plain, and the definition of right."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, ClassVar

import simpy

from simulator.game.engines.simulated import END
from simulator.game.engines.watch import Watched


class Step(Watched):
    """One process that gives the items out, one a step, each to its site."""

    name: ClassVar[str] = "step"

    def run(self) -> None:
        over = self.env.event()
        self.env.process(self._feed(over))
        self.env.run(until=over)

    def _feed(self, over: simpy.Event) -> Generator[simpy.Event, Any, None]:
        now = 0
        while True:
            yield self.env.timeout(1)
            now += 1
            site = self.plan.at(now - self.plan_start)
            if site is not None:
                messages = self.sites[site].take(1)
                if messages:
                    self.speak(site, messages, now)
            if self.network is not None:
                judged = self.env.event()
                self.at(now, END, lambda _, judged=judged: judged.succeed())
                yield judged
            if now >= self.plan_end and now < self.game_end:
                self.ask(now, self.sent(now))
            if now >= self.game_end:
                over.succeed()
                return

    def sync(self, site: int) -> None:
        """Do nothing: every site has all of its items."""

    def enter_plan(self, now: int) -> None:
        """Do nothing: each step asks the plan by itself."""
