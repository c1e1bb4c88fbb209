"""What a failed check raises, and the watch over global random state that both suites keep."""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

import numpy as np

from simulator.game.outcome import Game

FALSE_ALARM: Final = 1e-6
"""Probability with which a class that keeps its promise exactly is refused, a check."""


class ConformanceError(AssertionError):
    """A class does not do what its kind must, or what it says of itself."""


def require(condition: object, subject: object, what: str) -> None:
    """Raise ConformanceError about `subject` unless the condition holds."""
    if not condition:
        raise ConformanceError(f"{subject}: {what}")


def checked(subject: str, checks: Mapping[str, Callable[[], Iterator[None]]]) -> list[str]:
    """Go through checks by name, each of which looks at something; return their names.

    Raises
    ------
    ConformanceError
        At the first thing found wrong, also where the class raises something of its own.
    """
    with no_global_randomness(subject):
        for name, check in checks.items():
            try:
                count = sum(1 for _ in check())
            except ConformanceError:
                raise
            except Exception as error:
                what = f"raises {type(error).__name__} in the check {name!r}: {error}"
                raise ConformanceError(f"{subject}: {what}") from error
            if not count:
                raise ConformanceError(f"{subject}: the check {name!r} had nothing to look at")
    return list(checks)


def survives_pickling(subject: str, one: object) -> object:
    """Return what comes back from pickling; ConformanceError if nothing does."""
    try:
        return pickle.loads(pickle.dumps(one))
    except Exception as error:
        raise ConformanceError(f"{subject}: does not survive pickling, which workers need: {error}") from error


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
