"""The robust tracker by partial differential privacy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, log, pi, sqrt
from typing import Any, ClassVar, NamedTuple

from mechanisms.counters import KINDS, make
from mechanisms.noise import Draws, Laplace
from protocols.base import Message, Protocol, Server, Site, in_unit_interval
from protocols.block import Blocks
from protocols.coins import Coins
from protocols.fleet import Fleet
from protocols.round_fleet import RoundFleet
from protocols.rounds import BIT, Law, LawOf, RoundServer, RoundSite, remembering


class Constants(NamedTuple):
    """The numbers of one round, in the letters of the paper (Theorem 1 and Algorithms 1 and 2)."""

    c: float
    """C = sqrt(((ln sqrt k)^1.5 + 1) ln(8 sqrt k / beta))."""
    epsilon: float
    """Privacy of a round: C / sqrt k."""
    divisor: float
    """The block size Delta is alpha N0 over this: 8 C sqrt k."""
    blocks: int
    """Blocks that a site may use: k' = ceil(C k)."""
    phases: int
    """Phases of a round, and steps of the counter: ceil(sqrt k)."""
    phase_length: float
    """Bits of a phase before noise: T = 2 C sqrt k."""
    threshold_scale: float
    """Scale of the Laplace noise on T: 4 / epsilon (eq. 13)."""
    counter_epsilon: float
    """Privacy of the counter: epsilon / 4."""


@lru_cache(maxsize=4096)
def paper_constants(k: int, beta: float) -> Constants:
    """Return the paper's constants for failure probability `beta` (times sqrt k) in a round.

    Natural logarithms; Theorem 1 leaves the base open.
    """
    root = sqrt(k)
    c = sqrt((log(root) ** 1.5 + 1) * log(8 * root / beta))
    epsilon = c / root
    return Constants(
        c=c,
        epsilon=epsilon,
        divisor=8 * c * root,
        blocks=ceil(c * k),
        phases=ceil(root),
        phase_length=2 * c * root,
        threshold_scale=4 / epsilon,
        counter_epsilon=epsilon / 4,
    )


@dataclass(frozen=True)
class Robust(Protocol):
    """Random thresholds in blocks, hidden by a noisy phase length and a private counter.

    In a round begun with N0 items a site sends a bit at a random place of each block of Delta = alpha N0 / (8 C sqrt k)
    items. The server replaces its output only at the end of a phase of about 2 C sqrt k bits, by N0 + Delta times a
    private count of the bits. ceil(sqrt k) phases make a round; so does a site that has used up C k blocks. A poll
    of 3k words then begins the next. While Delta is below one item, every item is forwarded.

    Parameters
    ----------
    alpha
        Relative error allowed, in (0, 1).
    delta
        Probability that the error ever exceeds it, in (0, 1). Round r gets beta_r = 6 delta / (pi^2 r^2 sqrt k),
        which needs no bound on the number of items.
    parameters
        Which constants: `paper`.
    counter
        Kind of the private counter inside.

    Source
    ------
    Xiong, Zhu, Huang 2023 (arXiv 2311.00346), Theorem 1, Algorithms 1 and 2, with offsets counted from 1, a
    whole block size, threshold noise of scale 4 / epsilon, and empty phases while a noisy length is not above 0.
    """

    alpha: float
    delta: float = 0.05
    parameters: str = "paper"
    counter: str = "binary"

    kind: ClassVar[str] = "robust"
    source: ClassVar[str] = "Xiong, Zhu, Huang 2023, Algorithms 1 and 2"
    guarantee: ClassVar[Any] = "adaptive"
    reveals: ClassVar[str] = "per phase, that the site fed last has passed a threshold: one block of the leaked set"

    def __post_init__(self) -> None:
        in_unit_interval("alpha", self.alpha)
        in_unit_interval("delta", self.delta)
        if self.parameters != "paper":
            raise ValueError(f"parameters must be paper; got {self.parameters!r}")
        if self.counter not in KINDS:
            raise ValueError(f"counter must be one of {', '.join(sorted(KINDS))}; got {self.counter!r}")

    def constants(self, k: int, number: int) -> Constants:
        """Return the constants of a round by its number, from 1."""
        return paper_constants(k, 6 * self.delta / (pi**2 * number**2 * sqrt(k)))

    def _law_of(self, k: int, coins: Coins) -> LawOf:
        def law(number: int, total: int) -> Law | None:
            constants = self.constants(k, number)
            size = int(self.alpha * total / constants.divisor)
            return Blocks(size, coins, constants.blocks) if size >= 1 else None

        return remembering(law)

    def sites(self, k: int, rng: Any, start: Sequence[int] = ()) -> Sequence[Site]:
        law_of = self._law_of(k, Coins(rng))
        return [RoundSite(law_of, sum(start)) for _ in range(k)]

    def server(self, k: int, rng: Any, start: Sequence[int] = ()) -> Server:
        return _Server(self, k, rng, sum(start))

    def fleet(self, k: int, site_rng: Any, server_rng: Any, start: Sequence[int] = ()) -> Fleet:
        return RoundFleet(_Server(self, k, server_rng, sum(start)), self._law_of(k, Coins(site_rng)))

    def cost_bound(self, k: int, items: int, start: int = 0) -> float:
        """Return the start-up's 8 C sqrt k / alpha, then 3 C k + 3k a round of at least C k Delta items."""
        end, total, cost, number = float(start + items), float(start), 0.0, 1
        while total < end:
            constants = self.constants(k, number)
            early = constants.divisor / self.alpha
            if total < early:
                cost += min(early, end) - total
                total = early
                continue
            growth = 1 + constants.c * k * int(self.alpha * total / constants.divisor) / total
            each = 3 * constants.c * k + 3 * k
            if number >= 1000:  # the constants hardly change from there on
                return cost + each * (1 + log(end / total) / log(growth))
            cost += each
            total *= growth
            number += 1
        return cost


