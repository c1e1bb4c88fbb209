"""The deterministic tracker: each site has thresholds of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import log, log1p
from typing import Any, ClassVar, Final

import numpy as np

from disttrack.mechanisms.checks import Flag, Share
from disttrack.mechanisms.shortcuts import state
from disttrack.protocols import kernel as slot
from disttrack.protocols.base import (
    FOREVER,
    Exactly,
    Guarantee,
    Message,
    Number,
    Protocol,
    Readmission,
    Server,
    Site,
    ratio,
)
from disttrack.protocols.kernel import GO_ON, LARGEST, MOST, KernelForm, post_up
from disttrack.protocols.letters import FROM

REPORT: Final = Message("report")
"""A site's count has passed its threshold; one bit, since the server knows the thresholds."""
REPORTS, TOTAL, NUM, DEN = range(slot.OWN_WHOLE, slot.OWN_WHOLE + 4)
"""The messages, the sum of the reports, and the growth between two of them."""
REPORTED = slot.OWN
"""The count that a site reported last, as the server knows it."""


def next_threshold(reported: Any, num: Any, den: Any, one: Any = 1) -> Any:
    """Return the count of the next report: the first above num / den times the one reported last.

    `one` is 1 in the type of the others: compiled, numbers without a sign are divided in fewer instructions.
    """
    return reported + reported * (num - den) // den + one


def thresholds_turn(whole: Any, real: Any, sites: Any, site: Any) -> Any:
    """Let a site report, and the server hear it."""
    count = sites[site, slot.COUNT]
    hear_of(whole, real, sites, site, count)
    num, den = np.uint64(whole[NUM]), np.uint64(whole[DEN])
    sites[site, slot.NEXT] = next_threshold(np.uint64(count), num, den, np.uint64(1))
    whole[REPORTS] += 1
    whole[slot.MESSAGES] += 1
    sites[site, slot.SENT] += 1
    return GO_ON


def hear_of(whole: Any, real: Any, sites: Any, site: Any, count: Any) -> None:
    """Let the server hear that a site has this count."""
    whole[TOTAL] += count - sites[site, REPORTED]
    real[slot.OUTPUT] = whole[TOTAL]
    sites[site, REPORTED] = count


def thresholds_speaks(whole: Any, real: Any, sites: Any, mail: Any, site: Any) -> Any:
    """Let a site report, where messages take time."""
    sites[site, slot.NEXT] = next_threshold(sites[site, slot.COUNT], whole[NUM], whole[DEN])
    post_up(whole, sites, mail, site, REPORTS, 0)
    return GO_ON


def thresholds_heard(whole: Any, real: Any, sites: Any, mail: Any, letter: Any) -> Any:
    """Let the server hear a report: of the first threshold that it has not heard of."""
    site = letter[FROM]
    hear_of(whole, real, sites, site, next_threshold(sites[site, REPORTED], whole[NUM], whole[DEN]))
    return GO_ON


