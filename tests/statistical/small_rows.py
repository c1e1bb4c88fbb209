"""The table of small cases: each statement on small rounds, and on a broken round where the same check fails.

    python tests/statistical/small_rows.py

writes the table of results/reference/tables/proofs.md anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from math import inf, isinf
from pathlib import Path
from typing import Any

import numpy as np
import small_statements as of
from small_adversaries import at_random, every_history, parking, played
from small_statements import Game, growth
from small_tracker import Histories, Small

PAGE = Path(__file__).parents[2] / "results/reference/tables/proofs.md"

PAPER = (Small(3, 1, releases=2), Small(2, 1, phases=3, releases=3, length=1.0))
"""Rounds as the paper has them: each phase shows a value."""
TIGHT = (Small(3, 1), Small(2, 1, phases=3, length=3.0, releases=2), Small(2, 2, edges=(1.5,)))
"""Rounds as the tight constants have them: the last phase ends in the poll alone."""
QUIET: Mapping[str, Any] = {"phases": 1, "releases": 1, "threshold_scale": 40.0, "node_scale": 40.0}
"""Much noise: the loss of a round is 0.1, so that what is allowed is little."""
THREE, FOUR = Small(3, 1, length=3.0, **QUIET), Small(4, 1, length=4.0, **QUIET)
LOUD = Small(2, 2, edges=(1.5,))
CLOCKED = Small(2, 2, clock=4, edges=(0.5, 1.5, 2.5), **QUIET)
STEADY = Small(2, 1, phases=6, releases=6, clock=1, edges=(0.5, 1.5), node_scale=0.15)
LATE = Small(2, 3, phases=1, releases=1, clock=16, node_scale=1.5, edges=tuple(x + 0.5 for x in range(6)))
RARE = Small(2, 1, phases=1, releases=1, clock=2, edges=(-9.0, 0.5, 1.5, 12.0), node_scale=2.0)
ADVERSARIES = 100
SHARES = (0.0, 0.1, 0.3, 0.6, 0.9)
"""Parts of the pure loss at which the least delta of Definition 3 is taken, which is then above 0."""


@dataclass(frozen=True)
class Row:
    """A statement, what was measured of it over its bound, and the same of a broken round.

    Attributes
    ----------
    statement, says
        Its name and what is measured, in a line.
    measured
        Returns the largest ratio to the bound: at most 1.
    controls
        By the name of what is broken, the same check of that round: above 1.
    exactly
        What the measured ratio is if the bound is attained, or is known otherwise.
    """

    statement: str
    says: str
    measured: Callable[[], float]
    controls: Mapping[str, Callable[[], float]]
    exactly: float | None = None


# ---------------------------------------------------------------------- every adversary, transcript by transcript


def worst(rounds: Iterable[Small], check: Callable[[Histories], float]) -> float:
    """Return the largest value of a check over all transcripts of all adversaries."""
    return max(check(here) for small in rounds for here in every_history(small))


def silent(rounds: Iterable[Small]) -> list[tuple[Small, Small]]:
    """Return each round beside the same one without noise."""
    return [(small, small.silent) for small in rounds]


def moved(rounds: Iterable[tuple[Small, Small]], ignore: bool = False) -> float:
    """Return the largest loss by a moved threshold over the epsilon that the first of each pair claims."""
    return max(
        worst(
            [played_], lambda here, e=claimed.epsilon: of.moved_threshold(here, e, _nothing(here) if ignore else None)
        )
        for claimed, played_ in rounds
    )


def odds(rounds: Iterable[tuple[Small, Small]], ignore: bool = False) -> float:
    """Return the largest logarithm of an odds ratio over the x that the first of each pair claims."""
    return max(
        worst([played_], lambda here, x=claimed.odds: of.odds(here, x, _nothing(here) if ignore else None))
        for claimed, played_ in rounds
    )


def shift(rounds: Iterable[tuple[Small, Small]], side: int, ignore: bool = False) -> float:
    """Return the largest mean shift upwards (0) or downwards (1) over its bound."""
    return max(
        worst([played_], lambda here, x=claimed.odds: of.shift(here, x, np.zeros(1) if ignore else None)[side])
        for claimed, played_ in rounds
    )


def leaks(small: Small, declared: int) -> float:
    """Return the largest number of leaked blocks in work over L - 1, L being the declared phases."""
    return worst([small], lambda here: int(of.leaks_in_work(here.pick(~here.over)).max(initial=0))) / (declared - 1)


def doubt(small: Small, named: int = 0) -> float:
    """Return 1 plus the largest chance that a leaked block's bit has not been sent."""
    found = worst([small], lambda here: of.leaked_upwards(here, named))
    return 1.0 if abs(found) < of.TINY else 1.0 + found


