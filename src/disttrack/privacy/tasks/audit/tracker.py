"""The audit of the robust tracker: exact losses of its transcripts, a test of its noise, and a lower bound from runs.

One round is played by the protocol's own sites and server, with thresholds that the audit has chosen, against a
deterministic adversary. The server's transcript then has a likelihood in closed form: a phase of c bits has the chance
that the noisy length falls into (c - 1, c], and the published values determine each draw of the counter's noise. If
one threshold were different, its bit would come in another phase or not at all, and nothing else would change: so the
log-likelihood ratio is known exactly for every threshold outside the leaked set (Lemma 5).
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, count, product
from math import exp, inf, isfinite, log, nan
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from disttrack.adversaries import RoundRobin
from disttrack.adversaries.base import Adversary, View
from disttrack.mechanisms.counters import counter
from disttrack.mechanisms.rules import size_within
from disttrack.privacy.tasks.audit.case import FALSE_ALARM, Event, outcome
from disttrack.privacy.tasks.planned import SKIP, Planned
from disttrack.protocols import Robust
from disttrack.protocols.base import even_start
from disttrack.protocols.rounds.sites import BIT, BlockRule, RoundSite
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.game.streams import streams
from disttrack.simulator.game.tasks.base import Record

BEFORE: Final[Mapping[str, Callable[[int], int]]] = {"binary": lambda t: t & (t - 1), "per-item": lambda t: t - 1}
"""Counters each of whose values has one more draw than an earlier value, with the step of that earlier value."""
Thresholds = NDArray[np.int64]
"""The database: one row per site, one column per block, each from 1 to the block's size."""
Entry = tuple[int, int, int]
"""A site, a block from 1, and its threshold in the neighbouring database."""
Losses = Mapping[Entry, float]
"""The losses of a transcript."""


class _Scripted(BlockRule):
    """Blocks of one site with given thresholds."""

    def __init__(self, size: int, blocks: int | None, row: Sequence[int]) -> None:
        super().__init__(size, blocks)
        self._row = row

    def after(self, due: Any, shape: int | None = None) -> Any:
        return self.full(due) + self._row[self.block(due)]


@dataclass
class Transcript:
    """One recorded round.

    Attributes
    ----------
    fed
        For each site, the steps of its items, in order.
    bit_steps
        Steps at which a bit was sent.
    ends
        Steps at which a phase ended.
    values
        Bits estimated by the values published at these ends; the last one of a round is hidden by the poll.
    leaked
        Site and block, from 1, of the bits that ended a phase.
    over
        Whether the round ended by its last phase.
    strange
        Whether there was a phase without a bit, or a site used up its blocks: such a round is not judged.
    """

    fed: list[list[int]]
    bit_steps: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    leaked: set[tuple[int, int]] = field(default_factory=set)
    over: bool = False
    strange: bool = False

    @property
    def counts(self) -> list[int]:
        """Bits of each phase; the last one is the unfinished phase, if the round is not over."""
        places = np.searchsorted(self.bit_steps, self.ends, side="right")
        whole = np.diff(places, prepend=0).tolist()
        return whole if self.over else [*whole, len(self.bit_steps) - (int(places[-1]) if len(places) else 0)]


