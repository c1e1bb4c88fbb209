"""The task `density`: the share of users who have appeared, published at every step.

In a step the adversary names a group of users as a site, and all of them appear at once. A user moves the share by 1 /
users, however often they appear and however many others come with them: so the privacy of a step is that of one user.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf, sqrt
from typing import Any, ClassVar

from disttrack.adversaries.base import Adversary, View
from disttrack.privacy.mechanisms import ContinualOutput, PanPrivateDensity
from disttrack.privacy.mechanisms.density import ContinualOutputRun, DensityRun
from disttrack.privacy.tasks.planned import SKIP, Planned
from disttrack.simulator.game.outputs import distance
from disttrack.simulator.game.tasks.answers import LARGEST, RMS, Answer, held
from disttrack.simulator.game.tasks.base import Demand, Row, Size
from disttrack.simulator.game.tasks.duel import DELTA, STEPS, Duel, Rngs, Sizes, known, mechanism_of
from disttrack.simulator.game.tasks.loop import Referee, Run, Sides, kept
from disttrack.simulator.kinds.point import Point, PointError

Transformed = ContinualOutput | PanPrivateDensity
"""The mechanisms that play it."""


class Crowds:
    """An estimator of the density that takes groups of users, each of nearly the same size.

    Parameters
    ----------
    density
        A run of the estimator.
    ends
        The first user of each group, and the number of users.
    """

    def __init__(self, density: DensityRun, ends: Sequence[int]) -> None:
        self._density, self._ends = density, ends

    def step(self, group: int) -> None:
        """Take the group that appears, or `SKIP`."""
        if group != SKIP:
            self._density.appear(self._ends[group], self._ends[group + 1])

    def answer(self) -> float:
        """Return the estimate."""
        return float(self._density.answer())


class Unhidden(Run):
    """Publishes an estimator's answer at every step, without noise of its own."""

    changes: int | None = None
    halted: bool | None = None

    def __init__(self, inner: Crowds) -> None:
        self._inner = inner

    def step(self, group: int) -> float:
        """Take the group that appears and return the answer."""
        self._inner.step(group)
        return self._inner.answer()


class DensityReferee(Referee[Sequence[int], Sequence[object]]):
    """Compares what is published with the share of users who have appeared.

    Parameters
    ----------
    run
        The mechanism at work.
    ends
        The first user of each group, and the number of users.
    bound
        The error that counts as a failure.
    """

    def __init__(self, run: ContinualOutputRun | Unhidden, ends: Sequence[int], bound: float) -> None:
        self._run, self._ends, self._bound = run, ends, bound
        self._seen: set[int] = {SKIP}
        self._present = self._step = 0
        self._largest = self._squares = 0.0
        self._failure: int | None = None

    def judge(self, moves: Sequence[int], answers: Sequence[object]) -> None:
        """Take groups and the answers after them."""
        for group, answer in zip(moves, answers, strict=True):
            self._step += 1
            if group not in self._seen:
                self._seen.add(group)
                self._present += self._ends[group + 1] - self._ends[group]
            error = distance(answer, self._present / self._ends[-1])
            self._largest = max(self._largest, error)
            self._squares += error**2
            if self._failure is None and (error > self._bound or error == inf):
                self._failure = self._step

    def row(self) -> Row:
        """Return the columns."""
        return {
            "density": self._present / self._ends[-1],
            "max_abs_error": self._largest,
            "rms_error": sqrt(self._squares / max(1, self._step)),
            "bound": self._bound,
            "first_failure": self._failure,
            "published": self._run.changes,
            "halted": self._run.halted,
            "verdict": kept(self._failure is None),
        }