def _nothing(here: Histories) -> Any:
    return np.zeros_like(here.leaked)


# ---------------------------------------------------------------------- some adversaries, all transcripts of each


@cache
def games(small: Small, query: Any = of.linear, **options: Any) -> tuple[Game, ...]:
    """Return the games against adversaries drawn at random and the two that park each site at an item of its block."""
    some = [at_random(seed) for seed in range(ADVERSARIES)] + [parking(1), parking(2)]
    return tuple(Game(played(small, choose), query, **options) for choose in some)


@cache
def at_releases(small: Small) -> tuple[Game, ...]:
    """Return games against adversaries that never stop, asked when a value is shown, which may be anything possible."""
    some = [at_random(seed, stop=0.0) for seed in range(20)]
    return tuple(Game(played(small, choose), most=float(small.entries), at_releases=True) for choose in some)


def lemma_8(claimed: tuple[Small, ...], played_: tuple[Small, ...], ignore: bool = False) -> float:
    """Return the delta that Lemma 8 needs over the delta of Definition 3, at many epsilons."""
    found = [0.0]
    for right, small in zip(claimed, played_, strict=True):
        for game, honest in zip(games(small), games(right), strict=True):
            used = Game(game.here, leaked=_nothing(game.here)) if ignore else game
            found += [of.lemma_8(used, f * right.epsilon, honest.delta(f * right.epsilon)) for f in (*SHARES, 1.0)]
    return max(found)


def near_prior(
    small: Small, loss: float, reach: float, kappas: float, unit: float, spread: float = 1.0, query: Any = of.linear
) -> float:
    """Return the worst of a lemma on the posterior's shift: reach (e^eps - 1) + kappas + c unit, at many epsilons."""
    played_ = games(small, query)
    found = [of.largest_shift(played_, reach * growth(loss) + kappas)]
    for game in played_:
        for f in SHARES:
            bound = reach * growth(f * loss) + kappas
            found.append(of.posterior_near_prior(game, bound, game.delta(f * loss), unit, spread))
    return max(found)


def surely(small: Small, bound: float, query: Any = of.linear) -> float:
    """Return the largest shift of the posterior over what is allowed where delta = 0."""
    return of.largest_shift(games(small, query), bound)


def near_posterior(small: Small, unit: float, promised: Small | None = None, most: float | None = None) -> float:
    """Return the worst of Lemmas 2 and 10, for the accuracy that another round promises if one is given."""
    options = {} if most is None else {"most": most}
    promises = games(promised or small, **options)
    return max(of.near_posterior(g, unit, promised=p) for g, p in zip(games(small, **options), promises, strict=True))


def theorem_5(small: Small, promised: Small) -> float:
    """Return the worst of Theorem 5 at its pure loss; nothing leaks from a round that goes by the clock."""
    pairs = zip(at_releases(small), at_releases(promised), strict=True)
    return max(of.theorem_5(game, promised.counter_loss, 0, promise) for game, promise in pairs)


# ---------------------------------------------------------------------- the rows


