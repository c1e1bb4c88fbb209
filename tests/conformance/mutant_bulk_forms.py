"""Bulk forms with one fault each. `check_bulk_form` must find every one of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from disttrack.protocols import Block, Deterministic, DeterministicRounds, Protocol, Randomized, Robust, SketchSwitching
from disttrack.protocols.bulk import BulkForm, Segment, Stream
from disttrack.protocols.coins import Coins
from disttrack.protocols.sampling.bulk import BulkRandomized
from disttrack.protocols.sampling.server import RandomizedServer


class Wrapped(BulkForm):
    """Another bulk form, to be spoilt."""

    def __init__(self, inner: BulkForm) -> None:
        self.inner, self.server = inner, inner.server

    def advance(self, stream: Stream, now: int, until: int) -> Segment:
        return self.spoil(self.inner.advance(stream, now, until), now)

    def spoil(self, segment: Segment, now: int) -> Segment:
        return segment


def in_bulk(form: Callable[[BulkForm], BulkForm | None]) -> type[Deterministic]:
    """Return the deterministic tracker with its bulk form made into another."""

    @dataclass(frozen=True)
    class Mutant(Deterministic):
        """The deterministic tracker, its bulk form spoilt."""

        def bulk_form(self, k: int, site_rng: Any, server_rng: Any, start: Sequence[int] = ()) -> BulkForm | None:
            made = super().bulk_form(k, site_rng, server_rng, start)
            return form(made) if made else None

    return Mutant


class StandsStill(Wrapped):
    """Ends its segments where they begin."""

    def spoil(self, segment: Segment, now: int) -> Segment:
        segment.end = now
        return segment


class OtherSites(Wrapped):
    """Puts its messages down to other sites."""

    def spoil(self, segment: Segment, now: int) -> Segment:
        for batch in segment.batches:
            batch.sites = np.zeros_like(batch.sites)
        return segment


@dataclass(frozen=True)
class IgnoresStart(DeterministicRounds):
    """Its bulk form begins with nothing, whatever is held already."""

    def bulk_form(self, k: int, site_rng: Any, server_rng: Any, start: Sequence[int] = ()) -> BulkForm | None:
        return super().bulk_form(k, site_rng, server_rng)


class DeafInHaste(BulkRandomized):
    """Reports nothing in a segment of a few steps, once p is below 1."""

    def _tossed(self, now: int, until: int) -> Any:
        steps = super()._tossed(now, until)
        return steps if until - now > 9 or self.server.inverse == 1 else steps[:0]


@dataclass(frozen=True)
class OnlyInOnePiece(Randomized):
    """Its bulk form is nearly right as long as nobody asks for short segments."""

    def bulk_form(self, k: int, site_rng: Any, server_rng: Any, start: Sequence[int] = ()) -> BulkForm | None:
        server = RandomizedServer(self.rule(k), self.tuned(k)[1], start)
        return DeafInHaste(server, k, Coins(site_rng), start)


@dataclass(frozen=True)
class LonelySite(Randomized):
    """Its bulk form tosses other coins where there is one site only."""

    def bulk_form(self, k: int, site_rng: Any, server_rng: Any, start: Sequence[int] = ()) -> BulkForm | None:
        alpha = self.alpha if k > 1 else self.alpha / 4
        return Randomized(alpha=alpha, confidence=self.confidence).bulk_form(k, site_rng, server_rng, start)


MUTANTS: dict[str, tuple[Protocol, str]] = {
    "none at all": (SketchSwitching(alpha=0.5), "engine bulk can't play this game"),
    "none made": (in_bulk(lambda form: None)(alpha=0.2), "engine bulk can't play this game"),
    "stands still": (in_bulk(StandsStill)(alpha=0.2), "ends at step 0"),
    "other sites": (in_bulk(OtherSites)(alpha=0.2), "leap and bulk play different games"),
    "ignores the start": (IgnoresStart(alpha=0.2), "leap and bulk play different games .* start 1000"),
    "deaf in haste": (OnlyInOnePiece(alpha=0.2), "leap and bulk differ in the distribution of .* in pieces"),
    "lonely site": (LonelySite(alpha=0.2), "leap and bulk differ in the distribution of .* 1 sites"),
}
"""Every mutant, and what its refusal must say."""

RIGHT: tuple[Protocol, ...] = (
    in_bulk(Wrapped)(alpha=0.2),
    Block(alpha=0.2),
    Deterministic(alpha=0.2, centred=True),
    Robust(alpha=0.5, parameters="tight"),
)
