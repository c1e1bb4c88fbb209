"""The engine `compiled` of quotas: the game of `leap` on arrays, where messages take no time."""

from __future__ import annotations

from math import inf
from typing import Any, ClassVar, Final

import numpy as np

from disttrack.adversaries import Uniform
from disttrack.adversaries.base import Adversary
from disttrack.adversaries.listed_schedules import Labels, Runs
from disttrack.adversaries.schedules import NEVER, Burst, Rest, Rotation, Schedule
from disttrack.fleet import book
from disttrack.fleet.change import Change, Try
from disttrack.fleet.engines import QuotaEngine
from disttrack.fleet.fleet import LOOKS as EACH_WINDOW
from disttrack.fleet.fleet import SHOWN
from disttrack.fleet.kernel import ASK, DECIDE, MORE, OVER, begins, closes, looks_at, opens, play_on
from disttrack.fleet.load_rules import BURST, DIE, DIES, JOIN, LABELS, LEAVE, NUMBERS, REQUESTS, REST, RULE, STAY, moves
from disttrack.fleet.quotas.amounts import first_flush
from disttrack.fleet.quotas.base import Quota
from disttrack.fleet.quotas.kernel import (
    ADMISSIONS,
    ANSWER,
    AWAY,
    BEFORE,
    BEGUN,
    BROADCASTS,
    BROKEN,
    CHANGED_AT,
    CHANGES,
    CLOCK_AT,
    DECIDES,
    DIED,
    DOWN,
    END,
    EVERY,
    FLUSH_AT,
    LAST,
    LEAST,
    LIMIT,
    LOOK,
    LOOK_AT,
    LOOKS,
    LOST,
    MOST_NOTES,
    NOTES,
    OWN,
    OWN_WHOLE,
    PERIOD,
    PLACE,
    PLAN,
    PRESENT,
    REACTS,
    RESERVE,
    ROW,
    SENT,
    SENT_OF,
    SETTLE,
    SETTLE_AT,
    SINCE,
    SITE,
    SLOTTED,
    STEP,
    TURN_AT,
    UP,
    WAITED,
    WINDOW,
)
from disttrack.fleet.quotas.sites import QuotaServer
from disttrack.simulator.game.engine_choice import COMPILED, uncompiled
from disttrack.simulator.game.engines.base import UncompiledError
from disttrack.simulator.game.engines.compiled import functions_in_time
from disttrack.simulator.game.judge import LagJudge
from disttrack.simulator.game.network import Network
from disttrack.simulator.game.reference import own_code
from disttrack.simulator.game.verdict import IntervalJudge

BLOCK: Final = 2**16
"""Most labels that are taken from a plan at once."""
HOW: Final = {"leave": LEAVE, "die": DIE, "join": JOIN}
LOOKED: Final = ("step", "offered", "cost", "admitted", "rejected", "messages", "words", "died", "away")
LARGEST: Final = 2**62
MOST_CHARGES: Final = 2**22
"""Slots of a limit in any window that arrays keep."""
LEAP: Final = 25e3, 1e6, 2e4
"""Messages that `leap` plays per second, requests without one, and requests of loads with plans of few steps."""
_NO_LABELS: Final = np.zeros(0, np.int64)