def rows() -> tuple[Row, ...]:
    """Return all rows, in the order of the page."""
    pure = [(small, small) for small in TIGHT]
    half = [(small, replace(small, threshold_scale=small.threshold_scale / 2)) for small in TIGHT[:1]]
    few = growth(THREE.epsilon)
    four = growth(FOUR.epsilon) * 4
    beyond: dict[str, Any] = {"query": of.beyond_one}
    both = (THREE, LOUD)
    doubled = replace(STEADY, factor=2.0)
    return (
        Row("Definition 3, Lemma 5", "loss of a transcript by one threshold outside the leaked set, over epsilon",
            lambda: moved([(small, small) for small in PAPER]),
            {"no noise": lambda: moved(silent(PAPER)),
             "leaked set ignored": lambda: moved([(PAPER[1],) * 2], True)}, exactly=0.5),
        Row("Lemma 8", "delta needed over the delta of Definition 3", lambda: lemma_8(both, both),
            {"no noise": lambda: lemma_8((THREE,), (THREE.silent,)),
             "leaked set ignored": lambda: lemma_8((THREE,), (THREE,), True)}),
        Row("Lemma 2", "probability of an answer far from its posterior mean, times c, over beta",
            lambda: near_posterior(STEADY, 2.0), {"bits counted twice": lambda: near_posterior(doubled, 2.0, STEADY)}),
        Row("Lemma 3", "shift of the posterior over (e^eps - 1) m, and its probability times c over delta",
            lambda: near_prior(CLOCKED, CLOCKED.counter_loss, 4, 0, 8),
            {"no noise": lambda: surely(CLOCKED.silent, 4 * growth(CLOCKED.counter_loss))}),
        Row("Lemma 4", "the same over (e^eps - 1) m + 2 kappa", lambda: near_prior(FOUR, FOUR.epsilon, 4, 2, 8),
            {"no noise": lambda: surely(FOUR.silent, four + 2), "leaked set ignored": lambda: surely(FOUR, four)}),
        Row("Lemma 9", "the same over (e^eps - 1) k + kappa",
            lambda: max(near_prior(THREE, THREE.epsilon, 3, 1, 6), near_prior(LOUD, LOUD.epsilon, 2, 2, 8)),
            {"no noise": lambda: surely(THREE.silent, 3 * few + 1),
             "leaked set ignored": lambda: surely(THREE, 3 * few)}),
        Row("Lemma 10", "as Lemma 2, for queries that touch k thresholds", lambda: near_posterior(STEADY, 2.0),
            {"bits counted twice": lambda: near_posterior(doubled, 2.0, STEADY),
             "answers beyond what can be true": lambda: near_posterior(RARE, 2.0, most=99.0)}),
        Row("Lemma 11", "as Lemma 9, for the bits beyond the first, a query that is not linear",
            lambda: near_prior(THREE, THREE.epsilon, 3, 1, 12, 1.0, **beyond),
            {"no noise": lambda: surely(THREE.silent, 3 * few + 1, **beyond)}),
        Row("Theorem 5", "probability of an answer far from the expected number of bits, times d, over beta",
            lambda: theorem_5(LATE, LATE), {"no bit counted": lambda: theorem_5(replace(LATE, factor=0.0), LATE)}),
        Row("Odds, docs/proofs.md", "logarithm of the odds that a bit has been sent over the odds before, over x",
            lambda: odds(pure),
            {"no noise": lambda: odds(silent(TIGHT[:1])), "half of the threshold noise": lambda: odds(half),
             "leaked set ignored": lambda: odds(pure[:1], True)}, exactly=1.0),
        Row("Leaked, docs/proofs.md", "leaked blocks in work over L - 1", lambda: leaks(TIGHT[0], 2),
            {"a phase too many": lambda: leaks(replace(TIGHT[0], phases=3), 2)}, exactly=1.0),
        Row("Leaked upwards, docs/proofs.md", "1 + the chance that a leaked block's bit has not been sent",
            lambda: max(map(doubt, TIGHT)), {"another site named": lambda: doubt(TIGHT[0], named=1)}, exactly=1.0),
        Row("Mean shift up, docs/proofs.md", "bits above their expected number, over k tanh(x/4) + leaked",
            lambda: shift(pure, 0),
            {"no noise": lambda: shift(silent([replace(THREE, phases=2)]), 0),
             "leaked set ignored": lambda: shift(pure[:1], 0, True),
             "all thresholds at the first item": lambda: shift([(TIGHT[0], replace(TIGHT[0], places=(1,)))], 0)}),
        Row("Mean shift down, docs/proofs.md", "bits below their expected number, over k tanh(x/4)",
            lambda: shift(pure, 1),
            {"no noise": lambda: shift(silent(TIGHT[:1]), 1),
             "all thresholds at the last item": lambda: shift([(TIGHT[0], replace(TIGHT[0], places=(3,)))], 1)}),
    )  # fmt: skip


def page(found: Iterable[tuple[Row, float, Mapping[str, float]]]) -> str:
    """Return the page with what was measured."""
    head, _, rest = PAGE.read_text(encoding="utf-8").partition("| statement |")
    lines = ["| statement | what is measured | measured (at most 1) | broken round, where the same check fails |",
             "| --- | --- | --- | --- |"]  # fmt: skip
    return head + "\n".join([*lines, *(line(*each) for each in found)]) + "\n\n" + rest.partition("\n\n")[2]


def line(row: Row, value: float, controls: Mapping[str, float]) -> str:
    """Return the page's line of a row."""
    broken = "; ".join(f"{name}: {_said(ratio)}" for name, ratio in controls.items())
    return f"| {row.statement} | {row.says} | {_said(value)} | {broken} |"


def _said(value: float) -> str:
    return "no bound" if isinf(value) and value == inf else f"{value:.3f}"


if __name__ == "__main__":
    measured = [(row, row.measured(), {name: check() for name, check in row.controls.items()}) for row in rows()]
    PAGE.write_text(page(measured), encoding="utf-8")
