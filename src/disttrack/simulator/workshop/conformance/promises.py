"""Whether a protocol keeps its promise: in games of each kind, and in sizes in which faults that grow are seen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import product
from math import inf
from pathlib import Path
from typing import Any, Final, get_args

from scipy.stats import binom

from disttrack.adversaries import RoundRobin
from disttrack.protocols.base import Guarantee, Protocol
from disttrack.protocols.contents import ItemTracker
from disttrack.protocols.programs import Exec
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.game.engine_choice import UncompiledError, rules_of
from disttrack.simulator.game.engines import Engine, Leap
from disttrack.simulator.game.network.mail import Receivers
from disttrack.simulator.game.outcome import Game
from disttrack.simulator.game.tasks.base import Task
from disttrack.simulator.kinds.names import count
from disttrack.simulator.kinds.point import part
from disttrack.simulator.kinds.registry import kinds, parameters
from disttrack.simulator.workshop.attackers import attackers
from disttrack.simulator.workshop.conformance.by_hand import first_draw, opponents, tasks_of, unsaid_silence
from disttrack.simulator.workshop.conformance.failure import (
    FALSE_ALARM,
    Checks,
    ConformanceError,
    import_of,
    often,
    play,
    refuted,
    require,
)

GUARANTEES: Final = get_args(Guarantee)
WRONG: Final = "guarantee 'always', but failed"
ONE_SIDED: Final = "output no more than the truth, or drop one_sided"
EACH_STEP: Final = "be right in most steps, or state guarantee = 'none'"
FROM_START: Final = "count start: start[i] items at site i, output their sum"
START: Final = 1000
"""Items at the start of every other game."""
PROMISE: Final = "keeps its promise"
AT_SCALE: Final = "keeps it at scale"
MOST_GAMES: Final = 40
"""Games of one size against one attacker, where single games may fail."""
FEW: Final = 3
"""Games after which no more are played if none has failed; fewer where they cost more than `DEAR`."""
DEAR: Final = 300_000
"""Words."""
TOO_DEAR: Final = 1e7
"""Words: sizes for which the protocol states a larger bound are left out."""
REFUTED: Final = FALSE_ALARM / 5000
"""The p-value of a fault: there are fewer looks, one after each game."""
LONGEST: Final = 20_000
"""Messages of a game, above which no game is played that is a thousand times as long."""
HARD: Final = ("freeze", "drain", "uniform", "round-robin", "single-site")
"""The attackers in all sizes but one."""
GROWS: Final = "see what grows with sites, items, 1/alpha, 1/delta"
SEES: Final = "holds against round-robin: hide what outputs reveal, or state guarantee = 'oblivious'"
FAR: Final = ("freeze", "round-robin", "single-site")
"""Those that cost no more the longer a game is."""


def promised(protocol: Protocol) -> str:
    """Return the guarantee that games of counts or items test: that of another game is no relative error."""
    return "none" if protocol.plays and not isinstance(protocol, ItemTracker) else protocol.guarantee


def _fails(protocol: Protocol, game: Game) -> bool:
    """Return whether a game speaks against a promise: any wrong step, or with neither delta nor proof most of them."""
    if promised(protocol) == "always":
        return not game.ok
    return game.verdict == "failed" and bool(getattr(protocol, "delta", None) or (game.failing_fraction or 0) > 1 / 2)


def _allowed(delta: float | None) -> str:
    """Return what games may fail."""
    return f"(delta={delta:g})" if delta else "in most steps"


def _too_high(game: Game) -> str:
    return f"one_sided, but {game.highest:.3g} above the truth"


def why_promises_nothing(protocol: Protocol) -> str:
    """Return why games cannot test a promise of a protocol, and what to state; empty if they can."""
    name = type(protocol).__name__
    if protocol.one_sided or promised(protocol) == "always":
        return ""
    if promised(protocol) != "none":
        each = isinstance(protocol, ItemTracker) and not getattr(protocol, "delta", None)
        return f"{name} has no delta: single games may fail" if each else ""
    if protocol.guarantee != "none":
        return f"games of {' and '.join(protocol.plays)} are not tested"
    state = "promise" if isinstance(protocol, Exec) else "guarantee"
    return f"{protocol.lost_guarantee or f'{name} states no guarantee'}; state {state}: {', '.join(GUARANTEES[:-1])}"


def keeps_its_promise(protocol: Protocol, sites: Sequence[int], items: int) -> Checks:
    """Right always, or failing in no more games than its delta explains (exact binomial, FALSE_ALARM)."""
    of_items = isinstance(protocol, ItemTracker)
    for start in (0,) if of_items else (0, START):
        yield from _keeps_it_from(protocol, sites, items, start)
    if protocol.readmission == "anew" and not of_items:
        yield from _keeps_it_from(protocol, [k for k in sites if k > 1], items, START, UnevenLeap)


class UnevenLeap(Leap):
    """A game whose sites have unequal numbers of items at its start, as after a site has lost its state."""

    def parts(self) -> Receivers:
        begun = uneven_start(self.start, self.k)
        site_rng, server_rng = self.rngs["sites"], self.rngs["server"]
        return Receivers(self.protocol.sites(self.k, site_rng, begun), self.protocol.server(self.k, server_rng, begun))


def uneven_start(total: int, k: int) -> list[int]:
    """Return `total` items, of which each site has half as many as the one before, and the first what is left.

    Examples
    --------
    >>> uneven_start(1000, 7), uneven_start(3, 2)
    ([510, 250, 125, 62, 31, 15, 7], [3, 0])
    """
    others = [total >> (site + 1) for site in range(1, k)]
    return [total - sum(others), *others]


def _keeps_it_from(
    protocol: Protocol, sites: Sequence[int], items: int, start: int, host: type[Engine] | None = None
) -> Checks:
    """The promise in games after `start` items, of which few are played: its control is a class that forgets them."""
    promise, of_items = promised(protocol), isinstance(protocol, ItemTracker)
    delta = getattr(protocol, "delta", None)
    known = f", start={start:,}" if start else ""
    known += ", uneven (readmission 'anew')" if host else ""
    played, failed = 0, []
    for k, task in product(sites, tasks_of(protocol)):
        for seed, opponent in enumerate(opponents(protocol, task) * (1 if of_items or start else 4)):
            if promise == "oblivious" and not opponent.oblivious:
                continue
            sizes = {"sites": k, "items": items, "start": start, "seed": seed}
            game = play(protocol, opponent, host=host or "", task=task, **sizes)
            game.again = None if host else game.again  # which plays an even start
            played += 1
            failed += [game] * _fails(protocol, game)
            if promise == "always" and failed:
                mend = (_mend_of_start if start else _mend_of_wrong)(protocol, game)
                raise refuted(protocol, game, f"{WRONG} against {game.adversary}{known}", mend)
            require(
                not protocol.one_sided or game.highest <= 0,
                f"{_too_high(game)}{known}",
                FROM_START if start else ONE_SIDED,
            )
            yield None
    if promise in ("adaptive", "oblivious") and (delta or not of_items):
        # without a delta each step is right with probability 3/4 at least, so that no more than half of the games are
        # wrong for more than half of their steps (Markov)
        mend = "promise a larger delta, or fail less" if delta else EACH_STEP
        mend = _mend_of_start(protocol, failed[0]) if start and failed else mend
        if binom.sf(len(failed) - 1, played, delta or 1 / 2) <= FALSE_ALARM:
            raise refuted(protocol, failed[0], f"{often(failed, played)} {_allowed(delta)}{known}", mend)


def _mend_of_start(protocol: Protocol, game: Game) -> str:
    """Return how to mend a tracker that failed in a game with a start: as long a game without one may fail too."""
    items = game.start + game.items
    longer = play(protocol, RoundRobin(), sites=game.sites, items=items, seed=game.seed)
    if longer.verdict != "failed":
        return FROM_START
    return f"fails without start too: round-robin, items={items:,}"


def _mend_of_wrong(protocol: Protocol, game: Game) -> str:
    """Return how to mend a tracker that says that it is always right, and failed in a game without a start."""
    if game.messages and not game.output_changes:
        return f"set self.output in hear(): unchanged by {count(game.messages, 'message')}"
    if first_draw(protocol, game.sites, game.items) is not None:
        return "with coins, state 'adaptive' or 'oblivious'"
    return "no coins: see what sites report and the server adds"


@dataclass(frozen=True)
class Size:
    """A size of the games in which a promise is tried.

    Parameters
    ----------
    sites, items, start
        As of `play`.
    attackers
        Names of the attackers; none for all that are registered and see outputs only.
    changes
        Values that are put over parameters of the protocol.
    games, few
        Most games against one attacker, where single ones may fail; those after which none follows if none has failed.
    """

    sites: int
    items: int
    start: int = 0
    attackers: Sequence[str] = ()
    changes: Mapping[str, float] = field(default_factory=dict)
    games: int = MOST_GAMES
    few: int = FEW

    def __str__(self) -> str:
        start = f"start={self.start:,}" * bool(self.start)
        changes = [f"{name}={value:g}" for name, value in self.changes.items()]
        return ", ".join(filter(None, [count(self.sites, "site"), count(self.items, "item"), start, *changes]))


def sizes_of(protocol: Protocol) -> list[Size]:
    """Return the sizes in which the promise of a protocol is tried, beside small ones."""
    if isinstance(protocol, ItemTracker):
        return [Size(256, 10_000)]
    if isinstance(protocol, Exec):  # each game starts its programs
        return [Size(64, 640, 0, HARD)]
    sizes = []
    if costs_few_messages(protocol):
        sizes += [Size(7, items, 0, FAR) for items in (10**6, 10**9, 10**12)]
    taken = parameters(type(protocol))
    if "alpha" in taken:
        for k, items, divisor in ((7, 20_000, 30), (64, 25_600, 5)):
            sizes.append(Size(k, items, 0, HARD, {"alpha": divided(protocol.alpha, divisor)}))  # type: ignore[attr-defined]
    if "delta" in taken and (delta := getattr(protocol, "delta", None)):
        sizes.append(Size(64, 6400, 0, HARD, {"delta": divided(delta, 50)}))
        sizes.append(Size(1, 10**5, 0, ("round-robin",), {"delta": divided(delta, 50)}, 1000, 200))
    sizes += [Size(256, 25_600), Size(256, 25_600, 10**6, HARD), Size(1024, 102_400, 0, HARD)]
    return [one for one in sizes if not TOO_DEAR < _cost(protocol, one) < inf] or [Size(64, 6400, 0, HARD)]


def costs_few_messages(protocol: Protocol) -> bool:
    """Return whether a long game costs messages and not items, and few, by a game of 10,000 items."""
    short = play(protocol, RoundRobin(), sites=7, items=10_000)
    return short.messages < 5000 and unsaid_silence(protocol, 7, 1500) < 1 / 2


def divided(parameter: float, divisor: int) -> float:
    """Return a part of a parameter in two digits, as people write them: a class may not take sixteen.

    Examples
    --------
    >>> divided(0.5, 30), divided(0.15, 30), divided(1e-7, 50)
    (0.017, 0.005, 2e-09)
    """
    return float(f"{parameter / divisor:.2g}")


def _cost(protocol: Protocol, size: Size) -> float:
    """Return what the protocol states that games of a size cost at most, in words; infinity if it states nothing."""
    return _changed(protocol, size).cost_bound(size.sites, size.start + size.items)


def _changed(protocol: Protocol, size: Size) -> Protocol:
    """Return the protocol with the parameters of a size, or itself if it refuses them."""
    with suppress(ScenarioError, ValueError):
        return replace(protocol, **size.changes)
    return protocol


def described(protocol: Protocol) -> str:
    """Return the sizes and attackers with which the promise of a protocol is tried, in words."""
    sizes = [size for size, _ in _tried(protocol)]
    met = [attacker for attacker in _attackers(protocol, replace(sizes[0], attackers=())) if _meets(protocol, attacker)]
    return f"{'; '.join(map(str, sizes))}; against {', '.join(attacker.kind for attacker in met)}"


def keeps_it_at_scale(protocol: Protocol, *_: object) -> Checks:
    """The promise with many sites, in long games, with finer accuracy and surer, against each attacker by itself.

    A game fails as it does in small sizes; more failures against one attacker than delta explains are a fault. The
    games against the first attacker of a size compare the engines, the others are played by those.
    """
    for size, changed in _tried(protocol):
        engines: Sequence[str] = ()
        for task, attacker in product(tasks_of(protocol), _attackers(changed, size)):
            if _meets(protocol, attacker):
                engines = _holds_against(changed, attacker, size, task, engines)
                yield None


def _tried(protocol: Protocol) -> Iterator[tuple[Size, Protocol]]:
    """Yield the sizes that are played, each with the protocol of it: one after the other, for the first may fail."""
    for size in sizes_of(protocol):
        changed = _changed(protocol, size)
        if not (size.changes and changed is protocol) and not _costs_items(protocol, size):
            yield size, changed


def _costs_items(protocol: Protocol, size: Size) -> bool:
    """Return whether long games may cost their items and not their messages, by one that is a thousandth as long."""
    if size.items < 10**9:
        return False
    return play(protocol, RoundRobin(), sites=size.sites, items=size.items // 1000).messages > LONGEST


def _meets(protocol: Protocol, attacker: Any) -> bool:
    """Return whether a protocol promises something against an attacker."""
    return promised(protocol) != "oblivious" or attacker.oblivious


def _attackers(protocol: Protocol, size: Size) -> Iterator[Any]:
    """Yield the attackers of a size that see outputs only."""
    task: type[Task] = kinds("task")[rules_of(protocol)[0]].load()
    for entry in attackers(task, getattr(protocol, "domain", None)):
        if "sees" not in entry and (not size.attackers or entry["kind"] in size.attackers):
            yield part("adversary", entry, Path()).make()


def _played(protocol: Protocol, attacker: Any, task: str, engines: Sequence[str], **sizes: Any) -> Game:
    """Return a game by the first of these engines that plays it; by the usual ones, which are compared, if there is
    none."""
    if task:
        return play(protocol, attacker, task=task, **sizes)
    for name in engines:
        with suppress(UncompiledError):
            return play(protocol, attacker, host=name, **sizes)
    return play(protocol, attacker, **sizes)


def _holds_against(
    protocol: Protocol, attacker: Any, size: Size, task: str, engines: Sequence[str] = ()
) -> Sequence[str]:
    """Raise ConformanceError if a protocol fails more often in games against one attacker than it promises.

    Returns
    -------
    engines
        Those that may play it from now on.
    """
    delta, always = getattr(protocol, "delta", None), promised(protocol) == "always"
    sizes: dict[str, Any] = {"sites": size.sites, "items": size.items, "start": size.start}
    words = 0
    failed: list[Game] = []

    def fault(what: str, mend: str = GROWS) -> ConformanceError:
        game = failed[0]
        grows = mend == GROWS and not attacker.oblivious and not always
        if grows and play(protocol, RoundRobin(), **sizes).verdict != "failed":
            mend = SEES
        call = f"play({protocol!r}, {attacker!r}, {', '.join(f'{key}={value}' for key, value in sizes.items())}"
        needed = f"{import_of(type(protocol))}from disttrack import {type(attacker).__name__}, play\n\n"
        test = f"{needed}game = {call}, seed={game.seed})\nassert game.ok, game\n"
        return ConformanceError(f"{what} against {game.adversary} ({size})", mend, test=test)

    for played in range(1, size.games + 1):
        game = _played(protocol, attacker, task, engines, **sizes, seed=played)
        engines = engines or tuple(dict.fromkeys((game.engine, "step" if game.engine == "step" else "leap")))
        words += game.words
        failed += [game] * (promised(protocol) != "none" and _fails(protocol, game))
        if protocol.one_sided and game.highest > 0:
            failed.append(game)
            raise fault(_too_high(game), ONE_SIDED)
        if always:
            if failed:
                raise fault(WRONG)
            break
        if failed and binom.sf(len(failed) - 1, played, delta or 1 / 2) <= REFUTED:
            raise fault(f"{often(failed, played)} {_allowed(delta)}")
        best = len(failed) + size.games - played
        hopeless = binom.sf(best - 1, size.games, delta or 1 / 2) > REFUTED
        if hopeless or (not failed and (played == size.few or words * FEW > DEAR * size.few)):
            break
    return engines