class QuotaCompiled(QuotaEngine):
    """A game of a quota on arrays; for its parameters see `Engine`, and `in_time` of `Compiled`."""

    name: ClassVar[str] = "compiled"
    protocol: Quota
    server: QuotaServer

    def __init__(self, *sides: Any, in_time: bool = False, **options: Any) -> None:
        super().__init__(*sides, **options)
        if self.network is not None or self.watch is not None or self.transcript is not None or self.start:
            raise UncompiledError("the compiled form keeps no record, and knows no network and no start")
        self.view.record(answers=self.server.answers)
        self._shown = 0
        """Changes of answers that the view has."""
        self._changed: Change | None = None
        self.lag = LagJudge(self.protocol.accuracy, 0)
        messages, requests, planned = LEAP
        by_plans = self.adversary.rests and not self.adversary.oblivious
        seconds = self.protocol.quick_bound(self.k, self.items) / messages
        seconds += self.items / (planned if by_plans else requests)
        self._play = functions_in_time(play_on, _types, self.form.parts, seconds if in_time else inf)

    def make_sides(self) -> None:
        rule, k = self.protocol, self.k
        form = rule.kernel_form(k, self.rngs["sites"], self.rngs["server"])
        if form is None:
            raise UncompiledError("the protocol has no compiled form with these parameters")
        most = (rule.limit + rule.price * (self.items + 1)) * k * form.most
        clocks = 4 * max(rule.window, rule.period, rule.settle, (rule.every or 0) * (k + 1))
        if max(most, clocks, *map(abs, form.own.values())) > LARGEST or form.charges > MOST_CHARGES:
            raise UncompiledError("its numbers are too large for the compiled form")
        self.form, self.server = form, rule.server(k, self.rngs["server"])
        whole = self.whole = np.zeros(OWN_WHOLE + 13 + form.charges, np.int64)
        self.table = np.zeros((k, OWN + form.columns), np.int64)
        self.costs = np.cumsum([0, *rule.cycle])
        whole[[LIMIT, RESERVE, LEAST, WINDOW, SETTLE]] = (
            rule.pool, rule.reserve, rule.reserve or min(rule.cycle), rule.window, rule.settle,
        )  # fmt: skip
        every = whole[EVERY] = rule.every or 0
        whole[LOOK] = max(1, rule.window // EACH_WINDOW)
        whole[PERIOD], whole[SLOTTED] = rule.period, rule.shape != "window"
        whole[TURN_AT], whole[SETTLE_AT] = rule.period, rule.settle or NEVER
        whole[FLUSH_AT] = first_flush(0, k, every) if every else NEVER
        whole[LOOK_AT] = min(whole[LOOK], rule.window)
        whole[CLOCK_AT] = min(whole[[TURN_AT, SETTLE_AT, FLUSH_AT, LOOK_AT]])
        for place, number in form.own.items():
            whole[place] = number
        self.table[:, PRESENT], self.table[:, ANSWER] = 1, -1
        self.table[:, PLACE] = [rule.first_cost(site, k) % len(rule.cycle) for site in range(k)]
        form.parts.get("closes", closes)(whole, self.table)
        for site in range(k):
            form.parts.get("opens", opens)(whole, self.table, site)
        self.queue = np.zeros((2 * k + 2, 2), np.int64)
        self.labels = _NO_LABELS
        self.load = np.zeros(NUMBERS, np.int64)
        if rule_of_load := rule_of(self.adversary):
            stay = min(getattr(self.adversary, "stay", None) or self.items, NEVER)
            self.load[[RULE, STAY, DIES, REQUESTS]] = rule_of_load, stay, getattr(self.adversary, "dies", 0), self.items
        self.looks = np.zeros((2 * EACH_WINDOW, len(LOOKED) + (2 * k if k <= SHOWN else 0)), np.int64)
        self.died = np.zeros(16 + k, np.int64)
        whole[MOST_NOTES] = book.MOST
        self.notes, self.log = np.zeros((min(1024, book.MOST), 3), np.int64), np.zeros((1024, 3), np.int64)
        self.rows = np.zeros((len(self.timeline.at), 5), np.int64)
        self.rows[:, 0] = self.timeline.at

    def referee_of(self) -> IntervalJudge:
        return IntervalJudge(self.protocol.accuracy, self.start, self.server.output)

    @property
    def now(self) -> int:
        return int(self.whole[STEP])

    def sent(self, step: int) -> int:
        return int(self.whole[SENT])

    # ------------------------------------------------------------------ playing

    def run(self) -> None:
        whole = self.whole
        whole[REACTS] = self.consultation.reacts
        while True:
            logs = self.rows, self.looks, self.notes, self.log, self.died
            event = self._play(whole, self.table, self.costs, self.labels, *logs, self.queue, self.load)
            if whole[BROKEN]:
                raise UncompiledError("a site comes that is there, or goes that is not")
            if event == OVER:
                self.game_end = int(whole[LAST])
                return
            if event == ASK:
                self.consultation.due = self.now  # its plan has run out, or it reacts to a new answer
                self.consult(self.now)
                if self.now >= self.game_end:
                    return
            elif event == MORE:
                self._make_room()
            elif event == DECIDE and self.form.decides:
                whole[DECIDES] = 0
                self.form.decides(self.server, self.table)

    def _make_room(self) -> None:
        """Double the arrays that are full, and take the next labels of the plan."""
        whole = self.whole
        if whole[CHANGES] == len(self.log):
            self.log = np.concatenate((self.log, np.zeros_like(self.log)))
        if whole[LOOKS] == len(self.looks):
            self.looks = np.concatenate((self.looks, np.zeros_like(self.looks)))
        if whole[NOTES] == len(self.notes) < whole[MOST_NOTES]:
            self.notes = np.concatenate((self.notes, np.zeros_like(self.notes)))[: whole[MOST_NOTES]]
        if whole[DIED] + self.k > len(self.died):
            self.died = np.concatenate((self.died, np.zeros_like(self.died)))
        if whole[PLAN] == LABELS and self.now - whole[BEGUN] - whole[BEFORE] == len(self.labels):
            self._take_labels()

    def _take_labels(self) -> None:
        first, plan = self.now - int(self.whole[BEGUN]), self.consultation.plan
        last = min(first + BLOCK, plan.length)
        self.labels = np.ascontiguousarray(plan.at(np.arange(first + 1, last + 1)), np.int64)
        self.whole[BEFORE] = first

    # ------------------------------------------------------------------ the adversary

    def show(self, step: int, sent: int) -> None:
        whole, answers = self.whole, self.server.answers
        changes = int(whole[CHANGES])
        for _, site, admitted in self.log[self._shown : changes].tolist():
            answers[site] = bool(admitted)
        self._shown = answers.changes = changes
        self.view.stand(step, sent, changes, changes, int(whole[CHANGED_AT]))

    def consult(self, step: int) -> None:
        turns = self.consultation
        if step < turns.due or step >= self.game_end:
            return
        if self.load[RULE]:
            moves(self.load, self.whole, self.table)
            return
        sent = int(self.whole[SENT])
        self.show(step, sent)
        plan = turns.ask(step)
        if plan is None:
            self.game_end = step if turns.over else self.game_end
        else:
            self._follow(plan, step, sent)

    def _follow(self, plan: Schedule, step: int, sent: int) -> None:
        """Put a plan into force after this step."""
        turns, whole = self.consultation, self.whole
        turns.follow(plan, step)
        self.game_end = min(step + plan.step_of(self.items - sent), NEVER)
        if self.game_end >= NEVER and turns.end >= NEVER:
            self.game_end = step  # it skips for ever, so nothing can happen any more
        self.check_patience(plan, step)
        whole[LAST], whole[SITE] = self.game_end, -1
        whole[BEGUN], whole[END], whole[BEFORE], whole[SINCE] = step, min(turns.end, NEVER), 0, 0
        self.labels = _NO_LABELS
        if isinstance(plan, Burst) and type(plan) in (Burst, Try):
            whole[PLAN], whole[SITE] = BURST, plan.site
            whole[SINCE] = getattr(plan, "since", 0)
        elif type(plan) is Rest:
            whole[PLAN] = REST
        elif type(plan) is Change:
            self._change(plan, step)
        elif type(plan) in (Labels, Rotation, Runs):
            whole[PLAN] = LABELS
            self._take_labels()
        else:
            raise UncompiledError(f"a plan of the adversary, {type(plan).__name__}, has no compiled form")

    def _change(self, plan: Change, step: int) -> None:
        """Have sites come and go in the next step, or before the first one; the same plan again changes nothing."""
        whole, again = self.whole, plan is self._changed
        self._changed, whole[PLAN] = plan, REST
        if again:
            return
        whole[AWAY] |= plan.how != "join" and bool(plan.changed)
        if step:
            whole[PLAN], self.labels = HOW[plan.how], np.array(plan.changed, np.int64)
            self._make_room()
            return
        if plan.how == "join" and plan.changed:
            raise UncompiledError("a site joins before the first step")
        for site in plan.changed:
            self.table[site, PRESENT] = 0
            begins(self.table, site)

    # ------------------------------------------------------------------ the verdict

    def close(self, last: int) -> None:
        changes = int(self.whole[CHANGES])
        self._judge(last, self.log[:changes, 0])
        self._take_rows()
        ledger = self.ledger
        for place, (kind, up, words) in enumerate(self.form.kinds):
            if times := int(self.whole[SENT_OF + place]):
                tally = (ledger.up if up else ledger.down)[kind]
                tally.messages += times
                tally.more_words += times * (words - 1)
        ledger.up_sites, ledger.down_sites = self.table[:, UP].tolist(), self.table[:, DOWN].tolist()
        ledger.broadcasts = int(self.whole[BROADCASTS])
        if self.looks[int(self.whole[LOOKS]) - 1, 0] != last:
            self._make_room()
            looks_at(self.whole, self.table, self.looks)

    def _judge(self, last: int, items: Any) -> None:
        """Judge the outputs: after the n-th change of an answer, in the request noted, the output is n."""
        referee, sent, begun = self.referee, int(self.whole[SENT]), int(self.rows[0, 1])
        outputs = np.arange(1, len(items) + 1)
        if sent:  # the first request changes an answer; before it there was none
            referee.change(begun, 1, 0, 1, lambda n: begun)
        if len(items) > 1:
            referee.change_many(items[1:], 0, outputs[1:])
            referee.step = int(self.whole[CHANGED_AT])
        referee.close(last, sent, lambda n: NEVER)
        errors = [(outputs - items) / items]
        if sent:
            until = np.append(items[1:] - 1, sent)
            errors += [(outputs - until) / until]
        if begun != 1:
            errors += [np.zeros(1)]
        for error in (min(map(np.min, errors)), max(map(np.max, errors))):
            self.lag.widen(float(error), 0, float(error))

    def _take_rows(self) -> None:
        rows = self.rows[: int(self.whole[ROW])]
        self.timeline.pass_all(rows[:, 1], rows[:, 2].astype(float), rows[:, 3], rows[:, 4])

    def network_columns(self) -> dict[str, Any]:
        columns = super().network_columns()
        return columns | {"lost": int(self.whole[LOST]), "restarts": int(self.whole[DIED])}

    def fleet_columns(self) -> tuple[list[dict[str, object]], list[int], book.Book]:
        whole, k = self.whole, self.k
        looks = []
        for row in self.looks[: int(whole[LOOKS])].tolist():
            look: dict[str, object] = dict(zip(LOOKED, row, strict=False))
            look["away"] = bool(look["away"])
            if k <= SHOWN:
                look |= {"by_site": row[len(LOOKED) : len(LOOKED) + k], "left": row[len(LOOKED) + k :]}
            looks.append(look)
        noted = book.Book(self.protocol, self.consultation, lambda: self.now)
        noted.waited, noted.admissions = int(whole[WAITED]), int(whole[ADMISSIONS])
        rows = self.notes[: int(whole[NOTES])]
        _write(noted.admitted, rows[rows[:, 2] == 1])
        _write(noted.offered, rows if whole[SLOTTED] else rows[:0])
        return looks, self.died[: int(whole[DIED])].tolist(), noted


def _write(pages: book.Pages, rows: Any) -> None:
    """Write steps and costs into pages of the book."""
    for page, column in zip(pages, rows.T, strict=False):
        page.frombytes(column.tobytes())


def rule_of(adversary: Adversary) -> int:
    """Return the rule on numbers of a load as it is shipped; 0 of one that has none, or of a user's class."""
    return 0 if own_code(adversary) else int(getattr(type(adversary), "ruled", 0))


def is_compiled(asked: str, protocol: Quota, sites: int, network: Network | None) -> bool:
    """Return whether compiled functions may play the games of a protocol by this engine, against loads of plans."""
    able = asked in ("auto", COMPILED) and not uncompiled(protocol, Uniform(), network)
    return able and protocol.kernel_form(sites, None, None) is not None  # type: ignore[arg-type]


def _types(numba: Any) -> Any:
    vector, matrix = numba.int64[::1], numba.int64[:, ::1]
    return vector, matrix, vector, vector, *[matrix] * 4, vector, matrix, vector
