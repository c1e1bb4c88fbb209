"""The bulk engine: whole segments of a game as arrays, while the schedule is fixed."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from disttrack.adversaries.schedules import NEVER, Burst, Schedule
from disttrack.protocols.base import Message
from disttrack.protocols.bulk import CHUNK, BulkForm, Integers, Segment, Signals
from disttrack.simulator.game.engine_choice import REACTS
from disttrack.simulator.game.engines.segments import NoBulkError, Segments, add_each


class Bulk(Segments):
    """All sites' messages of a segment at once, sorted by step, up to the server's next message.

    Against an adversary that reacts to the outputs a segment also ends when the output changes: until then the plan is
    fixed. Gives the transcript of `leap` if nothing is random, and the same distribution otherwise: the rules are
    the same code, and coins not tossed yet are exchangeable. Memory is O(k) and a bounded chunk of messages.
    """

    name: ClassVar[str] = "bulk"

    def __init__(self, *sides: Any, **options: Any) -> None:
        super().__init__(*sides, **options)
        if self.consultation.reacts and type(self.bulk_form).until_change is BulkForm.until_change:
            raise NoBulkError(REACTS)
        self._before: Any = np.zeros(self.k, dtype=np.int64)
        """Items of each site before the present plan."""
        self._everyone = np.arange(self.k)
        self._fed: Any = None

    def run(self) -> None:
        if self.consultation.reacts:
            self._run_by_changes()
        else:
            self._run_by_plans()
        self.count_sites()

    def _run_by_plans(self) -> None:
        while self.done < self.game_end:
            until = min(self.consultation.end, self.game_end)
            segment = self.bulk_form.advance(self, self.done, until)
            self._check_end("advance", segment.end, until)
            self.take(segment)
            self.done = segment.end
            self.consult(self.done)

    def _run_by_changes(self) -> None:
        form, turns, referee = self.bulk_form, self.consultation, self.referee
        while self.done < self.game_end:
            ahead = form.forwarding(self.items - self.done)
            if ahead is not None and referee.output == self.done + self.offset:
                self._forward(*ahead)
                continue
            until, changes = min(turns.end, self.game_end), referee.changes
            segment = form.until_change(self, self.done, until)
            if segment is not None:
                self._check_end("until_change", segment.end, until)
                until = segment.end
                if isinstance(segment, Signals):
                    self.take_signals(segment)
                else:
                    self._check_steps(segment)
                    self.take(segment)
            self.done = until
            if referee.changes != changes:
                turns.news(until)
            if until >= turns.due:
                self.consult(until)

    def _check_steps(self, segment: Segment) -> None:
        if len(segment.steps) and segment.steps[0] != segment.end:
            name = type(self.bulk_form).__name__
            raise RuntimeError(
                f"{name}.until_change() to step {segment.end} changes the output in step {segment.steps[0]}"
            )

    def _check_end(self, method: str, end: int, until: int) -> None:
        if not self.done < end <= until:
            name = type(self.bulk_form).__name__
            raise RuntimeError(f"{name}.{method}() from step {self.done} to {until} ends at step {end}")

    def _forward(self, message: Message, most: int) -> None:
        """Play items each of which is sent and makes the output exact, at most `most` of them.

        The adversary is asked after each. While it answers with bursts, only the last plan is put in force.
        """
        turns, view, ask = self.consultation, self.view, self.adversary.plan
        plan, begun, end = turns.plan, turns.begun, turns.end
        offset, changes = self.offset, self.referee.changes
        sites: list[int] = []
        answer: Any = plan
        site = self.only
        step = self.done
        last = step + min(most, CHUNK)
        try:
            while step < last:
                sites.append(plan.at(step - begun + 1) if site is None else site)
                step += 1
                if step == self.items:
                    break
                changes += 1
                view.steps = view.sent = view.changed_at = step
                view.output, view.changes = step + offset, changes
                answer = ask(view)
                if (answer is None or answer is plan) and step < end:
                    answer = plan
                    continue
                if type(answer) is not Burst or not 0 <= answer.site < self.k:
                    break
                plan, site, begun, end = answer, answer.site, step, step + answer.length
        finally:
            self._settle(message, sites, plan, begun)
        if answer is not plan:
            turns.news(step)
            self.go_on(turns.accept(answer, step), step, step)

    def _settle(self, message: Message, sites: list[int], plan: Schedule, begun: int) -> None:
        """Record the items of these sites, with `plan` as the present plan from the step after `begun`."""
        first = self.done
        self.take_forwarded(message, sites)
        self.done += len(sites)
        self.bulk_form.forwarded(len(sites))
        if begun > first:
            self.leave_plan(first)
            add_each(self._before, sites[: begun - first])
            self.consultation.follow(plan, begun)
            self.sent_before = begun
            left = self.items - begun
            self.game_end = begun + left if left <= plan.length else NEVER
            self.enter_plan(begun)

    # ------------------------------------------------------------------ plans

    def leave_plan(self, now: int) -> None:
        if not now:
            return
        turns, only = self.consultation, self.only
        if only is not None:
            self._before[only] += now - turns.begun
        elif now - turns.begun >= self.k or turns.plan.support(self.k) is None:
            self._before = self.counts(now)
        else:
            self._before[self.fed] += turns.plan.count(self.fed, now - turns.begun)

    def enter_plan(self, now: int) -> None:
        plan = self.consultation.plan
        if plan.skips:
            raise NoBulkError("the adversary skips steps")
        self._only = plan.site if type(plan) is Burst else None
        self._fed = None

    # ------------------------------------------------------------------ the stream, for the bulk form

    @property
    def only(self) -> int | None:
        """The only site of the present plan, if the plan is one burst."""
        return self._only

    @property
    def fed(self) -> Integers:
        """The sites that receive items in the present plan."""
        if self._fed is None:
            support = self.consultation.plan.support(self.k)
            self._fed = self._everyone if support is None else np.asarray(support, dtype=np.int64)
        fed: Integers = self._fed
        return fed

    def received(self, site: int, step: int) -> int:
        """Return the items of one site by the end of a step."""
        turns = self.consultation
        return int(self._before.item(site) + turns.plan.count(site, step - turns.begun))

    def at(self, steps: Integers) -> Integers:
        turns = self.consultation
        sites: Integers = turns.plan.at(steps - turns.begun)
        return sites

    def counts(self, step: int) -> Integers:
        turns = self.consultation
        counts: Integers = self._before + turns.plan.count(self._everyone, step - turns.begun)
        return counts

    def count(self, sites: Integers, steps: Integers) -> Integers:
        """Return the items of each of these sites by the end of its step."""
        turns = self.consultation
        counts: Integers = self._before[sites] + turns.plan.count(sites, steps - turns.begun)
        return counts

    def nth(self, sites: Integers, n: Integers) -> Integers:
        """Return the step of the n-th item of each of these sites."""
        turns = self.consultation
        steps: Integers = turns.begun + turns.plan.nth(sites, n - self._before[sites])
        return steps
