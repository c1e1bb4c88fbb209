"""The suites of tests by kind of class: up to the first fault, or all faults at once."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from importlib import import_module
from typing import Any, Final

import numpy as np

from disttrack.adversaries import Adversary
from disttrack.adversaries.base import Choice, Opponent, View
from disttrack.adversaries.contents import ItemAdversary
from disttrack.adversaries.scripts import from_function
from disttrack.mechanisms import Counter
from disttrack.mechanisms.shortcuts import lost
from disttrack.protocols.base import Protocol
from disttrack.simulator.errors import PartError, explained
from disttrack.simulator.game.reference import DifferenceError, own_code
from disttrack.simulator.game.repeat import why_only_here
from disttrack.simulator.game.sides import as_protocol
from disttrack.simulator.kinds.names import count
from disttrack.simulator.kinds.point import made_from
from disttrack.simulator.workshop.conformance import counters
from disttrack.simulator.workshop.conformance.adversaries import ADVERSARY_CHECKS, ENGINES_AT_LENGTH
from disttrack.simulator.workshop.conformance.adversaries import LONG as LONG_GAMES
from disttrack.simulator.workshop.conformance.by_hand import first_draw, parts_of, unsaid_silence
from disttrack.simulator.workshop.conformance.compiled_form import (
    COMPILED_FORM,
    compiled_form_of,
    long_games,
    why_no_compiled_form_is_tested,
)
from disttrack.simulator.workshop.conformance.counters import AT_LENGTH, COUNTER_CHECKS, why_privacy_is_untested
from disttrack.simulator.workshop.conformance.failure import (
    DIFFER,
    ELSEWHERE,
    Checks,
    ConformanceError,
    Note,
    checked,
    faults,
    names_a_line,
    nothing_noted,
)
from disttrack.simulator.workshop.conformance.promises import AT_SCALE, PROMISE, described, why_promises_nothing
from disttrack.simulator.workshop.conformance.protocols import PROTOCOL_CHECKS
from disttrack.simulator.workshop.conformance.sides import SHARING

SITES: Final = (1, 2, 7)
ITEMS: Final = 1500
STEPS: Final = (1, 2, 7, 33)
GAMES: Final = f"{', '.join(map(str, SITES))} sites, at most {ITEMS:,} items"
ALL: Final = "all"
"""Stands for the checks in games of these sizes."""
LARGE: Final = (AT_SCALE, AT_LENGTH, ENGINES_AT_LENGTH)
"""Checks in large games, which say nothing new of a class with a fault in small ones."""


@explained()
def check_protocol(
    protocol: Protocol | type[Protocol] | str, *, sites: Sequence[int] | None = None, items: int | None = None
) -> list[str]:
    """Put a protocol, or a tracker of items with content, through every conformance test.

    Parameters
    ----------
    protocol
        An instance, a class that needs at most an `alpha` (0.15 is then taken), or a text as for `play`.
    sites, items
        Numbers of sites to play with, and the length of the games. If both are left out, its promise is tried with up
        to 1,024 sites and 10^12 items too, against all attackers that are registered.

    Returns
    -------
    list of str
        The names of the checks passed; without those of its promise where it promises nothing.

    Raises
    ------
    ConformanceError
        At the first fault.
    """
    if isinstance(protocol, type):
        wants_alpha = any(field.name == "alpha" for field in dataclasses.fields(protocol))
        protocol = protocol(**({"alpha": 0.15} if wants_alpha else {}))
    protocol = as_protocol(protocol)
    return checked(type(protocol).__name__, _sized(protocol, PROTOCOL_CHECKS, sites, items))


@explained()
def check_adversary(
    adversary: Adversary | ItemAdversary | type[Adversary | ItemAdversary] | Callable[[View], object] | str,
    *,
    sites: Sequence[int] | None = None,
    items: int | None = None,
) -> list[str]:
    """Put an adversary of trackers, also of items with content, through every conformance test.

    Parameters
    ----------
    adversary
        An instance, a class that needs no parameters, a function of the view, or a text as for `play`.
    sites, items
        Numbers of sites to play with, and the length of the games. If both are left out, engines are also compared in
        games of 70,000 items, and of 64 sites.

    Returns
    -------
    list of str
        The names of the checks passed.

    Raises
    ------
    ConformanceError
        At the first fault.
    TypeError
        It is no adversary, or one made for other games than tracking.
    """
    asked = _as_adversary(adversary() if isinstance(adversary, type) else adversary)
    name = asked.kind if isinstance(asked, Choice) else type(asked).__name__
    return checked(name, _sized(asked, ADVERSARY_CHECKS, sites, items))


@explained()
def check_counter(counter: Counter | type[Counter], *, steps: Sequence[int] | None = None) -> list[str]:
    """Put a private counter through every conformance test.

    Its privacy is checked where it states an `encoder`; of other counters it is for tests of their own to show, and
    `privacy as claimed` is not among the names.

    Parameters
    ----------
    counter
        An instance, or a class that needs at most `epsilon` and `horizon` (1 and 64 are then taken).
    steps
        Lengths of the runs. If left out, they are at most 33, and sums, errors and privacy are also looked at at
        horizons up to 65,536.

    Returns
    -------
    list of str
        The names of the checks passed.

    Raises
    ------
    ConformanceError
        At the first fault.

    Examples
    --------
    >>> from disttrack.mechanisms import Binary
    >>> "privacy as claimed" in check_counter(Binary, steps=(1, 2, 7))
    True
    """
    if isinstance(counter, type):
        counter = counter(epsilon=1.0, horizon=64)
    checks = _checks_of(counter, COUNTER_CHECKS, STEPS if steps is None else steps, large=steps is None)
    return checked(type(counter).__name__, checks)


def _as_adversary(thing: object) -> Adversary | ItemAdversary:
    """Return an adversary of trackers, also that of a function; raise TypeError for anything else."""
    if isinstance(thing, str):
        thing = made_from("adversary", thing)
    if isinstance(thing, Opponent) and not (isinstance(thing, ItemAdversary) or thing.plays_in("count")):
        games = ", ".join(thing.plays)
        raise TypeError(f"{type(thing).__name__} plays {games}: only trackers have tests")
    if isinstance(thing, Adversary | ItemAdversary):
        return thing
    if not callable(thing):
        raise TypeError(f"a {type(thing).__name__} is no Adversary, and no function of the view")
    return from_function(thing)


def all_faults(thing: object, note: Note = nothing_noted) -> tuple[list[str], list[ConformanceError]]:
    """Put a protocol, an adversary or a private counter through all tests of its kind, also after one has failed.

    Parameters
    ----------
    note
        Called with the name of a check and a fault at once, and with None when it is over without one.

    Returns
    -------
    checks, faults
        The names of the tests, without those of `untested`, and the faults: each with its `check` and the way to `mend`
        it. A fault that stops several checks is listed once, and a part that returns a wrong value alone.

    Raises
    ------
    TypeError
        There are no conformance tests for such a thing.

    Examples
    --------
    >>> checks, faults = all_faults(lambda view: view.sites)
    >>> "stays in range" in [fault.check for fault in faults]
    True
    """
    if isinstance(thing, Protocol):
        checks = _checks_of(thing, PROTOCOL_CHECKS, SITES, ITEMS)
    elif isinstance(thing, Adversary | ItemAdversary) or callable(thing):
        checks = _checks_of(_as_adversary(thing), ADVERSARY_CHECKS, SITES, ITEMS)
    elif isinstance(thing, Counter):
        checks = _checks_of(thing, COUNTER_CHECKS, STEPS)
    elif own := _tests_of_kind(thing):
        checks = _bound(own.CHECKS, thing, SITES, ITEMS)
    else:
        name = type(thing).__name__
        raise TypeError(f"{name} is no protocol, adversary or private counter; write class {name}(Protocol)")
    small, large = ({name: one for name, one in checks.items() if (name in LARGE) == big} for big in (False, True))
    found = _without_consequences(list(faults(small, note)) or list(faults(large, note)))
    by_text: dict[str, ConformanceError] = {}
    for fault in found:
        first = by_text.setdefault(str(fault), fault)
        if fault.game and not first.game:  # found without a game at first
            first.game, first.mend = fault.game, fault.mend
    return list(checks), list(by_text.values())


def _without_consequences(found: list[ConformanceError]) -> list[ConformanceError]:
    """Return the faults without those that follow from another one, which says more."""
    names = {fault.check for fault in found}
    agree, honesty = "step and leap agree", "silence is honest"
    if names & {agree, honesty, ENGINES_AT_LENGTH} or any(name.endswith(COMPILED_FORM) for name in names):
        found = [fault for fault in found if not isinstance(fault.__cause__, DifferenceError)]
    if names & {agree, "seeds matter", "games are apart"}:
        found = [fault for fault in found if fault.check not in (ELSEWHERE, SHARING)]
    # a wrong silence, and games of one seed that differ, explain why engines differ
    honest = all(fault.check != honesty or fault.raised for fault in found)
    if not honest or DIFFER in map(str, found):
        found = [fault for fault in found if fault.check != agree or fault.raised]
    # an error that names no line of the class says less than a wrong silence, or one that names a line
    if not honest or any(fault.raised and names_a_line(str(fault)) for fault in found):
        found = [fault for fault in found if not fault.raised or names_a_line(str(fault))]
    # a part that returns something else than it should makes errors elsewhere too, that say less; of a wrong silence
    # the check of silences says more
    wrong = [fault for fault in found if isinstance(fault.__cause__, PartError)]
    if not honest:
        return [fault for fault in found if fault not in wrong]
    return wrong[:1] or found


def untested(thing: object) -> dict[str, str]:
    """Return the checks that would test nothing of a thing, each with the reason: of a promise that it does not make.

    Examples
    --------
    >>> from disttrack.protocols import PrivateCopies
    >>> list(untested(PrivateCopies(alpha=0.1)))
    ['keeps its promise']
    """
    reasons = own.untested(thing) if (own := _tests_of_kind(thing)) else {}
    if own and not isinstance(thing, Protocol):
        return reasons
    if isinstance(thing, Protocol) and not own:
        reasons[PROMISE] = why_promises_nothing(thing)
    if not isinstance(thing, Counter):
        reasons[COMPILED_FORM] = why_no_compiled_form_is_tested(thing)
    if isinstance(thing, Counter):
        reasons["privacy as claimed"] = why_privacy_is_untested(thing)
    elif own_code(side := thing if isinstance(thing, Protocol) else _as_adversary(thing)):
        reasons[ELSEWHERE] = why_only_here(side)
    return {name: why for name, why in reasons.items() if why}


def games_of(thing: object) -> dict[str, str]:
    """Return the games of a thing's tests: those of all checks, and those in which its promise is tried besides."""
    games = {ALL: GAMES}
    if own := _tests_of_kind(thing):
        return {**(games if isinstance(thing, Protocol) else {}), **own.described(thing)}
    if isinstance(thing, Counter):
        return {ALL: f"at most {STEPS[-1]} steps", AT_LENGTH: counters.described(thing)}
    if not isinstance(thing, Protocol):
        games[ENGINES_AT_LENGTH] = _lengths(LONG_GAMES)
        return games
    nothing = untested(thing)
    if compiled_form_of(thing) and COMPILED_FORM not in nothing:
        games[ENGINES_AT_LENGTH] = _lengths(long_games(thing))
    if PROMISE not in nothing:
        games[AT_SCALE] = described(thing)
    return games


