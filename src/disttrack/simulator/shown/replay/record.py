"""The record of a game: everything that was sent, shown and done in it, in plain values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.metadata import version
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, NamedTuple

import numpy as np
import pandas as pd
from pydantic import BaseModel, Field

from disttrack.adversaries.replay import Moves, Turn
from disttrack.adversaries.schedules import Burst, Rest, Rotation, Schedule
from disttrack.simulator.errors import ScenarioError, accepted
from disttrack.simulator.experiments.runs.jobs import game_seed
from disttrack.simulator.experiments.scenario.load import load
from disttrack.simulator.game.columns import FAILED
from disttrack.simulator.game.play import play
from disttrack.simulator.game.shortest import ONLY_FAILED
from disttrack.simulator.game.tasks.contents.task import ItemFrequency
from disttrack.simulator.game.tasks.tracking import Count, prepare
from disttrack.simulator.kinds.names import count, in_words, label_of
from disttrack.simulator.kinds.point import LISTED
from disttrack.simulator.kinds.registry import ROLES, Role
from disttrack.simulator.shown.replay.contents import copies_of, first_failure, watched

if TYPE_CHECKING:
    from disttrack.simulator.experiments.scenario.load import Scenario
    from disttrack.simulator.game.outcome import Game
    from disttrack.simulator.kinds.point import Part, Point

SERVER: Final = -1
"""The server, where sites are numbers."""
MOST_LETTERS: Final = 60
"""Letters of a parameter in a title."""

Whole = Annotated[int, Field(ge=0, le=2**62)]
Whence = Mapping[str, Any]
"""`scenario`, `point` and `trial` of a game, and `shortest`, as far as it has them."""
Output = Annotated[int, Field(ge=-(2**100), le=2**100)] | float


class Facts(BaseModel):
    """Facts of a game, each as `Game` has it."""

    protocol: str
    adversary: str
    sites: Annotated[int, Field(ge=1, le=2**16)]
    items: Whole
    start: Whole
    alpha: Annotated[float, Field(ge=0, lt=2**20)] | None
    seed: Annotated[int, Field(ge=0)]
    engine: str
    verdict: str
    steps: Whole
    first_failure: Whole | None
    first_failing_step: Whole | None
    max_rel_error: Output | None
    max_lag: Whole
    messages: Whole
    words: Whole
    error: str | None


Shorter = Literal["", "adversary", "moves"]
"""How a failing game is made shorter, if at all: against the same adversary, or as a list of moves."""


Plan = Mapping[str, Any]
"""``{"site": 7}``, ``{"rest": true}``, ``{"rotation": [sites, first]}`` or ``{"runs": [sites, lengths]}``; in a list of
runs the site -1 is a skip."""
SKIP: Final = -1


class About(Facts):
    """What the first line of the file states of a game.

    `network` is None if messages take no time; `disttrack` is the version that played the game; `scenario`, `point` and
    `trial` are those of a scenario's game; `shortest` has rows on a game that was made shorter; `kinds` has both
    sides as flags of ``disttrack play`` name them, but for objects of a script; `lost` has the messages that never
    arrived, by their places among all; None if messages take no time, and in files of versions that did not record it.
    """

    protocol_parameters: dict[str, Any]
    adversary_parameters: dict[str, Any]
    network: dict[str, Any] | None
    disttrack: str
    scenario: str | None = None
    point: Whole | None = None
    trial: Whole | None = None
    shortest: str | None = None
    kinds: dict[str, str] = {}
    lost: list[Whole] | None = None

    def entry(self, role: Role) -> dict[str, Any]:
        """Return a side as a scenario has it: its kind, as flags name it, and its parameters."""
        return {"kind": self.kinds.get(role, getattr(self, role)), **getattr(self, f"{role}_parameters")}


class Sent(NamedTuple):
    """A message; a sender or receiver is a site's number or `SERVER`."""

    step: Whole
    sender: int
    receiver: int
    kind: str
    words: Whole
    bits: Whole


class Asked(NamedTuple):
    """One time that the adversary was asked.

    Attributes
    ----------
    step, sent
        Steps that had passed, and items that it had sent.
    output, changes
        The output that it saw, and how often that had changed.
    plan
        What took over with the next step; None if it went on as before.
    taken
        Steps for which that plan was in force; 0 without one.
    """

    step: Whole
    sent: Whole
    output: Output
    changes: Whole
    plan: Plan | None
    taken: Whole


