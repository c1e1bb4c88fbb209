"""What a failed check raises, and the watch over global random state that both suites keep."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from simulator.game import Game


class ConformanceError(AssertionError):
    """A class does not do what its kind must, or what it says of itself."""


def require(condition: object, subject: object, what: str) -> None:
    """Raise ConformanceError about `subject` unless the condition holds."""
    if not condition:
        raise ConformanceError(f"{subject}: {what}")


@contextmanager
def no_global_randomness(subject: object) -> Iterator[None]:
    """Raise ConformanceError if the block draws from the random module or from numpy's global generator."""
    before = random.getstate(), _numpy_state()
    yield
    require(
        before == (random.getstate(), _numpy_state()),
        subject,
        "draws from a global random generator; it must use the one that it is given",
    )


def _numpy_state() -> Any:
    name, keys, *rest = np.random.get_state(legacy=True)  # noqa: NPY002 - watched, not used
    return (name, keys.tobytes(), *rest)  # type: ignore[union-attr]


def same_game(one: Game, other: Game) -> bool:
    """Return whether two recorded games agree in every message, every output and every count."""
    return (
        one.transcript.equals(other.transcript)
        and one.outputs.equals(other.outputs)
        and one.series.equals(other.series)
        and one.kinds.equals(other.kinds)
        and _facts(one) == _facts(other)
    )


def _facts(game: Game) -> dict[str, Any]:
    return {**game.row(), "engine": None, "seconds": None, "lowest": game.lowest, "highest": game.highest}
