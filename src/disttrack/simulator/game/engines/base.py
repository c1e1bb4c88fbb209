"""Common parts of all engines, and of the two fast ones: the truth, the verdict and the adversary's turns.

For an adversary that sees only outputs there is no watch, and messages take the usual path.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import Any, ClassVar, Final

from disttrack.adversaries.base import Adversary, View
from disttrack.adversaries.recorded import pace_of
from disttrack.adversaries.schedules import NEVER, Burst, Schedule
from disttrack.adversaries.views import POWERS, Heard, StateView, TrafficView
from disttrack.protocols.base import Message, Number, Protocol, Server
from disttrack.simulator.errors import MoveError, ScenarioError
from disttrack.simulator.game.channels import TranscriptRow
from disttrack.simulator.game.columns import Verdict
from disttrack.simulator.game.consultation import Consultation
from disttrack.simulator.game.judge import LagJudge
from disttrack.simulator.game.ledger import Ledger
from disttrack.simulator.game.network import Network
from disttrack.simulator.game.network.mail import Mail, Receivers
from disttrack.simulator.game.network.recovery import receivers_of
from disttrack.simulator.game.network.unmet import UNMET, unmet
from disttrack.simulator.game.outputs import reached
from disttrack.simulator.game.sides import check_costs
from disttrack.simulator.game.streams import streams
from disttrack.simulator.game.timeline import Timeline
from disttrack.simulator.game.verdict import IntervalJudge
from disttrack.simulator.kinds.names import side_name


class Watch:
    """Replaces the transcript of the channels, and collects for the adversary the messages since its last view.

    Parameters
    ----------
    sees
        traffic or state.
    kept
        The transcript of the game; None without recording.
    look
        Returns a site by its number in its present state, and the server for None.
    """

    __slots__ = ("_kept", "_look", "fresh", "sees")

    def __init__(self, sees: str, kept: list[TranscriptRow] | None, look: Callable[[int | None], object]) -> None:
        self.sees = sees
        self.fresh: list[Heard] = []
        self._kept, self._look = kept, look

    def append(self, row: TranscriptRow) -> None:
        """Record a message."""
        if self._kept is not None:
            self._kept.append(row)
        self.fresh.append(Heard(*row[:4]))

    def view(self, **facts: object) -> TrafficView:
        """Return a view for this power."""
        return StateView(look=self._look, **facts) if self.sees == POWERS[2] else TrafficView(**facts)

    def show(self, view: View) -> None:
        """Show the adversary the messages since its last view."""
        assert isinstance(view, TrafficView)
        view.see(self.fresh)
        self.fresh.clear()


PATIENCE: Final = 10_000
"""Largest number of consecutive plans without an item."""
_EVERY_STEP: Final = Burst(0)
"""Placeholder for any plans without skips where only the number of items counts."""


@dataclass
class Judged:
    """The fields of a `Game` that the judges know."""

    verdict: Verdict
    judged: bool
    max_rel_error: float | None
    highest: float
    lowest: float
    output_changes: int
    first_failure: int | None = None
    first_failing_step: int | None = None
    failing_fraction: float | None = None


@dataclass
class OnNetwork:
    """The columns that follow in scenarios with a network."""

    max_lag_error: float | None = 0.0
    max_lag: int = 0
    messages_link: int = 0
    words_link: int = 0
    link_factor: float = 1.0
    lost: int = 0
    restarts: int = 0


class Engine(ABC):
    """A running game.

    Parameters
    ----------
    protocol, adversary
        The two sides; the adversary must be this game's copy.
    sites, items, start
        Number of sites, of items to come, and of items counted before the first step.
    seed
        Root of the game's random streams.
    record
        Whether to keep the transcript and every output.
    network
        Delays and faults of messages; None for instantaneous channels.

    Attributes
    ----------
    referee, lag
        They judge the outputs; `lag`, on a network, against the numbers of items that they can depend on.
    mail
        Carries the messages on a network.
    game_end
        The last step, `NEVER` until it is known.
    """

    name: ClassVar[str]
    by_mail: ClassVar[bool] = False
    """Whether messages are letters even if they take no time."""
    plans: ClassVar[type[object]] = Schedule
    """The class of the adversary's plans."""
    in_place: ClassVar[bool] = False
    """Whether the output changes in place, so that any message may have changed it."""
    crossed: tuple[int, int] | None = None
    """The step in which the output first reached the level, and the words by the end of it."""
    server: Server
    referee: Any
    lag: Any = None
    mail: Mail | None = None

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
        network: Network | None = None,
        level: int | Fraction | None = None,
    ) -> None:
        self.level = level
        # of a recorder, the one whose plans it keeps
        protocol, network = self.in_own_time(protocol, getattr(adversary, "inner", adversary), network, sites)
        self.network = None if network is None or network.instant else network
        if self.by_mail:
            self.network = network or Network()
        self.k, self.items, self.start = sites, items, start
        self.protocol, self.adversary = protocol, adversary
        self.rngs = streams(seed)
        self.ledger = Ledger(sites, self.largest(), side_name(protocol))
        self.timeline = Timeline(start, items)
        self.transcript: list[TranscriptRow] | None = [] if record else None
        self.outputs: list[tuple[int, Number]] | None = [] if record else None
        reacts_to_more = not adversary.oblivious and adversary.sees != POWERS[0]
        self.watch = Watch(adversary.sees, self.transcript, self.look) if reacts_to_more else None
        self.make_sides()
        self.admit(adversary)

    def admit(self, adversary: Adversary) -> None:
        """Make the view of an adversary that is about to play, its turns, and the judge of the game."""
        self.adversary, known = adversary, self.protocol.known(self.k)
        facts: dict[str, Any] = {"sites": self.k, "items": self.items, "start": self.start, "known": known}
        facts["rng"] = self.rngs["adversary"]
        self.view = View(**facts) if self.watch is None else self.watch.view(**facts)
        self.consultation = Consultation(adversary, self.view, self.plans)
        self.referee = self.referee_of()
        self.game_end = NEVER
        self._idle = 0

    def in_own_time(
        self, protocol: Protocol, adversary: Adversary, network: Network | None, sites: int
    ) -> tuple[Any, Network | None]:
        """Return protocol and network for the steps of an adversary, which may be divided into several.

        Raises
        ------
        ScenarioError
            The network, or the protocol, cannot be played with such steps, or with the costs of a trace.
        """
        check_costs(protocol, adversary)
        try:
            return protocol, None if network is None else network.slower(pace_of(adversary))
        except ValueError as error:
            raise ScenarioError(f"network: {error}") from error

    def largest(self) -> int:
        """Return the largest number that a word must hold: the count at the end."""
        return self.start + self.items

    def make_sides(self) -> None:
        """Make the server and the sites."""
        self.receivers = self.parts()
        self.sites, self.server = self.receivers.sites, self.receivers.server

    @abstractmethod
    def referee_of(self) -> Any:
        """Return the judge of the outputs."""

    def parts(self) -> Receivers:
        """Return the sites and the server."""
        return receivers_of(self.protocol, self.network, self.k, self.start, self.rngs)

    def look(self, site: int | None) -> Any:
        """Return a site, or for None the server, in its present state."""
        raise NotImplementedError(f"the engine {self.name} does not show the state")

    @property
    @abstractmethod
    def now(self) -> int:
        """The present step."""

    # ------------------------------------------------------------------ playing

    def play(self) -> None:
        """Play the game to its end."""
        if not self.items:
            self.game_end = 0
        self.consult(0)
        if self.game_end:
            self.run()
            self.close(self.game_end)

    def stop(self) -> None:
        """End a game that cannot continue, with its last step that is over: the view has it if the adversary raised."""
        self.game_end = max(self.now - 1, self.view.steps)
        if self.game_end:
            self.close(self.game_end)

    @abstractmethod
    def run(self) -> None:
        """Play from the first step to `game_end`."""

    @abstractmethod
    def close(self, last: int) -> None:
        """Judge the game up to its last step."""

    @abstractmethod
    def sent(self, step: int) -> int:
        """Return the items sent by the end of a step of the present plan."""

    def transcribe(self, sender: int | str, receiver: int | str, message: Message) -> None:
        """Write a message into the transcript, and show it to an adversary that watches the channels."""
        rows = self.transcript if self.watch is None else self.watch
        if rows is not None:
            rows.append((self.now, sender, receiver, message.kind, message.words, self.ledger.bits_of(message)))

    def note_output(self, step: int) -> None:
        """Keep a new output, and note whether it reaches the level."""
        if self.outputs is not None:
            self.outputs.append((step, self.answer()))
        if self.level is not None and self.crossed is None and reached(self.answer(), self.level):
            self.crossed = step, self.ledger.words

    def answer(self) -> Any:
        """Return the present output as the record of the game keeps it."""
        return self.referee.value

    @property
    def series(self) -> dict[str, list[Any]]:
        """The columns of the timeline, after the end of the game."""
        return self.timeline.columns()

    def judgement(self, steps: int) -> Judged:
        """Return what the judges know of a game of this many steps."""
        referee, judged = self.referee, self.lag or self.referee
        return Judged(
            verdict=judged.verdict(),
            judged=judged.judged,
            max_rel_error=referee.max_rel_error,
            highest=referee.highest,
            lowest=referee.lowest,
            output_changes=referee.changes,
            first_failure=judged.first_failure,
            first_failing_step=judged.first_failing_step,
            failing_fraction=judged.failing_steps / steps if steps else 0.0,
        )

    def on_network(self) -> OnNetwork:
        """Return the columns that follow in scenarios with a network."""
        columns, ledger = OnNetwork(self.referee.max_rel_error), self.ledger
        if self.network is not None:
            columns.messages_link, columns.words_link = ledger.messages_link, ledger.words_link
            columns.link_factor = 1 + ledger.words_link / ledger.words if ledger.words else 1.0
        if self.lag:
            columns.max_lag_error, columns.max_lag = self.lag.max_rel_error, self.lag.max_lag
        if self.mail:
            columns.lost, columns.restarts = self.mail.lost, self.mail.receivers.restarts
        return columns

    def unmet(self) -> dict[str, str]:
        """Return the faults of the network that never came, as a fact of the game."""
        sent = self.mail.wires.sent if self.mail else lambda site, up: inf
        never = unmet(self.network, self.game_end, sent) if self.network is not None else []
        return {UNMET: "\n".join(never)} if never else {}

    def extra(self) -> dict[str, Any]:
        """Return further facts of the task for `Game.extra`: columns, and a `figure` for `Game.plot` as module:name."""
        return {}

    # ------------------------------------------------------------------ the adversary

    @abstractmethod
    def consult(self, step: int) -> None:
        """Ask the adversary after this step, if it is due, and continue by its plan."""

    def leave_plan(self, now: int) -> None:
        """Handle the end of the present plan with step `now`; there may be no plan yet."""
        return

    def show(self, step: int, sent: int) -> None:
        """Update the adversary's view: a step is over, and `sent` items are sent."""
        referee, changes = self.referee, self.referee.changes
        changed_at = referee.step if changes else 0  # the first output is judged from step 1 on
        self.view.stand(step, sent, referee.value, changes, changed_at)
        if self.watch is not None:
            self.watch.show(self.view)

    def check_patience(self, plan: Schedule, step: int) -> None:
        """Raise MoveError if too many plans in a row, up to this one, have no item."""
        self._idle = self._idle + 1 if plan.step_of(1) > plan.length else 0
        if self._idle > PATIENCE:
            reason = f"{PATIENCE:,} plans without an item at step {step}; {self.adversary.ends_by}"
            raise MoveError(f"adversary {side_name(self.adversary)}: {reason}")


