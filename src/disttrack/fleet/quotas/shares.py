"""Quota protocols that give each site a share of the limit at the beginning of a window."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from disttrack.fleet.quotas.amounts import LARGEST, even_share
from disttrack.fleet.quotas.base import Quota
from disttrack.fleet.quotas.forms import QuotaForm, share_form, weight_form
from disttrack.fleet.quotas.sites import Answers, QuotaServer, QuotaSite
from disttrack.mechanisms.checks import FromZero
from disttrack.protocols.base import Guarantee, Message


@dataclass(frozen=True)
class Split(Quota):
    """Each site admits up to its even share of the limit, without any message.

    Parameters
    ----------
    limits
        Further limits that are kept too, such as `250/3000`, per steps, with spaces between, or for a log with a step
        `250/day`; their windows are several times the window. Each is split evenly, and a request takes from all or
        from none.

    Source
    ------
    the usual practice of static budgets.
    """

    limits: str | tuple[str, ...] = ""  # type: ignore[misc]

    kind: ClassVar[str] = "split"

    def most(self, site: int, k: int) -> int:
        return min(even_share(one.limit, k, site) for one in self.singles)

    def site(self, number: int, k: int, answers: Answers) -> QuotaSite:
        return SplitSite(self, number, k, answers)

    def kernel_form(self, k: int, *args: Any, **more: Any) -> QuotaForm | None:
        return share_form(self.times)

    def cost_bound(self, k: int, items: int, start: int = 0) -> float:
        return 0.0


class SplitSite(QuotaSite):
    """Has an even share in each window; one that comes within a window has none until the next.

    Of each further limit it keeps what is left of its share, from which the cost of a window is taken at its end.
    """

    __slots__ = ("_longer", "_rests")

    silence = QuotaSite.silence  # stated again: what is left of further limits is lower at the end of a window only

    def __init__(self, rule: Any, *parts: Any) -> None:
        self._longer = rule.times
        """The further limits, and how many windows each of their windows has."""
        self._rests = [0 for _ in self._longer]
        self.held = 0
        super().__init__(rule, *parts)

    def open(self) -> Sequence[Message]:
        for place, (limit, windows) in enumerate(self._longer):
            if self.window % windows == 0:
                self._rests[place] = even_share(limit, self.k, self.number)
        self.left = min(even_share(self.rule.limit, self.k, self.number), *self._rests, LARGEST)
        return ()

    def _begin(self) -> None:
        self._rests = [rest - self.held for rest in self._rests]
        super()._begin()

    def first_words(self) -> Sequence[Message]:
        self._rests = [0 for _ in self._longer]
        return ()


@dataclass(frozen=True)
class WeightedSplit(Quota):
    """Shares in proportion to recent load: reported at the end of a window, in force from the next but one.

    The server sends the shares of a window when it has heard of all loads in the one before, or when that is over. A
    share that is late or lost is missing to its site, and never counted twice. In the first two windows shares are
    even.

    Parameters
    ----------
    memory
        Weight of the load of a window against that of the next.

    Source
    ------
    the usual practice of adaptive budgets; that a site without a share has none is stated here.
    """

    memory: FromZero = 0.5

    kind: ClassVar[str] = "weighted-split"
    guarantee: ClassVar[Guarantee] = "always"

    def most(self, site: int, k: int) -> int:
        later = self.limit - (k > 1)  # the others' weights are at least 1
        return max(even_share(self.limit, k, site), later)

    def site(self, number: int, k: int, answers: Answers) -> QuotaSite:
        return WeightedSite(self, number, k, answers)

    def server(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> QuotaServer:
        return WeightedServer(self, k)

    def kernel_form(self, k: int, *args: Any, **more: Any) -> QuotaForm | None:
        return weight_form()

    def cost_bound(self, k: int, items: int, start: int = 0) -> float:
        """Return two messages per site and window."""
        return 2.0 * k * (items / self.window + 1)

    slack = Quota.slack


class LoadSite(QuotaSite):
    """Reports the cost offered in a window, by reserves if it is known late, and gets its share of a later one.

    A base beside that of a site which says what it has without a share; of two such bases one has no slots.
    """

    def open(self) -> Sequence[Message]:
        super().open()
        if self.window == 0:
            self._load = 0
        self._missing = self.window >= 2
        if self._missing:
            self.left = 0
        if self.window == 0:
            return ()
        load, self._load = self._load, 0
        return (Message("load", (self.window - 1, load)),)

    def take(self, items: int) -> Sequence[Message]:
        self._load += items * self.rule.reserve or self.costs.total(self.offered, items)
        return super().take(items)

    def heard(self, message: Message) -> Sequence[Message]:
        if message.kind != "share":
            return super().heard(message)
        if self._missing:  # a share counts once, however often its message comes
            self.left, self._missing = self.left + message.value[1], False
        return ()


class WeightedSite(LoadSite, SplitSite):
    """Begins with an even share."""

    silence = QuotaSite.silence  # stated again: a load is no message


class LoadServer(QuotaServer):
    """Decides the shares of a window when it has heard of all loads in the one before, or when that is over.

    A base beside that of a server which says what else it hears.
    """

    def __init__(self, rule: object, k: int) -> None:
        super().__init__(rule, k)
        self._heard = 0
        self._shared = 1
        """The last window whose shares are decided."""

    @abstractmethod
    def weighs(self, site: int, load: int) -> None:
        """Note the load of a site."""

    @abstractmethod
    def decided(self) -> list[int]:
        """Decide shares by the loads."""

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        if message.kind != "load":
            return super().hear(sender, message)
        self.weighs(sender, message.value[1])
        self._heard += 1
        return self._shares() if self._heard == self.k and self._shared == self.window else ()

    def turn(self) -> Sequence[tuple[int, Message]]:
        super().turn()
        late = self._shared < self.window
        self._heard = 0
        return self._shares() if late else ()

    def _shares(self) -> Sequence[tuple[int, Message]]:
        """Send the shares of the first window that has none."""
        self._shared += 1
        return [(site, Message("share", (self._shared, share))) for site, share in enumerate(self.decided())]


class WeightedServer(LoadServer):
    """Keeps a weight per site, and splits the limit by them, in whole units rounded down."""

    def __init__(self, rule: object, k: int) -> None:
        super().__init__(rule, k)
        self.weights = [0.0] * k

    def weighs(self, site: int, load: int) -> None:
        self.weights[site] += load

    def decided(self) -> list[int]:
        """Decide shares by the weights, which are less worth from then on."""
        ratios = [(weight + 1).as_integer_ratio() for weight in self.weights]  # one that had no load gets a little
        self.weights = [weight * self.rule.memory for weight in self.weights]
        unit = max(denominator for _, denominator in ratios)  # of floats, all are powers of two
        weights = [numerator * (unit // denominator) for numerator, denominator in ratios]
        total = sum(weights)
        return [self.rule.limit * weight // total for weight in weights]
