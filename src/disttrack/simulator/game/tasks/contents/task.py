"""The tasks of content: `item-frequency`, how often each item came, `frequent-items`, `item-sampling`, `item-rank`."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Final

from disttrack.adversaries import Adversary
from disttrack.adversaries.contents import ItemAdversary
from disttrack.mechanisms.compiler import available
from disttrack.protocols.base import shadowed
from disttrack.protocols.contents import ItemTracker
from disttrack.simulator.game.collector import collector_paused
from disttrack.simulator.game.columns import by_column
from disttrack.simulator.game.contents import PROBLEMS
from disttrack.simulator.game.contents.problem import Problem
from disttrack.simulator.game.engine_choice import ASKED_FOR, AUTO, COMPILED, EXACT, LEAP, STEP, UncompiledError, named
from disttrack.simulator.game.engines.contents import ContentEngine, ContentLeap, ContentStep
from disttrack.simulator.game.engines.contents_compiled import ContentCompiled
from disttrack.simulator.game.reference import own_code
from disttrack.simulator.game.sides import MOST_ITEMS, NO_ITEMS
from disttrack.simulator.game.tasks.adversary import adversary_of, sizes_with
from disttrack.simulator.game.tasks.answers import LARGEST_RELATIVE, OVER_ALPHA, WORDS, Answer, held
from disttrack.simulator.game.tasks.base import ITEMS, SITES, Columns, Demand, Record, Row, Size, messages_within
from disttrack.simulator.game.tasks.duel import MechanismGame, Sizes
from disttrack.simulator.kinds.point import Point, PointError

ENGINES: Final[Mapping[str, type[ContentEngine]]] = {STEP: ContentStep, LEAP: ContentLeap}
FORMS: Final[Mapping[str, type[ContentEngine]]] = {**ENGINES, COMPILED: ContentCompiled}
MEASURED: Final = (OVER_ALPHA, LARGEST_RELATIVE, WORDS)
"""Answers of all these games, after how many of them kept the promise."""
MESSAGES, LISTED = {True: 50_000, False: 20_000}, {STEP: 30_000, LEAP: 500_000}
"""Messages, by whether the stream is fixed, and items that are listed or played one by one, per second."""
SPLITS: Final = 6_000
"""Items of which each is another one between the others, in a second: each takes a turn of the adversary."""


class ContentGame(MechanismGame[ItemTracker, Any]):
    """A game of content; subclasses name the task, and so the problem.

    Columns: `highest` and `lowest`, the extreme signed errors, of frequencies only; `worst_step` and `worst_item`,
    where the error was largest first: for samples and ranks the item that came at that step.
    """

    roles: ClassVar[Sequence[str]] = ("sites", "server", "adversary")
    engines: ClassVar[Sequence[str]] = (STEP, LEAP)
    empty: ClassVar = ("failing_fraction",)
    takes: ClassVar[tuple[type[object], ...]] = (ItemTracker,)
    single: ClassVar[bool] = True
    sizes: ClassVar[Sequence[Size]] = (SITES, replace(ITEMS, least=1))
    axes: ClassVar = {"heaviest": "largest weight of an item", "size": "size of the sample, in items"}
    columns: ClassVar[Sequence[str]] = ("highest", "lowest", "worst_step", "worst_item")
    own_engines: ClassVar[Mapping[str, type]] = ENGINES
    bases: ClassVar[Mapping[str, str]] = {
        "protocol": "disttrack.protocols.contents.base:ItemTracker",
        "adversary": "disttrack.adversaries.contents.base:ItemAdversary",
    }
    headed: ClassVar[bool] = True

    @property
    def problem(self) -> type[Problem]:
        """The class of the problem that judges the answers."""
        return PROBLEMS[self.kind]

    @classmethod
    def meant_for(cls, maker: type) -> bool:
        return super().meant_for(maker) and cls.kind in getattr(maker, "plays", ())

    def accepts(self, mechanism: Any) -> bool:
        return super().accepts(mechanism) and self.kind in mechanism.plays

    def result(
        self, mechanism: ItemTracker, adversary: ItemAdversary, sizes: Sizes, *, seed: int, arrays: bool
    ) -> tuple[Row, Columns]:
        game = self.match(mechanism, adversary, sizes, seed=seed, engine=AUTO if arrays else STEP)
        return row_of(game), game.series

    def match(
        self,
        mechanism: ItemTracker,
        adversary: ItemAdversary,
        sizes: Sizes,
        *,
        seed: int,
        engine: str = LEAP,
        record: bool = False,
    ) -> ContentEngine:
        """Play one game, and return it after its last step; `auto` is `leap`, by compiled functions where they pay."""
        if engine == AUTO:
            if available() and not (record or own_code(mechanism) or shadowed(mechanism) or shadowed(adversary)):
                with suppress(UncompiledError):  # the game is too short, or has no compiled form
                    fast = partial(ContentCompiled, in_time=True, asked=bool(own_code(adversary)))
                    return self._match_by(fast, mechanism, adversary, sizes, seed=seed)
            engine = LEAP
        return self._match_by(FORMS[engine], mechanism, adversary, sizes, seed=seed, record=record)

    def _match_by(
        self, engine: Callable[..., ContentEngine], mechanism: ItemTracker, adversary: ItemAdversary, sizes: Sizes,
        **options: Any,
    ) -> ContentEngine:  # fmt: skip
        sides = mechanism, copy.deepcopy(adversary), self.problem
        with collector_paused():
            game = engine(*sides, sites=sizes["sites"], items=sizes["items"], **options)
        game.play()
        return game

    def game(
        self, mechanism: ItemTracker, adversary: ItemAdversary, sizes: Sizes, *, seed: int = 0, engine: str = AUTO
    ) -> Record:
        sizes = self.filled(adversary, sizes)
        record = super().game(mechanism, adversary, sizes, seed=seed, engine=engine)
        return replace(record, kinds=record.row.pop("kinds"))

    def sizes_of(self, point: Point) -> Sizes:
        return self.filled(adversary_of(point), super().sizes_of(point))

    def filled(self, adversary: Adversary | ItemAdversary, sizes: Sizes) -> Sizes:
        """Return the sizes of a game, those left out from a recorded stream."""
        return dict(zip(("sites", "items"), sizes_with(adversary, sizes["sites"], sizes["items"]), strict=True))

    def fits(self, mechanism: ItemTracker, adversary: ItemAdversary, sizes: Sizes) -> None:
        if sizes["items"] > MOST_ITEMS:
            raise PointError(("items",), f"must be at most 2^61; got {sizes['items']:,}")
        if not isinstance(adversary, ItemAdversary):
            raise PointError(("adversary", "kind"), NO_ITEMS.format(adversary.kind, f"task {self.kind}"))
        if self.problem.numeric and (disorder := getattr(adversary, "disorder", "")):
            raise PointError(("adversary", "item"), f"must be numbers in task {self.kind}: {disorder}")
        heaviest = getattr(adversary, "heaviest", 1)
        if heaviest > 1 and not (mechanism.weighs and self.problem.weighs):
            reason = f"must be 1: {self.kind if mechanism.weighs else mechanism.kind} takes no weights"
            raise PointError(("adversary", "heaviest"), reason)
        if sizes["items"] * heaviest > MOST_ITEMS:
            raise PointError(("adversary", "heaviest"), f"times items must be at most 2^61; got {heaviest:,}")
        promised, played = getattr(mechanism, "domain", None), getattr(adversary, "domain", 1)
        if promised is not None and played > promised:
            raise PointError(("protocol", "domain"), f"must be at least the {played:,} items of {adversary.kind}")

    def demand(self, point: Point) -> Demand:
        """Return the time of the cost bound's messages, and of items that are listed or played one by one."""
        tracker, adversary = self.sides(point)
        sites, items = self.sizes_of(point).values()
        engine = STEP if point.engine == STEP or self.problem.each_item else LEAP
        bound = tracker.cost_bound(sites, items * getattr(adversary, "heaviest", 1))
        messages, unbounded = messages_within(bound, items, point)
        period = getattr(adversary, "period", None)
        listed = items if engine == STEP or period is None else min(period, items)
        looked_at = listed if adversary.each_item or engine == STEP else 0
        splits = adversary.splits(tracker.known(sites).get("size", 1), items) if hasattr(adversary, "splits") else 0.0
        seconds = messages / MESSAGES[adversary.oblivious] + looked_at / LISTED[engine] + splits / SPLITS
        return Demand(seconds, 1e8 + 1000.0 * sites, messages, unbounded)

    def _engine(self, asked: str, mechanism: object, adversary: object) -> tuple[str, str]:
        asked = named(asked, self.engines)
        return (asked, ASKED_FOR) if asked != AUTO else (LEAP, EXACT)


