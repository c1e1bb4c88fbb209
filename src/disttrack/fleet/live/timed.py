"""Games in real time: items come at a rate, whether or not messages are in transit."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from statistics import fmean
from typing import Any, ClassVar, Final

from disttrack.adversaries.base import Adversary
from disttrack.fleet.live.engine import Led, LedLeap, LedQuota, RemoteServer
from disttrack.fleet.quotas import Quota
from disttrack.protocols.base import Protocol
from disttrack.simulator.errors import RunError, ScenarioError
from disttrack.simulator.game.engines import Engine
from disttrack.simulator.game.engines.base import Strides
from disttrack.simulator.game.verdict import IntervalJudge

TICK: Final = 0.002
"""Least seconds from one handing out of items to the next."""
EACH: Final = 0.0005
"""Seconds more for each site: more often, sites would spend their time on waking up."""
STILL: Final = 3
"""Number of equal observations after which no message is in transit."""


class Timed(Led, Strides):
    """A game of a tracker in real time. A step is an item, at the moment at which it is handed out.

    The error of an output is relative to the items handed out by then, whatever is in transit, so there is no verdict.

    Attributes
    ----------
    ways
        Mean seconds of a message to the server, and of one to a site; None where there was none.
    """

    ways: tuple[float | None, float | None]

    def __init__(self, *sides: Any, **options: Any) -> None:
        super().__init__(*sides, **options)
        self.referee = IntervalJudge(None, self.start, self.server.output)

    def make_sides(self) -> None:
        self.sites = self.remote()
        self.server = RemoteServer(self.processes.ask(self.processes.server, "output"), tuple)
        self._at: list[int] = []
        self._given: list[int] = []
        """When items were handed out, in nanoseconds, and how many by then."""

    @property
    def now(self) -> int:
        return self._given[-1] if self._given else 0

    def sent(self, step: int) -> int:
        return step

    def enter_plan(self, now: int) -> None:
        if self.consultation.plan.skips:
            raise ScenarioError("live: in real time no step can be skipped; leave --rate out")

    def run(self) -> None:
        assert self.rate is not None
        begun, tick = time.monotonic(), TICK + EACH * self.k
        while self.now < self.game_end:
            time.sleep(tick)
            if self.consultation.reacts:
                self._look()
            due = min(int((time.monotonic() - begun) * self.rate), self.items, self.game_end)
            while self.now < due:
                self._hand_out(min(due, self.consultation.end))
                self.consult(self.now)
        self._settle()
        self._judge()

    def _look(self) -> None:
        """Show the adversary a new output, which it acts on from the next item on."""
        output = self.processes.ask(self.processes.server, "output")
        if output != self.server.output:
            self.server.output = output
            self.view.show(output)
            self.consultation.news(self.now)
            self.consult(self.now)

    def show(self, step: int, sent: int) -> None:
        self.view.record(steps=step, sent=sent)

    def _hand_out(self, step: int) -> None:
        """Give the sites their items up to a step of the present plan."""
        plan, begun, before = self.consultation.plan, self.consultation.begun, self.now
        support = plan.support(self.k)
        groups: defaultdict[Connection, list[tuple[int, int]]] = defaultdict(list)
        for site in range(self.k) if support is None else support:
            if items := plan.count(site, step - begun) - plan.count(site, before - begun):
                groups[self.processes.of_site[site]].append((site, int(items)))
        self._at.append(time.monotonic_ns())
        self._given.append(step)
        for pipe, items in groups.items():
            pipe.send(("take", items))

    def _settle(self) -> None:
        """Wait until no message is in transit."""
        still, before, until = 0, None, time.monotonic() + 60
        while still < STILL:
            if time.monotonic() > until:
                raise RunError("live: messages are still on their way a minute after the last item")
            time.sleep(max(TICK, 2 * self.delay))
            self._ask(self.sites, range(self.k))
            counts = self.processes.ask(self.processes.server, "counts"), list(self._sent)
            still, before = (still + 1 if counts == before else 0), counts

    def _judge(self) -> None:
        """Collect the logs of the processes, and judge each output from its step on."""
        rows, outputs, self.bytes, self.server.rounds, self.ledger.broadcasts = self.processes.ask(
            self.processes.server, "log"
        )
        for row in rows:
            step = self._step_at(row[0])
            self._checkpoints_before(step, outputs)
            self.write(step, row)
        self._checkpoints_before(self.now + 1, outputs)
        heard = {(site, up, number): at for at, site, up, number, *_ in rows}
        ways: tuple[list[int], list[int]] = ([], [])
        for pipe in dict.fromkeys(self.processes.of_site):
            for at, site, up, number in self.processes.ask(pipe, "log"):
                if (site, up, number) in heard:
                    ways[not up].append((1 if up else -1) * (heard[site, up, number] - at))
        self.ways = tuple(fmean(times) / 1e9 if times else None for times in ways)  # type: ignore[assignment]
        self.server.output = outputs[-1][1] if outputs else self.server.output

    def _step_at(self, at: int) -> int:
        """Return the step of a moment: the items handed out by then, at least one."""
        place = bisect_right(self._at, at)
        return max(1, self._given[place - 1] if place else 0)

    def _checkpoints_before(self, step: int, outputs: list[tuple[int, object]]) -> None:
        """Judge the outputs before a step, and take the timeline's rows up to it."""
        while outputs and self._step_at(outputs[0][0]) < step:
            at, output = self._step_at(outputs[0][0]), outputs.pop(0)[1]
            while outputs and self._step_at(outputs[0][0]) == at:
                output = outputs.pop(0)[1]  # the last one of a step counts
            self.pass_checkpoints(at - 1)
            items, referee = self.start + at, self.referee
            news = output != referee.output and referee.change(at, items, items - 1, output)
            if news and self.outputs is not None:
                self.outputs.append((at, referee.value))
        self.pass_checkpoints(step - 1)


@dataclass
class Host:
    """Makes the engine of each game, for `simulator.game.play.hosted`, and keeps what it measured.

    Parameters
    ----------
    rate
        Items per second; None for items that wait for the messages of earlier ones.
    delay
        Seconds that each message waits before it is received.

    Attributes
    ----------
    played
        The engines of the games so far.
    """

    name: ClassVar[str] = "live"
    rate: float | None = None
    delay: float = 0.0
    played: list[Led] = field(default_factory=list)

    def __call__(self, protocol: Protocol, adversary: Adversary, **options: object) -> Engine:
        kind: type[Led] = LedQuota if isinstance(protocol, Quota) else LedLeap if self.rate is None else Timed
        engine = kind(protocol, adversary, delay=self.delay, rate=self.rate, **options)
        self.played.append(engine)
        return engine
