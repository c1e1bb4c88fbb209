"""Trackers as models of exact games: hidden states, and the probability of each successor.

A state has a row for each site, and what all share; sites with the same row are alike. A coin is tossed when its item
comes, which changes no probability.
"""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from disttrack.mechanisms.rules import SamplingRule, next_double, sum_of_estimates
from disttrack.mechanisms.rules.sampling import chances_redrawn
from disttrack.protocols.base import EVERYONE, Message, Number, Protocol, Server, Site
from disttrack.protocols.coins import Coins
from disttrack.protocols.rounds.base import RoundProtocol
from disttrack.protocols.rounds.block import Block
from disttrack.protocols.rounds.martingale import Martingale
from disttrack.protocols.rounds.rules import BlockRule, CoinRule, SignalRule
from disttrack.protocols.rounds.sites import RoundServer
from disttrack.protocols.sampling.randomized import Randomized

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
