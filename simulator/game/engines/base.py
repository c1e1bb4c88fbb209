"""What all engines share: the two sides, the truth, the verdict, and asking the adversary."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Final, NoReturn

import numpy as np

from adversaries.base import Adversary, View
from adversaries.schedules import NEVER, Burst, Rest, Schedule
from protocols.base import Number, Protocol, Server
from simulator.errors import MoveError
from simulator.game.channels import TranscriptRow
from simulator.game.ledger import Ledger
from simulator.game.timeline import Timeline
from simulator.game.verdict import Referee

PATIENCE: Final = 100_000
"""Plans without an item, one after the other, that an adversary may make."""

_EVERY_STEP: Final = Burst(0)
"""Stands for any plans without skips where only the number of items counts."""

ROLES: Final = ("sites", "server", "adversary", "network")


def streams(seed: int) -> dict[str, np.random.Generator]:
    """Return one independent random generator a role, all from one seed."""
    return {
        role: np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(number,)))
        for number, role in enumerate(ROLES)
    }


class Engine(ABC):
    """One game in play.

    Parameters
    ----------
    protocol, adversary
        The two sides; the adversary must be this game's own.
    sites, items, start
        Number of sites, of items to come, and of items counted before the first step.
    seed
        Root of the game's random streams.
    record
        Whether to keep the transcript and every output.
    """

    name: ClassVar[str]
    server: Server

    def __init__(
        self,
        protocol: Protocol,
        adversary: Adversary,
        *,
        sites: int,
        items: int,
        start: int = 0,
        seed: int = 0,
        record: bool = False,
    ) -> None:
        self.k, self.items, self.start = sites, items, start
        self.protocol, self.adversary = protocol, adversary
        self.rngs = streams(seed)
        self.ledger = Ledger(sites, start + items)
        self.timeline = Timeline(start, items)
        self.outputs: list[tuple[int, Number]] | None = [] if record else None
        self.make_sides()
        self.referee = Referee(protocol.accuracy, start, self.server.output)
        known = protocol.known(sites)
        self.view = View(sites=sites, items=items, start=start, known=known, rng=self.rngs["adversary"])
        # the plan in force: its first step follows `plan_start`, with `sent_before` items sent by then
        self.plan: Schedule = Rest(1)
        self.plan_start = 0
        self.course: tuple[Schedule, int] | None = None
        """Plan and beginning, another object for each plan even where the same one is begun again."""
        self.sent_before = 0
        self.plan_end = 0
        self.game_end = NEVER
        self._segments: list[tuple[int, int, Schedule]] = []
        self._skipped = False
        self._idle = 0
        # while no step is skipped, items are steps plus a constant; plain: and outputs are not recorded
        self._offset = start
        self._plain = not record

    @abstractmethod
    def make_sides(self) -> None:
        """Make the server and the sites."""

    @property
    @abstractmethod
    def now(self) -> int:
        """The present step."""

    @property
    @abstractmethod
    def transcript(self) -> list[TranscriptRow] | None:
        """The messages so far; None unless they are recorded."""

    # ------------------------------------------------------------------ to be played

    def play(self) -> None:
        """Play the game to its end."""
        if self.items:
            self.ask(0, 0)
        else:
            self.game_end = 0
        if self.game_end:
            self.run()
            self._close(self.game_end)

    def stop(self) -> None:
        """End a game that cannot go on with the step before the present one."""
        self.game_end = max(0, self.now - 1)
        if self.game_end:
            self._close(self.game_end)

    def _close(self, last: int) -> None:
        items = self.start + self.sent(last)
        self.referee.catch_up(self._offset)
        self._checkpoints(items, last)
        self.referee.close(last, items, self._step_of if self._skipped else None)

    @abstractmethod
    def run(self) -> None:
        """Play from the first step to `game_end`."""

    # ------------------------------------------------------------------ the truth

    def sent(self, step: int) -> int:
        """Return the items sent by the end of a step of the plan in force."""
        return self.sent_before + self.plan.sent(step - self.plan_start)

    def _step_of(self, n: int) -> int:
        """Return the step of the n-th item of all, n counted with the start, since the last change."""
        n -= self.start
        for begin, before, plan in reversed(self._segments):
            if n > before:
                return begin + plan.step_of(n - before)
        return 0

    # ------------------------------------------------------------------ the adversary

    def ask(self, now: int, sent: int) -> None:
        """Ask the adversary for its next plan, after step `now` with `sent` items sent."""
        view, referee = self.view, self.referee
        referee.catch_up(self._offset)
        view.steps, view.sent = now, sent
        view.output, view.changed_at, view.changes = referee.value, referee.step, referee.changes
        plan = self.adversary.plan(view)
        if plan is None or (plan is self.plan and now < self.plan_end):
            if now >= self.plan_end:  # it has nothing more to do: the game ends here
                self.game_end = now
            return
        if not isinstance(plan, Schedule) or plan.lowest() < 0 or plan.highest() >= self.k:
            self._refuse(plan, now)
        self.leave_plan(now)
        self.plan, self.plan_start, self.sent_before = plan, now, sent
        self.course = (plan, now)
        self._offset = self.start + sent - now
        left, length = self.items - sent, plan.length
        self.plan_end = now + length
        if plan.skips or self._skipped:
            self._expect_skips(plan, now, sent)
        else:
            self.game_end = now + left if left <= length else NEVER
        self.enter_plan(now)

    def _expect_skips(self, plan: Schedule, now: int, sent: int) -> None:
        """Keep what maps items to steps while some are skipped, and see that skipping has an end."""
        if not self._skipped:
            # up to now every step since the last change brought an item, whichever plans they were
            begin = max(0, self.referee.step - 1)
            self._segments = [(begin, sent - (now - begin), _EVERY_STEP)]
        self._skipped, self._plain = True, False
        self._segments.append((now, sent, plan))
        self.game_end = min(now + plan.step_of(self.items - sent), NEVER)
        if self.game_end >= NEVER and self.plan_end >= NEVER:
            self.game_end = now  # it will skip for ever, so nothing will ever happen again
        self._idle = self._idle + 1 if plan.step_of(1) > plan.length else 0
        if self._idle > PATIENCE:
            raise MoveError(
                f"{self._adversary_name()}: skipped {PATIENCE} plans in a row up to step {now}; "
                "return None from plan() to end the game"
            )

    def _refuse(self, plan: Any, now: int) -> NoReturn:
        if not isinstance(plan, Schedule):
            raise MoveError(
                f"{self._adversary_name()}: plan() returned {plan!r} after step {now}; accepted: a schedule "
                "(Burst, Rest, Rotation, Labels, Runs) or None"
            )
        lowest, highest = plan.lowest(), plan.highest()
        site = lowest if lowest < 0 else highest
        raise MoveError(
            f"{self._adversary_name()}: named site {site} at step {now + plan.first_step(site)}; "
            f"this game has sites 0 … {self.k - 1}"
        )

    def _adversary_name(self) -> str:
        return f"adversary {self.adversary.kind or type(self.adversary).__name__}"

    def leave_plan(self, now: int) -> None:  # noqa: B027 - a hook that most engines need not fill
        """Take note that the plan in force ends with step `now`; there may be none yet."""

    @abstractmethod
    def enter_plan(self, now: int) -> None:
        """Take note that a new plan is in force from step `now` + 1 on."""

    def _sent_at(self, step: int) -> int:
        for begin, before, plan in reversed(self._segments):
            if step >= begin:
                return before + plan.sent(step - begin)
        return 0

    def _checkpoints(self, items: int, step: int) -> None:
        if self.timeline.due <= items:
            self.referee.catch_up(self._offset)
            ledger, step_of = self.ledger, self._step_of if self._skipped else None
            self.timeline.pass_by(items, step, self.referee.output, ledger.messages, ledger.words, items, step_of)
