"""The exact value of a tiny game of tracking: the best adversary, by dynamic programming over what outputs tell.

A model has the hidden states of the sites and the server, and the probability of each successor. What an adversary
knows after some items is the distribution of the hidden state given the outputs so far. The value is a maximum over the
site of the next item, and a mean over the output after it, from the last item back to the first.
"""

from __future__ import annotations

import pickle
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any, Literal, NamedTuple

import numpy as np

from disttrack.adversaries.base import View
from disttrack.adversaries.schedules import Burst, Schedule
from disttrack.mechanisms.rules import SamplingRule, next_double, sum_of_estimates
from disttrack.mechanisms.rules.sampling import chances_redrawn
from disttrack.protocols.base import EVERYONE, Message, Protocol
from disttrack.protocols.sampling.randomized import Randomized
from disttrack.simulator.game.outputs import as_float, exact

Belief = frozenset[tuple[Any, Fraction]]
"""Hidden states with their probabilities."""
Outcome = tuple[Fraction, Any, Any]
"""The probability of a successor, the output there, and the hidden state."""
History = tuple[tuple[int, Any], ...]
"""The site of each item so far, and the output after it."""


class ExactGame:
    """A game of tracking with every outcome of its coins: of `randomized` with one copy, or of a tracker without coins.

    Parameters
    ----------
    protocol
        The tracker.
    sites, items
        Few: the work grows as sites to the power of items. 2 sites and 12 items take two seconds, 3 and 12 a minute.
    measure
        The adversary's goal: the probability of a ``failure``, that is a step whose relative error exceeds alpha, or
        the mean of the largest relative ``error``.

    Examples
    --------
    >>> from disttrack.protocols import Deterministic, Randomized
    >>> ExactGame(Randomized(alpha=0.5, confidence=0.5), sites=2, items=6).value()
    Fraction(1, 8)
    >>> ExactGame(Deterministic(alpha=0.5), sites=2, items=6).value()
    Fraction(0, 1)
    """

    def __init__(
        self, protocol: Protocol, *, sites: int, items: int, measure: Literal["failure", "error"] = "failure"
    ) -> None:
        self.items, self._sites = items, range(sites)
        self._alpha = Fraction(str(protocol.accuracy))
        self._failures = measure == "failure"
        first, self._step = _sampling(protocol, sites) if isinstance(protocol, Randomized) else _plain(protocol, sites)
        self._first = frozenset([(first, Fraction(1))])
        self._best = cache(self._best_of)

    def value(self, choose: Callable[[History], int] | None = None) -> Fraction:
        """Return the value of the game, or that of a strategy: a function of the sites and outputs so far."""
        if choose is None:
            return self._best(0, self._first, Fraction(0))[0]
        return self._value_of(choose, (), self._first, Fraction(0))

    def best(self, view: View) -> Generator[Schedule, View, None]:
        """Play a best strategy: an adversary, written as a generator."""
        belief, worst = self._first, Fraction(0)
        for item in range(self.items):
            site = self._best(item, belief, worst)[1]
            view = yield Burst(site, 1)
            _, belief, worst = self._after(item, belief, worst, site)[as_float(view.output)]

    def _best_of(self, item: int, belief: Belief, worst: Fraction) -> tuple[Fraction, int]:
        """Return the value after some items, and the site of the next one."""
        if item == self.items or (self._failures and worst):
            return worst, 0
        values = {}
        for site in self._sites:
            outcomes = self._after(item, belief, worst, site).values()
            values[site] = sum((chance * self._best(item + 1, *later)[0] for chance, *later in outcomes), Fraction(0))
        site = max(values, key=lambda one: values[one])
        return values[site], site

    def _value_of(
        self, choose: Callable[[History], int], history: History, belief: Belief, worst: Fraction
    ) -> Fraction:
        """Return the value of a strategy after some items."""
        item = len(history)
        if item == self.items:
            return worst
        site = choose(history)
        value = Fraction(0)
        for output, (chance, given, harm) in self._after(item, belief, worst, site).items():
            value += chance * self._value_of(choose, (*history, (site, output)), given, harm)
        return value

    def _after(
        self, item: int, belief: Belief, worst: Fraction, site: int
    ) -> dict[float, tuple[Fraction, Belief, Fraction]]:
        """Return by the output after the next item: its probability, the belief given it, and the worst so far."""
        parts: dict[Fraction, dict[Any, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
        for state, chance in belief:
            for share, output, successor in self._step(state, site):
                parts[exact(output)][successor] += chance * share
        outcomes = {}
        for output, chances in parts.items():
            total = sum(chances.values(), Fraction(0))
            given = frozenset((state, chance / total) for state, chance in chances.items())
            error = abs(output / (item + 1) - 1)
            harm = Fraction(error > self._alpha) if self._failures else error
            outcomes[as_float(output)] = total, given, max(worst, harm)
        return outcomes


class _Sampled(NamedTuple):
    """A state of `randomized`: of each site its items, those at its last doubling and its last report."""

    counts: tuple[int, ...]
    doubled: tuple[int, ...]
    lasts: tuple[int, ...]
    known: int


def _sampling(protocol: Randomized, k: int) -> tuple[Any, Callable[[Any, int], Iterable[Outcome]]]:
    """Return the model of `randomized`; a coin is tossed when its item comes, which changes no probability."""
    spread, copies = protocol.tuned(k)
    if copies != 1:
        raise ValueError(f"copies must be 1 for an exact game; got {copies}")
    rule = SamplingRule(spread, k)

    def replaced(values: tuple[int, ...], site: int, value: int) -> tuple[int, ...]:
        return (*values[:site], value, *values[site + 1 :])

    @cache
    def step(state: _Sampled, site: int) -> list[Outcome]:
        before = rule.inverse_p(state.known)
        counts = replaced(state.counts, site, state.counts[site] + 1)
        p = Fraction(1, before)
        reports = [(p, replaced(state.lasts, site, counts[site])), (1 - p, state.lasts)]
        doubled, known = state.doubled, state.known
        if counts[site] >= next_double(doubled[site]):
            doubled = replaced(doubled, site, counts[site])
            known = sum(doubled) if sum(doubled) >= next_double(known) else known
        inverse = rule.inverse_p(known)
        outcomes = []
        for chance, lasts in reports if before > 1 else reports[:1]:
            for share, redrawn in _redrawn(lasts, before, inverse):
                output = sum_of_estimates(sum(redrawn), sum(last > 0 for last in redrawn), inverse)
                outcomes.append((chance * share, output, _Sampled(counts, doubled, redrawn, known)))
        return outcomes

    none = (0,) * k
    return _Sampled(none, none, none, 0), step


def _redrawn(lasts: tuple[int, ...], before: int, inverse: int) -> Iterator[tuple[Fraction, tuple[int, ...]]]:
    """Yield the reports of all sites after a change of p, with their probability."""
    if before == inverse:
        yield Fraction(1), lasts
        return
    chances = [[*map(Fraction, chances_redrawn(last, before, inverse).tolist())] for last in lasts]
    for redrawn in product(*(range(last + 1) for last in lasts)):
        chance = Fraction(1)
        for each, last in zip(chances, redrawn, strict=True):
            chance *= each[last]
        if chance:
            yield chance, redrawn


def _plain(protocol: Protocol, k: int) -> tuple[Any, Callable[[Any, int], Iterable[Outcome]]]:
    """Return the model of a tracker without coins: its own sites and server; one that draws raises AttributeError."""

    def deliver(sites: Sequence[Any], server: Any, sender: int, messages: Sequence[Message]) -> None:
        for message in messages:
            for receiver, answer in server.hear(sender, message):
                for site in range(k) if receiver == EVERYONE else (receiver,):
                    deliver(sites, server, site, sites[site].hear(answer))

    @cache
    def step(state: bytes, site: int) -> list[Outcome]:
        sites, server = pickle.loads(state)
        deliver(sites, server, site, sites[site].take(1))
        return [(Fraction(1), server.output, pickle.dumps((sites, server)))]

    unused = np.random.default_rng(0)  # these protocols draw nothing
    return pickle.dumps((protocol.sites(k, unused), protocol.server(k, unused))), step
