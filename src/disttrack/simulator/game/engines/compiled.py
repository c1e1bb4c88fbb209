"""The compiled engine: the transcript of `leap`, played by compiled functions on arrays between what is rare."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from fractions import Fraction
from math import inf, nextafter
from operator import itemgetter
from typing import Any, ClassVar, Final

import numpy as np

from disttrack.adversaries.base import Adversary
from disttrack.adversaries.random_streams import RandomStream
from disttrack.adversaries.replay import Prefix
from disttrack.adversaries.schedules import NEVER, Burst, Labels, Rest, Rotation, Runs, Schedule
from disttrack.mechanisms.compiler import compiled, is_kept, unchecked
from disttrack.protocols import kernel as slot
from disttrack.protocols.base import even_start
from disttrack.protocols.kernel import ASK, DOUBLE, FULL, GO_ON, MORE, MOST, OVER, REFILL, SERVE, post_down
from disttrack.protocols.letters import LOST
from disttrack.simulator.game.engine_choice import NO_FORM, UncompiledError, check_carried, no_form_of
from disttrack.simulator.game.engines.alarms import Agenda
from disttrack.simulator.game.engines.base import OnNetwork, Strides
from disttrack.simulator.game.engines.kernel import (
    BURST,
    LABELS,
    MEETING,
    ROTATION,
    RUNS,
    advance_burst,
    move,
    note_change,
    play_on,
    shown,
)
from disttrack.simulator.game.engines.mail_kernel import play_by_mail, turned_on
from disttrack.simulator.game.judging import extremes, lags
from disttrack.simulator.game.ledger import Ledger
from disttrack.simulator.game.network import Network
from disttrack.simulator.game.network.mailbag import Mailbag
from disttrack.simulator.game.outputs import scaled
from disttrack.simulator.game.streams import streams
from disttrack.simulator.game.timeline import Timeline
from disttrack.simulator.kinds.names import side_name

LISTED: Final = 2**16
"""Steps of a plan without a form of its own that are listed together."""
MOST_LISTED: Final = 2**22
"""Steps up to which such a plan is listed at all: `leap` has only those of its messages."""
MANY: Final = 2**14
"""Changes of the output that are judged together."""
COMPILING: Final = 2.4
"""Seconds that it takes to import numba and to compile the functions."""
LOADING: Final = 0.6
"""Seconds that it takes to import numba and to read functions that were compiled before."""
TOO_LARGE: Final = "its numbers are too large"
LEAP: Final = 7e4
"""Messages of a bound that `leap` plays in a second: 5e4 where the bound is close, 1e5 where it is twice too high."""
LEAP_BY_MAIL: Final = 5e4
"""The same where messages take time: 3e4, but the functions take nearly twice as long to be compiled."""
BY_MAIL: Final = "speaks", "goes_on", "server_hears", "site_hears"
"""The functions of a tracker where messages take time."""
_SPENT: Final[dict[Any, float]] = {}
"""Seconds of the games that `leap` has played for want of compiled functions, by these; infinite once they play."""
_WAITING: Final = [0]
"""Games that this process will play after the present one, as far as it knows."""
_NO_LIST: Final = np.zeros(2)
_ASKED: Final = slot.OUTPUT, slot.CHANGES, slot.STEP, slot.SITE, slot.END
"""Places that are read and written once per change of the output, where a name of a module takes long to look up."""


class Compiled(Strides):
    """A game as arrays; for its other parameters see `Engine`.

    Compiled functions play until the server speaks, a plan ends, or an adversary that is not compiled is to be asked.

    Parameters
    ----------
    in_time
        Whether it leaves to `leap` what `leap` would have played before the functions are at hand.
    """

    name: ClassVar[str] = "compiled"

    def __init__(self, *sides: object, in_time: bool = False, **options: object) -> None:
        super().__init__(*sides, **options)
        if self.watch is not None or self.transcript is not None:
            raise UncompiledError("the compiled form has no record")
        form, rows = self.form, len(self.timeline.at)
        most = min(form.most_items, DOUBLE // max(form.scale)) if self.consultation.reacts else form.most_items
        if self.start + self.items > most:
            raise UncompiledError(TOO_LARGE)
        self._log: Any = np.empty((rows + min(MANY, self.items + 2), 4))  # an item changes the output once at most
        self._agenda: Agenda
        self._log[:rows, 0] = self.timeline.at - self.start
        self._header, self._real = form.whole.data, form.real.data
        form.settle = self._settle
        self._begin()
        self._play, self._extremes = self._kernels(in_time)
        self._unchecked = unchecked(self._play)

    def _begin(self) -> None:
        """Write what the tracker does not know of the game into its arrays."""
        form, rows = self.form, len(self.timeline.at)
        self._stream_begun = self._met_changes = 0
        """Changes of the output when the next message of a random stream was last looked for."""
        self._judged = 0
        """Changes of the output that have been judged."""
        form.whole[[slot.START, slot.ROWS, slot.LOGGED, slot.REACTS]] = self.start, rows, rows, self.consultation.reacts
        form.real[[slot.STANDING, slot.LEAST, slot.HIGHEST]] = form.real[slot.OUTPUT], inf, -inf
        form.real[[slot.NUMERATOR, slot.DENOMINATOR]] = form.scale
        machine = self.adversary.machine(self.view)
        self._rule: Callable[..., Any] = machine.rule if machine else move
        self._plan: Any = machine.state if machine else _NO_LIST
        self._settled = False
        """Whether the sites have been given their items, so that they may be due at other steps."""
        self._listed = False
        """Whether the present plan is a list of labels of some of its steps, with more to come."""
        form.whole[slot.MACHINE] = machine is not None
        self._bag = None if self.network is None else self._begin_mail(self.network)

    def again(self, adversary: Adversary, seed: int) -> bool:
        """Play the game of another seed in place of this one, which is over; return False if `Compiled` has to make it.

        For many short games, most of whose time it takes to make them.
        """
        rule, self.rngs = self._rule, streams(seed)
        if self._extremes is unjudged or not self.form.renew(self.rngs):
            return False
        self.server, self.timeline = self.form.server, Timeline(self.start, self.items)
        self.ledger = Ledger(self.k, self.largest(), side_name(self.protocol))
        self.admit(adversary)
        self._begin()
        if self._rule is rule:  # the functions are compiled for it
            self.play()
        return self._rule is rule and self.game_end == self.items

    def _begin_mail(self, network: Network) -> Mailbag:
        """Return the arrays of messages that take time, and make the log of the judge."""
        check_carried(network, self.protocol)
        form = self.form
        if form.speaks is None:
            raise UncompiledError(f"the compiled form of {type(self.protocol).__name__} has no mail")
        bag = Mailbag(network, self.k, 0, self.rngs["network"], form.whole)
        form.begin_mail()
        self._lags: Any = np.zeros((min(MANY, self.items) + 3, 4))
        self._lags[0, :2] = 1, form.real[slot.OUTPUT]
        form.whole[slot.NOTED], form.whole[slot.SPEAKING] = 1, -1
        return bag

    def _kernels(self, in_time: bool) -> tuple[Callable[..., Any], Callable[..., Any]]:
        """Return the compiled loop of the tracker and the adversary's rule, and what judges its changes."""
        form, by_mail = self.form, self._bag is not None
        parts: dict[str, Callable[..., Any]] = {"move": self._rule}
        for name in BY_MAIL if by_mail else ("turn", "served"):
            parts[name] = getattr(form, name)
        if self._rule is not move:
            parts["advance"] = advance_burst
        elif by_mail:
            parts["rotated"] = turned_on
        leap = LEAP_BY_MAIL if by_mail else LEAP
        seconds = self.protocol.quick_bound(self.k, self.items, self.start) / leap if in_time else inf
        types = _of_mail if by_mail else _of_game
        loop = functions_in_time(play_by_mail if by_mail else play_on, types, parts, seconds)
        self._judges_lags: Callable[..., int] = lags
        try:
            if by_mail:
                self._judges_lags = functions_in_time(lags, _of_log, {}, seconds)
            return loop, functions_in_time(extremes, _of_log, {}, seconds)
        except UncompiledError:
            return loop, unjudged

    def make_sides(self) -> None:
        if self.start + self.items > MOST:
            raise UncompiledError(TOO_LARGE)
        begun = (even_start(self.start, self.k),) if self.start else ()
        form = self.protocol.kernel_form(self.k, self.rngs["sites"], self.rngs["server"], *begun)
        if form is None:
            raise UncompiledError(f"{NO_FORM} with these parameters")
        self.form, self.server = form, form.server

    @property
    def now(self) -> int:
        return int(self._header[slot.STEP])

    def sent(self, step: int) -> int:
        return step

    # ------------------------------------------------------------------ playing

    def run(self) -> None:
        form, event = self.form, GO_ON
        while event != OVER:
            if event == ASK and not self._meets():
                event = self._ask(self._header[slot.STEP])
                if event:
                    continue
            elif event == SERVE:
                self._serve()
            elif event == REFILL:
                form.refill()
            elif event == FULL:
                self._judge()
            elif event == MORE:
                self._bag.make_room()  # type: ignore[union-attr]
            event = self._play(*self._arrays())

    def _arrays(self) -> tuple[Any, ...]:
        """Return the arguments of the loop."""
        form, bag = self.form, self._bag
        arrays = form.whole, form.real, form.sites, self._log, self._plan
        return arrays if bag is None else (*arrays, self._lags, tuple(bag.arrays))

    def _post_down(self, kind: int, value: int) -> None:
        """Send a message of the server to all sites."""
        bag: Any = self._bag
        bag.make_room()
        compiled(post_down, _of_post)(self.form.whole, self.form.sites, tuple(bag.arrays), kind, value)

    def _serve(self) -> None:
        """Let the server speak, in the present step."""
        if self._bag is not None:
            self.form.serve_by_mail(self.ledger, self._bag.arrays, self._post_down)
            return
        self._settled = False
        self.form.serve(self.ledger, compiled_part)
        if self._settled:
            self._plant()

    # ------------------------------------------------------------------ the adversary

    def consult(self, step: int) -> None:
        if not self.game_end:
            return
        header = self._header
        self.game_end = header[slot.LAST] = self.items
        if header[slot.MACHINE]:
            burst = self._rule(self._plan, self.k, 0, self.start, 0, shown(self.form.real))
            header[slot.SITE], header[slot.END] = map(int, burst)
        else:
            self._ask(step)

    def _ask(self, step: int) -> int:
        """Ask the adversary after this step, and play on while it answers with bursts; return what is to be done then.

        A loop of its own, since it runs once per change of the output.
        """
        turns, view, ask, form = self.consultation, self.view, self.adversary.plan, self.form
        if self._listed and step < turns.end and not (turns.reacts and self._header[slot.CHANGES] != view._changes):
            self._list(step)
            return GO_ON
        header, real, play, k, reacts = self._header, self._real, self._play, self.k, turns.reacts
        output, changes_at, step_at, site_at, end_at = _ASKED
        scaled_by_one, seen = form.scale == (1, 1), view._changes
        arrays, present, bursts = self._arrays(), turns.plan, header[slot.PLAN] == BURST
        while True:
            view._steps = view._sent = step  # View.stand, inlined: this runs once per change
            view._output = real[output] if scaled_by_one else shown(real)
            changes = header[changes_at]
            if changes != seen:
                view._changes = seen = changes
                view._changed_at = step if reacts else self._changed_at()
            answer = ask(view)
            if type(answer) is not Burst or answer is present or not 0 <= answer.site < k or not bursts:
                if not self._listed:  # a list of some steps ends before its plan
                    turns.plan, turns.end = present, header[slot.END]
                return self._follow(turns.accept(answer, step), step)
            present = answer
            header[site_at], header[end_at] = answer.site, step + answer.length
            event: int = play(*arrays) if step else GO_ON
            if event != ASK:
                turns.plan = present
                return event
            step, play = header[step_at], self._unchecked

    def _follow(self, plan: Schedule | None, step: int) -> int:
        """Put a plan into force after this step, or None: the present one goes on, or the game ends."""
        turns, header = self.consultation, self._header
        over = turns.over if plan is None else type(plan) is Rest and plan.length >= NEVER  # no further item comes
        if plan is None or over:
            if over:
                self.game_end = step
            elif header[slot.PLAN] == MEETING:
                self._meet()
            return OVER if over else GO_ON
        turns.follow(plan, step)
        if type(plan) is Prefix:  # its end is that of the turn
            plan = plan.plan
        header[slot.BEGUN], header[slot.END], header[slot.RUN] = step, turns.end, 0
        self._listed = False
        if type(plan) is Labels:
            self._take(plan.labels)
        elif type(plan) is RandomStream and self._bag is not None:
            raise UncompiledError("a random stream on a network has no compiled form")
        elif type(plan) in (Burst, Rotation, RandomStream) or (type(plan) is Runs and not plan.skips):
            self._settle()
            self._enter(plan, step)
        elif plan.skips or min(turns.end, self.items) - step > MOST_LISTED:
            raise UncompiledError(f"{no_form_of(plan, self.adversary)}, or skips steps")
        else:
            self._list(step)
        return GO_ON

    def _enter(self, plan: Any, step: int) -> None:
        """Put a plan with a form of its own into force."""
        header = self._header
        if type(plan) is Burst:
            header[slot.PLAN], header[slot.SITE], self._plan = BURST, plan.site, _NO_LIST
        elif type(plan) is Runs:
            header[slot.PLAN] = RUNS
            self._plan = np.column_stack((plan.sites, np.cumsum(plan.lengths))).astype(float).ravel()
        elif type(plan) is RandomStream:
            header[slot.PLAN], self._plan, self._stream_begun = MEETING, _NO_LIST, step
            self._agenda = Agenda(plan, self.form.sites)
            self._meet()
        else:
            header[slot.PLAN], header[slot.PERIOD], header[slot.SITE] = ROTATION, plan.sites, plan.first
            turn = (np.arange(plan.sites) - plan.first) % plan.sites
            self.form.sites[: plan.sites, slot.SINCE] = step + turn + 1 - plan.sites
            self._plant()

    def _list(self, step: int) -> None:
        """Put the labels of the next steps of a plan without a form of its own into force."""
        turns, header = self.consultation, self._header
        end = min(turns.end, self.items, step + LISTED)
        header[slot.BEGUN], header[slot.END] = step, end
        self._take(turns.plan.at(np.arange(step + 1, end + 1) - turns.begun))
        self._listed = end < turns.end

    def _take(self, labels: Any) -> None:
        """Put labels into force, in the place of those that are over."""
        header, k, size = self._header, self.k, self.k + (len(labels) + 1) // 2
        if header[slot.PLAN] != LABELS or len(self._plan) < size:
            self._settle()
            header[slot.PLAN], self._plan = LABELS, np.empty(size)
            self._plant()
        self._plan[k:].view(np.uint32)[: len(labels)] = labels

    def _changed_at(self) -> int:
        """Return the step of the last change of the output."""
        header, logged = self._header, self._header[slot.LOGGED]
        if header[slot.DULL] == 2:
            return int(header[slot.DULL_AT])
        return int(self._log[logged - 1, 0]) if logged > len(self.timeline.at) else self.referee.step

    # ------------------------------------------------------------------ random streams

    def _meets(self) -> bool:
        """Go on to the next message of a plan that is not compiled, unless the adversary is to be asked."""
        header, turns = self._header, self.consultation
        if header[slot.PLAN] != MEETING:
            return False
        if header[slot.STEP] < turns.end and not (turns.reacts and header[slot.CHANGES] != self._met_changes):
            self._meet()
            return True
        header[slot.END] = turns.end
        return False

    def _meet(self) -> None:
        """Put the next message of a random stream before the kernel."""
        header, begun = self._header, self._stream_begun
        last = min(self.consultation.end, header[slot.LAST])
        step, site = self._agenda.following(header[slot.STEP] - begun, last - begun)
        header[slot.END], header[slot.SITE] = (begun + step, site) if site >= 0 else (last, -1)
        self._met_changes = header[slot.CHANGES]

    # ------------------------------------------------------------------ the items of sites

    def _settle(self) -> None:
        """Give all sites their items up to the present step, which all plans but bursts and runs keep otherwise."""
        header, sites = self._header, self.form.sites
        self._settled = True
        if header[slot.PLAN] == ROTATION:
            sites = sites[: header[slot.PERIOD]]
            items = (header[slot.STEP] - sites[:, slot.SINCE]) // header[slot.PERIOD]
            sites[:, slot.COUNT] += items
            sites[:, slot.SINCE] += items * header[slot.PERIOD]
        elif header[slot.PLAN] == LABELS:
            left = self._plan[: self.k].view(np.int64)
            if (spoke := header[slot.SPOKE]) >= 0:
                left[spoke] = sites[spoke, slot.NEXT] - sites[spoke, slot.COUNT]
            sites[:, slot.COUNT] = sites[:, slot.NEXT] - left
        elif header[slot.PLAN] == MEETING:
            self._agenda.count(header[slot.STEP] - self._stream_begun)

    def _plant(self) -> None:
        """Note when sites are due: in a list by their items until then, in a rotation by a tree of their steps."""
        header, sites = self._header, self.form.sites
        header[slot.SPOKE] = -1
        if header[slot.PLAN] == LABELS:
            self._plan[: self.k].view(np.int64)[:] = sites[:, slot.NEXT] - sites[:, slot.COUNT]
        elif header[slot.PLAN] == ROTATION:
            period, half = header[slot.PERIOD], 1
            while half < period:
                half *= 2
            tree = self._plan = np.full(2 * half, float(NEVER))
            items = (sites[:period, slot.NEXT] - sites[:period, slot.COUNT]).astype(float)
            due = np.minimum(NEVER, sites[:period, slot.SINCE] + items * period)  # in turns, from the first one on
            tree[half : half + period] = np.roll(due, -header[slot.SITE])
            while half > 1:
                tree[half // 2 : half] = tree[half : 2 * half].reshape(-1, 2).min(axis=1)
                half //= 2

    # ------------------------------------------------------------------ the verdict

    def _judge(self) -> None:
        """Judge the changes in the logs."""
        if self._bag is not None:
            self._judge_lags()
        header, form, rows = self._header, self.form, len(self.timeline.at)
        if header[slot.DULL] == 2:
            note_change(form.whole, self._log, header[slot.DULL_AT], form.real[slot.STANDING], 1)
        logged = header[slot.LOGGED]
        if logged > rows:
            log = self._log[:logged]
            self.referee.change_log(log, rows, self.offset, form.scale, form.whole_outputs, self._extremes)
            if self.level is not None and self.crossed is None:
                self.crossed = self._crossing(self.level, *log[rows:].T)
            if self.level is None and form.whole_outputs and form.scale == (1, 1):
                form.real[[slot.LEAST, slot.HIGHEST]] = self.referee.extremes
        self.referee.changes += header[slot.CHANGES] - self._judged - (logged - rows)  # those that were left out
        self._judged = header[slot.CHANGES]
        header[slot.LOGGED], header[slot.DULL] = rows, 0

    def _judge_lags(self) -> None:
        """Judge the steps up to the last change of the output or the oldest chain, which stays in the log."""
        log, form, noted = self._lags, self.form, int(self._header[slot.NOTED])
        self.lag.close_log(log, noted - 1, self.offset, form.scale, form.whole_outputs, self._judges_lags)  # type: ignore[union-attr]
        log[0], self._header[slot.NOTED] = log[noted - 1], 1

    def _crossing(
        self, level: int | Fraction, steps: Any, outputs: Any, _: object, words: Any
    ) -> tuple[int, int] | None:
        """Return the step of the first of these changes that reaches the level, and the words by then; or None."""
        level = level / Fraction(*self.form.scale)
        (near,) = np.nonzero(outputs >= nextafter(float(level), 0))
        place = next((one for one in near.tolist() if outputs.item(one) >= level), None)
        return None if place is None else (int(steps[place]), int(words[place]))

    def close(self, last: int) -> None:
        if self._bag is not None:  # as if something changed in the step after the last one
            self._lags[self._header[slot.NOTED], 0] = last + 1
            self._header[slot.NOTED] += 1
            self._bag.close()
        self._judge()
        self._take_rows(last)
        self.form.count_up(self.ledger)
        self.referee.close(last, last + self.offset)

    def _take_rows(self, last: int) -> None:
        """Fill the timeline up to the last step."""
        form, header, at = self.form, self._header, self.timeline.waiting(last + self.start)
        rows = self._log[: len(at)]
        sent = header[slot.MESSAGES]
        rows[header[slot.ROW] :, 1:] = form.real[slot.STANDING], sent, sent + header[slot.FURTHER]
        outputs, (messages, words) = rows[:, 1], rows[:, 2:].T.astype(int)
        if form.scale != (1, 1) and len(rows):
            outputs = scaled(outputs, *form.scale)
        self.timeline.pass_all(at - self.start, outputs, messages, words)

    def on_network(self) -> OnNetwork:
        columns = super().on_network()
        if self._bag is not None:
            columns.lost = int(self._header[LOST])
        return columns

    def enter_plan(self, now: int) -> None:
        raise NotImplementedError("plans are entered in _follow")


def expect(games: int) -> None:
    """Note how many games this process will play after the present one: together they may pay for what one does not."""
    _WAITING[0] = games


def functions_in_time(
    loop: Callable[..., object],
    types: Callable[..., object],
    parts: Mapping[str, Callable[..., object]],
    seconds: float,
) -> Callable[..., Any]:
    """Return the compiled form of a loop with these parts, where it is at hand in less time than `leap` has played.

    Parameters
    ----------
    loop, types, parts
        As for `compiled`.
    seconds
        The time that `leap` takes for the game; infinity to wait in any case.

    Raises
    ------
    UncompiledError
        The functions would take longer than the game, or there are none.
    """
    key = (loop, *sorted(parts.items(), key=itemgetter(0)))
    if (spent := _SPENT.get(key, 0.0)) < inf > seconds:
        _SPENT[key] = spent + seconds
        if not _pays(key, is_kept(loop, **parts), seconds):
            raise UncompiledError("compiling takes longer")
        _SPENT[key] = inf
    try:
        return compiled(loop, types, **parts)
    except ImportError as error:  # this numba does not take this numpy
        raise UncompiledError(f"numba cannot be imported: {error}") from error


def _pays(key: object, kept: bool, seconds: float) -> bool:
    """Return whether the games that `leap` has played, and would play, have taken as long as to get the functions.

    Functions that are kept wait only for numba, which the games of all functions together pay for, with those that are
    expected: each of them as long as this one.
    """
    if not kept:
        return _SPENT[key] >= COMPILING
    return "numba" in sys.modules or sum(_SPENT.values()) + seconds * _WAITING[0] >= LOADING


def unjudged(*_: object) -> bool:
    """Judge nothing: `extremes` of a game that ends before it is compiled."""
    return False


def compiled_part(function: Callable[..., object]) -> Callable[..., Any]:
    """Return the compiled form of a function on the arrays of a tracker."""
    return compiled(function, _of_tracker)


def _of_tracker(numba: Any) -> Any:
    whole, real = numba.int64, numba.float64
    return whole[::1], real[::1], whole[:, ::1]


def _of_game(numba: Any) -> Any:
    return *_of_tracker(numba), numba.float64[:, ::1], numba.float64[::1]


def _mail(numba: Any) -> Any:
    return numba.types.Tuple((*[numba.int64[:, ::1]] * 4, *[numba.float64[::1]] * 2))


def _of_mail(numba: Any) -> Any:
    return *_of_game(numba), numba.float64[:, ::1], _mail(numba)


def _of_post(numba: Any) -> Any:
    whole, _, sites = _of_tracker(numba)
    return whole, sites, _mail(numba), numba.int64, numba.int64


def _of_log(numba: Any) -> Any:
    whole = numba.int64
    return numba.float64[:, ::1], whole, whole, whole, whole, whole, numba.float64[::1]
