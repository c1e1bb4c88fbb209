"""Code of the user's that plays by a fast form is compared with the reference engine, and a difference is an error."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from core_kinds import core_kinds
from scripted_protocol import Scripted

from disttrack import (
    Deterministic,
    Exact,
    Message,
    Protocol,
    Randomized,
    RoundRobin,
    Site,
    SumOfReports,
    play,
)
from disttrack.mechanisms.compiler import available
from disttrack.protocols.base import FOREVER
from disttrack.simulator.errors import PartError
from disttrack.simulator.game.engines import compiled
from disttrack.simulator.game.reference import DifferenceError, own_code
from disttrack.simulator.workshop.conformance import ConformanceError
from disttrack.simulator.workshop.conformance.compiled_form import protocol_compiled_agrees


@dataclass(frozen=True)
class OtherForm(Randomized):
    """Its compiled form is that of a finer tracker."""

    def kernel_form(self, k: int, site_rng: Any, server_rng: Any, start: Sequence[int] = ()) -> Any:
        return Randomized(alpha=self.alpha / 3).kernel_form(k, site_rng, server_rng, start)


@dataclass(frozen=True)
class SameForm(Randomized):
    """Its compiled form is that of its parent."""

    def kernel_form(self, k: int, site_rng: Any, server_rng: Any, start: Sequence[int] = ()) -> Any:
        return super().kernel_form(k, site_rng, server_rng, start)


@dataclass(frozen=True)
class ForgetfulForm(Randomized):
    """Its compiled form knows nothing of the items before the game."""

    def kernel_form(self, k: int, site_rng: Any, server_rng: Any, start: Sequence[int] = ()) -> Any:
        return super().kernel_form(k, site_rng, server_rng)


class Longer(Site):
    """A site that promises one item more of each silence than another one keeps."""

    def __init__(self, site: Any) -> None:
        self.site = site

    def silence(self) -> int:
        return int(self.site.silence()) + (0 < self.site.silence() < FOREVER)

    def take(self, items: int) -> Sequence[Message]:
        first = min(items, self.site.silence() + 1)
        return [*self.site.take(first), *(self.site.take(items - first) if items > first else ())]

    def hear(self, message: Message) -> Sequence[Message]:
        return list(self.site.hear(message))


def with_longer_silences(shipped: type[Any]) -> type[Any]:
    """Return a class of the user's whose sites promise too much, and that is else the shipped one."""

    def sites(protocol: Any, *given: Any) -> list[Site]:
        return [Longer(site) for site in shipped.sites(protocol, *given)]

    return dataclass(frozen=True)(type("Own", (shipped,), {"__module__": "of_a_user", "sites": sites}))


def silent_at_times() -> list[str]:
    """Return the kinds that track counts with sites that do not send each item.

    Without those of many copies, which play a thousand items per second.
    """
    kinds = {name: kind.load() for name, kind in core_kinds("protocol").items()}
    counting = {name for name, cls in kinds.items() if issubclass(cls, Protocol) and not cls.plays}
    return sorted(counting - {"exact", "private-copies", "sketch-switching"})


