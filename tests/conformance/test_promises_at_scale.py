"""Promises that small games do not refute: faults that grow with sites, items, 1/alpha or 1/delta, or need an attacker.

Of 24 such trackers, listed by somebody who had not seen the suite, these are the short ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

import pytest

from disttrack import Deterministic, DeterministicRounds, Message, Protocol, Randomized, Site, SumOfReports
from disttrack.mechanisms.checks import Share
from disttrack.mechanisms.compiler import available
from disttrack.protocols.base import even_start
from disttrack.protocols.deterministic import Thresholds
from disttrack.protocols.kernel import COUNT, GO_ON, MESSAGES, NEXT, OUTPUT, OWN, OWN_REAL, OWN_WHOLE, SENT, KernelForm
from disttrack.protocols.rounds.base import DoublingServer
from disttrack.protocols.rounds.block import LastOfBlock
from disttrack.simulator.workshop.conformance import ConformanceError, promises
from disttrack.simulator.workshop.conformance.compiled_form import (
    protocol_agrees_at_length,
    protocol_compiled_agrees,
)
from disttrack.simulator.workshop.conformance.promises import keeps_it_at_scale, keeps_its_promise
from disttrack.simulator.workshop.conformance.suites import ITEMS, SITES


@dataclass(frozen=True)
class SmallestPacket(DeterministicRounds):
    """Forwards items up to 500, whatever k, and then sends packets of at least 4."""

    guarantee = "always"
    one_sided = True

    def rule_of(self, k: int, coins: Any) -> Callable[[int, int], Any]:
        return lambda number, total: LastOfBlock(max(4, int(self.alpha * total / k))) if total >= 500 else None


class QuorumServer(DoublingServer):
    def end_round(self) -> Any:
        messages = super().end_round()
        self.counts_to_come = self.k if self.k <= 8 else ceil(0.8 * self.k)
        return messages

    def counted(self, items: int, sites: int = 1) -> Any:
        return super().counted(items, sites) if self.counts_to_come else ()


@dataclass(frozen=True)
class Quorum(DeterministicRounds):
    """With more than 8 sites a poll is over after four fifths of the answers."""

    guarantee = "always"
    one_sided = True

    def server_by(self, rule_of: Any, k: int, rng: Any, total: int) -> QuorumServer:
        return QuorumServer(rule_of, k, total)


@dataclass(frozen=True)
class WholePercent(Deterministic):
    """Rounds alpha to whole percents, at least one."""

    guarantee = "always"

    @property
    def thresholds(self) -> Thresholds:
        return Thresholds(max(1, round(100 * self.alpha)) / 100, self.centred)


@dataclass(frozen=True)
class DeltaUnused(Randomized):
    """Takes 3.4 standard deviations at any fixed step, whatever delta is."""

    delta: Share | None = 0.05
    guarantee = "oblivious"
    kernel_form = Randomized.kernel_form

    def tuned(self, k: int) -> tuple[float, int]:
        return self.alpha / 3.4, 1


@dataclass(frozen=True)
class OpenSampler(Randomized):
    """Has the constants for inputs that do not react, and promises more."""

    guarantee = "adaptive"


@dataclass(frozen=True)
class PlainStart(Deterministic):
    """Begins with the start, though its sites are silent until (1 + alpha) / (1 - alpha) times it."""

    centred: bool = True
    guarantee = "always"

    def server(self, k: int, rng: Any, start: Sequence[int] = ()) -> Any:
        server = super().server(k, rng, start)
        server.output = server.total
        return server


@dataclass(frozen=True)
class Quotients(Protocol):
    """Reports at quotients by 1 - alpha, which are exact as long as alpha has few decimals."""

    kind = "quotients"
    guarantee = "always"
    alpha: Share = 0.5

    def sites(self, k: int, rng: Any, start: Sequence[int] = ()) -> Sequence[Site]:
        return [Outgrown(self.alpha, count) for count in start or [0] * k]

    def server(self, k: int, rng: Any, start: Sequence[int] = ()) -> SumOfReports:
        return SumOfReports(start or [0] * k)


class Outgrown(Site):
    def __init__(self, alpha: float, count: int) -> None:
        self.alpha, self.count, self.reported = alpha, count, count

    def silence(self) -> int:
        return int(self.reported / (1 - self.alpha)) - self.count

    def take(self, items: int) -> Sequence[Message]:
        self.count += items
        if self.silence() >= 0:
            return ()
        self.reported = self.count
        return (Message("report", self.count),)


def late_turn(whole: Any, real: Any, sites: Any, site: int) -> int:
    """Report as `Outgrown`, but from 2^16 items of a site on an item late."""
    count = sites[site, COUNT]
    real[OUTPUT] += count - sites[site, OWN]
    sites[site, OWN], sites[site, NEXT] = count, int(count / (1 - real[OWN_REAL])) + 1 + (count >= 1 << 16)
    sites[site, SENT] += 1
    whole[OWN_WHOLE] += 1
    whole[MESSAGES] += 1
    return GO_ON


class LateForm(KernelForm):
    turn = staticmethod(late_turn)
    messages = ((Message("report", 0), OWN_WHOLE),)

    def __init__(self, alpha: float, server: Any, start: Sequence[int]) -> None:
        super().__init__(len(start))
        self.server, self.real[OWN_REAL], self.real[OUTPUT] = server, alpha, server.output
        self.sites[:, COUNT] = self.sites[:, OWN] = start
        self.sites[:, NEXT] = [int(count / (1 - alpha)) + 1 for count in start]


@dataclass(frozen=True)
class LatelyLate(Quotients):
    """Its compiled form is right in games of less than 2^16 items of a site."""

    def kernel_form(self, k: int, site_rng: Any, server_rng: Any, start: Sequence[int] = ()) -> LateForm:
        return LateForm(self.alpha, self.server(k, server_rng, start), start or [0] * k)


FAULTY = (SmallestPacket, Quorum, WholePercent, DeltaUnused, OpenSampler)


@pytest.mark.drawn(2)
@pytest.mark.slow
@pytest.mark.parametrize("maker", FAULTY)
def test_a_fault_that_small_games_do_not_show_is_found(maker: type[Any]) -> None:
    protocol = maker(alpha=0.15)
    assert list(keeps_its_promise(protocol, SITES, ITEMS))
    with pytest.raises(ConformanceError, match=r"sites|delta") as found:
        list(keeps_it_at_scale(protocol))
    assert f"play({maker.__name__}(" in found.value.test


@dataclass(frozen=True)
class EvenReports(Quotients):
    """Its sites begin as if all had the same number of items."""

    guarantee = "always"
    readmission = "anew"

    def sites(self, k: int, rng: Any, start: Sequence[int] = ()) -> Sequence[Site]:
        return super().sites(k, rng, even_start(sum(start), k))


@pytest.mark.parametrize("anew", ["anew", "none"])
def test_a_class_that_comes_back_anew_takes_an_uneven_start(anew: str) -> None:
    maker = type("Mine", (EvenReports,), {"guarantee": "always", "readmission": anew})
    if anew == "none":
        assert list(keeps_its_promise(maker(alpha=0.2), SITES, 500))
        return
    with pytest.raises(ConformanceError, match=r"start=1,000, uneven \(readmission 'anew'\)"):
        list(keeps_its_promise(maker(alpha=0.2), SITES, 500))


def test_a_start_that_is_put_out_as_it_is_is_found_in_small_games() -> None:
    with pytest.raises(ConformanceError, match="start=1,000"):
        list(keeps_its_promise(PlainStart(alpha=0.15), SITES, ITEMS))


def test_finer_accuracies_are_those_that_people_write(monkeypatch: pytest.MonkeyPatch) -> None:
    """By 0.5 / 30 itself, in sixteen digits, a quotient is rounded across a whole number."""
    finer = [one.changes["alpha"] for one in promises.sizes_of(Quotients()) if one.changes]
    assert finer == [0.017, 0.1]

    def in_games_of(alpha: float) -> object:
        size = promises.Size(1, 20_000, 0, ("single-site",), {"alpha": alpha})
        monkeypatch.setattr(promises, "sizes_of", lambda protocol: [size])
        return list(keeps_it_at_scale(Quotients()))

    assert all(map(in_games_of, finer))
    with pytest.raises(ConformanceError, match="but failed against single-site"):
        in_games_of(0.5 / 30)


@pytest.mark.slow
@pytest.mark.skipif(not available(), reason="numba is not installed")
def test_a_compiled_form_that_is_wrong_in_long_games_is_found() -> None:
    """Control: in small games, which pass, it is right."""
    protocol = LatelyLate(alpha=0.2)
    assert len(list(protocol_compiled_agrees(protocol, (7,), 400))) > 1
    with pytest.raises(ConformanceError, match=r"compiled and leap differ \(7 sites"):
        list(protocol_agrees_at_length(protocol))


@pytest.mark.drawn(2)
@pytest.mark.slow
@pytest.mark.false_alarm(1e-6)
@pytest.mark.parametrize("kind", ["deterministic", "block", "martingale", "robust"])
def test_right_trackers_keep_their_promises_at_scale(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Control: those above. Of the sizes all but the one of a thousand games."""
    sizes = promises.sizes_of
    monkeypatch.setattr(promises, "sizes_of", lambda protocol: [one for one in sizes(protocol) if one.games <= 40])
    assert list(keeps_it_at_scale(promises.part("protocol", {"kind": kind, "alpha": 0.15}, promises.Path()).make()))
