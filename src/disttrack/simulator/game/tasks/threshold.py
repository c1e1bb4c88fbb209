"""The task `threshold`: one alarm, raised no later than tau items, and never before (1 - epsilon) tau."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import ClassVar

from disttrack.protocols import Protocol
from disttrack.protocols.thresholds.alarms import Threshold, earliest
from disttrack.simulator.errors import MoveError, must_be
from disttrack.simulator.game.columns import FAILED, OK, SERIES_CSV, UNDECIDED
from disttrack.simulator.game.outcome import Game
from disttrack.simulator.game.tasks.answers import WORDS, Answer, held
from disttrack.simulator.game.tasks.base import SITES, Record, Row, Size
from disttrack.simulator.game.tasks.tracking import Count, check_no_rests, record_of, skips
from disttrack.simulator.kinds.point import Point, PointError


@dataclass
class Alarm:
    """The columns of the task."""

    raised: int | None
    raised_over_threshold: float | None
    late: bool
    early: bool
    epsilon_promised: float
    words_to_alarm: int


class ThresholdAlarm(Count):
    """A game in which the server raises an alarm when its output reaches a level.

    The game ends with the item that makes the count tau. Late means that the alarm is still off then; early, that it
    was raised before the promise allows. A threshold protocol raises it at (1 - epsilon) tau. Any tracker with a
    promise alpha can: at an estimate of (1 - alpha) tau. Its epsilon is alpha if its output never exceeds the count,
    and 2 alpha / (1 + alpha) otherwise.

    Columns: `raised` is the count at which the alarm was raised, empty if it was not; `raised_over_threshold` the same
    over tau; `late` and `early`; `epsilon_promised`; `words_to_alarm`, the words until the alarm, or
    all if there was none.
    """

    kind: ClassVar[str] = "threshold"
    headed: ClassVar[bool] = False  # it plays trackers too
    empty: ClassVar = (SERIES_CSV,)
    sizes: ClassVar[Sequence[Size]] = (
        SITES,
        Size("threshold", "items", "Items of a game; the alarm is due at the last.", needed=True),
    )
    columns: ClassVar[Sequence[str]] = tuple(column.name for column in fields(Alarm))
    answers: ClassVar[Sequence[Answer]] = (
        held("games alarmed in time"),
        Answer("raised", "count at the alarm, over the threshold", "raised_over_threshold", rank=0),
        Answer("least raised", "earliest alarm, over the threshold", "raised_over_threshold", "least", rank=2),
        Answer("late", "alarmed late", "late", "share"),
        Answer("early", "alarmed early", "early", "share"),
        Answer("words to alarm", "words until the alarm", "words_to_alarm", rank=0),
        WORDS,
    )

    @classmethod
    def meant_for(cls, maker: type) -> bool:
        return super().meant_for(maker) and getattr(maker, "guarantee", "none") != "none"

    def check(self, point: Point) -> None:
        super().check(point)
        if not point.items:
            raise PointError(("items",), "must be at least 1")
        protocol, threshold = point.protocol.make(), point.items
        if isinstance(protocol, Threshold):
            if protocol.threshold != threshold:
                reason = f"must be {threshold:,}, as in the game; got {protocol.threshold:,}"
                raise point.protocol.wrong(reason, self.kind)
        elif protocol.accuracy is None or protocol.guarantee == "none":
            raise point.protocol.wrong(must_be("a threshold protocol or promise an alpha", point.protocol.kind))
        point.check_no_network()
        check_no_rests(point)

    def play(self, point: Point, seed: int) -> Record:
        level, _ = alarm_of(point.protocol.make(), point.items or 0)
        game = self.game(point, seed=seed, on_error="record", level=level)
        if game.error:
            return record_of(game)
        if game.steps != game.items:
            raise MoveError(skips(point, self.kind))
        record = record_of(game, **measured(game, point.protocol.make(), point.items or 0))
        return replace(record, series={})  # the error over time says nothing of an alarm


def measured(game: Game, protocol: Protocol, threshold: int) -> Row:
    """Return the columns of the task for a game whose outputs were compared with the level, with its verdict."""
    _, promised = alarm_of(protocol, threshold)
    step, words = game.crossed or (None, game.words)
    raised = None if step is None else game.start + int(step)
    late = raised is None and game.start + game.items >= threshold
    due = raised is not None or not game.unsent  # of a game that ended before it was due nothing is known
    early = raised is not None and raised < (1 - promised) * threshold
    share = None if raised is None else raised / threshold
    verdict = FAILED if late or early else OK if due else UNDECIDED
    return {"verdict": verdict, **vars(Alarm(raised, share, late, early, float(promised), words))}


def alarm_of(protocol: Protocol, threshold: int) -> tuple[int | Fraction, Fraction]:
    """Return the output at which the alarm is raised, and the epsilon promised.

    A tracker with (1 - alpha) N <= output <= (1 + alpha) N has output >= (1 - alpha) tau once N >= tau, and from such
    an output follows N >= (1 - alpha) / (1 + alpha) tau, or N >= (1 - alpha) tau if its output never exceeds N.
    """
    if isinstance(protocol, Threshold):
        return earliest(threshold, protocol.epsilon), Fraction(str(protocol.epsilon))
    alpha = Fraction(str(protocol.accuracy))
    return (1 - alpha) * threshold, alpha if protocol.one_sided else 2 * alpha / (1 + alpha)