def row_of(game: ContentEngine) -> Row:
    """Return the columns of a game, with those of kinds.csv as one."""
    ledger = game.ledger
    return {
        **game.problem.row(),
        **ledger.sent,
        "items": game.game_end,
        "judged": game.problem.judged,
        "rounds": ledger.rounds_of(game.server),
        "kinds": by_column(ledger.rows()),
    }


class ItemFrequency(ContentGame):
    """A game in which the server must know at every step how often each item came, up to alpha N of N items."""

    kind: ClassVar[str] = "item-frequency"
    replayed: ClassVar[bool] = True
    answers: ClassVar[Sequence[Answer]] = (held("games with every estimate within alpha N at every step"), *MEASURED)


class HeavyHitterGame(ContentGame):
    """A game in which the server must list all items above phi N, and none below (phi - alpha) N, at every step."""

    kind: ClassVar[str] = "frequent-items"
    formerly: ClassVar[str] = "heavy-hitters"
    answers: ClassVar[Sequence[Answer]] = (
        held("games with every item above phi N listed, none below (phi - alpha) N, at every step"),
        *MEASURED,
    )


class SampleGame(ContentGame):
    """A game in which the server has s of the items, distributed like all of them up to alpha at every step."""

    kind: ClassVar[str] = "item-sampling"
    output_by_messages: ClassVar[bool] = False
    formerly: ClassVar[str] = "item-sample"
    answers: ClassVar[Sequence[Answer]] = (
        held("games with the sample's distribution within alpha of the stream's at every step"),
        *MEASURED,
    )


class RankGame(ContentGame):
    """A game in which the server must know every rank, and so all quantiles, up to alpha N at every step."""

    kind: ClassVar[str] = "item-rank"
    answers: ClassVar[Sequence[Answer]] = (
        held("games with every estimate within alpha N of the rank at every step"),
        *MEASURED,
    )
