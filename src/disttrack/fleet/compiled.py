"""The engine `compiled` of quotas: the game of `leap` on arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf, isfinite
from typing import Any, ClassVar, Final

import numpy as np

from disttrack.adversaries import Uniform
from disttrack.adversaries.base import Adversary
from disttrack.adversaries.recorded import Trace
from disttrack.adversaries.schedules import NEVER, Burst, Labels, Rest, Rotation, Runs, Schedule
from disttrack.fleet import kernel, load_rules
from disttrack.fleet.book import most_noted
from disttrack.fleet.change import Change, Try
from disttrack.fleet.engines import QuotaEngine
from disttrack.fleet.fleet import LOOKS as EACH_WINDOW
from disttrack.fleet.fleet import SHOWN, Share
from disttrack.fleet.quotas import FairLease, WeightedSplit, state
from disttrack.fleet.quotas.amounts import first_flush
from disttrack.fleet.quotas.base import Quota
from disttrack.fleet.quotas.kernel import CHARGES
from disttrack.fleet.quotas.mail import HIGHEST, LOWEST, NEXT_WAIT, TEXT
from disttrack.fleet.quotas.sites import QuotaServer
from disttrack.protocols.letters import OF_LETTER
from disttrack.simulator.game.engine_choice import COMPILED, UncompiledError, check_carried, no_form_of, uncompiled
from disttrack.simulator.game.engines.base import Judged, OnNetwork
from disttrack.simulator.game.engines.compiled import functions_in_time
from disttrack.simulator.game.judge import LagJudge
from disttrack.simulator.game.network import Network
from disttrack.simulator.game.network.mailbag import FEW, Mailbag, linked, linked_on, not_carried
from disttrack.simulator.game.reference import own_code
from disttrack.simulator.game.verdict import IntervalJudge

BLOCK: Final = 2**16
"""Most labels that are taken from a plan at once."""
HOW: Final = {"leave": load_rules.LEAVE, "die": load_rules.DIE, "join": load_rules.JOIN}
LOOKED: Final = ("step", "offered", "cost", "admitted", "rejected", "messages", "words", "died", "away")
LARGEST: Final = 2**62
NOTES_AT_ONCE: Final = 2**14
"""Notes that are kept until the book takes them."""
MOST_CHARGES: Final = 2**22
"""Slots of a limit in any window that arrays keep."""
LEAP: Final = 25e3, 1e6, 2e4, 75e3
"""What `leap` plays per second: messages, requests without one, requests of loads with plans of few steps, and looks at
a site."""
LARGER: Final = 2.0
"""How many times as long this loop takes to be compiled as those of trackers."""
_NO_LABELS: Final = np.zeros(0, np.int64)


class QuotaCompiled(QuotaEngine):
    """A game of a quota on arrays; for its parameters see `Engine`, and `in_time` of `Compiled`."""

    name: ClassVar[str] = "compiled"
    by_mail: ClassVar[bool] = True
    network: Network
    protocol: Quota
    server: QuotaServer

    def __init__(self, *sides: Any, in_time: bool = False, **options: Any) -> None:
        super().__init__(*sides, **options)
        if self.watch is not None or self.transcript is not None or self.start:
            raise UncompiledError("the compiled form keeps no record, and knows no start")
        self.view.record(answers=self.server.answers)
        self._changed: Change | None = None
        self.lag = LagJudge(self.protocol.accuracy, 0, self.network.warm_up)
        messages, requests, planned, sites_looked_at = LEAP
        by_plans = self.adversary.rests and (not self.adversary.oblivious or isinstance(self.adversary, Trace))
        steps = self.items
        if isinstance(self.adversary, Trace):  # which may have pauses
            steps = self.adversary.steps_of(self.items, self.protocol.window)
        looks = EACH_WINDOW * steps * self.k / self.protocol.window
        sent = self.protocol.quick_bound(self.k, steps if sends_by_clock(self.protocol) else self.items)
        seconds = sent / messages + looks / sites_looked_at
        seconds += self.items / (planned if by_plans else requests)
        self._play = functions_in_time(kernel.play_on, _types, self.form.parts, seconds / LARGER if in_time else inf)

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
        whole = self.whole = np.zeros(CHARGES + form.charges, np.int64)
        check_carried(self.network, rule)
        self.bag = QuotaMailbag(self.network, k, form.text, self.rngs["network"], whole)
        self.table = np.zeros((k, state.OWN + form.columns), np.int64)
        self.costs = np.concatenate(([0], np.cumsum(rule.cycle)))
        whole[[state.LIMIT, state.RATE, state.RESERVE, state.LEAST, state.WINDOW, state.SETTLE]] = (
            rule.pool, rule.limit, rule.reserve, rule.reserve or rule.listed.cheapest, rule.window, rule.settle,
        )  # fmt: skip
        every = whole[state.EVERY] = rule.every or 0
        warm_up = min(self.network.warm_up, NEVER)
        whole[state.LOOK] = max(1, rule.window // EACH_WINDOW)
        whole[state.PERIOD], whole[state.SLOTTED] = rule.period, rule.shape != "window"
        whole[state.ANY_WINDOW] = rule.shape != "window" or form.any_window
        whole[state.TURN_AT], whole[state.SETTLE_AT] = rule.period, rule.settle or NEVER
        self.table[:, state.TURNS_AT] = [rule.first_turn(site, k) for site in range(k)]
        whole[state.SITES_TURN_AT] = self.table[:, state.TURNS_AT].min()
        whole[state.FLUSH_AT] = first_flush(0, k, every) if every else NEVER
        whole[state.LOOK_AT] = min(whole[state.LOOK], rule.window)
        whole[state.WARM_UP], whole[state.JUDGE_AT], whole[state.LAG_SINCE] = warm_up, warm_up + 1, 1
        whole[state.CLOCK_AT] = kernel.next_clock(whole)
        for place, number in form.own.items():
            whole[place] = number
        self.table[:, state.PRESENT], self.table[:, state.ANSWER] = 1, -1
        self.table[:, state.PLACE] = [rule.listed.first(site, k) % len(rule.cycle) for site in range(k)]
        form.parts.get("closes", kernel.closes)(whole, self.table)
        for site in range(k):
            form.parts.get("opens", kernel.opens)(whole, self.table, self.bag.arrays, site)
        whole[state.MOST_NOTES] = most_noted(self.adversary)
        self.labels = _NO_LABELS
        self.load = np.zeros(load_rules.NUMBERS, np.int64)
        if rule_of_load := rule_of(self.adversary):
            stay = min(getattr(self.adversary, "stay", None) or self.items, NEVER)
            own = (min(int(getattr(self.adversary, name, 0)), NEVER) for name in ("dies", "pause"))
            self.load[[load_rules.RULE, load_rules.STAY]] = rule_of_load, stay
            self.load[[load_rules.DIES, load_rules.PAUSE, load_rules.REQUESTS]] = *own, self.items
        self.looks = np.zeros((2 * EACH_WINDOW, len(LOOKED) + (2 * k if k <= SHOWN else 0)), np.int64)
        self.died = np.zeros(16 + k, np.int64)
        self.rows = np.zeros((len(self.timeline.at), 5), np.int64)
        self.rows[:, 0] = self.timeline.at

    def referee_of(self) -> IntervalJudge:
        return IntervalJudge(self.protocol.accuracy, self.start, self.server.output)

    @property
    def now(self) -> int:
        return int(self.whole[state.STEP])

    def sent(self, step: int) -> int:
        return int(self.whole[state.SENT])

    # ------------------------------------------------------------------ playing

    def run(self) -> None:
        whole = self.whole
        whole[state.REACTS] = self.consultation.reacts
        while True:
            arrays = self.table, self.costs, self.labels, self.rows, self.looks, self.died, self.load
            event = self._play(whole, *arrays, tuple(self.bag.arrays))
            if whole[state.BROKEN]:
                raise UncompiledError("a site comes that is there, or goes that is not")
            if event == kernel.OVER:
                self.game_end = int(whole[state.LAST])
                return
            if event == kernel.ASK:
                self.consultation.due = self.now  # its plan has run out, or it reacts to a new answer
                self.consult(self.now)
                if self.now >= self.game_end:
                    return
            elif event == kernel.MORE:
                self._make_room()
            elif event == kernel.DECIDE and self.form.decides:
                whole[state.DECIDES] = 2
                self.form.decides(self.server, self.table, self.bag.arrays[state.WEIGHTS])

    def _make_room(self) -> None:
        """Double the arrays that are full, and take the next labels of the plan."""
        whole = self.whole
        self.bag.make_room()
        if whole[state.NOTES] >= len(self.bag.arrays[state.NOTED]):
            self._note()
        if whole[state.LOOKS] == len(self.looks):
            looks = self.looks
            self.looks = np.zeros((2 * len(looks), looks.shape[1]), np.int64)  # rows that are not used take no memory
            self.looks[: len(looks)] = looks
        if whole[state.DIED] + self.k > len(self.died):
            self.died = np.concatenate((self.died, np.zeros_like(self.died)))
        taken = self.now - whole[state.BEGUN] - whole[state.BEFORE]
        if whole[state.PLAN] == load_rules.LABELS and taken == len(self.labels):
            self._take_labels()

    def _take_labels(self) -> None:
        first, plan = self.now - int(self.whole[state.BEGUN]), self.consultation.plan
        last = min(first + BLOCK, plan.length)
        self.labels = np.ascontiguousarray(plan.at(np.arange(first + 1, last + 1)), np.int64)
        self.whole[state.BEFORE] = first

    # ------------------------------------------------------------------ the adversary

    def show(self, step: int, sent: int) -> None:
        whole, answers = self.whole, self.server.answers
        unseen, changed = int(whole[state.UNSEEN]), self.bag.arrays[state.CHANGED]
        for site in range(self.k) if unseen > len(changed) else changed[:unseen].tolist():
            if (answer := self.table[site, state.ANSWER]) >= 0:
                answers[site] = bool(answer)
        whole[state.UNSEEN], answers.changes = 0, int(whole[state.CHANGES])
        self.view.stand(step, sent, int(whole[state.OUTPUT]), int(whole[state.OUTPUTS]), int(whole[state.CHANGED_AT]))

    def consult(self, step: int) -> None:
        turns = self.consultation
        if step < turns.due or step >= self.game_end:
            return
        if self.load[load_rules.RULE]:
            load_rules.moves(self.load, self.whole, self.table)
            return
        sent = int(self.whole[state.SENT])
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
        whole[state.LAST], whole[state.SITE] = self.game_end, -1
        whole[state.BEGUN], whole[state.END] = step, min(turns.end, NEVER)
        whole[state.BEFORE] = whole[state.SINCE] = 0
        self.labels = _NO_LABELS
        if isinstance(plan, Burst) and type(plan) in (Burst, Try):
            whole[state.PLAN], whole[state.SITE] = load_rules.BURST, plan.site
            whole[state.SINCE] = getattr(plan, "since", 0)
        elif type(plan) is Rest:
            whole[state.PLAN] = load_rules.REST
        elif type(plan) is Change:
            self._change(plan, step)
        elif type(plan) is Runs:
            whole[state.PLAN] = load_rules.RUNS
            self.labels = np.column_stack((plan.sites, step + np.cumsum(plan.lengths))).ravel()
        elif type(plan) in (Labels, Rotation):
            whole[state.PLAN] = load_rules.LABELS
            self._take_labels()
        else:
            raise UncompiledError(no_form_of(plan, self.adversary))

    def _change(self, plan: Change, step: int) -> None:
        """Have sites come and go in the next step, or before the first one; the same plan again changes nothing."""
        whole, again = self.whole, plan is self._changed
        self._changed, whole[state.PLAN] = plan, load_rules.REST
        if again:
            return
        whole[state.AWAY] |= plan.how != "join" and bool(plan.changed)
        if step:
            whole[state.PLAN], self.labels = HOW[plan.how], np.array(plan.changed, np.int64)
            self._make_room()
            return
        if plan.how == "join" and plan.changed:
            raise UncompiledError("a site joins before the first step")
        for site in plan.changed:
            self.table[site, state.PRESENT] = 0
            kernel.begins(self.whole, self.table, self.bag.arrays, site)

    # ------------------------------------------------------------------ the verdict

    def close(self, last: int) -> None:
        whole, extremes = self.whole, self.bag.arrays[state.EXTREMES]
        kernel.closes_lag(whole, extremes, last, whole[state.SENT])
        kernel.closes_output(whole, last, whole[state.SENT])
        for error in extremes[[LOWEST, HIGHEST]].tolist():
            if isfinite(error):
                self.lag.widen(error, int(whole[state.MOST_LAG]), error)
        self.bag.close()
        self._take_rows()
        ledger = self.ledger
        for place, (kind, up, words) in enumerate(self.form.kinds):
            if times := int(self.whole[state.SENT_OF + place]):
                tally = (ledger.up if up else ledger.down)[kind]
                tally.messages += times
                tally.more_words += times * (words - 1)
        ledger.up_sites, ledger.down_sites = self.table[:, state.UP].tolist(), self.table[:, state.DOWN].tolist()
        ledger.broadcasts = int(self.whole[state.BROADCASTS])
        if self.looks[int(self.whole[state.LOOKS]) - 1, 0] != last:
            self._make_room()
            kernel.looks_at(self.whole, self.table, self.looks)
        if last % self.protocol.window:
            kernel.closes_window(self.whole, self.table, self.bag.arrays[state.FAIR])

    def judgement(self, steps: int) -> Judged:
        whole = self.whole
        highest, lowest = (
            float((output - items) / items) if items else 0.0
            for output, items in whole[[[state.HIGH, state.HIGH_ITEMS], [state.LOW, state.LOW_ITEMS]]].tolist()
        )
        own = super().judgement(steps)
        return replace(own, highest=highest, lowest=lowest, output_changes=int(whole[state.OUTPUTS]))

    def _take_rows(self) -> None:
        rows = self.rows[: int(self.whole[state.ROW])]
        self.timeline.pass_all(rows[:, 1], rows[:, 2].astype(float), rows[:, 3], rows[:, 4])

    def on_network(self) -> OnNetwork:
        return replace(super().on_network(), lost=int(self.whole[state.LOST]), restarts=int(self.whole[state.DIED]))

    def of_fleet(self) -> dict[str, object]:
        whole = self.whole
        self._note()
        self.book.waited, self.book.admissions = int(whole[state.WAITED]), int(whole[state.ADMISSIONS])
        looks, died = Looks(self.looks[: int(whole[state.LOOKS])], self.k), self.died[: int(whole[state.DIED])].tolist()
        costs, fair = self.table[:, state.SITE_COST].tolist(), self.bag.arrays[state.FAIR].tolist()
        return {"looks": looks, "died": died, "shares": list(map(Share, costs, fair))}

    def _note(self) -> None:
        """Have the book take the notes, which are in order."""
        rows = self.bag.arrays[state.NOTED][: int(self.whole[state.NOTES])]
        self.whole[state.NOTES] = 0
        for pages, taken in ((self.book.admitted, rows[:, 2] % 2 == 1), (self.book.offered, rows[:, 2] >= 2)):
            for page, column in zip(pages, rows[taken].T, strict=False):
                page.frombytes(column.tobytes())
        self.book.add_up()


class QuotaMailbag(Mailbag):
    """The arrays `mail` of `disttrack.fleet.quotas.state`; for the parameters see `Mailbag`.

    Parameters
    ----------
    text
        Numbers of a letter beyond those of all quotas.
    """

    def __init__(self, network: Any, k: int, text: int, *given: Any) -> None:
        super().__init__(network, k, TEXT - OF_LETTER + text, *given)
        notes = np.zeros((NOTES_AT_ONCE, 3), np.int64)
        own = [linked(FEW, 3, NEXT_WAIT), notes, np.zeros(FEW, np.int64), np.zeros(k), np.zeros(k)]
        self.arrays += [*own, np.array([inf, -inf])]

    def make_room(self) -> None:
        super().make_room()
        if self._whole[state.FREE_WAIT] < 0:
            self.arrays[state.WAITS] = linked_on(self.arrays[state.WAITS], NEXT_WAIT, self._whole, state.FREE_WAIT)


class Looks(Sequence[dict[str, object]]):
    """The rows of `Fleet.looks` from an array: a row is made when it is asked for.

    Parameters
    ----------
    rows
        The numbers of each look.
    k
        Number of sites.
    """

    def __init__(self, rows: np.ndarray[Any, Any], k: int) -> None:
        self.rows, self._k = rows, k

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return Looks(self.rows[place], self._k)
        row = self.rows[place].tolist()
        look: dict[str, object] = dict(zip(LOOKED, row, strict=False))
        look["away"] = bool(look["away"])
        if self._k <= SHOWN:
            look |= {"by_site": row[len(LOOKED) : len(LOOKED) + self._k], "left": row[len(LOOKED) + self._k :]}
        return look

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    def __repr__(self) -> str:
        return repr(list(self))


def rule_of(adversary: Adversary) -> int:
    """Return the rule on numbers of a load as it is shipped; 0 of one that has none, or of a user's class."""
    return 0 if own_code(adversary) else int(getattr(type(adversary), "ruled", 0))


def sends_by_clock(protocol: Quota) -> bool:
    """Return whether the messages of a protocol grow with the windows and flushes of a game, and not with requests."""
    return protocol.every is not None or isinstance(protocol, WeightedSplit | FairLease)


def is_compiled(asked: str, protocol: Quota, sites: int, network: Network | None) -> bool:
    """Return whether compiled functions may play the games of a protocol by this engine, against loads of plans."""
    able = asked in ("auto", COMPILED) and not uncompiled(protocol, Uniform(), network)
    carried = network is None or not not_carried(network, protocol.carries)
    return able and carried and protocol.kernel_form(sites, None, None) is not None  # type: ignore[arg-type]


def _types(numba: Any) -> Any:
    vector, matrix, real = numba.int64[::1], numba.int64[:, ::1], numba.float64[::1]
    mail = numba.types.Tuple((*[matrix] * 4, real, real, matrix, matrix, vector, *[real] * 3))
    return vector, matrix, vector, vector, matrix, matrix, vector, vector, mail
