"""The rehearsal of a replay: a game whose moves are recorded before the real game."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from disttrack.adversaries.base import Adversary
from disttrack.adversaries.replay import Recorder, Replay
from disttrack.protocols.base import Protocol
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.game.engine_choice import UncompiledError, compiles
from disttrack.simulator.game.engines import Compiled, Leap
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
        raise ScenarioError(f"of: {kind} can't be replayed; accepted: one that sees outputs only")
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
    fast = partial(Compiled, in_time=True) if compiles("auto", protocol, recorder, network) else Leap
    try:
        game = fast(protocol, recorder, **options)
        game.play()
    except UncompiledError:
        recorder = Recorder(original(replay))
        game = Leap(protocol, recorder, **options)
        game.play()
    return replay.rehearsed(recorder.moves(game.game_end))
