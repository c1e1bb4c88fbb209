"""Many games at once as a vector environment of Gymnasium."""

from __future__ import annotations

from functools import partial
from typing import Any

from gymnasium.vector import SyncVectorEnv

from disttrack.simulator.environment import DistributedCount


class DistributedCounts(SyncVectorEnv[Any, Any]):
    """Many games at once: the vector environment of `gymnasium.make_vec` for the registered names.

    Game i is `DistributedCount` reset with seed + i, step by step: one process plays them in turn, without the wrappers
    of `gymnasium.make`. Games are not arrays, as an engine goes from message to message. With
    ``vectorization_mode="async"`` Gymnasium gives each game a process of its own instead.

    Parameters
    ----------
    num_envs
        Number of games.
    autoreset_mode
        When a game that is over begins anew, as Gymnasium names it: ``NextStep`` (the default: the next step ignores
        its action and returns the first observation, with reward 0), ``SameStep`` or ``Disabled``.
    game
        The arguments of `DistributedCount`.

    Examples
    --------
    >>> games = DistributedCounts(3, protocol={"kind": "randomized", "alpha": 0.1}, sites=4, items=1000)
    >>> observations, _ = games.reset(seed=1)
    >>> observations.shape, games.step([0, 1, 2])[4]["items"].tolist()
    ((3, 8), [1, 1, 1])
    """

    def __init__(self, num_envs: int = 1, *, autoreset_mode: str = "NextStep", **game: Any) -> None:
        if isinstance(num_envs, bool) or num_envs < 1:
            raise ValueError(f"num_envs must be a whole number of at least 1; got {num_envs!r}")
        # Gymnasium 1.0 has no other mode, and no argument for it
        mode: dict[str, Any] = {} if autoreset_mode == "NextStep" else {"autoreset_mode": autoreset_mode}
        super().__init__([partial(DistributedCount, **game)] * num_envs, **mode)
