"""The face that the outcomes of all games have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from disttrack.simulator.displays import display
from disttrack.simulator.game.columns import MAX_REL_ERROR
from disttrack.simulator.kinds.lines import cause_of
from disttrack.simulator.kinds.names import count

ERRORS: Final = (MAX_REL_ERROR, "max_abs_error", "regret", "mistakes")
"""The error that a kind of game is about: the first of these columns that it has."""


def ended_early(facts: Mapping[str, Any]) -> str:
    """Return in words that the adversary ended a game; empty if it did not.

    Examples
    --------
    >>> ended_early({"items": 54, "unsent": 199_946})
    'ended by the adversary after 54 of 200,000 items'
    """
    unsent, items = facts.get("unsent"), facts.get("items") or 0
    return f"ended by the adversary after {items:,} of {count(items + unsent, 'item')}" if unsent else ""


class Outcome:
    """The outcome of any game: `ok`, `words`, `max_error`, `plot()`, a line of text, and a table in a notebook.

    Attributes
    ----------
    error
        The traceback or line of the error that ended it; None without one.
    lost_guarantee
        Why its protocol has no guarantee although the class that it extends has one; empty in all other games.
    why_undecided
        Why its verdict is undecided, where that is known.
    """

    error: str | None
    lost_guarantee: str = ""
    why_undecided: str = ""

    @property
    def cause(self) -> str:
        """The error in one line, with the last line of the user's code; empty without an error."""
        return cause_of(self.error or "")

    @property
    @abstractmethod
    def facts(self) -> Mapping[str, Any]:
        """The columns of the game by name."""

    @property
    def max_error(self) -> float | None:
        """The largest relative error, else absolute error, regret or number of mistakes; None without one."""
        return next((self.facts[name] for name in ERRORS if self.facts.get(name) is not None), None)

    def plot(self, path: str | Path | None = None) -> Any:
        """Draw the timeline, also into a file if a path is given. Return the matplotlib figure.

        Raises
        ------
        ValueError
            This kind of game keeps no timeline.
        """
        return display("game.plot")(self, path)

    def __repr__(self) -> str:
        facts = self.facts
        sides = f" {facts['protocol']} against {facts['adversary']}" if facts.get("protocol") else ""
        parts = [str(facts.get("verdict", "no verdict")) + f" ({self.why_undecided})" * bool(self.why_undecided)]
        if self.max_error is not None and getattr(self, "steps", None) != 0:
            lost = f"; {self.lost_guarantee}" * bool(self.lost_guarantee)
            promised = "" if facts.get("alpha") is None else f" (promised: {facts['alpha']:g}{lost})"
            parts.append(f"largest error {self.max_error:.4g}{promised}")
        parts += filter(None, [ended_early(facts)])
        parts += [f"{facts[name]:,} {name}" for name in ("items", "words") if facts.get(name) is not None]
        parts += str(getattr(self, "unmet", "")).splitlines()
        return f"<game{sides}: {', '.join(parts)}>"

    def _repr_html_(self) -> str:
        return str(display("game.html")(self))
