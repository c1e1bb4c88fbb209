"""The constants of one round of the robust tracker: from the paper, by minimisation, or set by hand.

In bits, and relative to the expected number of bits for the items so far, the estimate errs by at most

    upwards    shift + counter noise + generalisation + leaked
    downwards  phase length + threshold noise + counter noise + generalisation - shift

and the block size is alpha N0 over the larger of the two. `docs/proofs.md` derives each term.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from math import ceil, exp, isfinite, log, log1p, pi, sqrt
from typing import Any, Final, NamedTuple

import numpy as np

from disttrack.mechanisms.counters import counter
from disttrack.mechanisms.laplace_sums import NoiseUnion, Parts
from disttrack.mechanisms.noise import Floats

NO_PRIVACY: Final = 1000.0
"""The loss used if k bits of error, which no adversary can exceed, cost less than privacy."""

_SHARES: Final = np.linspace(0.2, 0.96, 39)
"""Shares of the privacy loss to try for the counter."""
_GRID: Final = np.linspace(0.005, 0.995, 199)
"""Points at which moment generating functions are tabulated, as parts of their range."""


class Tight(NamedTuple):
    """A round: its constants, and the terms of its error in bits.

    Attributes
    ----------
    budget
        Error allowed: the block size is alpha N0 over it.
    phases, phase_length
        Number of phases, and bits of each before noise.
    shift
        Bits added to the estimate, so that both sides of the error use up the budget.
    loss
        Privacy loss between a bit sent and one not sent: threshold and counter together.
    share
        The counter's share of the loss.
    noise_up, noise_down
        Expected shortfalls of the counter's noise, and of threshold noise minus counter's noise, over all the phases.
    generalisation, leaked
        The two parts of the difference between the mean of the bits given the transcript, and the mean before the game.
    words
        Words while N grows by the factor e.
    """

    budget: float
    phases: int
    phase_length: float
    shift: float
    loss: float
    share: float
    noise_up: float
    noise_down: float
    generalisation: float
    leaked: float
    words: float

    @property
    def threshold_scale(self) -> float:
        """Scale of the Laplace noise on the length of a phase, in bits."""
        return 1 / ((1 - self.share) * self.loss)

    @property
    def counter_epsilon(self) -> float:
        """Privacy of the counter."""
        return self.share * self.loss


@lru_cache(maxsize=256)
def known_noise(kind: str) -> bool:
    """Return whether the noise of this counter is a sum of Laplace variables of known distribution."""
    instance = counter(kind, 1.0, 3)
    return instance.privacy == "pure" and all(instance.noise_parts(t) is not None for t in (1, 2, 3))


@lru_cache(maxsize=4096)
def tight_round(k: int, failure: float, alpha: float, kind: str) -> Tight:
    """Return the round that needs the fewest words while N grows by a factor.

    Parameters
    ----------
    k
        Number of sites.
    failure
        Probability that the round's error may exceed alpha times its first count.
    alpha
        Relative error allowed.
    kind
        Name of the counter; one for which `known_noise` holds.

    Source
    ------
    Lemma 5 and Theorem 7 of Xiong, Zhu, Huang 2023, sharpened as docs/proofs.md derives.
    """
    phases, choice = _cheapest(k, failure, alpha, kind)
    up, down = _exact_noise(kind, phases, choice.share, failure / 2)
    loss, private = _loss(k, up + down)
    loss = float(loss) if private + (phases - 1) / 2 < k + (up + down) / (2 * NO_PRIVACY) else NO_PRIVACY
    leaked = float(min(phases - 1, k))
    generalisation = k * float(np.tanh(loss / 4))
    if loss == NO_PRIVACY:
        generalisation, leaked = float(k), 0.0
    up, down = up / loss, down / loss
    rest = (up + down + leaked) / 2 + generalisation
    length, cost = _length(k, alpha, phases, rest, 1 / ((1 - choice.share) * loss))
    return Tight(
        budget=length / 2 + rest,
        phases=phases,
        phase_length=length,
        shift=(length + down - up - leaked) / 2,
        loss=loss,
        share=choice.share,
        noise_up=up,
        noise_down=down,
        generalisation=generalisation,
        leaked=leaked,
        words=cost,
    )


def _cheapest(k: int, failure: float, alpha: float, kind: str) -> tuple[int, _Choice]:
    """Return the number of phases with the fewest words, up to 1 %, and the choice made for it."""
    seen: dict[int, _Choice] = {}

    def words(phases: int) -> float:
        if phases not in seen:
            seen[phases] = _choice(k, failure, alpha, kind, phases)
        return seen[phases].words

    # the cost has one minimum in the number of phases, up to the steps of trees: beyond it, powers of two only rise
    best = phases = 1
    while phases <= 4 * best:
        best = min(best, phases, key=words)
        phases *= 2
    for part in (2, 4, 8):
        stride = best // part
        if stride:
            best = min(best, best - stride, best + stride, key=words)
    return best, seen[best]


class _Choice(NamedTuple):
    words: float
    share: float


def _choice(k: int, failure: float, alpha: float, kind: str, phases: int) -> _Choice:
    """Return the fewest words with `phases` phases, using Chernoff's bound for the noise, and the share chosen."""
    shares, up, down = _tried(kind, phases, failure / 2)
    loss, private = _loss(k, up + down)
    rests = np.minimum(private + (phases - 1) / 2, k + (up + down) / (2 * NO_PRIVACY))
    best = int(rests.argmin())
    share = float(shares[best])
    _, words = _length(k, alpha, phases, float(rests[best]), 1 / ((1 - share) * float(loss[best])))
    return _Choice(words, share)


