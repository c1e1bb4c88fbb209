"""Many games at once as a vector environment of Gymnasium."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import SyncVectorEnv

from disttrack.attack.learners.compiled_games import CompiledGames, games_of
from disttrack.attack.learners.environment import DistributedCount

if TYPE_CHECKING:
    _Base = SyncVectorEnv[Any, Any]
else:
    _Base = SyncVectorEnv  # which is no generic class before Gymnasium 1.4


class DistributedCounts(_Base):
    """Many games at once: the vector environment of `gymnasium.make_vec` for the registered names.

    Game i is `DistributedCount` reset with seed + i, step by step, without the wrappers of `gymnasium.make`. Where the
    tracker has a compiled form (the extra `fast`), an action is one compiled call for all games; otherwise one process
    plays them in turn. With ``vectorization_mode="async"`` Gymnasium gives each game a process of its own instead.

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

    def __init__(self, num_envs: int = 1, *, autoreset_mode: Any = "NextStep", **game: Any) -> None:
        if isinstance(num_envs, bool) or num_envs < 1:
            raise ValueError(f"num_envs must be a whole number of at least 1; got {num_envs!r}")
        self._mode = getattr(autoreset_mode, "value", autoreset_mode)
        # Gymnasium 1.0 has no other mode, and no argument for it
        mode: dict[str, Any] = {} if self._mode == "NextStep" else {"autoreset_mode": autoreset_mode}
        super().__init__([partial(DistributedCount, **game)] * num_envs, **mode)
        self._singles = cast(list[DistributedCount], self.envs)
        self._all, self._none = np.ones(num_envs, dtype=np.bool_), np.zeros(num_envs, dtype=np.bool_)
        self._put_together()

    def _put_together(self) -> None:
        """Have all games played together, if they can be."""
        games = games_of(self._singles[0].sizes, self.num_envs)
        self._games = games if isinstance(games, CompiledGames) else None
        for place, env in enumerate(self._singles if self._games else ()):
            env.put_among(games, place)

    def __copy__(self) -> DistributedCounts:
        return copy.deepcopy(self)  # two cannot play the same games

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_games"}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        self._put_together()

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        """Begin all games anew; see `gymnasium.vector.SyncVectorEnv`."""
        if self._games is not None:
            self._env_obs = list(self._games.seen.copy())  # what is shown of games that a mask leaves out
        return super().reset(seed=seed, options=options)

    def step(self, actions: Any) -> Any:
        """Play an action in each game; see `gymnasium.vector.SyncVectorEnv`.

        Raises
        ------
        ValueError
            An action is no whole number from 0 to k, or there is not one for each game; none is played then.
        ResetNeeded
            A game is over, or has not begun.
        """
        ended, none = self._autoreset_envs, self._none
        anew = ended if self._mode == "NextStep" and ended.any() else none
        playing = self._all if anew is none else ~anew
        games = self._games
        if games is None:
            return super().step(self._checked(actions, playing))
        try:
            if self._mode == "Disabled" and ended.any():
                raise IndexError("a game is over")
            games.act(self._whole(actions, playing), playing)
        except IndexError:
            self._checked(actions, playing)
            raise gymnasium.error.ResetNeeded("an episode is over, or has not begun: call reset()") from None
        over, cut = games.over, games.cut
        rewards: npt.NDArray[np.float64] = games.rewards.copy()
        infos: dict[str, Any] = {}
        self._autoreset_envs = over | cut
        if self._mode == "SameStep":
            anew = self._autoreset_envs
            for place in np.flatnonzero(anew).tolist():
                last = {"final_obs": games.seen[place].copy(), "final_info": games.known(place).told()}
                infos = self._add_info(infos, last, place)
        elif anew is not none:
            rewards[anew] = 0.0
        if anew is not none:
            for place in np.flatnonzero(anew).tolist():
                self._singles[place].begin()
        for name, values in games.told().items():
            infos[name], infos[f"_{name}"] = values, self._all.copy()
        return games.seen.copy(), rewards, over, cut, infos

    def _whole(self, actions: npt.ArrayLike, playing: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        """Return the actions as whole numbers, those of an array unchecked: the games check them."""
        if isinstance(actions, np.ndarray) and actions.shape == playing.shape and actions.dtype.kind in "iu":
            return np.ascontiguousarray(actions, dtype=np.int64)
        return self._checked(actions, playing)

    def _checked(self, actions: npt.ArrayLike, playing: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        """Return the actions as whole numbers; those of games that begin anew are ignored."""
        listed = list(actions) if isinstance(actions, Iterable) and not isinstance(actions, str | Mapping) else None
        if listed is None or len(listed) != self.num_envs:
            shown = repr(actions) if listed is None else len(listed)
            raise ValueError(f"actions must be one for each of the {self.num_envs} games; got {shown}")
        pairs = zip(self._singles, listed, playing.tolist(), strict=True)
        return np.array([env.site_of(action) if plays else 0 for env, action, plays in pairs], dtype=np.int64)
