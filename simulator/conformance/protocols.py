"""What every protocol must do."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from scipy.stats import binom

from adversaries import Adversary, Burst, Choice, Freeze, Rest, RoundRobin, SingleSite, Uniform, View
from adversaries.schedules import Schedule
from protocols.base import Protocol
from simulator.conformance.bulk_form import bulk_agrees
from simulator.conformance.by_hand import deliver, first_draw
from simulator.conformance.copied_messages import copied_messages_mean_the_same
from simulator.conformance.failure import FALSE_ALARM, checked, require, same_game, survives_pickling
from simulator.game.network import Latency
from simulator.game.outcome import Game
from simulator.game.play import play


def check_protocol(
    protocol: Protocol | type[Protocol], *, sites: Sequence[int] = (1, 2, 7), items: int = 1500
) -> list[str]:
    """Put a protocol through every conformance test.

    Parameters
    ----------
    protocol
        An instance, or a class that needs at most an `alpha` (0.2 is then taken).
    sites, items
        Numbers of sites to play with, and the length of the games.

    Returns
    -------
    list of str
        The names of the checks passed.

    Raises
    ------
    ConformanceError
        What it does wrong, at the first wrong thing found.
    """
    if isinstance(protocol, type):
        wants_alpha = any(field.name == "alpha" for field in dataclasses.fields(protocol))
        protocol = protocol(**({"alpha": 0.2} if wants_alpha else {}))
    return checked(type(protocol).__name__, protocol_checks(protocol, sites, items))


def protocol_checks(
    protocol: Protocol, sites: Sequence[int] = (1, 2, 7), items: int = 1500
) -> dict[str, Callable[[], Iterator[None]]]:
    """Return the conformance tests of a protocol by name."""
    subject = type(protocol).__name__
    return {name: partial(check, protocol, subject, sites, items) for name, check in CHECKS.items()}


def _opponents() -> list[Adversary]:
    return [RoundRobin(), Uniform(), SingleSite(), Freeze(), Choice(_every_third_step_is_a_skip)]


def _every_third_step_is_a_skip(view: View) -> int | None:
    return view.sent % view.sites if view.steps % 3 else None


def _games(protocol: Protocol, sites: Sequence[int], items: int, engine: str = "leap", **more: Any) -> Iterator[Game]:
    for k in sites:
        for opponent in _opponents():
            yield play(protocol, opponent, sites=k, items=items, seed=k, engine=engine, record=True, **more)


def _states_its_facts(protocol: Protocol, subject: str, sites: Sequence[int], items: int) -> Iterator[None]:
    for name in ("kind", "source", "reveals"):
        require(getattr(protocol, name), subject, f"says no {name}", go_on=True)
    known = protocol.guarantee in ("always", "adaptive", "oblivious", "none")
    require(known, subject, f"guarantee {protocol.guarantee!r} is unknown", go_on=True)
    require(type(protocol).__doc__, subject, "has no docstring", go_on=True)
    parameters = vars(type(protocol)).get("__dataclass_params__")
    require(parameters is not None and parameters.frozen, subject, "is not a frozen dataclass", go_on=True)
    require(survives_pickling(subject, protocol) == protocol, subject, "is another one after pickling")
    for k in sites:
        bounds = [protocol.cost_bound(k, 10**power) for power in range(2, 10)]
        positive = all(bound > 0 for bound in bounds)
        fine = require(positive, subject, f"cost_bound is not above 0 at {k} sites: {bounds}", go_on=True)
        falls = f"cost_bound falls with the number of items at {k} sites: {bounds}"
        fine &= require(bounds == sorted(bounds), subject, falls, go_on=True)
        yield
        if not fine:
            break


def _refuses_nonsense(protocol: Protocol, subject: str, sites: Sequence[int], items: int) -> Iterator[None]:
    wrong: dict[str, tuple[Any, ...]] = {
        "alpha": (0, 1, -0.1, 2, math.nan, "0.1", None),
        "delta": (0, 1, -0.1, 2, math.nan, "0.1"),
        "confidence": (0, -1, math.inf, math.nan, "3"),
        "strength": (0, -1, math.inf, math.nan, "4"),
        "copies": (0, -1, 1.5, "3"),
    }
    yield
    for field in dataclasses.fields(protocol):
        for value in wrong.get(field.name, ()):
            try:
                dataclasses.replace(protocol, **{field.name: value})
            except (ValueError, TypeError) as error:
                named = f"{field.name}={value!r}: the error does not name {field.name}"
                fine = require(field.name in str(error), subject, named, go_on=True)
            else:
                fine = require(False, subject, f"accepts {field.name}={value!r}", go_on=True)
            yield
            if not fine:
                break


def _quota_is_honest(protocol: Protocol, subject: str, sites: Sequence[int], items: int) -> Iterator[None]:
    """Items within the quota are silent, and asking for the quota changes nothing and draws nothing."""
    for k in sites:
        site_rng, server_rng = np.random.default_rng(k), np.random.default_rng(k + 1)
        crowd, server = protocol.sites(k, site_rng), protocol.server(k, server_rng)
        require(len(crowd) == k, subject, f"makes {len(crowd)} sites where {k} were asked for")
        for number in range(items):
            site = crowd[number % k]
            state = site_rng.bit_generator.state
            quota = site.quota()
            require(
                quota == site.quota() and state == site_rng.bit_generator.state, subject, "quota() changes something"
            )
            require(
                isinstance(quota, int) and quota >= 0, subject, f"quota() is {quota!r}, not a whole number from 0 on"
            )
            sent = site.take(1)
            require(not sent or quota == 0, subject, f"a site spoke with a quota of {quota} left")
            deliver(crowd, server, number % k, sent)
        yield


def _step_and_leap_agree(protocol: Protocol, subject: str, sites: Sequence[int], items: int) -> Iterator[None]:
    options: list[dict[str, Any]] = [{}, {"start": 1000}, {"network": Latency(mean=3.0)}]
    for more in options:
        pairs = zip(
            _games(protocol, sites, items, "step", **more), _games(protocol, sites, items, "leap", **more), strict=True
        )
        for step, leap in pairs:
            where = f"{step.sites} sites, adversary {step.adversary}, {more or 'no options'}"
            require(same_game(step, leap), subject, f"step and leap play different games ({where})")
            yield


def _ledger_adds_up(protocol: Protocol, subject: str, sites: Sequence[int], items: int) -> Iterator[None]:
    for game in _games(protocol, sites, items):
        table = game.transcript
        require(len(table) == game.messages, subject, "the transcript has not the messages that were counted")
        require(
            int(table["words"].sum()) == game.words == game.words_up + game.words_down, subject, "words do not add up"
        )
        require(int(table["bits"].sum()) == game.bits, subject, "bits do not add up")
        require(all(isinstance(kind, str) and kind for kind in table["kind"]), subject, "a message is of no kind")
        yield


def _silent_without_cause(protocol: Protocol, subject: str, sites: Sequence[int], items: int) -> Iterator[None]:
    """Skipped steps change nothing: the same game comes out, at later steps."""
    for k in sites:
        plain, spread = (
            play(protocol, opponent, sites=k, items=items, seed=k, engine="leap", record=True)
            for opponent in (RoundRobin(), _RestsBetween())
        )
        late = plain.transcript.assign(step=2 * plain.transcript["step"])
        require(late.equals(spread.transcript), subject, "skipped steps change the messages")
        require(plain.max_rel_error == spread.max_rel_error, subject, "skipped steps change the error")
        yield


class _RestsBetween(Adversary):
    """Round-robin with a skip before each item."""

    oblivious = True

    def __init__(self) -> None:
        self.resting = False

    def plan(self, view: View) -> Schedule:
        self.resting = not self.resting
        return Rest(1) if self.resting else Burst(view.sent % view.sites, 1)


def _seeds_matter(protocol: Protocol, subject: str, sites: Sequence[int], items: int) -> Iterator[None]:
    """The same seed gives the same game; if anything is drawn, some other seed gives another."""
    k = max(sites)

    def game(seed: int) -> Game:
        return play(protocol, RoundRobin(), sites=k, items=items, seed=seed, record=True)

    first = game(0)
    require(same_game(first, game(0)), subject, "two games with the same seed differ")
    yield
    if first_draw(protocol, k, items) is not None:
        require(
            not all(same_game(first, game(seed)) for seed in range(1, 6)),
            subject,
            "six seeds give the same game, yet it draws",
        )
        yield


def _keeps_its_promise(protocol: Protocol, subject: str, sites: Sequence[int], items: int) -> Iterator[None]:
    """Right always, or failing in no more games than its delta explains (exact binomial, FALSE_ALARM)."""
    if protocol.guarantee == "none" and not protocol.one_sided:
        yield
        return  # it promises nothing
    delta = getattr(protocol, "delta", None)
    played, failed = 0, 0
    for k in sites:
        for seed, opponent in enumerate(4 * _opponents()):
            if protocol.guarantee == "oblivious" and not opponent.oblivious:
                continue
            game = play(protocol, opponent, sites=k, items=items, seed=seed)
            played += 1
            failed += game.verdict == "failed"
            require(
                not protocol.one_sided or game.highest <= 0,
                subject,
                f"says one-sided, but was {game.highest:.3g} too high",
            )
            require(
                protocol.guarantee != "always" or game.ok,
                subject,
                f"says always right, but failed against {game.adversary}",
            )
            yield
    if delta and protocol.guarantee in ("adaptive", "oblivious"):
        surprise = float(binom.sf(failed - 1, played, delta))
        require(surprise > FALSE_ALARM, subject, f"failed in {failed} of {played} games with delta = {delta}")


Check = Callable[[Protocol, str, Sequence[int], int], Iterator[None]]

CHECKS: dict[str, Check] = {
    "states its facts": _states_its_facts,
    "refuses nonsense": _refuses_nonsense,
    "quota is honest": _quota_is_honest,
    "step and leap agree": _step_and_leap_agree,
    "ledger adds up": _ledger_adds_up,
    "silent without cause": _silent_without_cause,
    "seeds matter": _seeds_matter,
    "copied messages": copied_messages_mean_the_same,
    "bulk agrees": bulk_agrees,
    "keeps its promise": _keeps_its_promise,
}