class _Server(RoundServer):
    """Counts bits in phases of noisy length, and replaces the output by a private count at the end of each.

    Attributes
    ----------
    leaked
        The privacy-leaked set: (round, site, block) of each bit that ended a phase.
    phase
        Number of the phase, from 1.
    """

    __slots__ = ("_bits_of", "_counter", "_lengths", "_rng", "_size", "constants", "leaked", "phase", "protocol")

    def __init__(self, protocol: Robust, k: int, rng: Any, start: int) -> None:
        self.protocol = protocol
        self._rng = rng
        self.leaked: list[tuple[int, int, int]] = []
        self._bits_of: list[int] = []
        super().__init__(protocol._law_of(k, Coins(rng)), k, start)

    def enter(self, law: Law) -> None:
        assert isinstance(law, Blocks)
        constants = self.constants = self.protocol.constants(self.k, self.rounds)
        self._size = law.size
        self._bits_of = [0] * self.k
        self._counter = make(self.protocol.counter, constants.counter_epsilon, constants.phases, self._rng)
        self._lengths = Draws(Laplace(constants.threshold_scale), self._rng, constants.phases)
        self.phase = 1
        self._next_phase()

    def _next_phase(self) -> None:
        """Draw the length of the phase; a length not above 0 makes it an empty one. No phase left: a limit of 0."""
        self.signals = self.limit = 0
        while self.phase <= self.constants.phases and self.limit <= 0:
            self.limit = max(0, ceil(self.constants.phase_length + self._lengths.one()))
            if not self.limit:
                self._release(0)

    def _release(self, bits: int) -> None:
        """End a phase of so many bits with a new output."""
        self.output = self.base + self._size * self._counter.step(bits)
        self.phase += 1

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        if message is BIT and not self._counts_to_come:
            self._bits_of[sender] += 1
            if self.signals + 1 < self.limit:
                self.signals += 1
                return ()
            self.culprit = sender, self._bits_of[sender]
        return super().hear(sender, message)

    def outlook(self) -> int:
        left = (self.constants.phases - self.phase) * self.constants.phase_length
        return self.limit - self.signals + ceil(left)

    def act(self) -> Sequence[tuple[int, Message]]:
        """End the phase."""
        self.leaked.append((self.rounds, *self.culprit))
        self._release(self.signals)
        self._next_phase()
        return () if self.limit else self.end_round()
