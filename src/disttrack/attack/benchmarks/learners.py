"""Actions a second of learners: the environments of this project, beside CartPole and, where it is installed, pgx.

``python -m benchmarks.learners`` plays random actions; games of Gymnasium begin anew where they are over. Compiling is
left out. The baseline is the single environment by `leap`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib.util import find_spec
from itertools import cycle
from typing import Any, Final

import gymnasium
import numpy as np

import disttrack.gym
from disttrack.attack.learners.environment import DistributedCount
from disttrack.attack.learners.games import LeapGames

SECONDS: Final = 2.0
"""How long each row is measured."""
NAME: Final = "disttrack/Tracking-v0"


def main() -> None:
    """Print a row per environment."""
    print(f"{'environment':<34} {'games':>6} {'actions a second':>17} {'ratio to leap':>14}")
    for sees in ("outputs", "traffic", "state"):
        slow = rate(1, leap(sees))
        _row(f"{NAME}, {sees}, single", 1, rate(1, single(gymnasium.make(NAME, sees=sees).unwrapped, 16)), slow)
        for games in (1, 16, 1024):
            many = gymnasium.make_vec(NAME, games, vectorization_mode="vector_entry_point", sees=sees)
            _row(f"{NAME}, {sees}", games, rate(games, vector(many, 16)), slow)
    for games in (1, 1024):
        many = gymnasium.make_vec("CartPole-v1", games, vectorization_mode="vector_entry_point")
        _row("CartPole-v1, arrays", games, rate(games, vector(many, 1)))
    _row("CartPole-v1", 1, rate(1, single(gymnasium.make("CartPole-v1").unwrapped, 1)))
    if find_spec("pgx"):
        _row("pgx tic_tac_toe", 1024, rate(1024, of_pgx(1024)))


def _row(name: str, games: int, found: float, baseline: float | None = None) -> None:
    ratio = f"{found / baseline:14.1f}" if baseline else " " * 14
    print(f"{name:<34} {games:6,} {found:17,.0f} {ratio}", flush=True)


def rate(games: int, act: Callable[[], object]) -> float:
    """Return the actions a second of processor time of a function that plays one in each game."""
    for _ in range(3):
        act()
    begun, played = time.process_time(), 0
    while (spent := time.process_time() - begun) < SECONDS:
        for _ in range(20):
            act()
        played += 20 * games
    return played / spent


def vector(many: Any, largest: int) -> Callable[[], object]:
    """Return a function that plays an action in each game of a vector environment."""
    many.reset(seed=1)
    actions = cycle(np.random.default_rng(1).integers(largest + 1, size=(64, many.num_envs)))
    return lambda: many.step(next(actions))


def single(game: Any, largest: int) -> Callable[[], object]:
    """Return a function that plays an action of a single environment, which begins anew where it is over."""
    game.reset(seed=1)
    actions = cycle(np.random.default_rng(1).integers(largest + 1, size=997))

    def act() -> None:
        _, _, over, cut, _ = game.step(next(actions))
        if over or cut:
            game.reset()

    return act


def leap(sees: str) -> Callable[[], object]:
    """Return the same for the single environment, played by `leap`."""
    arguments: dict[str, Any] = {**disttrack.gym.IDS[NAME], "sees": sees}
    game = DistributedCount(**arguments)
    game.put_among(LeapGames(game.sizes, 1), 0)
    return single(game, 16)


def of_pgx(games: int) -> Callable[[], object]:
    """Return the same for many games of pgx: the first legal action of each."""
    import jax
    import pgx

    env = pgx.make("tic_tac_toe")
    step, state = jax.jit(jax.vmap(env.step)), jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.key(0), games))

    def act() -> None:
        nonlocal state
        state = step(state, state.legal_action_mask.argmax(axis=1))
        jax.block_until_ready(state.rewards)

    return act


if __name__ == "__main__":
    main()