class ThresholdsForm(KernelForm):
    """All sites and the server.

    Parameters
    ----------
    server
        The protocol's own.
    growth
        Numerator and denominator of the growth between two reports.
    scale
        The fraction by which the output is multiplied.
    start
        Items that each site holds already.
    """

    turn = staticmethod(thresholds_turn)
    speaks = staticmethod(thresholds_speaks)
    server_hears = staticmethod(thresholds_heard)
    messages = ((REPORT, REPORTS),)

    def __init__(
        self, k: int, server: Server, growth: tuple[int, int], scale: tuple[int, int], start: Sequence[int]
    ) -> None:
        super().__init__(k)
        self.server, self.scale = server, scale
        self.most_items = min(MOST, LARGEST // (growth[0] - growth[1]))  # the factor of `next_threshold`
        whole, sites = self.whole, self.sites
        whole[TOTAL], whole[NUM], whole[DEN] = sum(start), *growth
        self.real[slot.OUTPUT] = whole[TOTAL]
        sites[:, slot.COUNT] = sites[:, REPORTED] = list(start) or 0
        if self.most_items >= whole[TOTAL]:
            sites[:, slot.NEXT] = next_threshold(sites[:, slot.COUNT], *growth)
        self._first = whole.copy(), sites.copy()

    def renew(self, rngs: Mapping[str, np.random.Generator]) -> bool:
        self.whole[:], self.sites[:] = self._first
        self.real[slot.OUTPUT] = self.whole[TOTAL]
        return True


class Thresholds:
    """The counts at which a site reports: the first item, then each growth by the factor 1 + alpha.

    With m the count last reported, the next report comes at the first count n with
    n > (1 + alpha) m, or, centred, (1 - alpha) n > (1 + alpha) m. All in integers: alpha = P/Q.

    Source
    ------
    Yi and Zhang 2009, as described in section 1 of Xiong, Zhu, Huang 2023.
    """

    __slots__ = ("den", "growth", "known", "num")

    def __init__(self, alpha: float, centred: bool) -> None:
        part, whole = ratio(alpha)
        growth = Fraction(whole + part, whole - part if centred else whole)
        self.num, self.den = growth.as_integer_ratio()
        self.growth = float(growth)
        self.known = _Known(self)
        """`after` for single counts: all sites and the server use the same few, so each is computed once."""

    def after(self, reported: int) -> int:
        """Return the count of the next report."""
        return int(next_threshold(reported, self.num, self.den))


class _Known(dict[int, int]):
    """Maps a count to the next one; computes missing counts on first use."""

    def __init__(self, rule: Thresholds) -> None:
        self._rule = rule

    def __missing__(self, reported: int) -> int:
        following = self[reported] = self._rule.after(reported)
        return following


@dataclass(frozen=True)
class Deterministic(Protocol):
    """Each site reports whenever its own count has grown by the factor 1 + alpha.

    The server adds up the last reports: an estimate in [N / (1 + alpha), N], at every step
    and on every input. `centred` reports at (1 + alpha) / (1 - alpha) and multiplies by 1 + alpha:
    about half the messages, and errors on both sides.

    Parameters
    ----------
    alpha
        Relative error allowed, in (0, 1).
    centred
        Whether to spread the error over both sides.

    Source
    ------
    Yi, Zhang 2009; Xiong, Zhu, Huang 2023, section 1.
    The centred form is derived here.
    """

    alpha: Share
    centred: Flag = False

    kind: ClassVar[str] = "deterministic"
    mark: ClassVar = ("#000000", "s")
    faults: ClassVar = {"coarse": "disttrack.protocols.faults:Coarse"}
    guarantee: ClassVar[Guarantee] = "always"
    reveals: ClassVar[str] = "everything: an adversary that keeps count knows the site of each change"
    one_sided: ClassVar[bool] = False  # True for an instance that is not `centred`
    carries: ClassVar = "copies"
    readmission: ClassVar[Readmission] = "report"

    def __post_init__(self) -> None:
        super().__post_init__()
        state(self, Deterministic, "one_sided", not self.centred)

    @property
    def thresholds(self) -> Thresholds:
        """The counts at which a site reports."""
        return Thresholds(self.alpha, self.centred)

    def sites(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> Sequence[Site]:
        rule = self.thresholds
        return [_Site(rule, count) for count in start or [0] * k]

    def server(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> _Server:
        part, whole = ratio(self.alpha)
        scale = (whole + part, whole) if self.centred else WHOLE
        return _Server(self.thresholds, list(start) or [0] * k, scale)

    def returned_site(self, k: int, rng: np.random.Generator, items: int) -> Site:
        return _Site(self.thresholds, items)

    def kernel_form(
        self, k: int, site_rng: np.random.Generator, server_rng: np.random.Generator, start: Sequence[int] = ()
    ) -> KernelForm | None:
        rule, server = self.thresholds, self.server(k, server_rng, start)
        growth = rule.num, rule.den
        return ThresholdsForm(k, server, growth, server.scale, start) if rule.num < FOREVER else None

    def cost_bound(self, k: int, items: int, start: int = 0) -> float:
        """Return k (1/alpha + ln(alpha n) / ln(1 + alpha)) for n = N/k items per site."""
        growth = log1p(self.alpha) - (log1p(-self.alpha) if self.centred else 0.0)

        def reports(n: float) -> float:
            early = 1 / self.alpha  # below 1/alpha every item is reported
            return n if n <= early else early + log(self.alpha * n) / growth

        return k * max(0.0, reports((start + items) / k) - reports(start / k) + 1)


class _Site(Site):
    __slots__ = ("count", "next", "rule")

    def __init__(self, rule: Thresholds, count: int) -> None:
        self.rule = rule
        self.count = count
        self.next = rule.known[count]

    def silence(self) -> int:
        return self.next - self.count - 1

    def take(self, items: int) -> Sequence[Message]:
        count = self.count = self.count + items
        if count < self.next:
            return ()
        self.next = self.rule.known[count]
        return _ONE_REPORT


class _Server(Server):
    """Puts out the sum of the reports times a fraction.

    A known start gets the factor too: its sites do not report before (1 + alpha) / (1 - alpha) times it.
    """

    __slots__ = ("output", "reported", "rule", "scale", "total")

    def __init__(self, rule: Thresholds, reported: list[int], scale: tuple[int, int]) -> None:
        self.rule = rule
        self.reported = reported
        self.scale = scale
        self.total = sum(reported)
        self.output: Number = self._scaled() if self.total else 0

    def _scaled(self) -> Number:
        numerator, denominator = self.scale
        return self.total if self.scale is WHOLE else Exactly(self.total * numerator, denominator)

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        before = self.reported[sender]
        now = self.reported[sender] = self.rule.known[before]
        self.total += now - before
        self.output = self.total if self.scale is WHOLE else self._scaled()
        return ()

    def readmit(self, sender: int, items: int) -> Sequence[tuple[int, Message]]:
        self.total += items - self.reported[sender]
        self.reported[sender] = items
        self.output = self._scaled()
        return ()


_ONE_REPORT: Final = (REPORT,)
WHOLE: Final = (1, 1)
"""The output is the sum of the reports itself."""