def _lengths(games: Sequence[tuple[int, int]]) -> str:
    """Return sites and items of games, as they are shown."""
    return "; ".join(f"{count(k, 'site')}, {count(items, 'item')}" for k, items in games)


def remarks_on(thing: object) -> Iterator[str]:
    """Yield what is no fault of a class: lost shortcuts, coins that are not the game's, and what makes games slow."""
    for cls in dict.fromkeys(map(type, (thing, *_parts_of(thing)))):
        for (owner, rule), names in lost(cls).items() if own_code(thing) else ():
            yield f"{owner} changes {rule}: state again, if it holds: {', '.join(names)}"
    if not isinstance(thing, Protocol):
        return
    k = max(SITES)
    if thing.guarantee in ("adaptive", "oblivious") and first_draw(thing, k, ITEMS) is None:
        yield f"no draw from rng in sites() and server() ({ITEMS:,} items)"
    if (share := unsaid_silence(thing, k, ITEMS)) >= 0.5:
        yield f"slow: {share:.0%} of the items bring no message, and silence() is 0: return the items before the next"


def _parts_of(thing: object) -> list[object]:
    """Return the parts that a protocol or a counter makes; none where a check has said why it makes none."""
    rngs = np.random.default_rng(0), np.random.default_rng(1)
    with suppress(Exception):
        if isinstance(thing, Protocol):
            sites, server = parts_of(thing, 2, *rngs)
            return [*sites, server]
        if isinstance(thing, Counter):
            return [thing.start(rngs[0])]
    return []


