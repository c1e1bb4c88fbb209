"""The fault of quotas: one with several times the limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from disttrack.mechanisms.faults import FaultyPart
from disttrack.protocols.faults import TIMES


class Generous(FaultyPart):
    """The quota is set for four times its limit, and for four times its depth if that is a parameter."""

    def sites(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> object:
        return self._wider().sites(k, rng, start)

    def server(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> object:
        return self._wider().server(k, rng, start)

    def _wider(self) -> Any:
        own = self.repaired()
        deeper = {"depth": TIMES * own.depth} if own.depth else {}
        return replace(own, limit=TIMES * own.limit, **deeper)
