"""The robust tracker by partial differential privacy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import ceil, sqrt
from typing import ClassVar, Final

import numpy as np

from disttrack.mechanisms.checks import Share
from disttrack.mechanisms.counters import COUNTERS, counter, counter_class
from disttrack.mechanisms.noise import Draws, Laplace
from disttrack.mechanisms.rules import size_within
from disttrack.protocols.base import Guarantee, Message, RoundCost, bound_by_rounds
from disttrack.protocols.coins import Coins
from disttrack.protocols.rounds.base import RoundProtocol, bound_by_other
from disttrack.protocols.rounds.block import Blocks
from disttrack.protocols.rounds.constants import (
    BEST,
    Constants,
    checked,
    known_noise,
    paper_constants,
    tight_constants,
)
from disttrack.protocols.rounds.sites import BIT, RoundServer, RuleOf, SignalRule

AS_THE_PAPERS: Final = ("binary", "tree-variance-reduced")
"""Counters with which the paper's constants are proven (docs/proofs.md): its own, and a more accurate one."""
FIRST_ROUNDS: Final = tuple(share / 32 for share in range(33))
"""Lengths of a first round for which costs are bounded, from the least to the largest; 1 is the largest."""


class HandSet(dict[str, float]):
    """Constants set by hand, hashable by value, so that protocols are too."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(sorted(self.items())))


@dataclass(frozen=True)
class Robust(RoundProtocol):
    """Random thresholds in blocks, hidden by a noisy phase length and a private counter.

    In a round begun with N0 items a site sends a bit at a random place of each block of Delta = alpha N0 / (8 C sqrt k)
    items. The server replaces its output only at the end of a phase of about 2 C sqrt k bits, by N0 + Delta times a
    private count of the bits. A round ends after ceil(sqrt k) phases, or when a site has used up C k blocks. A poll
    of 3k words (2k with tight constants) then begins the next. While Delta is below one item, every item is forwarded.

    Parameters
    ----------
    alpha
        Relative error allowed, in (0, 1).
    delta
        Probability that the error ever exceeds it, in (0, 1). Round r gets beta_r = 6 delta / (pi^2 r^2 sqrt k),
        which needs no bound on the number of items.
    parameters
        Choice of constants. `paper`: those of the paper. `tight`: minimise words numerically under the same
        proof, without its slack (`docs/proofs.md`); the output is then also raised by a constant, the last phase no
        longer changes it, and a poll announces the next block size, computed from an estimate. A mapping sets some of
        the paper's by hand, in the units of `HAND_SET` in `protocols.rounds.constants`; nothing is proven then.
    counter
        Kind of the private counter inside. `best`: with tight constants the one of fewest words, with others `binary`.
        `tight` accepts counters of pure privacy whose noise has a known distribution; with the paper's constants all
        except `binary` and `tree-variance-reduced` are unproven.

    Source
    ------
    Xiong, Zhu, Huang 2023, Algorithms 1 and 2.
    arXiv 2311.00346, Theorem 1; with offsets counted from 1, a whole block size, threshold noise of scale 4 / epsilon,
    and empty phases while a noisy length is not above 0.
    """

    alpha: Share
    delta: Share = 0.05
    parameters: str | Mapping[str, float] = "paper"
    counter: str = BEST

    kind: ClassVar[str] = "robust"
    mark: ClassVar = ("#0072B2", "o")
    faults: ClassVar = {
        "no-noise": "disttrack.protocols.faults:NoServerNoise",
        "half-noise": "disttrack.protocols.faults:HalfServerNoise",
        "tenfold-noise": "disttrack.protocols.faults:TenfoldServerNoise",
        "fixed-thresholds": "disttrack.protocols.faults:FixedThresholds",
        "leak-ignored": "disttrack.protocols.faults:LeakIgnored",
    }
    arithmetic: ClassVar[str] = "grid"  # of its counters of bits, and of its thresholds
    guarantee: ClassVar[Guarantee] = "adaptive"  # "none" for an instance that is not `proven`
    reveals: ClassVar[str] = "per phase, that the site fed last has passed a threshold: one block of the leaked set"
    kernel_form = RoundProtocol.round_form
    carries: ClassVar = "delays"

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.parameters, Mapping):
            object.__setattr__(self, "parameters", HandSet(checked(self.parameters)))
        elif self.parameters not in ("paper", "tight"):
            raise ValueError(f"parameters must be paper, tight or a mapping of values; got {self.parameters!r}")
        if not self._takes(self.counter):
            accepted = ", ".join(filter(self._takes, (BEST, *COUNTERS)))
            under = self.parameters if isinstance(self.parameters, str) else "hand-set"
            raise ValueError(f"counter must be one of {accepted} for {under}; got {self.counter!r}")
        if self.counter != BEST:
            object.__setattr__(self, "arithmetic", counter_class(self.counter).arithmetic)
        if not self.proven:
            object.__setattr__(self, "guarantee", "none")

    def _takes(self, kind: str) -> bool:
        """Return whether this kind of counter can count the bits of phases, under these parameters."""
        if kind == BEST:
            return True
        try:
            counter_type = counter_class(kind)
        except (ValueError, TypeError):
            return False
        return not counter_type.only_bits and (self.parameters != "tight" or known_noise(kind))

    @property
    def proven(self) -> bool:
        """Whether the constants are proven.

        The tight ones are, and the paper's with its own counter or a more accurate one, both by the
        argument of docs/proofs.md, which excludes two sites with a delta below 1e-6.
        """
        return self.parameters == "tight" or (self.parameters == "paper" and self.counter in (BEST, *AS_THE_PAPERS))

    def as_mapping(self) -> dict[str, object]:
        given = super().as_mapping()
        return given if isinstance(self.parameters, str) else {**given, "parameters": dict(given["parameters"])}

    def known(self, k: int) -> dict[str, object]:
        """Return the parameters, and under `constants` the function from a round's number to its constants."""
        return {**super().known(k), "constants": partial(self.constants, k)}

    def constants(self, k: int, number: int) -> Constants:
        """Return the constants of a round by its number, from 1."""
        if self.parameters == "tight":
            return tight_constants(k, self.delta, number, self.alpha, self.counter)
        by_hand = () if isinstance(self.parameters, str) else tuple(sorted(self.parameters.items()))
        constants = paper_constants(k, self.delta, number, by_hand)
        return constants if self.counter in (BEST, constants.counter) else constants._replace(counter=self.counter)

    def block_size(self, k: int, number: int, total: int) -> int:
        """Return the items in a block of a round by its number and first count; 0 if every item is forwarded."""
        return size_within(self.alpha, total, self.constants(k, number).divisor)

    def _begins(self, k: int, number: int) -> int:
        """Return the count from which on a block of a round, by its number, has an item."""
        return ceil(self.constants(k, number).divisor / self.alpha)

    def rule_of(self, k: int, coins: Coins) -> RuleOf:
        def rule(number: int, total: int) -> SignalRule | None:
            size = self.block_size(k, number, total)
            return Blocks(size, coins, self.constants(k, number).blocks) if size >= 1 else None

        return rule

    def server_by(self, rule_of: RuleOf, k: int, rng: np.random.Generator, total: int) -> RoundServer:
        return (_TellingAhead if self.parameters == "tight" else _Server)(self, rule_of, k, rng, total)

    def cost_bound(self, k: int, items: int, start: int = 0) -> float:
        """Return the items of the start, then a poll and the most bits per round, over the least items of a round.

        With the paper's constants: 8 C sqrt k / alpha items, then 3 C k + 3k per round of at least C k Delta items; a
        bit per item at most. With tight ones rounds are as long as whole block sizes make them, which depends on the
        counts that they begin with: the bound is the largest for several lengths of the first round.
        """

        def words(share: float) -> float:
            def round_of(number: int, total: float) -> RoundCost:
                of, early = self.constants(k, number), self._begins(k, number)
                count = max(total, early)
                size = max(1, size_within(self.alpha, count, of.divisor))  # an item at least, up to rounding
                of = of.fitted(self.alpha * count / size)
                blocks = of.least_blocks + (share * (of.most_bits - of.least_blocks) if number == 1 else 0)
                others = of.poll * k + (k if of.ahead and number == 1 else 0)
                return RoundCost(early, of.most_bits, others, blocks * size)

            return bound_by_rounds(items, start, round_of)

        return max(map(words, FIRST_ROUNDS if self.parameters == "tight" else FIRST_ROUNDS[:1]))

    def quick_bound(self, k: int, items: int, start: int = 0) -> float:
        """Return the bound for tight constants from that of the paper's: computing the exact one takes a second."""
        if self.parameters != "tight":
            return self.cost_bound(k, items, start)
        paper = Robust(self.alpha, self.delta)
        return bound_by_other(paper, paper._begins(k, 1), k, items, start, more=16 + 8 / sqrt(self.alpha))


