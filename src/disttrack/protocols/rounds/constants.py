"""The constants of one round of the robust tracker: from the paper, by minimisation, or set by hand."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from math import ceil, isfinite, log, pi, sqrt
from typing import Final, NamedTuple

from disttrack.protocols.rounds.tight import tight_round


class Constants(NamedTuple):
    """The constants of one round, in the letters of the paper (Theorem 1 and Algorithms 1 and 2)."""

    c: float
    """C = sqrt(((ln sqrt k)^1.5 + 1) ln(8 sqrt k / beta)); bits of a round over 2k where it is not from the paper."""
    epsilon: float
    """Privacy of a round, twice that of a phase's threshold and the counter together: C / sqrt k."""
    divisor: float
    """The block size Delta is alpha N0 over this: 8 C sqrt k."""
    blocks: int | None
    """Blocks that a site may use: k' = ceil(C k). None: any number."""
    phases: int
    """Phases of a round: ceil(sqrt k)."""
    phase_length: float
    """Bits of a phase before noise: T = 2 C sqrt k."""
    threshold_scale: float
    """Scale of the Laplace noise on T: 4 / epsilon (eq. 13)."""
    counter_epsilon: float
    """Privacy of the counter: epsilon / 4."""
    releases: int
    """Phases whose end changes the output, which are the counter's steps. The paper includes the last phase."""
    shift: float
    """Bits added to the counter's estimate: 0."""
    most_bits: float
    """Largest number of bits in a round, for `cost_bound`: 3 C k, with high probability; else an estimate."""
    least_blocks: float
    """Least number of blocks' worth of items in a round, for `cost_bound`: C k likewise; else an estimate."""
    counter: str = "binary"
    """Kind of the private counter."""
    ahead: bool = False
    """Whether a poll announces the next block size, from an estimate: 2k words in place of 3k."""

    @property
    def poll(self) -> int:
        """Words of a poll, per site."""
        return 2 if self.ahead else 3

    def fitted(self, allowed: float) -> Constants:
        """Return the constants of a round that allows this error, in bits: alpha N0 over its block size.

        If the block size was announced ahead, N0 is known exactly only later, and the block size is a whole number. Any
        surplus or shortage of error goes into the phase length: twice, since the shift halves the lag.
        """
        if not self.ahead:
            return self
        spare = allowed - self.divisor
        return self._replace(divisor=allowed, phase_length=self.phase_length + 2 * spare, shift=self.shift + spare)


HAND_SET: Final[Mapping[str, float]] = {
    "c": 1.0,
    "budget": 8.0,
    "phase_length": 2.0,
    "phases": 1.0,
    "epsilon": 1.0,
    "counter_share": 0.5,
    "blocks": 1.0,
    "shift": 0.0,
}
"""The factors that can be set by hand, with the values that give the paper's constants.

c: C over the paper's. budget: the block size is alpha N0 / (budget C sqrt k). phase_length: T / (C sqrt k).
phases: their number over sqrt k. epsilon: privacy over C / sqrt k. counter_share: the counter's part of it.
blocks: of a site, over C k. shift: bits added to the estimate, over T; below 0 it leaves more room above than below.
"""


def checked(values: Mapping[str, object]) -> dict[str, float]:
    """Return factors set by hand, or raise ValueError if a name or a number is not acceptable."""
    factors = {}
    for name, value in values.items():
        if name not in HAND_SET:
            raise ValueError(f"parameters may set {', '.join(HAND_SET)}; got {name!r}")
        if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
            raise ValueError(f"parameters: {name} must be a number; got {value!r}")
        if name == "counter_share" and not 0 < value < 1:
            raise ValueError(f"parameters: counter_share must be between 0 and 1, both excluded; got {value!r}")
        if value <= 0 and name != "shift":
            raise ValueError(f"parameters: {name} must be above 0; got {value!r}")
        factors[name] = float(value)
    return factors


def paper_constants(k: int, delta: float, number: int, values: tuple[tuple[str, float], ...] = ()) -> Constants:
    """Return the paper's constants of the round with this number, from 1, with some factors set by hand.

    Round r fails with probability at most sqrt k beta_r (Lemma 7), beta_r = 6 delta / (pi^2 r^2 sqrt k): delta in all.
    """
    return scaled_constants(k, 6 * delta / (pi**2 * number**2 * sqrt(k)), values)


@lru_cache(maxsize=4096)
def scaled_constants(k: int, beta: float, values: tuple[tuple[str, float], ...] = ()) -> Constants:
    """Return the paper's constants for failure probability `beta` (times sqrt k), with some factors set by hand.

    Natural logarithms; Theorem 1 leaves the base open.
    """
    of = {**HAND_SET, **dict(values)}
    root = sqrt(k)
    c = of["c"] * sqrt((log(root) ** 1.5 + 1) * log(8 * root / beta))  # section 4
    epsilon = of["epsilon"] * c / root  # Algorithm 2, Initialize
    length = of["phase_length"] * c * root  # Algorithm 2, Initialize: T
    phases = ceil(of["phases"] * root)  # Algorithm 2, l. 9
    blocks = ceil(of["blocks"] * c * k)  # Algorithm 1, Initialize: k'
    return Constants(
        c=c,
        epsilon=epsilon,
        divisor=of["budget"] * c * root,  # section 4: Delta
        blocks=blocks,
        phases=phases,
        phase_length=length,
        threshold_scale=2 / ((1 - of["counter_share"]) * epsilon),  # 4 / epsilon: equation (13)
        counter_epsilon=of["counter_share"] * epsilon / 2,  # epsilon / 4: Algorithm 2, Initialize
        releases=phases,
        shift=of["shift"] * length,
        most_bits=1.5 * of["phase_length"] * of["phases"] * c * k,
        least_blocks=min(of["blocks"], of["phase_length"] * of["phases"] / 2) * c * k,
    )


BEST: Final = "best"
"""Placeholder for a counter: binary with the paper's constants, and the cheapest of `CANDIDATES` with tight ones."""
CANDIDATES: Final = ("k-ary", "two-level", "per-item")
"""Counters that can be the cheapest, for all sizes that were tried (docs/proofs.md)."""


@lru_cache(maxsize=4096)
def tight_constants(k: int, delta: float, number: int, alpha: float, counter: str = BEST) -> Constants:
    """Return the constants computed by minimisation for the round with this number, from 1.

    Rounds 2^i to 2^(i+1) - 1 share theirs, and each fails with probability at most 6 delta / (pi^2 (i + 1)^2 2^i):
    together delta.
    """
    power = number.bit_length() - 1
    failure = 6 * delta / (pi**2 * (power + 1) ** 2 * 2**power)
    kinds = CANDIDATES if counter == BEST else (counter,)
    best, kind = min(((tight_round(k, failure, alpha, kind), kind) for kind in kinds), key=lambda pair: pair[0].words)
    bits = best.phases * best.phase_length
    return Constants(
        c=bits / (2 * k),
        epsilon=2 * best.loss,
        divisor=best.budget,
        blocks=None,
        phases=best.phases,
        phase_length=best.phase_length,
        threshold_scale=best.threshold_scale,
        counter_epsilon=best.counter_epsilon,
        releases=best.phases - 1,
        shift=best.shift,
        most_bits=1.5 * (bits + best.phases),
        least_blocks=max(bits / 4, bits - best.generalisation - best.leaked - sqrt(k)),
        counter=kind,
        ahead=True,
    )
