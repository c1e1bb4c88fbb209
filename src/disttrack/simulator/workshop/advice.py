"""Advice: the trackers that keep a promise in a situation, ranked by words; exact games settle the cheapest ones."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import product
from math import inf
from typing import Any, Final

from disttrack.adversaries.adaptive import Freeze
from disttrack.adversaries.contents import FreezeItem, ZipfItems
from disttrack.adversaries.oblivious import RoundRobin
from disttrack.mechanisms.checks import with_plain_numbers
from disttrack.protocols.base import Protocol
from disttrack.protocols.contents import ItemTracker
from disttrack.simulator.errors import ScenarioError, must_be, must_be_one_of
from disttrack.simulator.experiments.runs.progress import OnProgress, Progress
from disttrack.simulator.game.engines.compiled import expect
from disttrack.simulator.game.play import play
from disttrack.simulator.game.tasks.base import Task
from disttrack.simulator.game.tasks.contents.task import ItemFrequency
from disttrack.simulator.game.tasks.duel import play_duel
from disttrack.simulator.game.tasks.tracking import Count
from disttrack.simulator.kinds.registry import make, parameters

AGAINST: Final = {
    "nothing": ("always", "adaptive", "oblivious"),
    "outputs": ("always", "adaptive"),
    "state": ("always",),
}
"""Guarantees that hold against an adversary that sees this much."""
FORMS: Final = {"centred": (False, True), "parameters": ("paper", "tight", "simple", "median")}
"""Parameters of which each value makes a tracker of its own, for the classes that take it."""
SHORT: Final = 2e5
"""A game against a stream that does not react has at most this number of messages on average, by its cost bound."""
SHORTER: Final = 1e5
"""The same against an adversary that reacts to the outputs."""
GAMES: Final = 2.5
"""All games of a kind together cost at most this many of the longest ones: seconds in all."""
FAR: Final = 20
"""A tracker is not played if its bound is this many times the words of the cheapest one."""
SITE: Final = 0.2
"""Messages that take as long as making a site."""
PERIOD: Final = 20_000
"""Items of a stream that repeats, so that a game costs its messages."""
MOST_SITES: Final = 2**20
"""Numbers of sites up to which the answer is followed."""


@dataclass(frozen=True)
class Situation:
    """What a tracker is wanted for.

    Parameters
    ----------
    sites, items
        Number of sites and of items.
    alpha
        Relative error allowed, at every step.
    delta
        Probability with which the error may ever exceed it.
    against
        What an adversary sees: nothing, outputs or state.
    domain
        Number of different items, the count of each of which is wanted; None if only that of all items is.
    """

    sites: int
    items: int
    alpha: float
    delta: float = 0.05
    against: str = "outputs"
    domain: int | None = None

    def __post_init__(self) -> None:
        with_plain_numbers(self)

    @property
    def task(self) -> type[Task]:
        """The task that a tracker is wanted for."""
        return Count if self.domain is None else ItemFrequency


@dataclass(frozen=True)
class Candidate:
    """A tracker that keeps the promise.

    Attributes
    ----------
    protocol, parameters
        The tracker, and its parameters that are not the usual ones.
    bound
        Words of a whole game on average, at most, by its cost bound.
    words
        Words of a game, the most of its games; the bound if none was played. After a game of fewer items, the rest
        counts by the growth of the bound.
    games
        Its games, against `round-robin` and, if the adversary reacts, `freeze`; empty if none is short enough. Of items
        they are against `zipf-items` and `freeze-item`.
    whole
        Whether its games are as long as wanted.
    """

    protocol: Protocol
    parameters: Mapping[str, object]
    bound: float
    words: float
    games: Sequence[Any] = field(default=(), repr=False)
    whole: bool = True

    @property
    def error(self) -> float:
        """Return the largest error of its games in units of alpha; 0 without a game."""
        return max((game.max_rel_error / game.alpha for game in self.games if game.alpha), default=0.0)

    @property
    def label(self) -> str:
        """Return kind and parameters as `disttrack play` takes them."""
        return " ".join([self.protocol.kind, *(f"{name}={value}" for name, value in self.parameters.items())])

    @property
    def takes_alpha(self) -> bool:
        """Whether alpha is one of its parameters."""
        return "alpha" in parameters(type(self.protocol))

    def reports_all(self, sites: int, situation: Situation) -> bool:
        """Return whether it is a tracker of items that reports every one, for a word each."""
        return isinstance(self.protocol, ItemTracker) and self.protocol.scale(situation.items, sites) == 1

    def words_at(self, sites: int, situation: Situation, here: float) -> float:
        """Return the predicted words with another number of sites, by the growth of the quick bound from `here`."""
        there = self.protocol.quick_bound(sites, situation.items)
        if any(self.reports_all(k, situation) for k in (situation.sites, sites)):
            return float(there)  # exact, or not comparable with games in which every item is reported
        return float(self.words * there / here)


@dataclass(frozen=True)
class Advice:
    """Trackers for a situation, the cheapest first.

    Attributes
    ----------
    situation
        The situation.
    ranked
        The trackers by their words, which are predicted for those that were not played in whole games.
    below, above
        The nearest numbers of sites for which another answer is predicted, from the words of the games at the given
        number of sites, each with the tracker that is cheapest there; None if games with as many sites have another
        answer yet, or none is predicted from 1 to 2^20 sites.
    """

    situation: Situation
    ranked: Sequence[Candidate]
    below: tuple[int, Candidate] | None
    above: tuple[int, Candidate] | None

    @property
    def best(self) -> Candidate:
        """Return the cheapest tracker."""
        return self.ranked[0]


def advise(situation: Situation, seed: int = 0, on_progress: OnProgress | None = None) -> Advice:
    """Rank the trackers that keep a promise; the cheapest ones by exact games, at the full size where they are short.

    `on_progress` is called before the first game and after each one, with the number of games that are expected.

    Raises
    ------
    ScenarioError
        No tracker keeps the promise, or a parameter is out of range.
    """
    if situation.against not in AGAINST:
        raise ScenarioError(must_be_one_of(AGAINST, situation.against, "against"))
    if situation.items < 1:  # nothing is sent, and no tracker is cheaper than another
        raise ScenarioError(must_be("at least 1", situation.items, "items"))
    ranked = _ranked(situation, seed, on_progress or (lambda progress: None))
    below, above = (_confirmed(_next(ranked, situation, factor), situation, seed) for factor in (0.5, 2.0))
    return Advice(situation, ranked, below, above)


def _confirmed(change: tuple[int, Candidate] | None, situation: Situation, seed: int) -> tuple[int, Candidate] | None:
    """Return another answer if games with as many sites have it too."""
    if change is None:
        return None
    sites, predicted = change
    best = _ranked(replace(situation, sites=sites), seed, lambda progress: None)[0]
    return change if best.label == predicted.label else None


def _ranked(situation: Situation, seed: int, show: OnProgress) -> list[Candidate]:
    """Return the trackers that keep a promise, the cheapest first; those near it by exact games."""
    ranked = list(candidates(situation))
    stream, attack = (RoundRobin(), Freeze()) if situation.domain is None else (stream_of(situation), FreezeItem())
    sides = ((stream, SHORT), (attack, SHORTER))[: 1 + (situation.against != "nothing")]
    progress, begun = Progress(), time.perf_counter()
    for rest, (side, most) in zip(range(len(sides), 0, -1), sides, strict=True):
        left = GAMES * most
        ranked.sort(key=lambda one: one.words)
        near = sum(one.words <= FAR * ranked[0].words for one in ranked)
        progress.games = progress.played + rest * near
        show(progress)
        for place, one in enumerate(ranked):
            if one.words > FAR * ranked[0].words:
                break
            expect(rest * near - place - 1)
            ranked[place], spent = _settled(one, situation, seed, side, min(most, left))
            left -= spent
            progress.played += 1
            progress.games = max(progress.games, progress.played)
            progress.left = (time.perf_counter() - begun) * (progress.games / progress.played - 1)
            show(progress)
    return sorted(ranked, key=lambda one: one.words)


def candidates(situation: Situation) -> Iterator[Candidate]:
    """Yield each registered tracker that promises this accuracy at all steps, in each of its forms.

    A guarantee against inputs that do not react counts if it is one for all steps at once, with a delta.
    """
    given = {"alpha": situation.alpha, "delta": situation.delta, "largest": situation.items, "domain": situation.domain}
    for kind in situation.task.kinds("protocol").values():
        maker = kind.load()
        takes = parameters(maker)
        usual = {name: value for name, value in given.items() if name in takes}
        forms = [[(name, value) for value in values] for name, values in FORMS.items() if name in takes]
        for form in map(dict, product(*forms)):
            try:
                protocol: Protocol = make("protocol", maker, usual | form)
            except ScenarioError as error:
                if str(error).startswith(("alpha: ", "delta: ", "domain: ")):
                    raise
                continue  # constants of another tracker, or a parameter that only its user knows
            for_all_steps = protocol.guarantee == "always" or "delta" in takes
            if protocol.guarantee in AGAINST[situation.against] and for_all_steps:
                chosen = {**usual, **form}
                own = {name: value for name, value in chosen.items() if name != "alpha" and value != takes[name]}
                bound = _bound(protocol, situation, situation.items)
                yield Candidate(protocol, own, bound, bound)


def _bound(protocol: Protocol, situation: Situation, items: int) -> float:
    """Return the words of a game by the cost bound; a tracker without a bound may send every item."""
    bound = protocol.cost_bound(situation.sites, items)
    return float(bound if bound < inf else items)


def _settled(one: Candidate, situation: Situation, seed: int, side: object, most: float) -> tuple[Candidate, float]:
    """Return a tracker after a game within a limit of messages, and its number of messages; unchanged if none fits.

    While a game is longer than that, it is played with a quarter of the items.
    """
    items, played = situation.items, one.bound
    while items and played + SITE * situation.sites > most:
        items //= 4
        played = _bound(one.protocol, situation, items)
    if not items:
        return one, 0.0
    start: Callable[..., Any] = play if situation.domain is None else play_duel
    game = start(one.protocol, side, sites=situation.sites, items=items, seed=seed)
    words = max(game.words + (one.bound - played), one.words if one.games else 0.0)
    whole = one.whole and items == situation.items
    return replace(one, words=words, games=[*one.games, game], whole=whole), played + SITE * situation.sites


def _next(ranked: Sequence[Candidate], situation: Situation, factor: float) -> tuple[int, Candidate] | None:
    """Return the nearest number of sites at which another tracker is cheapest, going up or down by a factor."""
    near, far = situation.sites, situation.sites
    bounds = [one.protocol.quick_bound(situation.sites, situation.items) for one in ranked]

    @cache
    def cheapest(sites: int) -> Candidate:
        words = [one.words_at(sites, situation, here) for one, here in zip(ranked, bounds, strict=True)]
        return ranked[words.index(min(words))]

    while True:
        near, far = far, round(far * factor)
        if not 1 <= far <= MOST_SITES:
            return None
        if cheapest(far) is not ranked[0]:
            break
    while abs(far - near) > max(1, 0.05 * near):
        middle = (near + far) // 2
        near, far = (middle, far) if cheapest(middle) is ranked[0] else (near, middle)
    return far, cheapest(far)


def stream_of(situation: Situation) -> ZipfItems:
    """Return the stream of items of a game: unequal items, which repeat."""
    return ZipfItems(domain=situation.domain or 1, period=PERIOD)


def scenario_of(best: Candidate, situation: Situation) -> str:
    """Return the scenario that verifies a recommendation, as YAML."""
    chosen = {**({"alpha": situation.alpha} if best.takes_alpha else {}), **best.parameters}
    given = "".join(f", {key}: {value}" for key, value in chosen.items())
    if situation.domain is None:
        streams, attacks = "round-robin", ", freeze, drain"
        promise, control = "every output stays within alpha N", "fault: lost-reports"
    else:
        streams = f"{{kind: zipf-items, domain: {situation.domain}, period: {PERIOD}}}"
        attacks, promise = ", freeze-item, drain-item", "every estimate stays within alpha N"
        control = f"protocol: {{kind: frequency-sample, strength: 0.01, domain: {situation.domain}}}"
    lines = [
        f"name: {'count' if situation.domain is None else 'item'}-advice",
        f"question: Does {best.protocol.kind} keep its promise?",
        f"task: {situation.task.kind}",
        f"sites: {situation.sites}",
        f"items: {situation.items}",
        "trials: 5",
        f"protocol: {{kind: {best.protocol.kind}{given}}}",
        f"adversary: [{streams}{attacks if situation.against != 'nothing' else ''}]",
        "claims:",
        f"  - name: {promise}",
        "    measure: fraction(ok)",
        "    at_least: 0.5",
        f"    chance: {situation.delta}",
        f"    margin: max_rel_error{' / alpha' if best.takes_alpha else ''}",
        f"    control: {{{control}, trials: 1}}",
    ]
    return "\n".join(lines) + "\n"
