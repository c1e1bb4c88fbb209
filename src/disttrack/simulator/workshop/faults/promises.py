"""Faults that break a promise: a tracker coarser than promised, one whose reports get lost, answers that are all 0."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from disttrack.protocols.base import Message, Protocol, Site
from disttrack.simulator.workshop.faults.mixins import FaultyPart

TIMES: Final = 4
"""Factor of the promised error: trackers use a third to the whole of their promised error."""
COARSEST: Final = 0.9
"""An accuracy is below 1."""


class Coarse(FaultyPart):
    """Sites and server of a tracker with several times the promised alpha."""

    def sites(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> Any:
        return self._coarser().sites(k, rng, start)

    def server(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> Any:
        return self._coarser().server(k, rng, start)

    def bulk_form(
        self, k: int, site_rng: np.random.Generator, server_rng: np.random.Generator, start: Sequence[int] = ()
    ) -> Any:
        return self._coarser().bulk_form(k, site_rng, server_rng, start)

    def _coarser(self) -> Any:
        own = self.repaired()
        return replace(own, alpha=min(TIMES * own.alpha, COARSEST))


class AnswersZero(FaultyPart):
    """Takes all updates, and answers 0 to every query."""

    def start(self, *given: object, **more: object) -> Any:
        mechanism: Any = super()
        run = mechanism.start(*given, **more)
        take = run.step

        def step(code: int) -> Any:
            news = take(code)
            run.answers = 0 * run.answers
            return news

        run.step = step
        return run


class LostReports(FaultyPart):
    """Every second message that a site sends spontaneously is lost; answers arrive."""

    bulk_form = Protocol.bulk_form  # the array form has no messages to lose

    def sites(self, k: int, rng: np.random.Generator, *given: object, **more: object) -> Any:
        protocol: Any = super()
        return [_HalfHeard(site) for site in protocol.sites(k, rng, *given, **more)]


class _HalfHeard(Site):
    """A site that loses every second of its own messages."""

    __slots__ = ("_lost", "_site")

    def __init__(self, site: Site) -> None:
        self._site, self._lost = site, True

    def silence(self) -> int:
        return self._site.silence()

    def take(self, items: int) -> Sequence[Message]:
        kept = []
        for message in self._site.take(items):
            self._lost = not self._lost
            if not self._lost:
                kept.append(message)
        return kept

    def hear(self, message: Message) -> Sequence[Message]:
        return self._site.hear(message)
