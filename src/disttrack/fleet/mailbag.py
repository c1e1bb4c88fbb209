"""The arrays of the mail of one game of quotas on arrays, with the requests that wait and what is noted."""

from __future__ import annotations

from math import inf
from typing import Any, Final

import numpy as np

from disttrack.fleet.quotas import state
from disttrack.fleet.quotas.mail import NEXT_WAIT, TEXT
from disttrack.protocols.letters import OF_LETTER
from disttrack.simulator.game.network.mailbag import FEW, Mailbag, linked, linked_on

NOTES_AT_ONCE: Final = 2**14
"""Notes that are kept until the book takes them."""


class QuotaMailbag(Mailbag):
    """The arrays `mail` of `disttrack.fleet.quotas.state`; for the parameters see `Mailbag`.

    Parameters
    ----------
    text
        Numbers of a letter beyond those of all quotas.
    """

    def __init__(self, network: Any, k: int, text: int, *given: Any) -> None:
        super().__init__(network, k, TEXT - OF_LETTER + text, *given)
        notes = np.zeros((NOTES_AT_ONCE, 3), np.int64)
        own = [linked(FEW, 3, NEXT_WAIT), notes, np.zeros(FEW, np.int64), np.zeros(k), np.zeros(k)]
        self.arrays += [*own, np.array([inf, -inf])]

    def make_room(self) -> None:
        super().make_room()
        if self._whole[state.FREE_WAIT] < 0:
            self.arrays[state.WAITS] = linked_on(self.arrays[state.WAITS], NEXT_WAIT, self._whole, state.FREE_WAIT)