def _sized(
    thing: object, checks: Mapping[str, Callable[..., Checks]], sites: Sequence[int] | None, items: int | None
) -> dict[str, Callable[[], Checks]]:
    """Return the checks of a side by games of these sizes, or if both are left out by those of all sizes."""
    sizes = (SITES if sites is None else sites, ITEMS if items is None else items)
    return _checks_of(thing, checks, *sizes, large=sites is None and items is None)


def _checks_of(
    thing: object, checks: Mapping[str, Callable[..., Checks]], *arguments: object, large: bool = True
) -> dict[str, Callable[[], Checks]]:
    """Return the checks of a thing that test something of it; `large` says whether also those in large games."""
    nothing, own = {*untested(thing), *(() if large else LARGE)}, _tests_of_kind(thing)
    checks = {**checks, **own.CHECKS} if own else checks
    if PROMISE in nothing or (own and PROMISE in checks):
        nothing.add(PROMISE)
        nothing.add(AT_SCALE)
    form = compiled_form_of(thing)
    if not form:
        nothing.add(COMPILED_FORM)
    if isinstance(thing, Protocol) and (own or COMPILED_FORM in nothing):
        nothing.add(ENGINES_AT_LENGTH)
    if not own_code(thing):
        nothing.add(ELSEWHERE)  # the project's tests play shipped classes in many processes
    called = {COMPILED_FORM: f"{form}: {COMPILED_FORM}"}
    tested = {called.get(name, name): check for name, check in checks.items() if name not in nothing}
    return _bound(tested, thing, *arguments)


def _tests_of_kind(thing: object) -> Any:
    """Return the module with the tests of a kind that is a wing's: `CHECKS`, `described` and `untested`; else None."""
    module = getattr(type(thing), "conformance", "")
    return import_module(module) if module else None


def _bound(checks: Mapping[str, Callable[..., Checks]], *arguments: object) -> dict[str, Callable[[], Checks]]:
    return {name: partial(check, *arguments) for name, check in checks.items()}
