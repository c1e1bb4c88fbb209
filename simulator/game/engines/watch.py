"""What an adversary watches that sees more than the outputs: the traffic, and through a glass the state behind it.

Where an adversary sees outputs only there is no watch, and the way of a message stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from disttrack.adversaries.base import Adversary, View
from disttrack.adversaries.views import POWERS, Heard, StateView, TrafficView
from disttrack.simulator.game.channels import TranscriptRow


class Watch:
    """Stands where channels keep their transcript, and keeps for the adversary what was sent since it last looked.

    Parameters
    ----------
    sees
        traffic or state.
    kept
        The transcript of the game, None if nothing is recorded.
    look
        Returns a site by its number as it is now, and the server for None.
    on_message
        Called at each message.
    """

    __slots__ = ("_kept", "_look", "_on_message", "fresh", "sees")

    def __init__(
        self,
        sees: str,
        kept: list[TranscriptRow] | None,
        look: Callable[[int | None], Any],
        on_message: Callable[[], None],
    ) -> None:
        self.sees = sees
        self.fresh: list[Heard] = []
        self._kept, self._look, self._on_message = kept, look, on_message

    def append(self, row: TranscriptRow) -> None:
        """Take a message down."""
        if self._kept is not None:
            self._kept.append(row)
        self.fresh.append(Heard(*row[:4]))
        self._on_message()

    def view(self, **facts: Any) -> TrafficView:
        """Return the view of this power."""
        return StateView(look=self._look, **facts) if self.sees == POWERS[2] else TrafficView(**facts)

    def show(self, view: View) -> None:
        """Let the adversary see what has been sent since it last looked."""
        assert isinstance(view, TrafficView)
        view.see(self.fresh)
        self.fresh.clear()


def watches(adversary: Adversary) -> bool:
    """Return whether an adversary sees, and reacts to, more than the outputs."""
    return not adversary.oblivious and adversary.sees != POWERS[0]
