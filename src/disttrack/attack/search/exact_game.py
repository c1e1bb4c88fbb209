"""The exact value of a tiny game of tracking: the best adversary, by dynamic programming over what it sees.

What an adversary knows after some items is the distribution of the hidden state given what it has seen. The value is a
maximum over the site of the next item, and a mean over what is seen after it, from the last item back to the first.
Sites that were treated alike are alike: what differs in their names only is computed once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Generator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from math import gcd, lcm
from typing import Any, Literal, NamedTuple, TypeAlias

from disttrack.adversaries.base import View
from disttrack.adversaries.schedules import Burst, Schedule
from disttrack.attack.search.exact_models import State, model_of
from disttrack.protocols.base import Number, Protocol
from disttrack.simulator.game.outputs import as_float, exact

Belief = frozenset[tuple[State, int]]
"""Hidden states with weights in proportion to their probability, whole numbers without a common divisor."""
History = tuple[tuple[int, object], ...]
"""The site of each item so far, and the output after it."""
Sees = Literal["nothing", "outputs", "state"]
Seen: TypeAlias = Number | State | Fraction
"""What is seen of an item: its output, the state, or whether it failed."""


class After(NamedTuple):
    """What may be seen after an item: its probability, the belief then, and the largest error so far."""

    chance: Fraction
    belief: Belief
    worst: Fraction


class ExactGame:
    """A game of tracking with every outcome of its coins, of the trackers in `exact_models`.

    Parameters
    ----------
    protocol
        The tracker.
    sites, items
        Few: for `randomized` the work grows as sites to the power of items. 2 sites and 16 items take a minute.
    measure
        The adversary's goal: the probability of a ``failure``, that is a step whose relative error exceeds alpha, or
        the mean of the largest relative ``error``.
    sees
        What the adversary sees: the ``outputs``; or the whole ``state`` except coins of later items, whose value bounds
        the first and has far fewer cases; or ``nothing``: the best fixed sequence of sites, for ``failure`` only.

    Raises
    ------
    ValueError
        There is no exact model of the tracker, or no value of a fixed sequence by this measure.

    Examples
    --------
    >>> from disttrack.protocols import Deterministic, Randomized
    >>> ExactGame(Randomized(alpha=0.5, confidence=0.5), sites=2, items=6).value()
    Fraction(1, 8)
    >>> ExactGame(Deterministic(alpha=0.5), sites=2, items=6).value()
    Fraction(0, 1)
    """

    def __init__(
        self,
        protocol: Protocol,
        *,
        sites: int,
        items: int,
        measure: Literal["failure", "error"] = "failure",
        sees: Sees = "outputs",
    ) -> None:
        self.items, self._sites = items, sites
        self._alpha = Fraction(str(protocol.accuracy))
        self._failures, self._sees = measure == "failure", sees
        if sees == "nothing" and not self._failures:  # the largest error so far would be hidden too
            raise ValueError("measure must be failure where the adversary sees nothing; got error")
        first, self._step = model_of(protocol, sites)
        self._first: Belief = frozenset([(first, 1)])
        self._best, self._harm = cache(self._best_of), cache(self._harm_of)

    def value(self, choose: Callable[[History], int] | None = None) -> Fraction:
        """Return the value of the game, or that of a strategy: a function of the sites and outputs so far."""
        if choose is None:
            return self._best(0, self._first, Fraction(0))[0]
        return self._value_of(choose, (), self._first, Fraction(0))

    def best(self, view: View) -> Generator[Schedule, View, None]:
        """Play a best strategy against outputs: an adversary, written as a generator."""
        belief, worst = self._first, Fraction(0)
        for item in range(self.items):
            alike, order = _without_names(belief, self._sites)
            site = order[self._best(item, alike, worst)[1]]
            view = yield Burst(site, 1)
            _, belief, worst = self._after(item, belief, worst, site)[as_float(view.output)]

    def _best_of(self, item: int, belief: Belief, worst: Fraction) -> tuple[Fraction, int]:
        """Return the value after some items, and the site of the next one."""
        if item == self.items or (self._failures and worst):
            return worst, 0
        best, choice, tried = Fraction(-1), 0, set[Belief]()
        for site in range(self._sites):
            moved = _without_names(belief, self._sites, site)[0]
            if moved in tried:
                continue  # another site that is like this one
            tried.add(moved)
            value = Fraction(0)
            for chance, later, harm in self._after(item, belief, worst, site).values():
                value += chance * self._best(item + 1, _without_names(later, self._sites)[0], harm)[0]
            if value > best:
                best, choice = value, site
        return best, choice

    def _value_of(
        self, choose: Callable[[History], int], history: History, belief: Belief, worst: Fraction
    ) -> Fraction:
        """Return the value of a strategy after some items."""
        item = len(history)
        if item == self.items or (self._failures and worst):
            return worst
        site = choose(history)
        value = Fraction(0)
        for output, (chance, given, harm) in self._after(item, belief, worst, site).items():
            value += chance * self._value_of(choose, (*history, (site, output)), given, harm)
        return value

    def _after(self, item: int, belief: Belief, worst: Fraction, site: int) -> Mapping[Seen, After]:
        """Return the results of the next item by what is seen of it: the output, or the state with it."""
        outcomes = [(weight, outcome) for state, weight in belief for outcome in self._step(state, site)]
        scale = lcm(*(outcome.chance.denominator for _, outcome in outcomes))
        parts: dict[tuple[Seen, Fraction], dict[State, int]] = defaultdict(lambda: defaultdict(int))
        for weight, (chance, output, state) in outcomes:
            harm = self._harm(item, output)
            seen = {"nothing": harm, "outputs": output, "state": state}[self._sees]  # a failure ends the game
            parts[seen, harm][state] += weight * chance.numerator * (scale // chance.denominator)
        whole = sum(weight for _, weight in belief) * scale
        results: dict[Seen, After] = {}
        for (seen, harm), weights in parts.items():
            total, common = sum(weights.values()), gcd(*weights.values())
            given = frozenset((state, weight // common) for state, weight in weights.items())
            after = After(Fraction(total, whole), given, max(worst, harm))
            results[as_float(seen) if self._sees == "outputs" else seen] = after
        return results

    def _harm_of(self, item: int, output: Number) -> Fraction:
        """Return the harm of an output after an item: its error, or whether this is a failure."""
        error = abs(exact(output) / (item + 1) - 1)
        return Fraction(error > self._alpha) if self._failures else error


def _without_names(belief: Belief, sites: int, marked: int = -1) -> tuple[Belief, Sequence[int]]:
    """Return a belief with its sites in an order that does not depend on their names, and this order.

    Sites are ordered by the distribution of their own rows. Those of the same distribution may still differ in how they
    go with others; then what is alike may be computed twice.

    Parameters
    ----------
    marked
        A site that is first, whatever its rows.
    """
    if len(belief) == 1:
        ((state, _),) = belief
        order = sorted(range(sites), key=lambda site: (site != marked, state.rows[site]))
    else:
        own: list[dict[Any, int]] = [defaultdict(int) for _ in range(sites)]
        for state, weight in belief:
            for site, row in enumerate(state.rows):
                own[site][row] += weight
        order = sorted(range(sites), key=lambda site: (site != marked, sorted(own[site].items())))
    if order == list(range(sites)):
        return belief, order
    return frozenset((State(tuple(state.rows[site] for site in order), state.shared), w) for state, w in belief), order
