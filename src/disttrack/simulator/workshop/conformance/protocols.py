"""What every protocol must do."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from math import isfinite
from numbers import Real
from typing import Any, Final

import numpy as np

from disttrack.adversaries import RoundRobin
from disttrack.protocols.base import Message, Protocol, Site
from disttrack.protocols.contents import ItemTracker
from disttrack.simulator.game.channels import SERVER
from disttrack.simulator.game.contents import PROBLEMS
from disttrack.simulator.game.engine_choice import rules_of
from disttrack.simulator.game.network import Latency
from disttrack.simulator.game.outcome import Game
from disttrack.simulator.game.outputs import measured
from disttrack.simulator.game.repeat import Asked
from disttrack.simulator.game.tasks.base import Task
from disttrack.simulator.kinds.names import count
from disttrack.simulator.kinds.registry import kinds
from disttrack.simulator.workshop.conformance.adversaries import ENGINES_AT_LENGTH
from disttrack.simulator.workshop.conformance.by_hand import STREAMS, deliver, first_draw, opponents, parts_of
from disttrack.simulator.workshop.conformance.compiled_form import (
    COMPILED_FORM,
    protocol_agrees_at_length,
    protocol_compiled_agrees,
)
from disttrack.simulator.workshop.conformance.facts import refuses, states
from disttrack.simulator.workshop.conformance.failure import (
    BRIEF,
    COINS,
    DIFFER,
    NUMBERS,
    OWN_SEED,
    SAME_GAME,
    Checks,
    ConformanceError,
    alike_elsewhere,
    apart,
    by_name,
    play,
    recorded,
    require,
    require_equal,
    requires_coins_of_the_game,
    same_game,
    unless,
)
from disttrack.simulator.workshop.conformance.promises import (
    GUARANTEES,
    START,
    keeps_it_at_scale,
    keeps_its_promise,
    promised,
)
from disttrack.simulator.workshop.conformance.sides import sides_share_nothing

NONSENSE: Final[Mapping[str, tuple[object, ...]]] = {
    "alpha": (0, 1, -0.1, 2, math.nan, "0.1", None),
    "delta": (0, 1, -0.1, 2, math.nan, "0.1"),
    "confidence": (0, -1, math.inf, math.nan, "3"),
    "strength": (0, -1, math.inf, math.nan, "4"),
    "copies": (0, -1, 1.5, "3"),
}
"""Values that no parameter of these names takes."""
BOUND: Final = "bound the expected words, or return infinity"
COSTED: Final = 20
"""Games that show that a bound on the cost is too low."""
WORD: Final = 64
"""Bits of an integer that is one word at most: more than any number of items has."""
KINDS: Final = 16
"""Kinds of messages of a protocol, at most; shipped ones have 6."""
LONG: Final = 20
"""How many times as long a game is in which coins must decide something."""


def _games(
    protocol: Protocol, sites: Sequence[int], items: int, engine: str = "leap", **more: object
) -> Iterator[Game]:
    for k in sites:
        for opponent in opponents(protocol):
            yield recorded(protocol, opponent, sites=k, items=items, seed=k, engine=engine, **more)


def _states_its_facts(protocol: Protocol, sites: Sequence[int], items: int) -> Checks:
    words = {"guarantee": GUARANTEES}
    yield from states(protocol, ("kind", "source", "reveals"), words, parameters=True)
    mend = "state accuracy, alpha, or guarantee = 'none'"
    promise = promised(protocol)
    accurate = promise == "none" or protocol.accuracy is not None
    yield unless(accurate, f"guarantee {promise!r} without accuracy", mend)
    if isinstance(protocol, ItemTracker):
        known = bool(protocol.plays) and set(protocol.plays) <= set(PROBLEMS)
        yield unless(known, f"plays {list(protocol.plays)}", f"choose from {', '.join(PROBLEMS)}")
    for k in sites:
        bounds = [protocol.cost_bound(k, 10**power) for power in range(2, 10)]
        if wrong := [bound for bound in bounds if not isinstance(bound, Real)]:
            yield ConformanceError(f"cost_bound is no number: {wrong[0]!r}", BOUND)
            break
        positive = all(bound > 0 for bound in bounds) or (not any(bounds) and not _sends(protocol, k, items))
        if not positive or bounds != sorted(bounds):
            what = "falls" if positive else "is not positive"
            yield ConformanceError(f"cost_bound {what}: {bounds} ({count(k, 'site')})", BOUND)
            break
        yield None


def _sends(protocol: Protocol, k: int, items: int) -> bool:
    """Return whether a game on a stream that does not react has any message."""
    stream: Any = STREAMS[1] if isinstance(protocol, ItemTracker) else RoundRobin()
    return recorded(protocol, stream, sites=k, items=items, seed=0, engine="leap").messages > 0


def _bounds_its_cost(protocol: Protocol, k: int, items: int) -> ConformanceError | None:
    """Return a fault if every game of several, on a stream that does not react, costs more than `cost_bound` says.

    If half of the games of a right bound cost more, all do once in a million classes.
    """
    bound = protocol.cost_bound(k, items)
    if not isinstance(bound, Real):
        return None  # the check of the facts says it
    stream: Any = STREAMS[1] if isinstance(protocol, ItemTracker) else RoundRobin()
    least = math.inf
    for seed in range(COSTED):
        game = recorded(protocol, stream, sites=k, items=items, seed=seed, engine="leap")
        least = min(least, game.words)
        if least <= bound:
            return None
    what = f"cost_bound is {bound:,.6g}, {COSTED} games cost at least {least:,}"
    return ConformanceError(f"{what} ({count(k, 'site')}, {count(items, 'item')})", BOUND)


def _refuses_invalid_values(protocol: Protocol, sites: Sequence[int], items: int) -> Checks:
    return refuses(protocol, NONSENSE)


def _silence_is_honest(protocol: Protocol, sites: Sequence[int], items: int) -> Checks:
    """Items within the silence of a site make it send nothing, and to ask for it changes nothing and draws nothing."""
    for k in sites:
        site_rng, server_rng = np.random.default_rng(k), np.random.default_rng(k + 1)
        crowd, server = parts_of(protocol, k, site_rng, server_rng)
        require(len(crowd) == k, f"sites({k}, rng) returns {len(crowd)}", "return k sites")
        for number in range(items):
            site = crowd[number % k]
            state = site_rng.bit_generator.state
            silence = site.silence()
            same = silence == site.silence() and state == site_rng.bit_generator.state
            require(same, "silence() changes something", "draw in take() or hear()")
            whole = isinstance(silence, int) and silence >= 0
            require(whole, f"silence() is {silence!r}", "return an int of at least 0")
            sent = site.take(1)
            mend = "return at most the items before a message"
            require(not sent or silence == 0, f"a site spoke at silence() = {silence}", mend)
            deliver(crowd, server, number % k, sent)
        yield None


def _step_and_leap_agree(protocol: Protocol, sites: Sequence[int], items: int) -> Checks:
    options: list[dict[str, object]] = [{}, {"start": START}, {"network": Latency(mean=3.0)}]
    for more in options[:1] if isinstance(protocol, ItemTracker) else options:
        pairs = zip(
            _games(protocol, sites, items, "step", **more), _games(protocol, sites, items, "leap", **more), strict=True
        )
        for step, leap in pairs:
            require_equal((step, leap), same_game, SAME_GAME)
            yield None


def _ledger_adds_up(protocol: Protocol, sites: Sequence[int], items: int) -> Checks:
    for game in _games(protocol, sites, items):
        table = game.transcript
        counted = game.messages, game.words, game.bits
        listed = len(table), int(table["words"].sum()), int(table["bits"].sum())
        what = f"messages, words, bits: counts {counted}, sends {listed}"
        require(counted == listed, what, "return all messages")
        named = all(isinstance(kind, str) and kind for kind in table["kind"])
        require(named, "a message has no kind", "name its kind")
        sorts = sorted(set(table["kind"]))
        what = f"{len(sorts):,} kinds of messages: {', '.join(map(repr, sorts[:2]))}, …"
        require(len(sorts) <= KINDS, what, "put numbers into value")
        yield _unheard(protocol, game)
    yield _counts_its_numbers(protocol, max(sites), items)


def _unheard(protocol: Protocol, game: Game) -> ConformanceError | None:
    """Return a fault if the server sends messages to sites whose class leaves hear as it is, which does nothing."""
    site = parts_of(protocol, game.sites, np.random.default_rng(0), np.random.default_rng(1))[0][0]
    sent = game.transcript["kind"][game.transcript["sender"] == SERVER]
    what = f"{type(site).__name__} has no hear() for {sent.iloc[0]!r}" if len(sent) else ""
    hears = getattr(type(site), "hear", None) is not Site.hear
    return unless(not what or hears, what, "write hear(self, message)")


def _counts_its_numbers(protocol: Protocol, k: int, items: int) -> ConformanceError | None:
    """Return a fault if a message carries more than two numbers, or `WORD` bits of an integer, for each of its words.

    A word may be a number with what it belongs to: that of a copy of the tracker, or of a site. The `stamps` of the
    protocol's task are free too. Names of items have any length.
    """
    task: type[Task] = kinds("task")[rules_of(protocol)[0]].load()
    crowd, server = parts_of(protocol, k, np.random.default_rng(k), np.random.default_rng(k + 1))
    for number in range(min(items, BRIEF)):
        for message in deliver(crowd, server, number % k, crowd[number % k].take(1)):
            if (carried := numbers_in(message.value)) > 2 * message.words + task.stamps:
                return _costs_more(message, f"{carried:,} numbers", carried)
            if not isinstance(protocol, ItemTracker) and (bits := longest_in(message.value)) > WORD * message.words:
                return _costs_more(message, f"an integer of {bits:,} bits", math.ceil(bits / WORD))
    return None


def _costs_more(message: Message, carried: str, words: int) -> ConformanceError:
    what = f"message {message.kind!r} with words={message.words} carries {carried}"
    return ConformanceError(what, f"state words={words}: one for each number, name or {WORD} bits")


def longest_in(value: object) -> int:
    """Return the bits of the largest integer in a message's value, at any depth.

    Examples
    --------
    >>> longest_in((7, [1 << 75], 0.5)), longest_in("name")
    (76, 0)
    """
    if isinstance(value, Mapping):
        return longest_in([*value.keys(), *value.values()])
    if isinstance(value, list | tuple | Set):
        return max(map(longest_in, value), default=0)
    return value.bit_length() if isinstance(value, int) else 0


def numbers_in(value: object) -> int:
    """Return how many numbers and names a message's value carries, at any depth; flags among them count nothing.

    Examples
    --------
    >>> numbers_in((7, [1, 2, 3], True)), numbers_in({"a": 1.5}), numbers_in(None), numbers_in(12)
    (4, 2, 0, 1)
    """
    if value is None or isinstance(value, bool | np.bool_):
        return 0
    if isinstance(value, np.ndarray):
        return int(value.size)
    if isinstance(value, Mapping):
        return numbers_in([*value.keys(), *value.values()])
    return sum(map(numbers_in, value)) if isinstance(value, list | tuple | Set) else 1


def _seeds_matter(protocol: Protocol, sites: Sequence[int], items: int) -> Checks:
    """The same seed gives the same game; if anything is drawn, some other seed gives another."""
    k = max(sites)

    def game(seed: int, length: int = items) -> Game:
        return play(protocol, opponents(protocol)[0], sites=k, items=length, seed=seed, record=True)

    first = game(0)
    if not same_game(first, game(0)):
        raise ConformanceError(DIFFER, apart(protocol, opponents(protocol)[0], k, items, COINS))
    yield None
    requires_coins_of_the_game(
        lambda seed: recorded(protocol, opponents(protocol)[0], sites=k, items=items, seed=seed, engine="leap")
    )
    if first_draw(protocol, k, items) is not None:
        alike = all(same_game(first, game(seed)) for seed in range(1, 6))
        long = LONG * items  # coins may decide something late
        require(
            not alike or not same_game(game(1, long), game(2, long)),
            f"draws, but all seeds give the same game ({count(long, 'item')})",
            f"{OWN_SEED}, and use it",
        )
        yield None


def _costs_what_it_says(protocol: Protocol, sites: Sequence[int], items: int) -> Checks:
    """The cost of a tracker whose outputs are numbers."""
    if not isinstance(protocol, ItemTracker) and (protocol.one_sided or not protocol.plays):
        _outputs_are_numbers(protocol, max(sites), items)
    yield next(filter(None, (_bounds_its_cost(protocol, k, items) for k in sites)), None)


def _outputs_are_numbers(protocol: Protocol, k: int, items: int) -> None:
    """Raise ConformanceError unless the output is a number at every step of a game."""
    crowd, server = parts_of(protocol, k, np.random.default_rng(k), np.random.default_rng(k + 1))
    for number in range(items):
        deliver(crowd, server, number % k, crowd[number % k].take(1))
        right = isfinite(measured(server.output)[1])
        require(right, f"output {server.output!r} at step {number + 1} ({count(k, 'site')})", NUMBERS)


def _plays_alike_elsewhere(protocol: Protocol, sites: Sequence[int], items: int) -> Checks:
    first = opponents(protocol)[:2]
    return alike_elsewhere([Asked(protocol, one, k, min(items, BRIEF)) for one in first for k in sites[-2:]])


PROTOCOL_CHECKS: Final[Mapping[str, Callable[..., Checks]]] = {
    **by_name(_states_its_facts, _refuses_invalid_values, _silence_is_honest, _step_and_leap_agree, _ledger_adds_up),
    **by_name(_seeds_matter),
    COMPILED_FORM: protocol_compiled_agrees,
    **by_name(_costs_what_it_says, keeps_its_promise, _plays_alike_elsewhere, sides_share_nothing),
    ENGINES_AT_LENGTH: protocol_agrees_at_length,
    **by_name(keeps_it_at_scale),
}