class Strides(Engine):
    """An engine that passes over steps without effect: items, verdict and turns in closed form."""

    referee: Any
    lag: LagJudge | None

    def __init__(self, *sides: Any, **options: Any) -> None:
        super().__init__(*sides, **options)
        self.sent_before = 0
        """Items sent before the present plan began."""
        self.skipped = False
        """Whether a step was skipped since the output last changed, or may be by the present plan."""
        self.offset = self.start
        """While no step is skipped, the difference between the number of items and the step."""
        self._segments: list[tuple[int, int, Schedule]] = []

    def admit(self, adversary: Adversary) -> None:
        super().admit(adversary)
        if self.network is not None:
            self.lag = LagJudge(self.protocol.accuracy, self.server.output, self.network.warm_up, self.start)

    def referee_of(self) -> Any:
        return IntervalJudge(self.protocol.accuracy, self.start, self.server.output)

    def close(self, last: int) -> None:
        self.referee.catch_up(self.offset)
        self.pass_checkpoints(last)
        if self.lag is not None:
            self.lag.close(last, self.items_at)
        self.referee.close(last, self.start + self.sent(last), self.step_of if self.skipped else None)

    # ------------------------------------------------------------------ the truth

    def sent(self, step: int) -> int:
        turns = self.consultation
        return self.sent_before + turns.plan.sent(step - turns.begun)

    def sent_at(self, step: int) -> int:
        """Return the items sent by the end of any step since the output last changed, if steps were skipped."""
        for begin, before, plan in reversed(self._segments):
            if step >= begin:
                return before + plan.sent(step - begin)
        return 0

    def step_of(self, n: int) -> int:
        """Return the step of the n-th item, n counted with the start, if steps were skipped."""
        n -= self.start
        for begin, before, plan in reversed(self._segments):
            if n > before:
                return begin + plan.step_of(n - before)
        return 0

    def items_at(self, step: int) -> int:
        """Return the number of items, including the start, at the end of any step since the output last changed."""
        return self.start + self.sent_at(step) if self.skipped else step + self.offset

    def forget_skips(self) -> None:
        """Drop the record of skips after a new output, so that only the present plan matters."""
        turns = self.consultation
        self._segments = [(turns.begun, self.sent_before, turns.plan)]
        self.skipped = turns.plan.skips

    def pass_checkpoints(self, step: int) -> None:
        """Take the timeline's rows up to this step, at the end of which the output is the present one."""
        items = self.start + self.sent(step)
        if self.timeline.due <= items:
            self.referee.catch_up(self.offset)
            ledger, step_of = self.ledger, self.step_of if self.skipped else None
            self.timeline.pass_by(items, step, self.referee.output, ledger.messages, ledger.words, items, step_of)

    # ------------------------------------------------------------------ the adversary

    def consult(self, step: int) -> None:
        turns = self.consultation
        if step < turns.due or step >= self.game_end:
            return
        sent = self.sent(step) if self.skipped else step + self.offset - self.start
        if self.referee.later[0]:
            self.referee.catch_up(self.offset)
        self.show(step, sent)
        self.go_on(turns.ask(step), step, sent)

    def go_on(self, plan: Schedule | None, step: int, sent: int) -> None:
        """Continue after this step by a plan that takes over, or by the present plan if there is none."""
        turns = self.consultation
        if plan is None:
            if turns.over:
                self.game_end = step
            return
        self.leave_plan(step)
        turns.follow(plan, step)
        self.sent_before = sent
        self.offset = self.start + sent - step
        if plan.skips or self.skipped:
            self._expect_skips(plan, step, sent)
        else:
            left = self.items - sent
            self.game_end = step + left if left <= plan.length else NEVER
        self.enter_plan(step)

    def _expect_skips(self, plan: Schedule, step: int, sent: int) -> None:
        """Keep the map from items to steps while some are skipped, and check that skipping ends."""
        if not self.skipped:
            # up to now every step since the last change brought an item, under any plan
            begin = max(0, self.referee.step - 1)
            self._segments = [(begin, sent - (step - begin), _EVERY_STEP)]
        self.skipped = True
        self._segments.append((step, sent, plan))
        self.game_end = min(step + plan.step_of(self.items - sent), NEVER)
        if self.game_end >= NEVER and self.consultation.end >= NEVER:
            self.game_end = step  # it skips for ever, so nothing can happen any more
        self.check_patience(plan, step)

    @abstractmethod
    def enter_plan(self, now: int) -> None:
        """Handle the start of a new plan, in force from step `now` + 1."""
