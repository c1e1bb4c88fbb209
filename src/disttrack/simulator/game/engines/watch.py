"""The data watched by an adversary that sees more than the outputs: the messages, and for some also the state.

For an adversary that sees only outputs there is no watch, and messages take the usual path.
"""

from __future__ import annotations

from collections.abc import Callable

from disttrack.adversaries.base import Adversary, View
from disttrack.adversaries.views import POWERS, Heard, StateView, TrafficView
from disttrack.simulator.game.channels import TranscriptRow


class Watch:
    """Replaces the transcript of the channels, and collects for the adversary the messages since its last view.

    Parameters
    ----------
    sees
        traffic or state.
    kept
        The transcript of the game; None without recording.
    look
        Returns a site by its number in its present state, and the server for None.
    """

    __slots__ = ("_kept", "_look", "fresh", "sees")

    def __init__(self, sees: str, kept: list[TranscriptRow] | None, look: Callable[[int | None], object]) -> None:
        self.sees = sees
        self.fresh: list[Heard] = []
        self._kept, self._look = kept, look

    def append(self, row: TranscriptRow) -> None:
        """Record a message."""
        if self._kept is not None:
            self._kept.append(row)
        self.fresh.append(Heard(*row[:4]))

    def view(self, **facts: object) -> TrafficView:
        """Return a view for this power."""
        return StateView(look=self._look, **facts) if self.sees == POWERS[2] else TrafficView(**facts)

    def show(self, view: View) -> None:
        """Show the adversary the messages since its last view."""
        assert isinstance(view, TrafficView)
        view.see(self.fresh)
        self.fresh.clear()


def watches(adversary: Adversary) -> bool:
    """Return whether an adversary sees, and reacts to, more than the outputs."""
    return not adversary.oblivious and adversary.sees != POWERS[0]
