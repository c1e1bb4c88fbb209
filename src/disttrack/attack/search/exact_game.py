"""The exact value of a tiny game of tracking: models of trackers, and the best adversary by dynamic programming.

A state has a row for each site, and what all share; sites with the same row are alike. A coin is tossed when its item
comes, which changes no probability.

What an adversary knows after some items is the distribution of the hidden state given what it has seen. The value is a
maximum over the site of the next item, and a mean over what is seen after it, from the last item back to the first.
Sites that were treated alike are alike: what differs in their names only is computed once.
"""

from __future__ import annotations

import pickle
from collections import defaultdict, deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from copy import copy
from fractions import Fraction
from functools import cache
from itertools import product
from math import gcd, lcm
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from disttrack.adversaries.base import View
from disttrack.adversaries.schedules import Burst, Schedule
from disttrack.mechanisms.rules import SamplingRule, next_double, sum_of_estimates
from disttrack.mechanisms.rules.sampling import chances_redrawn
from disttrack.protocols.base import EVERYONE, Message, Number, Protocol, Server, Site
from disttrack.protocols.coins import Coins
from disttrack.protocols.rounds.base import RoundProtocol
from disttrack.protocols.rounds.block import Block
from disttrack.protocols.rounds.martingale import Martingale
from disttrack.protocols.rounds.sites import BlockRule, CoinRule, RoundServer, SignalRule
from disttrack.protocols.sampling.randomized import Randomized
from disttrack.simulator.game.outputs import as_float, exact

Rows = tuple[Any, ...]
"""Of each site, what the tracker knows of it."""


class State(NamedTuple):
    """A hidden state."""

    rows: Rows
    shared: Any = None


class Outcome(NamedTuple):
    """A possible result of an item: its probability, the output, and the state."""

    chance: Fraction
    output: Number
    state: State


Step = Callable[[State, int], Sequence[Outcome]]
"""Maps a state and the site of the next item to the possible results."""


def model_of(protocol: Protocol, sites: int) -> tuple[State, Step]:
    """Return the first state of a tracker, and its step.

    Raises
    ------
    ValueError
        There is no model of it: its server draws noise, or it runs more than one copy.
    """
    if isinstance(protocol, Randomized):
        return _sampling(protocol, sites)
    if isinstance(protocol, Block | Martingale):
        return _rounds(protocol, sites)
    return _plain(protocol, sites)


def _with(rows: Rows, site: int, row: object) -> Rows:
    return (*rows[:site], row, *rows[site + 1 :])


# ---------------------------------------------------------------------- randomized


class _Sampled(NamedTuple):
    """Of a site: its items, those at its last doubling, and those at its last report."""

    items: int = 0
    doubled: int = 0
    last: int = 0


def _sampling(protocol: Randomized, k: int) -> tuple[State, Step]:
    """Return the model of `randomized`; all sites share the number that the doubling tracker knows."""
    spread, copies = protocol.tuned(k)
    if copies != 1:
        raise ValueError(f"copies must be 1 for an exact game; got {copies}")
    rule = SamplingRule(spread, k)

    @cache
    def step(state: State, site: int) -> list[Outcome]:
        known, row = state.shared, state.rows[site]
        before, count = rule.inverse_p(known), row.items + 1
        row = row._replace(items=count)
        if count >= next_double(row.doubled):
            row = row._replace(doubled=count)
            total = sum(each.doubled for each in _with(state.rows, site, row))
            known = total if total >= next_double(known) else known
        inverse, p = rule.inverse_p(known), Fraction(1, before)
        outcomes = []
        for chance, reported in ((p, row._replace(last=count)), (1 - p, row)):
            if chance:
                for share, rows in _redrawn(_with(state.rows, site, reported), before, inverse):
                    lasts = [each.last for each in rows]
                    output = sum_of_estimates(sum(lasts), sum(last > 0 for last in lasts), inverse)
                    outcomes.append(Outcome(chance * share, output, State(rows, known)))
        return outcomes

    return State((_Sampled(),) * k, 0), step


def _redrawn(rows: Rows, before: int, inverse: int) -> Iterator[tuple[Fraction, Rows]]:
    """Yield the rows with the reports of all sites after a change of p, with their probability."""
    if before == inverse:
        yield Fraction(1), rows
        return
    chances = [[*map(Fraction, chances_redrawn(row.last, before, inverse).tolist())] for row in rows]
    for redrawn in product(*(range(row.last + 1) for row in rows)):
        chance = Fraction(1)
        for each, last in zip(chances, redrawn, strict=True):
            chance *= each[last]
        if chance:
            yield chance, tuple(row._replace(last=last) for row, last in zip(rows, redrawn, strict=True))


