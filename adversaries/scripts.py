"""Opponents written as one generator, so that a module reads from top to bottom like the algorithm."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any

from disttrack.adversaries.base import Opponent


class Scripted(Opponent):
    """An opponent whose answers are yielded in turn. Subclasses define `script`; its local variables are their memory.

    It is listed before the base class of its role: ``class Freeze(Scripted, Adversary)``.
    """

    _script: Iterator[Any] | None = None

    @abstractmethod
    def script(self, view: Any) -> Iterator[Any]:
        """Yield the answer to each request of a game: a plan to feed sites, else a move.

        After each ``yield`` the same view contains what has been seen since.
        """

    def move(self, view: Any) -> Any:
        """Return the next answer, None after the last."""
        if self._script is None:
            self._script = self.script(view)
        return next(self._script, None)

    plan = move

    def __getstate__(self) -> dict[str, Any]:
        """Return what is copied for a game, which plays the script from its beginning."""
        return {name: value for name, value in vars(self).items() if name != "_script"}