def _loss(k: int, noise: Any) -> tuple[Any, Any]:
    """Return the loss x with the least noise / (2 x) + k tanh(x / 4), and that sum.

    Where the derivative vanishes, x / cosh(x / 4) = sqrt(2 noise / k); every x is safe, an approximate one costs words.
    """
    wanted = np.sqrt(2 * noise / k)
    loss = wanted
    for _ in range(40):
        loss = np.minimum(wanted * np.cosh(loss / 4), 4.8)
    loss = np.maximum(loss, 1e-9)
    return loss, noise / (2 * loss) + k * np.tanh(loss / 4)


def _length(k: int, alpha: float, phases: int, rest: float, scale: float) -> tuple[float, float]:
    """Return the phase length that needs the fewest words for growth by a factor e, and these words.

    A round costs its bits and a poll of 2k words; the budget is half a phase and `rest`. A phase ends at
    the first whole number of bits from its noisy length on; a length below 0 counts as 0.
    """

    from scipy.optimize import minimize_scalar  # a slow import, only needed for tight constants

    def words(log_length: float) -> float:
        length = exp(log_length)
        bits = phases * (length + 0.5 + scale / 2 * exp(-length / scale))
        return (bits + 2 * k) / log1p(alpha * bits / (length / 2 + rest))

    best = minimize_scalar(words, bounds=(0.0, log(1000 * (rest + k))), method="bounded")
    return exp(float(best.x)), float(best.fun)


def _noise(kind: str, steps: int) -> list[Parts]:
    """Return the noise of the first `steps` estimates of a counter with that horizon and epsilon 1."""
    if not steps:
        return []
    instance = counter(kind, 1.0, steps)
    return [instance.noise_parts(t) or () for t in range(1, steps + 1)]


@lru_cache(maxsize=256)
def _table(kind: str, phases: int) -> tuple[float, Floats]:
    """Return the largest scale of the counter's noise, and ln sum_t E exp(s S_t) with s in parts of its inverse."""
    noise = NoiseUnion.of(_noise(kind, phases - 1))
    if not noise.scales:
        return 1.0, np.full(len(_GRID), -np.inf)
    largest = max(noise.scales)
    return largest, noise.log_moment(_GRID / largest)


def bounded_noise(kind: str, phases: int, shares: Floats, failure: float) -> tuple[Floats, Floats]:
    """Return Chernoff's bounds for `_exact_noise`, for each share: they also bound expected shortfalls."""
    largest, moments = _table(kind, phases)
    up = np.zeros(len(shares))
    if phases > 1:
        up = ((moments - log(failure)) / _GRID).min() * largest / shares
    ends = np.minimum(shares / largest, 1 - shares)  # s is below both inverse scales
    s = ends[:, None] * _GRID
    counters = np.interp(s * largest / shares[:, None], _GRID, moments, left=log(phases))
    both = np.logaddexp(0.0, counters) - np.log1p(-np.square(s / (1 - shares[:, None])))
    return up, ((both - log(failure)) / s).min(axis=1)


@lru_cache(maxsize=4096)
def _tried(kind: str, phases: int, failure: float) -> tuple[Floats, Floats, Floats]:
    """Return the shares to try, and the bounds for each, which hold for any number of sites."""
    shares = _SHARES if phases > 1 else np.array([0.5])
    return shares, *bounded_noise(kind, phases, shares, failure)


@lru_cache(maxsize=4096)
def _exact_noise(kind: str, phases: int, share: float, failure: float) -> tuple[float, float]:
    """Return the expected shortfalls at `failure` of the counter's noise, and of the threshold's minus the counter's.

    Over all the phases of a round, with a privacy loss of 1: the last release ends the round, so that there are
    phases - 1 estimates with noise, and `phases` noisy lengths, the first beside an estimate without noise.
    """
    sums = [[(scale / share, count) for scale, count in parts] for parts in _noise(kind, phases - 1)]
    threshold = (1 / (1 - share), 1)
    up = NoiseUnion.of(sums).shortfall(failure)
    down = NoiseUnion.of([[threshold], *([*parts, threshold] for parts in sums)]).shortfall(failure)
    return up, down


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
        bits, more = self.phases * self.phase_length, 2 * spare * self.phases
        return self._replace(
            divisor=allowed,
            phase_length=self.phase_length + 2 * spare,
            shift=self.shift + spare,
            most_bits=self.most_bits + 1.5 * more,
            least_blocks=max((bits + more) / 4, self.least_blocks + more),
        )


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