class _Server(RoundServer):
    """Counts bits in phases of noisy length, and replaces the output by a private count at the end of each.

    Comments give the lines of Algorithm 2; its lines 10 and 11 are `RoundServer.end_round` and `counted`.

    Attributes
    ----------
    leaked
        The privacy-leaked set: (round, site, block) of each bit that ended a phase.
    phase
        Number of the phase, from 1.
    """

    __slots__ = (
        "_bits",
        "_bits_of",
        "_counter",
        "_lengths",
        "_rng",
        "_size",
        "constants",
        "leaked",
        "phase",
        "protocol",
    )

    def __init__(self, protocol: Robust, rule_of: RuleOf, k: int, rng: np.random.Generator, start: int) -> None:
        self.protocol = protocol
        self._rng = rng
        self.leaked: list[tuple[int, int, int]] = []
        self._bits_of: list[int] = []
        super().__init__(rule_of, k, start)

    @property
    def extra(self) -> dict[str, object]:  # type: ignore[override]
        return {"leaked": list(self.leaked)}

    def enter(self, rule: SignalRule) -> None:
        assert isinstance(rule, Blocks)
        self._size, self._bits = rule.size, 0
        of = self.protocol.constants(self.k, self.rounds)
        constants = self.constants = of.fitted(self.protocol.alpha * self.base / rule.size)
        self._bits_of = [0] * self.k
        if constants.releases:
            # Initialize: the instance of BM
            rules = counter(constants.counter, constants.counter_epsilon, constants.releases)
            self._counter = rules.start(self._rng)
        if constants.shift:
            self.output = self.base + self._size * constants.shift
        self._lengths = Draws(Laplace(constants.threshold_scale), self._rng, constants.phases)
        self.phase = 1
        self._next_phase()

    def _next_phase(self) -> None:
        """Draw the length of the phase; a length not above 0 makes it empty. After the last phase: a limit of 0."""
        self.signals = self.limit = 0
        while self.phase <= self.constants.phases and self.limit <= 0:
            # l. 12 and Initialize; on the grid, noise larger by one hides one more bit exactly, without rounding
            length = self._lengths.hide(float(self.constants.phase_length))
            self.limit = max(0, ceil(length))
            if not self.limit:
                self._release(0)

    def _release(self, bits: int) -> None:
        """End a phase of `bits` bits with a new output; the last phase changes nothing if only a poll follows."""
        self._bits += bits
        if self.phase <= self.constants.releases:
            self.output = self.base + self._size * (self._counter.step(bits) + self.constants.shift)  # l. 6-8
        self.phase += 1  # l. 12

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        if (message is BIT or message.kind == "bit") and not self.counts_to_come:
            self._bits_of[sender] += 1
            if self.signals + 1 < self.limit:  # l. 3
                self.signals += 1  # l. 2
                return ()  # l. 4
            self.last_signal = sender, self._bits_of[sender]
        return super().hear(sender, message)

    def act(self) -> Sequence[tuple[int, Message]]:
        """End the phase: the branch of line 5."""
        self.leaked.append((self.rounds, *self.last_signal))  # Definition 4
        self._release(self.signals)
        self._next_phase()
        return () if self.limit else self.end_round()  # l. 9, once all phases are over


class _TellingAhead(_Server):
    """Announces the next block size with the poll, from its own count of the bits, which is not shown to anybody.

    The thresholds of these bits are not used again, so nothing has to be hidden any more.
    """

    polls_ahead = True

    __slots__ = ()

    def enter(self, rule: SignalRule) -> None:
        super().enter(rule)
        for sender in self.early:  # signals of sites that answered the poll before other sites did
            self._bits_of[sender] += 1
        self.signals = min(len(self.early), max(0, self.limit - 1))

    def estimate(self) -> int:
        return self.base + self._size * self._bits
