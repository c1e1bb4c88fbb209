"""The compiled engine of games of items: the transcript of `leap`, item by item, by compiled functions on arrays."""

from __future__ import annotations

from math import inf
from typing import Any, ClassVar, Final

import numpy as np

from disttrack.adversaries.contents import Pairs
from disttrack.adversaries.schedules import NEVER
from disttrack.protocols.contents.kernel import ESTIMATE, MOST_CELLS, TRUTH, ItemForm
from disttrack.protocols.kernel import (
    ASK,
    BEGUN,
    END,
    LAST,
    MOST,
    OVER,
    PLAN,
    REACTS,
    REFILL,
    ROW,
    SENT,
    SERVE,
    SITE,
    STEP,
)
from disttrack.simulator.game.contents.problem import Frequency
from disttrack.simulator.game.engines.base import Strides, UncompiledError
from disttrack.simulator.game.engines.compiled import compiled_part, functions_in_time
from disttrack.simulator.game.engines.contents import ContentEngine
from disttrack.simulator.game.engines.contents_kernel import (
    ALL_CHANGES,
    CHANGED,
    CHANGED_AT,
    HIGHEST,
    LOWEST,
    SHOWN,
    STEPS_CHANGED,
    TAKE_ROW,
    TURNS,
    WORST_ITEM,
    WORST_STEP,
    play_items,
)
from disttrack.simulator.game.network.mail import Receivers
from disttrack.simulator.game.reference import own_code

LEAP: Final = 3e4
"""Messages of a bound that `leap` plays in a second."""
ITEMS: Final = 3e7
"""Items that the compiled functions play in a second, drawn and judged."""
KEPT_PLANS: Final = 4096
"""Plans of one item each that are kept ready."""


