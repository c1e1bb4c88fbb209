"""Advice on private answers about data that changes: the mechanisms ranked by their stated errors, and a game each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from disttrack.privacy.adversaries.updates.streams import Churn
from disttrack.privacy.mechanisms import DynamicMechanism, FullyDynamic, InsertedMinusDeleted
from disttrack.privacy.mechanisms.dynamic.factorised_difference import FactorisedDifference
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.game.tasks.base import Record
from disttrack.simulator.game.tasks.duel import DELTA, play_duel
from disttrack.simulator.kinds.registry import parameters

KINDS: Final[tuple[type[DynamicMechanism], ...]] = (FactorisedDifference, InsertedMinusDeleted, FullyDynamic)
"""Mechanisms for insertions and deletions."""
OPTIONS: Final = {"horizon": "steps", "peak": "size"}
"""Options whose parameter has another name."""
LONGEST: Final = 50_000
"""Steps of a game at most."""


@dataclass(frozen=True)
class Wanted:
    """What private answers are wanted for.

    Parameters
    ----------
    queries, domain
        The family of queries: see `privacy.mechanisms.queries.family`.
    steps
        Steps of the stream.
    epsilon, delta
        Privacy of all answers; delta 0 for pure privacy.
    size
        Items that are live after they have come, in the games.
    every, lifetime
        As in `FactorisedDifference`, the only mechanism that takes them.
    """

    queries: str
    domain: int
    steps: int
    epsilon: float
    delta: float = 0.0
    size: int = 1000
    every: int = 1
    lifetime: int | None = None

    @property
    def played(self) -> int:
        """Steps of a game."""
        return min(self.steps, LONGEST)


@dataclass(frozen=True)
class Ranked:
    """A mechanism, its parameters that are not the usual ones, and its game; the game states its error."""

    mechanism: DynamicMechanism
    given: dict[str, object]
    game: Record

    @property
    def label(self) -> str:
        """Kind and parameters, but for those of the situation."""
        named = {"static": "laplace"} | {
            name: self.given[name] for name in ("static", "every", "lifetime") if name in self.given
        }
        return " ".join([self.mechanism.kind, *(f"{name}={value}" for name, value in named.items())])


def advise(wanted: Wanted, seed: int = 0) -> list[Ranked]:
    """Return the mechanisms that have this privacy, that of the least stated error first.

    Each plays one game: `size` items come, then items come and go. The stated error is that of the game's steps; it
    grows with more steps, for `FactorisedDifference` the least, whose noise is made for all steps already.

    Raises
    ------
    ScenarioError
        A parameter is out of range.
    """
    try:
        stream = Churn(peak=wanted.size)
        ranked = [
            Ranked(mechanism, given, play_duel(mechanism, stream, steps=wanted.played, seed=seed))
            for mechanism, given in candidates(wanted)
        ]
    except ValueError as error:
        name, _, reason = str(error).partition(" ")
        raise ScenarioError(f"--{OPTIONS.get(name, name)} {reason}") from error
    return sorted(ranked, key=lambda one: float(one.game.bound))


def candidates(wanted: Wanted) -> Iterator[tuple[DynamicMechanism, dict[str, object]]]:
    """Yield the mechanisms, each with Laplace noise and, where delta allows it, with normal noise."""
    for maker in KINDS:
        for static in ("laplace", "gaussian") if wanted.delta else ("laplace",):
            given = {"queries": wanted.queries, "domain": wanted.domain, "static": static, "horizon": wanted.steps}
            given |= {"delta": wanted.delta} if static == "gaussian" else {}
            if maker is FactorisedDifference:
                given |= {"every": wanted.every, "lifetime": wanted.lifetime}
            usual = parameters(maker)
            mechanism = maker(wanted.epsilon, **given)  # type: ignore[arg-type]
            yield mechanism, {name: value for name, value in given.items() if value != usual[name]}


def scenario_of(best: Ranked, wanted: Wanted, name: str = "data-advice") -> str:
    """Return the scenario that verifies a recommendation, as YAML."""
    given = {name: value for name, value in best.given.items() if name not in ("domain", "horizon")}
    inner = ", ".join(f'{key}: "{value}"' if key == "queries" else f"{key}: {value!r}" for key, value in given.items())
    lines = [
        f"name: {name}",
        f"question: Does {best.mechanism.kind} keep its stated error?",
        "task: dynamic-queries",
        f"domain: {wanted.domain}",
        f"steps: {wanted.played}",
        "trials: 5",
        f"protocol: {{kind: {best.mechanism.kind}, epsilon: {wanted.epsilon!r}, {inner}}}".replace("'", ""),
        f"adversary: [{{kind: churn, peak: {wanted.size}}}, {{kind: overcount, keep: {wanted.size}}}]",
        "claims:",
        "  - name: the largest error is within the stated one",
        "    measure: fraction(ok)",
        "    at_least: 0.5",
        f"    chance: {DELTA}",
        "    margin: error_over_bound",
        "    control: {fault: tenfold-noise, trials: 1}",
    ]
    return "\n".join(lines) + "\n"