class Density(Duel[Transformed, Adversary]):
    """The density of users, published at every step.

    `continual-output` publishes the answers of `pan-private-density`, of the same epsilon, only where they have
    changed; its `sensitivity` follows from the number of users. `pan-private-density` by itself publishes every answer,
    and hides nobody from those who see two of them.

    Columns: `density` at the end; `max_abs_error` and `rms_error` over all steps; `bound`, the mechanism's bound on the
    largest error, exceeded with probability beta + 0.05 at most; `published`, the number of publications, and `halted`,
    whether there were more than the mechanism allows.
    """

    kind: ClassVar[str] = "density"
    labels: ClassVar = {"published": "publications", "max_abs_error": "largest error, as a share of the users"}
    axes: ClassVar = {"users": "number of users, n", "groups": "groups of users"}
    roles: ClassVar[Sequence[str]] = ("estimator", "mechanism", "adversary", "challenge")
    takes: ClassVar[tuple[type[object], ...]] = (ContinualOutput, PanPrivateDensity)
    engines: ClassVar[Sequence[str]] = ("step",)
    reason: ClassVar[str] = "a group at a time"
    sizes: ClassVar[Sequence[Size]] = (
        Size("groups", "sites", "Groups of users: a step names one, and all of its users appear.", needed=True),
        Size("users", "start", "Users of all groups together.", needed=True),
        STEPS,
    )
    columns: ClassVar[Sequence[str]] = (
        *("users", "density", "max_abs_error", "rms_error", "bound", "published", "halted"),
    )
    answers: ClassVar[Sequence[Answer]] = (
        held("games in which the published share stayed within the bound at every step"),
        replace(LARGEST, says="largest error of the published share"),
        RMS,
        Answer("bound", "value that the largest error exceeds with probability beta + 0.05 at most", "bound", rank=0),
        Answer("published", "publications", "published"),
        Answer("halted", "games in which the mechanism halted", "halted", "share", rank=2),
    )

    def mechanism_of(self, point: Point) -> Transformed:
        users = self.sizes_of(point)["users"]
        epsilon = point.protocol.arguments.get("epsilon", 1.0)
        sensitivity = PanPrivateDensity(epsilon, users).sensitivity if _positive(epsilon) else 1.0
        usual = {"users": users, "horizon": self.sizes_of(point)["steps"], "sensitivity": sensitivity}
        mechanism: Transformed = mechanism_of(point, usual)
        return mechanism if self.accepts(mechanism) else super().mechanism_of(point)

    def fits(self, mechanism: Transformed, adversary: Adversary, sizes: Sizes) -> None:
        users, groups = sizes["users"], sizes["groups"]
        if groups > users:
            raise PointError(("groups",), f"must be at most the {users:,} users; got {groups:,}")
        if isinstance(mechanism, ContinualOutput):
            self.fits_horizon(mechanism, sizes["steps"])
            least = PanPrivateDensity(mechanism.epsilon, users).sensitivity
            if mechanism.sensitivity < least:
                reason = f"must be at least {least:.4g}, by which one of {users:,} users moves an answer"
                raise PointError(("protocol", "sensitivity"), f"{reason}; got {mechanism.sensitivity:g}")
        elif mechanism.users != users:
            raise PointError(("protocol", "users"), f"must be the {users:,} users of the game; got {mechanism.users:,}")

    def begin(self, mechanism: Transformed, adversary: Adversary, sizes: Sizes, rngs: Rngs) -> Sides:
        steps, users, groups = sizes["steps"], sizes["users"], sizes["groups"]
        ends = [users * group // groups for group in range(groups + 1)]
        density = mechanism if isinstance(mechanism, PanPrivateDensity) else PanPrivateDensity(mechanism.epsilon, users)
        inner = Crowds(density.start(rngs["estimator"]), ends)
        bound = density.accuracy(DELTA / steps)  # at all steps, by the union bound
        run: Any = Unhidden(inner)
        if isinstance(mechanism, ContinualOutput):
            run, bound = mechanism.start(inner, rngs["mechanism"]), mechanism.error_bound(bound)
        view = View(sites=groups, items=steps, known=known(mechanism), rng=rngs["adversary"])
        referee = DensityReferee(run, ends, bound)
        return Sides(run, Planned(adversary, view, rngs["challenge"]), referee, view, steps)

    def demand(self, point: Point) -> Demand:
        sizes = self.sizes_of(point)
        tosses = sizes["users"] / sizes["groups"]
        return Demand(seconds=sizes["steps"] * (1.1e-5 + 1e-8 * tosses), memory=8e7 + 10 * sizes["users"])


def _positive(value: object) -> bool:
    """Return whether a parameter is a number from which a mechanism can be made; if not, the mechanism says so."""
    return isinstance(value, int | float) and 0 < value < inf