@pytest.mark.drawn(12)
@pytest.mark.parametrize(("sites", "start"), [(1, 0), (64, 0), (256, 0), (64, 100_000), (256, 100_000)])
@pytest.mark.parametrize("name", silent_at_times())
def test_a_silence_that_is_too_long_is_an_error_at_every_size(
    name: str, sites: int, start: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("disttrack.simulator.game.short_games.PATIENCE", 60.0)  # on any machine
    own = with_longer_silences(core_kinds("protocol")[name].load())
    size: dict[str, Any] = {"sites": sites, "items": 1_000_000, "start": start}
    said = r"^Own: step and leap play different games|^site \d+: silence\(\) promised \d+ more items?, take"
    with pytest.raises((DifferenceError, PartError), match=said):
        play(own(alpha=0.2), RoundRobin(), **size)
    assert play(own(alpha=0.2), RoundRobin(), on_error="record", **size).verdict == "error"
    assert play(own(alpha=0.2), RoundRobin(), **{**size, "items": 100}, engine="step").items == 100


def test_what_no_short_game_has_used_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("disttrack.simulator.game.short_games.PATIENCE", 0.0)
    own = dataclass(frozen=True)(type("Own", (Deterministic,), {"__module__": "of_a_user", "sites": again}))
    game = play(own(alpha=0.2), RoundRobin(), sites=256, items=100_000, engine="leap")
    assert game.engine_reason == "asked for; not compared with the reference engine: silences above 1"
    assert play(own(alpha=0.2), RoundRobin(), sites=2, items=100_000, engine="leap").engine_reason == "asked for"
    assert play(own(alpha=0.2), RoundRobin(), sites=256, items=100_000, engine="step").engine_reason == "asked for"


def again(protocol: Any, *given: Any) -> Any:
    return Deterministic.sites(protocol, *given)


@pytest.mark.skipif(not available(), reason="numba is not installed")
def test_a_compiled_form_of_another_protocol_is_an_error(uncompiled: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "LOADING", 0.0)
    monkeypatch.setattr(compiled, "COMPILING", 0.0)
    said = r"^OtherForm: step and compiled play different games: messages by compiled"
    for engine in ("auto", "compiled"):
        with pytest.raises(DifferenceError, match=said):
            play(OtherForm(alpha=0.3), RoundRobin(), sites=4, items=100_000, engine=engine)
    with pytest.raises(DifferenceError, match=r"\(sites 4, items 400, start 8,000\); its compiled form differs"):
        play(ForgetfulForm(alpha=0.3), RoundRobin(), sites=4, items=100_000, start=8000)
    for engine, by in (("auto", "leap"), ("compiled", "compiled")):
        assert play(SameForm(alpha=0.3), RoundRobin(), sites=4, items=100_000, engine=engine).engine == by


def test_coins_of_its_own_are_no_difference() -> None:
    assert play(Exact(), lambda view: random.randrange(view.sites), sites=9, items=500).ok


def test_what_a_user_has_written_is_known_wherever_it_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    assert own_code(Randomized(alpha=0.1)) == own_code(RoundRobin()) == ""
    assert own_code(Scripted()) == "Scripted"
    monkeypatch.setattr(Randomized, "server", lambda tracker, k, rng, start=(): SumOfReports([0] * k))
    assert own_code(Randomized(alpha=0.1)) == "Randomized"
    if available():
        with pytest.raises(DifferenceError, match=r"^Randomized: "):  # its compiled form is that of the shipped server
            play(Randomized(alpha=0.2), RoundRobin(), sites=2, items=100_000)


class Told(Site):
    """A site whose reports are of a kind, with or without their count."""

    def __init__(self, site: Any, kind: str, counts: bool) -> None:
        self.site, self.told, self.counts = site, kind, counts

    def silence(self) -> int:
        return int(self.site.silence())

    def take(self, items: int) -> Sequence[Message]:
        return [Message(self.told, 1 if self.counts else None) for _ in self.site.take(items)]


@dataclass(frozen=True)
class OtherMessages(Deterministic):
    """Its compiled form sends messages of another kind, or other bits, than its sites."""

    told: str = "report"
    counts: bool = False

    def sites(self, k: int, rng: Any, start: Sequence[int] = ()) -> Any:
        return [Told(site, self.told, self.counts) for site in super().sites(k, rng, start)]

    kernel_form = Deterministic.kernel_form


@pytest.mark.skipif(not available(), reason="numba is not installed")
@pytest.mark.parametrize(
    ("own", "said"),
    [
        (OtherMessages(alpha=0.3, counts=True), r"bits by compiled (\d+), by (?:step|leap) (?!\1\b)\d+"),
        (OtherMessages(alpha=0.3, told="signal"), r"messages of signal up by compiled 0, by (?:step|leap) \d+"),
    ],
)
def test_a_compiled_form_with_other_bits_or_kinds_of_messages_is_an_error(own: Any, said: str) -> None:
    with pytest.raises(DifferenceError, match=f"play different games: {said}"):
        play(own, RoundRobin(), sites=4, items=100_000, engine="compiled")
    with pytest.raises(ConformanceError, match=rf"compiled and leap differ .*: {said}"):
        require_agreement(own)


def require_agreement(own: Any) -> None:
    """Raise ConformanceError if a compiled form and its sites play different games."""
    for fault in protocol_compiled_agrees(own, (2,), 300):
        assert fault is None
