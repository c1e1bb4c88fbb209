"""The task `count`: at every step the server must estimate the number of items that the sites have received."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from disttrack.adversaries.base import Adversary
from disttrack.adversaries.recorded import Trace, pace_of
from disttrack.adversaries.replay import Replay
from disttrack.mechanisms.compiler import available
from disttrack.protocols.base import Protocol
from disttrack.simulator.errors import MoveError, PartError, ScenarioError, must_be
from disttrack.simulator.game.columns import SIZE_COLUMNS, by_column
from disttrack.simulator.game.engine_choice import (
    ASKED_FOR,
    AUTO,
    COMPILED,
    ENGINE_NAMES,
    LEAP,
    NO_NUMBA,
    STEP,
    ObjectRuleError,
    choose_engine,
    named,
    rules_of,
    uncompiled,
)
from disttrack.simulator.game.network import checked_network, network_of
from disttrack.simulator.game.network.unmet import UNMET
from disttrack.simulator.game.reference import own_code
from disttrack.simulator.game.sides import MOST_ITEMS, TOO_MANY, check_accuracy, check_costs
from disttrack.simulator.game.tasks.adversary import adversary_of, of_side, sizes_with
from disttrack.simulator.game.tasks.answers import HELD, LARGEST_RELATIVE, OVER_ALPHA, WORDS, Answer
from disttrack.simulator.game.tasks.base import Demand, Record, Task, messages_within
from disttrack.simulator.kinds.point import Point, PointError, blaming
from disttrack.simulator.kinds.registry import advice_on

if TYPE_CHECKING:
    from disttrack.simulator.game.outcome import Game
    from disttrack.simulator.game.play import Games

BYTES_A_SITE: Final = {COMPILED: 800, LEAP: 3_000, STEP: 3_000}
"""Memory of an engine and a protocol per site: the maximum measured over the protocols, rounded up."""
RATES: Final = {COMPILED: (2e7, 5e7), LEAP: (150e3, 200e3), STEP: (30e3, 100e3)}
"""Messages that are sent, and items processed one by one, that an engine plays per second.

They are fitted to the games of the shipped scenarios: ``python -m benchmarks.estimates``.
"""
SENT: Final = {
    **dict.fromkeys(("exact", "batch", "coin-reports"), 1.0),
    "deterministic": 0.9,
    "robust": 0.35,
    "martingale": 0.3,
    "private-copies": 0.25,
    "sketch-switching": 0.1,
}
"""Share of the quick bound that is sent, the median over the games in results/reference; `USUALLY` of other kinds."""
USUALLY: Final = 0.5
TIGHT: Final = 0.06
"""The same of `robust` with tight constants, whose quick bound is that of the paper's."""
ASKED: Final = 250e3
"""Messages per second after which an adversary that is not compiled is asked again, beside those of the engine."""
ASKED_IN_PYTHON: Final = 60e3
"""The same of one that is asked at each item, which is too often for compiled functions, or is the user's class."""
DRAWN: Final = 3e7
"""Items of a fixed stream that are drawn per second."""
SEARCH: Final = {True: 4e-5, False: 6e-3}
"""Seconds in which an item is found in a random stream that is not drawn item by item, with numba or not."""
ROUND_OF_TIGHT: Final = 2.5e-4
"""Seconds per message of a site, as a measure of the rounds, whose rules are computed anew."""


