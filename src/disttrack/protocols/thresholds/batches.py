"""Threshold protocols whose sites report when they hold enough items: always as many, or fewer and fewer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, log2
from typing import ClassVar

import numpy as np

from disttrack.mechanisms.checks import Whole
from disttrack.protocols.base import EVERYONE, Guarantee, Message, Server, Site
from disttrack.protocols.kernel import KernelForm
from disttrack.protocols.thresholds.base import Threshold
from disttrack.protocols.thresholds.kernel import BatchForm, is_due


@dataclass(frozen=True)
class Batch(Threshold):
    """Each site reports `size` items at a time, always; the baseline of deployed rate limiters.

    The server's sum lags by at most k (size - 1) items, so that the alarm is not late if that is at most epsilon tau.

    Parameters
    ----------
    size
        Items of a report; None for the largest with which the alarm is never late.

    Source
    ------
    the usual practice; the bound is derived here.
    """

    size: Whole | None = None

    kind: ClassVar[str] = "batch"
    guarantee: ClassVar[Guarantee] = "always"  # "none" for an instance with a `size` of its own
    reveals: ClassVar[str] = "everything: an adversary that keeps count knows the site of each change"
    one_sided: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.size is not None:
            object.__setattr__(self, "guarantee", "none")

    def reported(self, k: int) -> int:
        """Return the items of a report in a game of k sites."""
        return (self.threshold - self.earliest) // k + 1 if self.size is None else self.size

    def sites(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> Sequence[Site]:
        return [_BatchSite(self.reported(k)) for _ in range(k)]

    def server(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> Server:
        return _Sum(sum(start))

    def kernel_form(
        self, k: int, site_rng: np.random.Generator, server_rng: np.random.Generator, start: Sequence[int] = ()
    ) -> KernelForm:
        return BatchForm(k, _Sum(sum(start)), self.reported(k), self.earliest)

    def cost_bound(self, k: int, items: int, start: int = 0) -> float:
        """Return the items over the size of a report."""
        return float(items // self.reported(k))


@dataclass(frozen=True)
class Countdown(Threshold):
    """Each site reports floor(slack / 2k) items at a time; the server halves the slack after k reports.

    The server knows R items and the slack is S = tau - R when a report size q = max(1, floor(S / 2k)) is announced.
    A site reports when it holds q items or more. Once k q items have been reported, the server announces the next
    size. Unreported are at most k (q - 1) items, so that N < tau while the alarm is off; and R <= N, so that an
    alarm at R >= (1 - epsilon) tau is not early. Proof in docs/proofs.md.

    Source
    ------
    Cormode, Muthukrishnan, Yi 2011, for the problem; sizes, rounding and cost are derived in docs/proofs.md.
    """

    kind: ClassVar[str] = "countdown"
    guarantee: ClassVar[Guarantee] = "always"
    reveals: ClassVar[str] = "everything: an adversary that keeps count knows the site of each change"
    one_sided: ClassVar[bool] = True

    def size(self, k: int, known: int) -> int:
        """Return the items of a report if the server knows `known` items when it announces the size."""
        return max(1, (self.threshold - known) // (2 * k))

    def sites(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> Sequence[Site]:
        return [_BatchSite(self.size(k, sum(start))) for _ in range(k)]

    def server(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> Server:
        return _CountdownServer(self, k, sum(start))

    def kernel_form(
        self, k: int, site_rng: np.random.Generator, server_rng: np.random.Generator, start: Sequence[int] = ()
    ) -> KernelForm:
        server = _CountdownServer(self, k, sum(start))
        return BatchForm(k, server, server.size, self.earliest, server.end)

    def cost_bound(self, k: int, items: int, start: int = 0) -> float:
        """Return 2k per round of a size above 1, 4k messages after those, and one per item after the threshold.

        A round of slack S >= 4k leaves a slack S' with S' - 2k < (S - 2k) / 2.
        """
        slack = max(0, self.threshold - start)
        rounds = floor(log2((slack - 2 * k) / (2 * k))) + 1 if slack >= 4 * k else 0
        return min(2.0 * k * rounds + 4.0 * k, 2.0 * items) + max(0, start + items - self.threshold)


class _BatchSite(Site):
    """Reports the items that it holds once they are `size` or more."""

    __slots__ = ("held", "size")

    def __init__(self, size: int) -> None:
        self.size = size
        self.held = 0

    def silence(self) -> int:
        return self.size - self.held - 1

    def take(self, items: int) -> Sequence[Message]:
        self.held += items
        return self._report()

    def hear(self, message: Message) -> Sequence[Message]:
        self.size = message.value
        return self._report()

    def _report(self) -> Sequence[Message]:
        if self.held < self.size:
            return ()
        report = Message("report", self.held)
        self.held = 0
        return (report,)


class _Sum(Server):
    """The sum of the items reported."""

    __slots__ = ("output",)

    def __init__(self, known: int) -> None:
        self.output: int = known

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        self.output += message.value
        return ()


class _CountdownServer(_Sum):
    """Announces the next size once k reports of the present size have come in."""

    __slots__ = ("end", "k", "rounds", "rule", "size")

    def __init__(self, rule: Countdown, k: int, known: int) -> None:
        super().__init__(known)
        self.rule = rule
        self.k = k
        self.rounds: int = 1
        self.size = rule.size(k, known)
        self.end = known + k * self.size

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        self.output += message.value
        return self.announced()

    def announced(self) -> Sequence[tuple[int, Message]]:
        """Announce the next size if it is due."""
        if not is_due(self.output, self.size, self.end, self.rule.earliest):
            return ()
        self.size = self.rule.size(self.k, self.output)
        self.end = self.output + self.k * self.size
        self.rounds += 1
        return ((EVERYONE, Message("size", self.size)),)
