"""What a failed check raises, and the watch over global random state that both suites keep."""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

import numpy as np

from simulator.game.outcome import Game

FALSE_ALARM: Final = 1e-6
"""Probability with which a class that keeps its promise exactly is refused, a check."""


class ConformanceError(AssertionError):
    """A class does not do what its kind must, or what it says of itself."""


_noted: ContextVar[list[str] | None] = ContextVar("noted", default=None)
"""Where faults are noted after which a check can go on; None where the first one ends everything."""


def require(condition: object, subject: object, what: str, *, go_on: bool = False) -> bool:
    """Raise ConformanceError about `subject` unless the condition holds, and tell whether it does.

    Where all faults are collected, one after which the check can `go_on` is only noted.
    """
    noted = _noted.get()
    if not condition:
        if not go_on or noted is None:
            raise ConformanceError(f"{subject}: {what}")
        noted.append(what)
    return bool(condition)


def checked(subject: str, checks: Mapping[str, Callable[[], Iterator[None]]]) -> list[str]:
    """Go through checks by name, each of which looks at something; return their names.

    Raises
    ------
    ConformanceError
        At the first thing found wrong, also where the class raises something of its own.
    """
    with no_global_randomness(subject):
        for name, check in checks.items():
            _go_through(subject, name, check)
    return list(checks)


def faults(subject: str, checks: Mapping[str, Callable[[], Iterator[None]]]) -> list[tuple[str, str]]:
    """Go through all checks, also after one has failed; return each fault, behind the name of its check."""
    found: dict[tuple[str, str], None] = {}
    for name, check in checks.items():
        noted: list[str] = []
        token = _noted.set(noted)
        try:
            with no_global_randomness(subject):
                _go_through(subject, name, check)
        except ConformanceError as error:
            noted.append(str(error).removeprefix(f"{subject}: "))
        finally:
            _noted.reset(token)
        found |= dict.fromkeys((name, what) for what in noted)
    return list(found)


def _go_through(subject: str, name: str, check: Callable[[], Iterator[None]]) -> None:
    """Go through one check; what the class raises of its own is a fault too."""
    try:
        count = sum(1 for _ in check())
    except ConformanceError:
        raise
    except Exception as error:
        what = f"raises {type(error).__name__} in the check {name!r}: {error}"
        raise ConformanceError(f"{subject}: {what}") from error
    if not count:
        raise ConformanceError(f"{subject}: the check {name!r} had nothing to look at")


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