# ---------------------------------------------------------------------- block and martingale


class _Blocked(NamedTuple):
    """Of a site: its items in the present block, and whether it has signalled in it."""

    place: int = 0
    signalled: bool = False


class _Round(NamedTuple):
    """What all share: the server's numbers that determine it, and the items of the round."""

    rounds: int
    base: int
    announced: int
    signals: int
    items: int = 0


def _rounds(protocol: RoundProtocol, k: int) -> tuple[State, Step]:
    """Return the model of a tracker in rounds whose server draws nothing; it is the tracker's own."""
    rng = np.random.default_rng(0)  # the outcomes of all coins are listed, and none is drawn
    rule_of = cache(protocol.rule_of(k, Coins(rng)))
    servers: dict[_Round, RoundServer] = {}

    def kept(server: RoundServer, items: int = 0) -> _Round:
        shared = _Round(server.rounds, server.base, server.announced, server.signals)
        servers[shared] = server
        return shared._replace(items=items)

    def heard(shared: _Round, signals: int, rows: Rows) -> tuple[Number, State]:
        """Return the output and the state after an item that made its site signal or not."""
        server, items = copy(servers[shared._replace(items=0)]), shared.items + 1
        forwards = server.rule is None
        replies = server.forwarded(1) if forwards else server.absorb(1) if signals else ()
        begun = bool(replies)
        waiting = deque(message.kind for _, message in replies)
        while waiting:
            if waiting.popleft() == "poll":
                waiting.extend(message.kind for _, message in server.counted(items, k))
                items = 0
        if begun or forwards:
            rows, items = (_Blocked(),) * k, 0
        return server.output, State(rows, kept(server, items))

    @cache
    def step(state: State, site: int) -> list[Outcome]:
        shared = state.shared
        rule = rule_of(shared.rounds, shared.announced) if shared.rounds else None
        if servers[shared._replace(items=0)].rule is None:
            return [Outcome(Fraction(1), *heard(shared, 0, state.rows))]
        assert rule is not None
        chance, rows = _signals(rule, state.rows, site)
        return [
            Outcome(share, *heard(shared, signals, rows[signals]))
            for signals, share in enumerate((1 - chance, chance))
            if share
        ]

    return State((_Blocked(),) * k, kept(protocol.server(k, rng))), step


def _signals(rule: SignalRule, rows: Rows, site: int) -> tuple[Fraction, tuple[Rows, Rows]]:
    """Return the probability that an item makes its site signal, and the rows after it without and with the signal."""
    if isinstance(rule, CoinRule):
        return Fraction(rule.p), (rows, rows)
    assert isinstance(rule, BlockRule)
    row, size = rows[site], rule.size
    chance = Fraction(not row.signalled, size - row.place)  # uniform among the places that are left
    after = [
        _with(rows, site, _Blocked() if row.place + 1 == size else _Blocked(row.place + 1, signalled))
        for signalled in (row.signalled, True)
    ]
    return chance, (after[0], after[1])


# ---------------------------------------------------------------------- trackers without coins


def _plain(protocol: Protocol, k: int) -> tuple[State, Step]:
    """Return the model of a tracker without coins: its own sites and server, as one that all sites share."""
    unused = np.random.default_rng(0)
    drawn = unused.bit_generator.state

    def deliver(sites: Sequence[Site], server: Server, sender: int, messages: Sequence[Message]) -> None:
        for message in messages:
            for receiver, answer in server.hear(sender, message):
                for site in range(k) if receiver == EVERYONE else (receiver,):
                    deliver(sites, server, site, sites[site].hear(answer))

    @cache
    def step(state: State, site: int) -> list[Outcome]:
        sites, server = pickle.loads(state.shared)
        deliver(sites, server, site, sites[site].take(1))
        return [Outcome(Fraction(1), server.output, State(state.rows, pickle.dumps((sites, server))))]

    try:
        first = pickle.dumps((protocol.sites(k, unused), protocol.server(k, unused)))
    except (AttributeError, TypeError, pickle.PicklingError) as error:
        raise ValueError(f"{protocol.kind}: there is no exact model of it ({error})") from error
    if unused.bit_generator.state != drawn:
        raise ValueError(f"{protocol.kind}: there is no exact model of it, since it draws coins")
    return State(tuple(range(k)), first), step


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
    """A game of tracking with every outcome of its coins, of a tracker that has a model here.

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
