"""The record of a game: everything that was sent, shown and done in it, in plain values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.replay.plans import Plan, written

if TYPE_CHECKING:
    from disttrack.simulator.game.outcome import Game
    from disttrack.simulator.points.point import Part, Point

FACTS: Final = (
    "protocol", "adversary", "sites", "items", "start", "alpha", "seed", "engine", "verdict", "steps",
    "first_failure", "first_failing_step", "max_rel_error", "max_lag", "messages", "words", "error",
)  # fmt: skip
"""What a record says of its game, each as `Game` has it."""


SERVER: Final = -1
"""Stands for the server where sites are numbers."""


class Sent(NamedTuple):
    """A message; a sender or receiver is a site's number or `SERVER`."""

    step: int
    sender: int
    receiver: int
    kind: str
    words: int
    bits: int


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

    step: int
    sent: int
    output: float
    changes: int
    plan: Plan | None
    taken: int


@dataclass(frozen=True)
class GameRecord:
    """A recorded game.

    Parameters
    ----------
    about
        The `FACTS`; `protocol_parameters` and `adversary_parameters`; `network`, None for messages that take no time;
        `disttrack`, the version that played it; and from a scenario its `scenario`, `point` and `trial`.
    messages
        In the order in which they were sent.
    outputs
        Steps at which the output changed, and the new one.
    asked
        Each time that the adversary was asked.
    """

    about: Mapping[str, Any]
    messages: Sequence[Sent]
    outputs: Sequence[tuple[int, float]]
    asked: Sequence[Asked]

    @cached_property
    def kinds(self) -> list[str]:
        """Return the kinds of messages, in the order in which they first came."""
        return list(dict.fromkeys(message.kind for message in self.messages))

    @cached_property
    def table(self) -> Any:
        """Return a row a message: step, site, whether it goes to the server, its kind's place in `kinds`, words."""
        places = {kind: place for place, kind in enumerate(self.kinds)}
        rows = [
            (one.step, max(one.sender, one.receiver), one.receiver == SERVER, places[one.kind], one.words)
            for one in self.messages
        ]
        return np.array(rows, dtype=np.int64).reshape(-1, 5)

    @property
    def delayed(self) -> bool:
        """Tell whether messages took time, so that the verdict is on the lag-aware error."""
        return bool(self.about.get("network") or self.about["max_lag"])

    @property
    def title(self) -> str:
        """Return which game it is: ``randomized confidence=2 against freeze``."""
        return f"{self.side('protocol')} against {self.side('adversary')}"

    def side(self, role: str) -> str:
        """Return a side with the parameters that it was given, alpha left out: it is listed with the sizes."""
        given = self.about.get(f"{role}_parameters") or {}
        return " ".join([str(self.about[role]), *(f"{key}={value}" for key, value in given.items() if key != "alpha")])


def record_of(game: Game, point: Point | None = None, whence: Mapping[str, Any] | None = None) -> GameRecord:
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
        A class of the user's could not even be made, so that there was no game.
    """
    if game.engine and not game.steps and game.error:
        raise ScenarioError(f"nothing to record: the game ended before its first step: {last_line(game.error)}")
    about: dict[str, Any] = {"disttrack": _version(), **{name: _plain(getattr(game, name)) for name in FACTS}}
    for role in ("protocol", "adversary"):
        part: Part | None = getattr(point, role) if point is not None else None
        about[f"{role}_parameters"] = dict(part.arguments) if part is not None else {}
        about[role] = part.label if part is not None else about[role]
    about["network"] = None if point is None or point.network is None else dict(point.network)
    about.update(whence or {})
    messages = [
        Sent(int(step), _end(sender), _end(receiver), str(kind), int(words), int(bits))
        for step, sender, receiver, kind, words, bits in _rows(game.transcript)
        if step <= game.steps  # a step in which a class of the user's raised is none of the game
    ]
    outputs = [(int(step), _plain(output)) for step, output in _rows(game.outputs) if step <= game.steps]
    return GameRecord(about, messages, outputs, _asked(game))


def last_line(text: str) -> str:
    """Return the last line of a traceback: the error itself."""
    return text.rstrip().rsplit("\n", 1)[-1]


def _asked(game: Game) -> list[Asked]:
    """Return what the adversary saw and did, each plan cut to the steps for which it was in force."""
    turns = [turn for turn in _rows(game.turns) if turn[0] <= game.steps]
    begun = [place for place, turn in enumerate(turns) if turn[4] is not None]
    ends = dict(zip(begun, [*(turns[place][0] for place in begun[1:]), game.steps], strict=True)) if begun else {}
    rows = []
    for place, (step, sent, output, changes, plan) in enumerate(turns):
        taken = int(ends.get(place, step) - step)
        rows.append(
            Asked(int(step), int(sent), _plain(output), int(changes), written(plan, taken) if taken else None, taken)
        )
    return rows


def _end(who: int | str) -> int:
    return SERVER if isinstance(who, str) else int(who)


def _rows(frame: Any) -> list[tuple[Any, ...]]:
    """Return the rows of a table as they are: a column of mixed numbers stays mixed."""
    return list(zip(*(frame[name].tolist() for name in frame.columns), strict=True))


def _plain(value: Any) -> Any:
    """Return a number as Python's own, whole where it is whole."""
    value = value.item() if hasattr(value, "item") else value
    return int(value) if isinstance(value, float) and isfinite(value) and value.is_integer() else value


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("disttrack")
    except PackageNotFoundError:  # in a tree that was never installed
        return "unknown"
