"""The tasks `audit` and `audit-tracker`: audits as games, so that scenarios can make claims about their outcomes."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from inspect import isclass
from typing import ClassVar, Final

from disttrack.mechanisms.base import Mechanism
from disttrack.privacy.tasks.audit.case import audit_of
from disttrack.privacy.tasks.audit.mechanism import COMMON, RUNS, USUAL, audit_mechanism, loss_with_half_the_noise
from disttrack.privacy.tasks.audit.tracker import SITES as SITES_AUDITED
from disttrack.privacy.tasks.audit.tracker import SIZE, TRANSCRIPTS, Tracker, audit_tracker
from disttrack.protocols import Robust
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.game.tasks import duel
from disttrack.simulator.game.tasks.adversary import made_for_task
from disttrack.simulator.game.tasks.answers import Answer, held
from disttrack.simulator.game.tasks.base import SITES, Demand, Record, Size, Task
from disttrack.simulator.kinds.point import Point, PointError

CLAIM: Final = ("claimed", "claimed_delta", "epsilon_low", "exceeds")
"""Columns of both tasks."""
SELDOM: Final = 1e-6
"""False-alarm rate of an audit of a mechanism: a scenario has dozens of them."""
EXACT: Final = ("exact", "loss", "allowed", "halved")
"""Columns of exact losses."""
TRANSCRIPT: Final = ("largest_loss", "loss_over_epsilon", "noise_fits", "leaked", "neighbours")
"""Columns of transcripts."""

STANDS: Final = held("audits that did not refute the claim", "stands")
LOSS: Final = Answer("loss", "largest exact loss of a transcript that was played", "largest_loss", "largest", rank=0)
CLAIMED: Final = Answer("claimed epsilon", "epsilon that is claimed", "claimed", rank=0)
DELTA: Final = Answer("claimed delta", "delta that is claimed", "claimed_delta", rank=2)


class Audit(Task):
    """An audit of a mechanism. Default parameters are those for which little hides its loss.

    The adversary is not used: the neighbouring inputs are the audit's own. Columns: `claimed` and `claimed_delta` are
    the claim, `epsilon_low` the lower bound on epsilon, `accounted` the loss of the declared draws together by
    composition, `hits` and `other_hits` the occurrences of the event on the two inputs. `loss` is the exact loss if
    `exact` is true and else `epsilon_low`; `allowed` is its proved bound on the same inputs, or else the claim;
    `halved` is the loss of a copy with half of the noise. `exceeds` is true if the mechanism is refuted. `arithmetic`
    is the arithmetic in which its privacy holds: grid, rounded, coins or real.
    """

    kind: ClassVar[str] = "audit"
    empty: ClassVar = duel.MechanismGame.empty
    labels: ClassVar = {
        "loss": "privacy loss",
        "epsilon_low": "loss that the runs prove",
        "halved": "loss of a copy with half of the noise",
    }
    rules: ClassVar[int] = 5
    sizes: ClassVar[Sequence[Size]] = (
        Size("runs", "items", f"Runs on each input in each half, a quarter where they are slow; {RUNS:,} if left out."),
    )
    columns: ClassVar[Sequence[str]] = (*CLAIM, *EXACT, "accounted", "hits", "other_hits", "arithmetic")
    answers: ClassVar[Sequence[Answer]] = (
        STANDS,
        replace(LOSS, of="loss", says="privacy loss: exact if it can be computed, else a lower bound"),
        CLAIMED,
        Answer("exact", "whether the loss is exact", "exact", "share", rank=2),
        Answer("allowed", "proved bound on the loss on the same inputs, or else the claim", "allowed"),
        Answer("half noise", "loss of a copy with half of the noise, which an audit must detect", "halved"),
        DELTA,
    )
    idle: ClassVar[Sequence[str]] = ("adversary",)
    bases: ClassVar[Mapping[str, str]] = {**Task.bases, "protocol": ""}

    @classmethod
    def meant_for(cls, maker: type) -> bool:
        return audit_of.dispatch(maker) is not audit_of.dispatch(object)

    def check(self, point: Point) -> None:
        if not audit_of(mechanism_of(point)).cases:
            raise PointError(("protocol", "kind"), f"no audit is known for {point.protocol.label}")

    def play(self, point: Point, seed: int) -> Record:
        begun = time.perf_counter()
        mechanism = mechanism_of(point)
        runs = point.items or RUNS
        record = audit_mechanism(mechanism, runs=runs, seed=seed, false_alarm=SELDOM)
        if not point.protocol.fault:
            record.row["halved"] = loss_with_half_the_noise(mechanism, runs=runs, seed=seed, false_alarm=SELDOM)
        record.row["seconds"] = time.perf_counter() - begun
        return record

    def demand(self, point: Point) -> Demand:
        return Demand(seconds=(point.items or RUNS) / 1_000)


class AuditTracker(Task):
    """An audit of one round of the robust tracker against a deterministic adversary.

    Columns, in addition to those of `audit`: `largest_loss` is the largest exact loss of a played transcript, over all
    thresholds outside the leaked set, `loss_over_epsilon` the same over the claim; `noise_fits` is the p-value of the
    noise in the transcripts, `leaked` the largest leaked set, `neighbours` the number of losses computed.
    """

    kind: ClassVar[str] = "audit-tracker"
    empty: ClassVar = duel.MechanismGame.empty
    labels: ClassVar = {
        "loss_over_epsilon": "largest loss over the claimed epsilon",
        "epsilon_low": "loss that the runs prove",
    }
    rules: ClassVar[int] = 2
    sizes: ClassVar[Sequence[Size]] = (
        replace(SITES, says=f"Sites of the audited tracker; {SITES_AUDITED} if left out."),
        Size("transcripts", "items", f"Rounds played on each database in each half; {TRANSCRIPTS} if left out."),
    )
    columns: ClassVar[Sequence[str]] = (*CLAIM, *TRANSCRIPT)

    answers: ClassVar[Sequence[Answer]] = (
        STANDS,
        LOSS,
        CLAIMED,
        Answer("found by runs", "epsilon is at least this, by the runs alone", "epsilon_low"),
        Answer("noise fits", "p-value of the noise in the transcripts", "noise_fits", rank=2),
        Answer("leaked", "largest leaked set of a round", "leaked", rank=2),
        DELTA,
    )

    def check(self, point: Point) -> None:
        _tracker(point)

    def play(self, point: Point, seed: int) -> Record:
        begun = time.perf_counter()
        tracker = _tracker(point)
        record = audit_tracker(
            tracker.protocol, tracker.adversary, sites=tracker.sites, transcripts=point.items or TRANSCRIPTS, seed=seed
        )
        record.row["seconds"] = time.perf_counter() - begun
        return record

    def demand(self, point: Point) -> Demand:
        return Demand(seconds=(point.items or TRANSCRIPTS) / 24)


def why_not_audited(maker: type) -> str:
    """Return why no audit is made for a class, which may be a function too; empty if there is one."""
    made = maker if isclass(maker) else object
    if Audit.meant_for(made) or issubclass(made, Robust):
        return ""
    return "has no audit" if issubclass(made, Mechanism) else "draws no noise for privacy, of which it claims none"


def mechanism_of(point: Point) -> Mechanism:
    """Return the mechanism, with the audit's defaults for parameters that the scenario does not give."""
    mechanism: object = duel.mechanism_of(point, COMMON | USUAL.get(point.protocol.label, {}))
    if not isinstance(mechanism, Mechanism):
        duel.refuse_mechanism(point, "Mechanism")
    return mechanism


def _tracker(point: Point) -> Tracker:
    """Return the audited tracker of a point."""
    protocol = point.protocol.make()
    if not isinstance(protocol, Robust):
        raise PointError(("protocol", "kind"), f"{point.protocol.label} claims no privacy; accepted: robust")
    try:
        return Tracker(protocol, made_for_task(point), point.sites or SITES_AUDITED, SIZE)
    except ScenarioError as error:
        raise PointError(("protocol",), str(error)) from error