class ContentCompiled(ContentEngine, Strides):
    """A game of items as arrays; for its parameters see `ContentEngine`, and `in_time` of `Compiled`."""

    name: ClassVar[str] = "compiled"
    form: ItemForm
    referee: Frequency

    def __init__(self, *sides: Any, in_time: bool = False, **options: Any) -> None:
        super().__init__(*sides, **options)
        if type(self.problem) is not Frequency or self.transcript is not None or self.watch is not None:
            raise UncompiledError("the compiled form judges frequencies, and keeps no record")
        if self.items > MOST:
            raise UncompiledError("the game is too long for the compiled form")
        form, seconds = self.form, inf
        if in_time:
            messages = self.protocol.cost_bound(self.k, self.items)
            if self.items / ITEMS > messages / LEAP:
                raise UncompiledError("to play each item takes longer than to leap from message to message")
            seconds = messages / LEAP
        self._play = functions_in_time(play_items, _of_game, {"report": form.report}, seconds)
        self._items = np.zeros((16, SHOWN + 1), dtype=np.int64)
        self._cells = np.zeros((1, 1), dtype=np.int64)
        self._seen, self._extremes = np.zeros(WORST_ITEM + 1, dtype=np.int64), np.zeros(2)
        self._fed = self._named = np.zeros(1, dtype=np.int64)
        self._ready: dict[Pairs, tuple[Any, Any]] = {}
        self._header = form.whole.data
        self._header[REACTS] = self.consultation.reacts
        self._header[ROW] = min(self.timeline.due, NEVER)

    def parts(self) -> Receivers:
        form = self.protocol.item_form(self.k, self.rngs["sites"], self.rngs["server"])
        if form is None:
            raise UncompiledError("the tracker has no compiled form with these parameters")
        self.form = form
        return Receivers((), form.server)

    @property
    def now(self) -> int:
        return self._header[STEP]

    def sent(self, step: int) -> int:
        return step

    # ------------------------------------------------------------------ playing

    def run(self) -> None:
        form, event = self.form, -1
        while event != OVER:
            if event == ASK:
                self._ask()
            elif event == SERVE:
                form.serve(self.ledger, compiled_part)
            elif event == REFILL:
                form.refill()
            elif event == TAKE_ROW:
                self._take_row()
            event = self._play(
                form.whole, form.real, form.sites, self._items, self._cells, self._seen, self._extremes,
                self._fed, self._named,
            )  # fmt: skip

    def _ask(self) -> None:
        """Ask the adversary after the present step."""
        header, seen, step = self._header, self._seen.data, self._header[STEP]
        if header[REACTS] and seen[CHANGED]:  # it is asked after each change: of the item that came
            problem, item = self.referee, header[SITE]
            self.form.server.estimates[problem.names[item]] = self._items.item(item, ESTIMATE)
            problem.changes, problem.step = seen[STEPS_CHANGED], step
            self.consultation.news(step)
        seen[CHANGED] = 0
        self.consult(step)

    def _turns(self) -> Pairs | None:
        """Return the pairs that the adversary takes in turn, if that is all that it does."""
        adversary: Any = self.adversary
        return adversary.turns(self.view) if self.consultation.reacts and not own_code(adversary) else None

    def leave_plan(self, now: int) -> None:
        """Do nothing: all items are counted as they come."""
        return

    def enter_plan(self, now: int) -> None:
        plan: Any = self.consultation.plan
        if type(plan) is not Pairs or plan.weights is not None:
            raise UncompiledError("the compiled form takes lists of pairs without weights")
        self._header[BEGUN] = now
        if plan in self._ready:
            self._fed, self._named = self._ready[plan]
            return
        self._fed, self._named = plan.labels, self._numbered(plan)
        if plan.period == 1 and len(self._ready) < KEPT_PLANS:
            self._ready[plan] = self._fed, self._named

    def _numbered(self, plan: Any) -> Any:
        """Return the numbers of a plan's items, and make room for them."""
        problem = self.referee
        if plan.period == 1:
            numbers = np.array([problem.number(plan.contents.item(0))])
        else:
            kinds, places = plan.items_by_place()
            numbers = np.array([problem.number(item) for item in kinds])[places]
        known = len(problem.names)
        if known > len(self._items):
            more = max(known, 2 * len(self._items)) - len(self._items)
            self._items = np.concatenate((self._items, np.zeros((more, SHOWN + 1), dtype=np.int64)))
        if self.form.by_site and len(self._items) * self.k > len(self._cells):
            if len(self._items) * self.k > MOST_CELLS:
                raise UncompiledError("there are too many items and sites for the compiled form")
            more = len(self._items) * self.k - len(self._cells)
            self._cells = np.concatenate((self._cells, np.zeros((more, 1), dtype=np.int64)))
        return numbers

    def consult(self, step: int) -> None:
        if not step and (turns := self._turns()) is not None:
            self._header[PLAN], self._header[REACTS] = TURNS, 0
            self.go_on(turns, 0, 0)
        else:
            super().consult(step)
        self._header[LAST], self._header[END] = self.game_end, self.consultation.end

    # ------------------------------------------------------------------ the verdict

    def _take_row(self) -> None:
        step, ledger = self.now, self.ledger
        up = [int(self._header[place]) for _, place in self.form.messages]
        messages = ledger.messages + sum(up)
        words = ledger.words + sum(number * one.words for number, (one, _) in zip(up, self.form.messages, strict=True))
        self.timeline.pass_by(step, step, None, messages, words, step)  # type: ignore[arg-type]
        self._header[ROW] = min(self.timeline.due, NEVER)

    def error_at(self, step: int) -> float:
        problem = self.referee
        known = self._items[: len(problem.names)]
        return float(problem.errors_of(known[:, ESTIMATE], known[:, TRUTH], step).max())

    def close(self, last: int) -> None:
        form, problem, seen, ledger = self.form, self.referee, self._seen, self.ledger
        form.tell(self._items, problem.names)
        for message, place in form.messages:
            ledger.count_many_up(message, int(self._header[place]))
        ledger.up_sites = form.sites[:, SENT].tolist()
        ledger.down_sites = [ledger.broadcasts] * self.k
        problem.highest, problem.lowest = (float(self._extremes[place]) + 0.0 for place in (HIGHEST, LOWEST))  # no -0.0
        problem.output_changes, problem.changes = int(seen[ALL_CHANGES]), int(seen[STEPS_CHANGED])
        problem.worst_step, problem.step, problem.judged = int(seen[WORST_STEP]), int(seen[CHANGED_AT]), last > 0
        if problem.worst_step:
            problem.worst_item = problem.names[int(seen[WORST_ITEM])]


def _of_game(numba: Any) -> Any:
    whole, real = numba.int64, numba.float64
    table = whole[:, ::1]
    return whole[::1], real[::1], table, table, table, whole[::1], real[::1], whole[::1], whole[::1]
