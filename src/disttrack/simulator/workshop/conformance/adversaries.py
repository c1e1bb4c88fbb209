"""What every adversary must do."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Sequence
from typing import Any, Final

from disttrack.adversaries.base import Adversary
from disttrack.adversaries.contents import ItemAdversary
from disttrack.mechanisms.compiler import available
from disttrack.protocols import Deterministic, Exact, Randomized, Robust
from disttrack.protocols.base import Protocol
from disttrack.protocols.contents import FrequencyDeterministic, FrequencySample, HeavyHitters
from disttrack.simulator.game.outcome import Game
from disttrack.simulator.game.repeat import Asked
from disttrack.simulator.kinds.names import count
from disttrack.simulator.workshop.conformance.compiled_form import (
    COMPILED_FORM,
    adversary_compiled_agrees,
    compiled_form_of,
)
from disttrack.simulator.workshop.conformance.facts import states
from disttrack.simulator.workshop.conformance.failure import (
    BRIEF,
    DIFFER,
    NO_REST,
    Checks,
    ConformanceError,
    alike_elsewhere,
    apart,
    by_name,
    recorded,
    require,
    require_equal,
    requires_coins_of_the_game,
    same_game,
)

PROTOCOLS: tuple[Protocol, ...] = (
    Exact(),
    Deterministic(alpha=0.2),
    Randomized(alpha=0.2),
    Robust(alpha=0.2),  # few sites forward items again after a round: its constants grow with the number of the round
)
TRACKERS: tuple[Protocol, ...] = (
    FrequencyDeterministic(alpha=0.2),
    FrequencySample(alpha=0.2),
    HeavyHitters(alpha=0.2, phi=0.3),
)
"""What adversaries that choose items play against: they take weights."""

LONG: Final = ((3, 70_000), (64, 20_000))
"""Sites and items of long games; of one game more than 2^16 items."""
ENGINES_AT_LENGTH: Final = "engines agree at length"
Attacker = Adversary | ItemAdversary

OWN_COINS: Final = f"draw from view.rng; {NO_REST}"
SAME_MOVES: Final = f"act on the view, not on how often plan() is called; {OWN_COINS}"
SENDS: Final = "plan(view) must send items"


ENGINES: Final = ("step", "leap")
"""Both play every adversary."""


def _partners(adversary: object) -> tuple[Protocol, ...]:
    return TRACKERS if isinstance(adversary, ItemAdversary) else PROTOCOLS


def _play(protocol: Protocol, adversary: Any, k: int, items: int, **more: Any) -> Game:
    more = {"seed": k, "engine": "leap", "sees": adversary.sees, **more}
    return recorded(protocol, adversary, sites=k, items=items, **more)


def _states_its_facts(adversary: Attacker, sites: Sequence[int], items: int) -> Checks:
    return states(adversary, ("kind", "source"), {"sees": ("outputs", "traffic", "state")}, parameters=False)


def _stays_in_range(adversary: Attacker, sites: Sequence[int], items: int) -> Checks:
    for k in sites:
        for protocol in _partners(adversary):
            game = _play(protocol, adversary, k, items)
            require(0 < game.items <= items, f"sent {count(game.items, 'item')} of {items}", SENDS)
            yield None


def _step_and_leap_agree(adversary: Attacker, sites: Sequence[int], items: int) -> Checks:
    for k in sites:
        for protocol in _partners(adversary):
            games = [_play(protocol, adversary, k, items, engine=engine) for engine in ENGINES]
            require_equal(games, same_game, SAME_MOVES)
            yield None


def _engines_agree_at_length(adversary: Attacker, sites: Sequence[int], items: int) -> Checks:
    """Games of more than 2^16 items and of many sites, by each engine that plays them."""
    form = bool(compiled_form_of(adversary)) and available()
    for k, length in LONG:
        for protocol in _partners(adversary)[:2]:  # the first shows each item, the second sleeps
            games = [_play(protocol, adversary, k, length, engine=engine) for engine in ENGINES]
            require_equal(games, same_game, SAME_MOVES)
            yield None
        if form:
            yield from adversary_compiled_agrees(adversary, (k,), length)


def _games_are_apart(adversary: Attacker, sites: Sequence[int], items: int) -> Checks:
    """A game leaves no trace in the adversary that was handed in, and the same seed gives the same moves."""
    before = pickle.dumps(copy.deepcopy(adversary))
    for k in sites:
        partner = _partners(adversary)[0]
        if not same_game(*(_play(partner, adversary, k, items) for _ in range(2))):
            raise ConformanceError(DIFFER, apart(partner, adversary, k, items, OWN_COINS))
        unchanged = pickle.dumps(copy.deepcopy(adversary)) == before
        require(unchanged, "a game changes the adversary", "keep state in fields, which are copied")
        yield None
    requires_coins_of_the_game(lambda seed: _play(_partners(adversary)[0], adversary, max(sites), items, seed=seed))


def _plays_alike_elsewhere(adversary: Attacker, sites: Sequence[int], items: int) -> Checks:
    partners = _partners(adversary)[1:3]
    return alike_elsewhere([Asked(one, adversary, k, min(items, BRIEF)) for one in partners for k in sites[-2:]])


ADVERSARY_CHECKS: Final = {
    **by_name(_states_its_facts, _stays_in_range, _step_and_leap_agree),
    COMPILED_FORM: adversary_compiled_agrees,
    **by_name(_games_are_apart, _plays_alike_elsewhere, _engines_agree_at_length),
}
