"""Short games before the real one: they try a user's class, and rehearse a replay.

A rule is not used before its time: at many sites, or after a long start, no site speaks in some hundred items. So the
first short game is played before the game, and further ones after it, as long as a rule that it used is still untried.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence, Set
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from disttrack.adversaries.base import Adversary
from disttrack.adversaries.replay import Recorder, Replay
from disttrack.protocols.base import Protocol
from disttrack.simulator.errors import ScenarioError, must_be
from disttrack.simulator.game.engine_choice import AUTO, UncompiledError, compiles
from disttrack.simulator.game.engines import Compiled, Engine, Leap, Step
from disttrack.simulator.kinds.registry import find, make

BRANCH = 1_000
"""Key of the rehearsal's seed in the tree of the game's seeds, far from the streams of the game itself."""


def original(replay: Replay) -> Adversary:
    """Return the adversary whose moves are to be replayed.

    Raises
    ------
    ScenarioError
        There is no such kind, its parameters are wrong, or it sees more than outputs.
    """
    entry = {"kind": replay.of} if isinstance(replay.of, str) else dict(replay.of)
    kind = str(entry.pop("kind"))
    inner = make("adversary", find("adversary", kind, None, Path.cwd()), entry)
    if isinstance(inner, Replay) or not isinstance(inner, Adversary) or inner.sees != "outputs":
        raise ScenarioError(must_be("an adversary that sees outputs only", kind, "of:"))
    return inner


def rehearse(replay: Replay, protocol: Protocol, seed: int, **options: Any) -> Replay:
    """Return the replay of a game of its adversary against the protocol, with separate randomness.

    Parameters
    ----------
    seed
        The seed of the coming game; the rehearsal's seed is derived from it and differs.
    options
        Further arguments of the engine: sites, items, start, network.
    """
    tree = np.random.SeedSequence(seed, spawn_key=(BRANCH,))
    options["seed"] = int(tree.generate_state(1, np.uint64)[0] >> np.uint64(1))
    recorder, network = Recorder(original(replay)), options.get("network")
    fast = partial(Compiled, in_time=True) if compiles(AUTO, protocol, recorder, network) else Leap
    try:
        game = fast(protocol, recorder, **options)
        game.play()
    except UncompiledError:
        recorder = Recorder(original(replay))
        game = Leap(protocol, recorder, **options)
        game.play()
    return replay.rehearsed(recorder.moves(game.game_end))


SHORT: Final = 400
"""Items of the first short game."""
LONG: Final = 20_000
"""Maximum number of items of a game that is played only to see whether others of its length agree with it."""
PATIENCE: Final = 2.0
"""Seconds that all short games of a point may take together."""
GROWTH: Final = 3
"""Ratio of the items of a short game and of the one before it."""
KNOWN: Final = 128
"""Items per site of a start after which silences are longer than 1, and short enough to end."""

SILENCE, BROADCAST, ROUND = "silences above 1", "broadcasts", "a second round"
WHOLE: Final = "games of this length"
"""A rule that only a short game as long as the one that is asked for has used; it has then used all others."""


class Length(NamedTuple):
    """The length of a short game: its items, and those before it."""

    items: int
    start: int


class Trial:
    """A check of a user's class in the short games of a point, as far as it has come.

    Parameters
    ----------
    sites, items, start
        The size of the game that is asked for. Short games have as many sites, and at most as many items.

    Attributes
    ----------
    used
        The rules that the short games have used, noted by the check.
    """

    def __init__(self, sites: int, items: int, start: int = 0) -> None:
        self.used: set[str] = set()
        self._asked = Length(items, start)
        self._lengths = _lengths(items, list(dict.fromkeys((start, min(start, KNOWN * sites), 0))))
        self._fault: Exception | None = None
        self._spent = self._rate = 0.0

    def go_on(self, check: Callable[[Length], Exception | None], rules: Set[str] = frozenset()) -> Set[str]:
        """Play the first short game if none was played, and more until these rules are used, or the time is up.

        Parameters
        ----------
        check
            Plays a short game, and returns the fault that it shows; None if it shows none.
        rules
            The rules that must be used.

        Returns
        -------
        set of str
            The rules that stay untried.

        Raises
        ------
        Exception
            The fault, also if an earlier call has found it.
        """
        while self._fault is None and (not self._rate or self._untried(rules)):
            length = next(self._lengths, None)
            if length is None or self._spent + self._rate * length.items > PATIENCE:
                self._lengths = iter(())
                break
            begun = time.perf_counter()
            self._fault = check(length)
            seconds = time.perf_counter() - begun
            self._spent += seconds
            self._rate = seconds / max(length.items, 1)
            self.used.update({WHOLE} if length == self._asked else ())
        if self._fault is not None:
            raise self._fault.with_traceback(None)  # it would keep the game
        return self._untried(rules)

    def _untried(self, rules: Set[str]) -> Set[str]:
        return set() if WHOLE in self.used else rules - self.used


def _lengths(items: int, starts: Sequence[int]) -> Iterator[Length]:
    length = min(SHORT, items)
    yield from (Length(length, start) for start in starts)
    while length < items:
        length = min(GROWTH * length, items)
        yield from (Length(length, start) for start in starts)


def rules_used(game: Engine | None) -> set[str]:
    """Return the rules that a game has used; none if it could not begin.

    Of a silence only `Step` knows whether it was longer than an item, and ended; of others any silent item counts.
    """
    if game is None:
        return set()
    ledger = game.ledger
    silent = game.longest_silence > 1 if isinstance(game, Step) else sum(ledger.up_sites) < game.sent(game.game_end)
    rules = {SILENCE: silent, BROADCAST: ledger.broadcasts > 0, ROUND: ledger.rounds_of(game.server) > 1}
    return {name for name, used in rules.items() if used}


def untried(rules: Set[str]) -> str:
    """Return the rules that no short game has used, as the end of the reason for an engine; empty if there are none."""
    return f"; not compared with the reference engine: {', '.join(sorted(rules))}" if rules else ""