class Tracker:
    """One round of the robust tracker, to be played repeatedly, and the distribution of its transcripts.

    Parameters
    ----------
    protocol
        The tracker; its counter must be `binary` or `per-item`, whose noise follows from the values.
    adversary
        Feeds the sites; it must be deterministic.
    sites
        Number of sites.
    size
        Items in a block; the initial count follows from it.

    Raises
    ------
    ScenarioError
        If the counter is another one, or the tracker's round has no secret.
    """

    def __init__(self, protocol: Robust, adversary: Adversary, sites: int, size: int) -> None:
        self.protocol, self.adversary, self.sites, self.size = protocol, adversary, sites, size
        of = protocol.constants(sites, 1)
        if of.counter not in BEFORE:
            raise ScenarioError(f"counter must be {' or '.join(BEFORE)} for an exact audit; got {of.counter!r}")
        if not of.releases or of.epsilon > 50:
            raise ScenarioError(f"sites must be more for {protocol.kind}: at {sites} a round keeps nothing secret")
        begun = int(size * of.divisor / protocol.alpha)
        self.start = next(start for start in count(begun) if size_within(protocol.alpha, start, of.divisor) >= size)
        of = self.constants = of.fitted(protocol.alpha * self.start / size)
        self.most_bits = int(4 * of.phases * of.phase_length) + 40 * of.phases
        self.blocks = of.blocks or self.most_bits
        (self.node_scale, _), *_ = counter(of.counter, of.counter_epsilon, of.releases).noise_parts(1) or ()

    @property
    def epsilon(self) -> float:
        """The claim: privacy of a round."""
        return self.constants.epsilon

    def database(self, rng: np.random.Generator) -> Thresholds:
        """Return thresholds drawn as the sites would."""
        return rng.integers(1, self.size, (self.sites, self.blocks + 1), endpoint=True)

    def play(self, thresholds: Thresholds, rng: np.random.Generator) -> Transcript:
        """Play a round on a database of thresholds; `rng` is the server's.

        This is no duel: the server, not the number of moves, ends a round, and its transcript is what is judged.
        """
        of, most = self.constants, self.most_bits * self.size
        rows = thresholds.tolist()
        sites = [RoundSite(lambda *_, row=row: _Scripted(self.size, of.blocks, row), self.start) for row in rows]
        server: Any = self.protocol.server(self.sites, rng, even_start(self.start, self.sites))
        known = self.protocol.known(self.sites)
        view = View(sites=self.sites, items=most, start=self.start, known=known, rng=np.random.default_rng(0))
        view.record(output=server.output)
        adversary = Planned(copy.deepcopy(self.adversary), view)
        played = Transcript([[] for _ in sites], strange=server.phase != 1)
        for step in range(1, most + 1):
            site, phase = adversary.move(view), server.phase
            if site != SKIP:
                played.fed[site].append(step)
            for message in sites[site].take(1) if site != SKIP else ():
                ended = bool(server.hear(site, message))
                if message.kind != BIT.kind:
                    played.strange = True
                    return played
                played.bit_steps.append(step)
                if server.phase == phase:
                    continue
                played.ends.append(step)
                played.leaked.update((leaked, block) for _, leaked, block in server.leaked[-1:])
                played.strange |= server.phase != phase + 1
                if ended:
                    played.over = True
                    return played
                if len(played.ends) <= of.releases:
                    played.values.append((server.output - server.base) / self.size - of.shift)
            view.observe(server.output)
        return played

    # ------------------------------------------------------------------ the distribution of transcripts

    def log_likelihood(self, counts: Sequence[int], values: Sequence[float], over: bool) -> float:
        """Return the log of the density of a transcript whose phases had `counts` bits."""
        total = sum(self.log_phase(bits) for bits in (counts if over else counts[:-1]))
        if not over:
            total += _log(1 - self.length_below(counts[-1]))
        return total + sum(-abs(noise) / self.node_scale for noise in nodes(counts, values, self.constants.counter))

    def log_phase(self, bits: int) -> float:
        """Return the log of the chance of a phase of `bits` bits: the noisy length is in (bits - 1, bits]."""
        low, high = self._noise(bits - 1), self._noise(bits)
        if low >= 0:
            low, high = -high, -low
        if high <= 0:
            return high + _log((1 - exp(low - high)) / 2)
        return _log(1 - exp(low) / 2 - exp(-high) / 2)

    def length_below(self, bits: int) -> float:
        """Return the chance that the noisy length is at most `bits`."""
        noise = self._noise(bits)
        return 1 - exp(-noise) / 2 if noise >= 0 else exp(noise) / 2

    def _noise(self, bits: int) -> float:
        """Return the noise of a phase of this length, in units of its scale."""
        return (bits - self.constants.phase_length) / self.constants.threshold_scale

    def losses(self, played: Transcript, thresholds: Thresholds) -> Losses:
        """Return the losses of a transcript for all thresholds that were reached; none if it is not judged."""
        losses = {}
        for site, fed in enumerate([] if played.strange else played.fed):
            for block, other in product(range(1, -(-len(fed) // self.size) + 1), range(1, self.size + 1)):
                loss = self.loss(played, thresholds, site, block, other)
                if loss is not None:
                    losses[site, block, other] = loss
        return losses

    def loss(self, played: Transcript, thresholds: Thresholds, site: int, block: int, other: int) -> float | None:
        """Return ln of the transcript's likelihood over that with another threshold for one block.

        None if the block is in the leaked set with either threshold, or if neither of the two was reached.
        """
        fed, before = played.fed[site], (block - 1) * self.size
        places = before + int(thresholds[site, block - 1]), before + other
        old, new = (fed[place - 1] if place <= len(fed) else None for place in places)
        if (site, block) in played.leaked or old == new:
            return None
        if old in played.ends:
            return inf  # with the other threshold no phase could have ended there
        counts = played.counts
        changed = list(counts)
        for step, by in ((old, -1), (new, 1)):
            phase = len(changed) if step is None else int(np.searchsorted(played.ends, step, side="left"))
            if phase < len(changed):
                changed[phase] += by
        if changed == counts:
            return 0.0
        if min(changed[: len(played.ends)], default=1) < 1:
            return inf
        here = self.log_likelihood(counts, played.values, played.over)
        return here - self.log_likelihood(changed, played.values, played.over)


def nodes(counts: Sequence[int], values: Sequence[float], counter: str = "binary") -> list[float]:
    """Return the noise that a counter drew at steps 1, 2, …, from its values.

    Examples
    --------
    >>> nodes([3, 4, 5], [3.5, 8.0, 13.0]), nodes([3, 4, 5], [3.5, 8.0, 13.0], "per-item")
    ([0.5, 1.0, 0.0], [0.5, 0.5, 0.0])
    """
    noise = [0.0, *(value - bits for value, bits in zip(values, accumulate(counts), strict=False))]
    return [noise[t] - noise[BEFORE[counter](t)] for t in range(1, len(noise))]


def _log(chance: float) -> float:
    return log(chance) if chance > 0 else -inf


TRANSCRIPTS: Final = 400
"""Rounds played on each database, in each half."""
SITES: Final = 9
"""Sites of the audited tracker: three phases, so that a bit can move between phases of each kind."""
SIZE: Final = 4
"""Items in a block."""
ROLES: Final = ("database", "training", "testing", "testing neighbour", "places")
"""Random streams: the thresholds, the rounds of each half and on the neighbour, places within whole bits."""
ROUNDING: Final = 1e-9
"""Tolerance for rounding of the exact loss above the claim."""


def audit_tracker(
    protocol: Robust,
    adversary: Adversary | None = None,
    *,
    sites: int = SITES,
    transcripts: int = TRANSCRIPTS,
    seed: int = 0,
    false_alarm: float = FALSE_ALARM,
) -> Record:
    """Audit one round of the robust tracker against a deterministic adversary.

    Returns
    -------
    Record
        With the columns of the task `audit-tracker`. The claim is refuted by a transcript, by the runs, or because the
        noise is not the declared one. Rounds with an empty phase, or ended by a site, are not judged.

    Parameters
    ----------
    protocol
        The tracker.
    adversary
        Feeds the sites: deterministic; round-robin if left out.
    sites
        Number of sites.
    transcripts
        Rounds played on each of the two databases, in each half.
    seed
        Root of all randomness.
    false_alarm
        Probability that a tracker that keeps its claim is reported to exceed it.

    Raises
    ------
    ScenarioError
        If the tracker cannot be audited exactly.
    """
    tracker = Tracker(protocol, adversary or RoundRobin(), sites, SIZE)
    rngs = streams(seed, ROLES)
    here = tracker.database(rngs["database"])
    played = [tracker.play(here, rngs[half]) for half in ("training", "testing") for _ in range(transcripts)]
    losses = [tracker.losses(each, here) for each in played]
    low = _proved(tracker, here, losses, rngs["testing neighbour"], false_alarm / 2)
    exact = [abs(loss) for each in losses for loss in each.values()]
    largest, fits = max(exact, default=0.0), _fit(tracker, played, rngs["places"])
    row = {
        "largest_loss": largest,
        "loss_over_epsilon": largest / tracker.epsilon,
        "noise_fits": fits,
        "leaked": max(len(each.leaked) for each in played),
        "neighbours": len(exact),
        "sites": sites,
    }
    refuted = largest > tracker.epsilon * (1 + ROUNDING) or low > tracker.epsilon or fits < false_alarm / 2
    inputs = f"{sites} sites, blocks of {SIZE} items, fed {tracker.adversary.kind}; one threshold is another"
    return outcome(row, refuted, (tracker.epsilon, 0.0), low, len(played), inputs)


def _proved(
    tracker: Tracker, here: Thresholds, losses: Sequence[Losses], rng: np.random.Generator, false_alarm: float
) -> float:
    """Return a lower bound on epsilon, from the runs alone.

    Parameters
    ----------
    losses
        Of the rounds on a database: half of them for learning the entry and the event, half for testing it.
    rng
        Draws as many rounds on the neighbour as are tested.
    """
    training, testing = losses[: len(losses) // 2], losses[len(losses) // 2 :]
    site, block, other = entry = _felt(training, 2 * tracker.epsilon)
    there = here.copy()
    there[site, block - 1] = other
    rounds = [tracker.play(there, rng) for _ in testing]
    back = site, block, int(here[site, block - 1])
    backwards = [None if each.strange else tracker.loss(each, there, *back) for each in rounds]
    finite = [each[entry] for each in training if entry in each and isfinite(each[entry])]
    cut = float(np.median(finite)) if finite else 0.0
    of_here = np.array([each.get(entry, nan) for each in testing])
    of_there = np.array([nan if loss is None else -loss for loss in backwards])
    return Event(cut, cut < 0).proved(of_there, of_here, 0.0, false_alarm)[0]


def _felt(losses: Sequence[Losses], most: float) -> Entry:
    """Return the entry with the largest effect on average, where a loss counts up to `most`."""
    felt: dict[Entry, float] = {}
    for each in losses:
        for entry, loss in each.items():
            if loss:
                felt[entry] = felt.get(entry, 0.0) + min(abs(loss), most)
    return max(felt, key=lambda entry: felt[entry]) if felt else (0, 1, 1)


def _fit(tracker: Tracker, played: Sequence[Transcript], rng: np.random.Generator) -> float:
    """Return twice the smaller p-value of two Kolmogorov-Smirnov tests: of the phases' lengths and of the nodes' noise.

    A phase of c bits means that its length fell into (c - 1, c]; a point in that interval is drawn from the length's
    distribution, which makes its quantile uniform.
    """
    from scipy import stats  # a second of import, which listing the kinds should not cost

    judged = [each for each in played if not each.strange]
    noise = [one for each in judged for one in nodes(each.counts, each.values, tracker.constants.counter)]
    quantiles = []
    for bits in (bits for each in judged for bits in each.counts[: len(each.ends)]):
        low, high = tracker.length_below(bits - 1), tracker.length_below(bits)
        quantiles.append(low + (high - low) * rng.random())
    if not quantiles or not noise:
        return 1.0
    lengths = stats.kstest(quantiles, "uniform").pvalue
    counter = stats.kstest(np.array(noise) / tracker.node_scale, "laplace").pvalue
    return float(min(1.0, 2 * min(lengths, counter)))