@dataclass(frozen=True)
class GameRecord:
    """A recorded game.

    Parameters
    ----------
    about
        Its facts.
    messages
        In the order in which they were sent.
    outputs
        Steps at which the output changed, and the new one.
    asked
        Each time that the adversary was asked.
    item, copies
        Of a game of items, the item of which the outputs are estimates, and the steps of its copies.
    """

    about: About
    messages: Sequence[Sent]
    outputs: Sequence[tuple[Whole, Output]]
    asked: Sequence[Asked]
    item: int | str | None = None
    copies: Sequence[int] = ()

    @cached_property
    def kinds(self) -> list[str]:
        """Return the kinds of messages, in the order in which they first came."""
        return list(dict.fromkeys(message.kind for message in self.messages))

    @cached_property
    def table(self) -> pd.DataFrame:
        """Return a row per message: step, site, whether it goes up, its kind's place in `kinds`, words, if lost."""
        places = {kind: place for place, kind in enumerate(self.kinds)}
        rows = [
            (one.step, max(one.sender, one.receiver), int(one.receiver == SERVER), places[one.kind], one.words)
            for one in self.messages
        ]
        table = pd.DataFrame(rows, columns=["step", "site", "up", "kind", "words"], dtype="int64")
        return table.assign(lost=table.index.isin(self.about.lost or []).astype("int64"))

    @property
    def delayed(self) -> bool:
        """Return whether messages took time, so that the verdict is on the lag-aware error."""
        return bool(self.about.network or self.about.max_lag or self.about.lost is not None)

    @property
    def title(self) -> str:
        """Return the two sides: ``randomized(confidence=2) against freeze``."""
        about = self.about
        sides = (about.protocol, about.protocol_parameters), (about.adversary, about.adversary_parameters)
        words = ((kind, in_words(given, LISTED).values()) for kind, given in sides)
        return " against ".join(label_of(kind, map(shown, values)) for kind, values in words)


def shown(value: str) -> str:
    """Return a parameter for a title; a list of moves or faults may have thousands of letters."""
    return value if len(value) <= MOST_LETTERS else f"{value[: MOST_LETTERS - 1]}…"


def replayed(scenario: Scenario, point: int = 0, trial: int = 0, shortest: Shorter = "") -> GameRecord:
    """Play one game of a scenario again, from its seed, and return its record.

    It is the game of the row of ``trials.csv`` with this point and trial.

    Parameters
    ----------
    shortest
        How the game is made shorter; if it is, the shortest failing game that is found is returned.

    Raises
    ------
    ScenarioError
        There is no such point or trial, the scenario's games have no sites and messages, or the game to be made shorter
        did not fail.
    """
    name, items = scenario.name, isinstance(scenario.task, ItemFrequency)
    if not scenario.task.replayed:
        tasks = accepted([task.kind for task in (Count, ItemFrequency)])
        raise ScenarioError(f"{name}: task {scenario.task.kind} cannot be replayed ({tasks})")
    _check_place(name, "point", point, len(scenario.points))
    chosen = scenario.points[point]
    plan = scenario.plan_of(chosen)
    _check_place(name, "trial", trial, plan.trials)
    whence = {"scenario": name, "point": point, "trial": trial}
    if items and shortest:
        raise ScenarioError(f"{name}: task {scenario.task.kind} has no shorter games (accepted: count)")
    if items:
        return _record_of_items(chosen, game_seed(plan.seed, trial), whence)
    return _played(name, chosen, game_seed(plan.seed, trial), whence, shortest)


def made_shorter(about: About, shortest: Shorter) -> GameRecord:
    """Play a recorded game again, and return the record of the shortest failing game that is found.

    Raises
    ------
    ScenarioError
        A side is an object of a script, which the record does not name, the game did not fail, or another one is played
        now.
    """
    sides: dict[str, object] = {role: about.entry(role) for role in ROLES}
    sizes = {"sites": about.sites, "items": about.items, "start": about.start, "engine": about.engine}
    try:
        scenario = load({"name": "recorded", **sides, **sizes, **({"network": about.network} if about.network else {})})
    except ScenarioError as error:
        raise ScenarioError(f"cannot be played again: {error}") from error
    return _played("the recorded game", scenario.points[0], about.seed, {}, shortest, about)


def _played(
    name: str, point: Point, seed: int, whence: Whence, shortest: Shorter, known: About | None = None
) -> GameRecord:
    """Play a game from its seed, and return its record, or that of the shortest failing game that is found."""
    try:
        game = play(**prepare(point), seed=seed, record=not shortest, on_error="record")
        if not shortest:
            return record_of(game, point, whence)
        if known is not None and (game.messages, game.words) != (known.messages, known.words):
            raise ValueError(
                f"now another game: {count(game.messages, 'message')}, {count(game.words, 'word')}; it had "
                f"{known.messages:,}, {known.words:,} (disttrack {known.disttrack}, {known.engine}): record it again"
            )
        if game.verdict != FAILED and whence:
            others = "--point and --trial choose another game"
            raise ValueError(f"{ONLY_FAILED} {game.verdict}; {others}")
        found = game.shortest(fixed=shortest == "moves")
    except ValueError as error:
        raise ScenarioError(f"{name}, {point.describe()}: {error}") from error
    if found.network is not None:
        point = replace(point, network=found.network)
    return record_of(found.game, point, {**whence, "shortest": found.text})