class Count(Task):
    """Distributed count tracking: a protocol against an adversary."""

    kind: ClassVar[str] = "count"
    rules: ClassVar[int] = 10
    replayed: ClassVar[bool] = True
    headed: ClassVar[bool] = True
    axes: ClassVar = {"block": "block of the reported total, in items", "memory": "memory of the adversary, bits"}
    each_item: ClassVar[bool] = False
    """Whether each item of a fixed stream takes time too, and not only to be drawn, with its block: for estimates."""
    answers: ClassVar[Sequence[Answer]] = (HELD, OVER_ALPHA, LARGEST_RELATIVE, WORDS)

    def check(self, point: Point) -> None:
        protocol = point.protocol.make()
        if rules_of(protocol)[0] not in ("count", self.kind):
            reason = f"{point.protocol.label} plays {' and '.join(protocol.plays)}, not {point.task.label}"
            raise point.protocol.wrong(f"{reason}: {advice_on(type(protocol))}")
        with blaming("protocol", {"alpha": protocol.accuracy}):
            check_accuracy(protocol)
        adversary = adversary_of(point)
        if isinstance(adversary, Replay):
            from disttrack.simulator.game.short_games import original

            try:
                original(adversary)
            except ScenarioError as error:
                raise point.adversary.wrong(str(error).removeprefix("of: "), "of") from error
        sites, _ = _size(point, adversary)
        with blaming("adversary", point.adversary.arguments, ScenarioError):
            check_costs(protocol, adversary)
        with blaming("network", point.network):
            network = checked_network(point.network, sites, protocol)
            _ = network and network.slower(pace_of(adversary))
        engine_of(point, protocol, adversary)

    def play(self, point: Point, seed: int) -> Record:
        if (again := _again(point, seed)) is not None:
            return again
        record = record_of(self.game(point, seed=seed, on_error="record"))
        if _last[1] is not None:
            _last[1].like = record
        return record

    def compare(self, point: Point) -> None:
        from disttrack.simulator.game.play import play
        from disttrack.simulator.game.short_games import LONG

        given = prepare(point)
        play(**{**given, "items": min(LONG, given["items"])})

    def game(
        self,
        point: Point,
        *,
        seed: int = 0,
        record: bool = False,
        on_error: Literal["raise", "record"] = "raise",
        level: int | Fraction | None = None,
    ) -> Game:
        """Play one game of a point, as `simulator.game.play` does."""
        try:
            return _games(point).play(seed, record=record, raises=on_error == "raise", level=level)
        except (MoveError, PartError) as error:
            raise type(error)(f"{point.describe()}: {error}") from error

    def last_step(self, point: Point) -> float:
        adversary = adversary_of(point)
        rests = own_code(adversary) != "" or adversary.rests
        return math.inf if rests else _size(point, adversary)[1]

    def demand(self, point: Point) -> Demand:
        """Return the messages of the cost bound (or else one per item) and of the network, and the time of the sent."""
        protocol, adversary, network = point.protocol.make(), adversary_of(point), network_of(point.network)
        sites, items = _size(point, adversary)
        engine, asked = engine_of(point, protocol, adversary), asked_each(adversary)
        obstacle = uncompiled(protocol, adversary, network) if named(point.engine, ENGINE_NAMES) == AUTO else ASKED_FOR
        fast = COMPILED if obstacle in ("", NO_NUMBA) and not asked else engine
        if asked and engine != STEP:
            engine = fast = LEAP
        messages, unbounded = messages_within(protocol.quick_bound(sites, items, point.start), items, point)
        share = 1.0 if unbounded else share_sent(protocol)
        if network is not None:
            messages = network.messages(messages, sites, items, protocol)
        stream = adversary.stream() if isinstance(adversary, Trace) else None
        recorded = stream.length * stream.bytes_a_row if stream is not None else 0
        sent = messages * share

        def seconds(engine: str) -> float:
            rate, item_rate = RATES[engine]
            item_rate = min(item_rate, ASKED_IN_PYTHON) if asked else item_rate
            if adversary.oblivious and engine != STEP and network is None and not self.each_item:
                item_rate = max(item_rate, DRAWN)
            looked_at = items if engine == STEP else adversary.looked_at(sites, items)
            took = sent / rate + looked_at / item_rate
            if looked_at < items and adversary.each_item:
                before = protocol.quick_bound(sites, looked_at, point.start)
                took += max(0.0, messages - before) * share * SEARCH[available()]
            if engine == COMPILED:
                took += sent / sites * seconds_a_round(protocol)
                asked_again = ASKED_IN_PYTHON if point.adversary.own else ASKED
                took += 0.0 if _needs_no_asking(adversary) else sent / asked_again
            return took

        engine = fast if not obstacle else engine
        saved = max(0.0, seconds(engine) - seconds(fast)) if obstacle == NO_NUMBA else 0.0
        memory = float(sites * BYTES_A_SITE[engine] + recorded)
        return Demand(seconds(engine), memory, messages, unbounded, saved=saved)


def share_sent(protocol: Protocol) -> float:
    """Return the share of the quick bound that is sent, about."""
    if protocol.kind == "robust" and getattr(protocol, "parameters", "") == "tight":
        return TIGHT
    return SENT.get(protocol.kind, USUALLY)


def seconds_a_round(protocol: Protocol) -> float:
    """Return the seconds that rounds take beside their messages, per message of a site."""
    tight = protocol.kind == "martingale" and getattr(protocol, "parameters", "") == "tight"
    return ROUND_OF_TIGHT if tight else 0.0


