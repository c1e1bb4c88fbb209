"""Make the parts of a protocol in rounds from the signal rule of a round."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from disttrack.protocols.base import Protocol, Readmission, Site
from disttrack.protocols.coins import Coins
from disttrack.protocols.kernel import KernelForm
from disttrack.protocols.rounds.mail_kernel import MailedRoundForm
from disttrack.protocols.rounds.sites import BlockRule, RoundServer, RoundSite, RuleOf, SignalRule, remembering

STARTING: Final = 7
"""Words per item at most: one for it, and polls of 2k words for rounds of k/3 items or more."""
SETTLED: Final = 16
"""Times the first count of other constants from which on their bound is one for tight constants too."""


@dataclass(frozen=True)
class RoundProtocol(Protocol):
    """A protocol whose sites are `RoundSite`s. Subclasses define the signal rule of a round and the server."""

    readmission: ClassVar[Readmission] = "anew"
    faults: ClassVar = {
        "coarse": "disttrack.protocols.faults:Coarse",
        "no-polls": "disttrack.protocols.faults:NoPolls",
        "uncounted-kind": "disttrack.protocols.faults:UncountedKind",
    }

    @abstractmethod
    def rule_of(self, k: int, coins: Coins) -> RuleOf:
        """Return the signal rule of each round, with the coins of the sites where it is random."""

    @abstractmethod
    def server_by(self, rule_of: RuleOf, k: int, rng: np.random.Generator, total: int) -> RoundServer:
        """Return the server of a game that starts with `total` items; `rng` is its own generator."""

    def sites(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> Sequence[Site]:
        rule_of = self.rules(k, rng)
        total = sum(start)
        return [RoundSite(rule_of, total) for _ in range(k)]

    def server(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> RoundServer:
        return self.server_by(self.rules(k, rng), k, rng, sum(start))

    def round_form(
        self, k: int, site_rng: np.random.Generator, server_rng: np.random.Generator, start: Sequence[int] = ()
    ) -> KernelForm:
        """Return `kernel_form` of a protocol whose signal rules are those of `rules.py`: blocks and coins."""

        def sides(site_rng: np.random.Generator, server_rng: np.random.Generator) -> tuple[RoundServer, RuleOf]:
            return self.server(k, server_rng, start), self.rules(k, site_rng)

        form = MailedRoundForm(sides, site_rng, server_rng)
        form.whole_outputs = isinstance(form.server, DoublingServer)
        return form

    def rules(self, k: int, rng: np.random.Generator) -> RuleOf:
        return remembering(self.rule_of(k, Coins(rng)))


def bound_by_other(other: Protocol, early: int, k: int, items: int, start: int, more: float) -> float:
    """Return a quick bound for constants of fewer words, from the bound of others whose first round begins at `early`.

    These may begin their first round earlier, with a few words per item; once the others' count is `SETTLED` times
    theirs, they cost less, but for one round, which may have `more` words per site.
    """
    settled = other.cost_bound(k, max(items, SETTLED * early - start), start)
    return min(STARTING * items + more * k, max(settled, more * k))


class DoublingServer(RoundServer):
    """Ends a round when the output reaches twice its first count; each signal adds a block."""

    __slots__ = ()

    def enter(self, rule: SignalRule) -> None:
        assert isinstance(rule, BlockRule)
        self.unit = rule.size
        self.limit = rule.signals_to_double(self.base)