def _record_of_items(point: Point, seed: int, whence: Whence) -> GameRecord:
    game, item, history, turns = watched(point, seed)
    rows = asked(turns, game.game_end)
    copies = [
        step for turn, row in zip(turns, rows, strict=True) for step in copies_of(item, turn.plan, row.step, row.taken)
    ]
    first = first_failure(history, copies, game.protocol.alpha, game.game_end)
    about = About(
        protocol=point.protocol.label, protocol_parameters=dict(point.protocol.arguments),
        adversary=point.adversary.label, adversary_parameters=dict(point.adversary.arguments),
        sites=game.k, items=game.game_end, start=0, alpha=game.protocol.alpha, seed=seed, engine=game.name,
        verdict=game.problem.row()["verdict"], steps=game.game_end, first_failure=first, first_failing_step=first,
        max_rel_error=game.problem.worst, max_lag=0, messages=game.ledger.messages, words=game.ledger.words,
        error=None, network=None, disttrack=version("disttrack"), **whence,
    )  # fmt: skip
    return GameRecord(about, [sent(*row) for row in game.transcript or ()], history, rows, item, copies)


def _check_place(name: str, what: str, value: int, number: int) -> None:
    if not 0 <= value < number:
        raise ScenarioError(f"{name}: no {what} {value}; it has {what}s 0 … {number - 1}")


def record_of(game: Game, point: Point | None = None, whence: Whence | None = None) -> GameRecord:
    """Return the record of a game that was played with ``record=True``.

    Parameters
    ----------
    point
        The point that it is a game of, for the parameters of its sides.
    whence
        `scenario`, `point` and `trial`, if it is one of a scenario.

    Raises
    ------
    ValueError
        Nothing was recorded.
    ScenarioError
        A user's class raised before the first step, so that there was no game.
    """
    if game.engine and not game.steps and game.error:
        raise ScenarioError(f"nothing to record: no step was played: {last_line(game.error)}")
    facts: dict[str, Any] = {name: _plain(getattr(game, name)) for name in Facts.model_fields}
    kinds: dict[str, str] = {}
    for role in ROLES:
        part: Part | None = getattr(point, role) if point is not None else None
        if part is not None and facts[role] == Moves.kind:  # in place of the point's adversary
            part = None
        if part is not None:
            kinds[role] = part.reference
        elif facts[role] == Moves.kind:
            kinds[role] = Moves.kind
        facts[f"{role}_parameters"] = dict(part.arguments) if part is not None else game.parameters[role]
        facts[role] = part.label if part is not None else facts[role]
    given = point.network if point is not None and game.lost_rows is not None else None  # none if it takes no time
    network = dict(given) if given is not None else None
    messages = [sent(*row) for row in _rows(game, game.transcript)]
    if game.lost_rows is not None:
        facts["lost"] = [row for row in game.lost_rows if row < len(messages)]
    return GameRecord(
        About(**facts, **(whence or {}), kinds=kinds, network=network, disttrack=version("disttrack")),
        messages,
        [(row.step, _plain(row.output)) for row in _rows(game, game.outputs)],
        asked(_rows(game, game.turns), game.steps),
    )


def last_line(text: str) -> str:
    """Return the last line of a traceback: the error itself."""
    return text.rstrip().rsplit("\n", 1)[-1]


def asked(turns: Sequence[Turn], steps: int) -> list[Asked]:
    """Return what the adversary saw and did, each plan cut to the steps for which it was in force."""
    ends = iter([*(turn.step for turn in turns if turn.plan is not None), steps][1:])
    rows = []
    for turn in turns:
        taken = next(ends) - turn.step if turn.plan is not None else 0
        plan = written(turn.plan, taken) if turn.plan is not None and taken else None
        rows.append(Asked(turn.step, turn.sent, _plain(turn.output), turn.changes, plan, taken))
    return rows


def _rows(game: Game, table: Any) -> list[Any]:
    """Return the rows of a table; the game ends before a step in which a user's class raised."""
    return [row for row in table.itertuples(index=False) if row.step <= game.steps]


def sent(step: int, sender: int | str, receiver: int | str, kind: str, words: int, bits: int) -> Sent:
    """Return a row of a transcript."""
    sender, receiver = (SERVER if isinstance(who, str) else int(who) for who in (sender, receiver))
    return Sent(step, sender, receiver, kind, int(words), int(bits))


def _plain(value: object) -> Any:
    """Return a number as Python's own, whole where it is whole."""
    value = value.item() if hasattr(value, "item") else value
    return int(value) if isinstance(value, float) and value.is_integer() else value


def written(plan: Schedule, taken: int) -> Plan:
    """Return the first steps of a schedule in plain values.

    >>> written(Burst(7), 100), written(Rotation(4, 1), 9)
    ({'site': 7}, {'rotation': [4, 1]})
    """
    if type(plan) is Burst:
        return {"site": plan.site}
    if type(plan) is Rest:
        return {"rest": True}
    if type(plan) is Rotation:
        return {"rotation": [plan.sites, plan.first]}
    steps = np.arange(1, taken + 1)
    fed = np.array([SKIP if site is None else site for site in map(plan.at, steps)]) if plan.skips else plan.at(steps)
    starts = np.flatnonzero(np.concatenate(([True], fed[1:] != fed[:-1])))
    if len(starts) == 1:
        return {"site": int(fed[0])} if fed[0] != SKIP else {"rest": True}
    return {"runs": [fed[starts].tolist(), np.diff(np.append(starts, taken)).tolist()]}