def asked_each(adversary: Adversary) -> bool:
    """Return whether an adversary is asked at each item, in Python."""
    return adversary.each_item and not _needs_no_asking(adversary)


def _needs_no_asking(adversary: Adversary) -> bool:
    """Return whether no adversary is asked after changes: it does not react, or its rule is compiled."""
    if isinstance(adversary, Replay):
        return False  # the other game is played first
    reads_numbers = getattr(adversary, "reads", "") == "output"  # of them its rule has no compiled form
    return adversary.oblivious or (type(adversary).machine is not Adversary.machine and not reads_numbers)


def _games(point: Point) -> Games:
    """Return the games of a point; those of the last one are kept, unless they are of a user's code or of a host."""
    global _last
    from disttrack.simulator.game.play import Games, check_game, is_hosted

    known, games = _last
    if games is None or known is not point or is_hosted():
        given = prepare(point)
        sizes = {name: given.pop(name) for name in SIZE_COLUMNS}
        sites, items, _, start = check_game(given["protocol"], seed=0, **sizes)
        games = Games(**given, sites=sites, items=items, start=start)
        _last = (None, None) if point.own or is_hosted() else (point, games)
    return games


_last: tuple[Point | None, Games | None] = None, None


def _again(point: Point, seed: int) -> Record | None:
    """Return the record of a game that is played in place of the last one of the point; None if it cannot be."""
    begun, (known, games) = time.perf_counter(), _last
    if games is None or known is not point or games.like is None or (game := games.again(seed)) is None:
        return None
    judged, ledger = game.judgement(game.items), game.ledger
    own = {**vars(judged), **vars(game.on_network()), **ledger.sent, "rounds": ledger.rounds_of(game.server)}
    own["seconds"] = time.perf_counter() - begun
    row = {name: own.get(name, value) for name, value in games.like.row.items() if name != UNMET} | game.unmet()
    kinds, reason = by_column(ledger.rows()), games.like.engine_reason
    return Record(row, game.series, kinds, reason, coins=game.rngs.drawn, judged=judged.judged)


def prepare(point: Point) -> dict[str, Any]:
    """Return the arguments with which `simulator.game.play` plays a point, except the seed."""
    adversary = adversary_of(point)
    sites, items = _size(point, adversary)
    return {
        "protocol": point.protocol.make(),
        "adversary": adversary,
        "sites": sites,
        "items": items,
        "start": point.start,
        "engine": point.engine,
        "network": network_of(point.network),
        "sees": adversary.sees,  # `adversary_of` has checked that the entry grants it
    }


def record_of(game: Game, **columns: object) -> Record:
    """Return the record of a game, with the columns of a task in addition."""
    row = {**game.facts, **columns}
    if UNMET in game.extra:
        row[UNMET] = game.extra[UNMET]
    return Record(row, *game.lists(), game.engine_reason, game.error, game.coins, game.judged)


def engine_of(point: Point, protocol: Protocol, adversary: Adversary) -> str:
    """Return the engine that will play the point, whose sides are given."""
    try:
        network = network_of(point.network)
        return choose_engine(point.engine, protocol, adversary, network, rules_of(protocol)[1])[0]
    except ObjectRuleError as error:
        raise of_side(point, error, adversary) from error
    except ScenarioError as error:
        raise PointError(("engine",), str(error).removeprefix("engine ")) from error


def check_no_rests(point: Point) -> None:
    """Refuse an adversary that skips steps, for a task in which each step has an item; others are seen in their games.

    Raises
    ------
    PointError
        It surely does.
    """
    adversary = adversary_of(point)
    if adversary.leaves_steps(_size(point, adversary)[1]):
        raise point.adversary.wrong(must_be(f"without rests in task {point.task.kind}", point.adversary.kind))


def skips(point: Point, task: str) -> str:
    """Return the fault of an adversary that leaves steps without an item, in a task in which each step has one."""
    return f"{point.describe()}: task {task} needs an adversary that skips no step"


def _size(point: Point, adversary: object) -> tuple[int, int]:
    """Return the numbers of sites and items, from a recorded trace if there is one."""
    sites, items = sizes_with(adversary, point.sites, point.items)
    if items + point.start > MOST_ITEMS:
        raise PointError(("items",), TOO_MANY.format(items + point.start))
    return sites, items
