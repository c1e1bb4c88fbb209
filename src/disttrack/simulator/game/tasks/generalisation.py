"""The task `generalisation`: the distance of the bits sent from their expected number, and the bounds of theorems.

A site at its e-th item of a block of D has sent that block's bit with probability e / D, so the sites' expected
number of bits in a round is its items over D, for any adversary. An adversary that reacts makes the number of bits
actually sent differ from that by more than chance would: the privacy of the thresholds limits the difference.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from math import log, sqrt, tanh
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from disttrack.mechanisms.noise import Floats
from disttrack.mechanisms.rules import BlockLayout
from disttrack.protocols import Block, Robust
from disttrack.protocols.rounds.constants import Constants
from disttrack.simulator.errors import ScenarioError, must_be
from disttrack.simulator.game.engine_choice import LEAP
from disttrack.simulator.game.outcome import Game
from disttrack.simulator.game.tasks.answers import HELD, OVER_ALPHA, WORDS, Answer
from disttrack.simulator.game.tasks.base import Demand, Record
from disttrack.simulator.game.tasks.tracking import RATES, Count, check_no_rests, record_of, skips
from disttrack.simulator.kinds.point import Point

RARE: Final = 0.05
"""The eta of Theorems 6 and 7 for which tails are measured."""


@dataclass(frozen=True)
class Round:
    """A round of a recorded game, in bits.

    Attributes
    ----------
    number
        From 1.
    begun_with
        Items counted when it began, N0.
    size
        Items in a block, D.
    complete
        Whether it ended with a poll.
    initial
        The server's estimate of the bits before the first change.
    bits, expected
        At each change of the output, and at the last item: bits sent so far, and their expected number.
    estimates
        The server's estimate of the bits from each of these changes on; that of a poll is exact and left out.
    deviation
        Largest distance of the bits from their expected number, at all steps.
    of
        Constants of the round, for the error that it allows; None without privacy.
    """

    number: int
    begun_with: int
    size: int
    complete: bool
    initial: float
    bits: NDArray[np.int64]
    expected: Floats
    estimates: Floats
    deviation: float
    of: Constants | None = None

    @property
    def sample_error(self) -> float:
        """Largest distance of the estimate from the bits: when it is new, and before the next one."""
        return self._largest(self.bits, self.bits - 1)

    @property
    def counter_error(self) -> float:
        """Largest distance of a new estimate from the bits."""
        return float(np.abs(self.estimates - self.bits[: len(self.estimates)]).max(initial=0.0))

    @property
    def total_error(self) -> float:
        """Largest distance of the estimate from the expected number of bits, when it is new or about to be replaced."""
        return self._largest(self.expected, self.expected)

    @property
    def gained(self) -> float:
        """Bits beyond their expected number at the last item."""
        return float(self.bits[-1] - self.expected[-1])

    @property
    def differences(self) -> tuple[float, float]:
        """Differences of two errors of new estimates, from expected bits and from bits: the largest and the mean.

        The mean over the changes of the output is a linear query as well; it depends on the blocks of the whole round.
        """
        errors = self.estimates - self.bits[: len(self.estimates)]
        from_expected = self.estimates - self.expected[: len(self.estimates)]
        largest = np.abs(from_expected).max(initial=0.0) - np.abs(errors).max(initial=0.0)
        return abs(float(largest)), abs(abs(float(from_expected.mean())) - abs(float(errors.mean())))

    def mixed_squares(self, bits: int) -> Floats:
        """Squares of bits - expected bits at the changes from a given number of bits on."""
        late = self.bits >= bits
        return np.asarray(np.square(self.bits[late] - self.expected[late]))

    def _largest(self, when_new: Floats | NDArray[np.int64], when_old: Floats | NDArray[np.int64]) -> float:
        """Return the largest distance of the estimates from these values when they begin and when they end."""
        new = np.abs(self.estimates - when_new[: len(self.estimates)])
        standing = np.concatenate(([self.initial], self.estimates))[: len(self.bits)]
        return float(max(new.max(initial=0.0), np.abs(standing - when_old).max(initial=0.0)))


def rounds_of(game: Game, protocol: Robust | Block) -> Iterator[Round]:
    """Yield the rounds of a game played with ``record=True`` and without skipped steps.

    The round in which the game ends is the last one, and incomplete. Between two rounds items may be forwarded.
    """
    transcript = game.transcript
    kinds, steps = transcript["kind"].to_numpy(), transcript["step"].to_numpy()
    bit_steps = steps[kinds == "bit"]
    begins = np.unique(steps[(kinds == "round") | (kinds == "poll")]).tolist()
    if game.start and protocol.block_size(game.sites, 1, game.start):
        begins = [0, *begins]
    outputs = game.outputs
    change_steps = outputs["step"].to_numpy()
    values = outputs["output"].to_numpy(dtype=float)
    number, announced = 1, 0
    for begin, end in pairwise([*begins, None]):
        base = game.start + begin
        size = protocol.block_size(game.sites, number, announced or base)
        if not size:  # the constants of this round need more items than those of the round before
            announced = 0
            continue
        last = game.items if end is None else end
        # the poll's output is the truth, and not one of the server's estimates
        chosen = (change_steps > begin) & ((change_steps <= last) if end is None else (change_steps < last))
        at, shown = change_steps[chosen], values[chosen]
        if not len(at) or at[-1] < last:
            at = np.append(at, last)
        sent = bit_steps[(bit_steps > begin) & (bit_steps <= last)]
        bits = np.searchsorted(sent, at, side="right")
        layout = BlockLayout(size)
        of = None
        if isinstance(protocol, Robust):
            of = protocol.constants(game.sites, number).fitted(protocol.alpha * base / size)
            if of.ahead:  # then the next block size is computed from the bits
                announced = base + size * int(bits[-1])
        yield Round(
            number, base, size, end is not None, of.shift if of else 0.0, bits, layout.signals(at - begin),
            (shown - base) / size, largest_deviation(sent - begin, last - begin, layout), of,
        )  # fmt: skip
        number += 1


def largest_deviation(sent: NDArray[np.int64], items: int, layout: BlockLayout) -> float:
    """Return the largest |bits - expected bits| over a round: between two bits it is largest at one of the ends.

    Parameters
    ----------
    sent
        The items of the round that sent a bit, by their number from 1, increasing.
    items
        Items of the round.

    Examples
    --------
    >>> largest_deviation(np.array([1, 7]), 8, BlockLayout(4))
    0.75
    """
    bits = np.arange(1, len(sent) + 1)
    high = bits - layout.signals(sent)
    low = np.append(layout.signals(sent - 1) - (bits - 1), layout.signals(items) - len(sent))
    return float(max(high.max(initial=0.0), low.max()))


def proven_gain(sites: int, epsilon: float, leaked: float) -> float:
    """Return how many bits beyond their expected number an adversary can cause on average: k tanh(epsilon / 8) + kappa.

    The argument of docs/proofs.md: the transcript up to any moment loses epsilon / 2 for a block that is not leaked,
    which bounds the odds of its bit, and a leaked one adds 1 at most. Theorems 4 and 7 allow more.

    Examples
    --------
    >>> round(proven_gain(100, 0.5, 10), 3)
    16.242
    """
    return sites * tanh(epsilon / 8) + leaked


def tail(sites: int) -> float:
    """Return the bits that k independent ones differ by beyond their mean but with probability `RARE`, by Hoeffding.

    Theorems 6 and 7 allow twice that, by Azuma's inequality.

    Examples
    --------
    >>> round(tail(100), 2)
    13.58
    """
    return sqrt(sites * log(2 / RARE) / 2)


def half_a_bit(size: int) -> float:
    """Return the mean of 1 - r / D: the excess of a site that is left right after its bit."""
    return (size - 1) / (2 * size)


def chance(sites: int, size: int) -> float:
    """Return the mean of (bits - expected bits)^2 right after a bit, for sites at random places in their blocks.

    The site that has just sent its bit adds the mean of (1 - r / D)^2, each other one that of (e / D)(1 - e / D).
    """
    return ((sites - 1) * (size**2 - 1) + (size - 1) * (2 * size - 1)) / (6 * size**2)


@dataclass
class Measures:
    """The columns of the task, of a round or of a game; None where there is nothing to measure."""

    deviation: float | None = None
    gain: float | None = None
    over_proven: float | None = None
    average_gain: float | None = None
    difference: float | None = None
    average_difference: float | None = None
    rare_difference: float | None = None
    rare_average: float | None = None
    chance: float | None = None
    sample_error: float | None = None
    over_equation2: float | None = None
    over_equation3: float | None = None
    over_budget: float | None = None
    leaked: float | None = None
    leaked_over_phases: float | None = None
    least_bits: float | None = None
    most_bits: float | None = None
    rounds_measured: int | None = None


class Generalisation(Count):
    """Count tracking by random thresholds, measured in bits against the theorems that bound its generalisation error.

    Columns: `deviation` is the largest |bits - expected bits| at any step. Averages over complete rounds: `gain` is
    bits - expected bits at the end over (D - 1) / (2 D) of a bit for each leaked threshold (for each site, if all are
    shown), which is the excess of a site that is left right after its bit; `over_proven` is the same over
    k tanh(epsilon / 8) + the leaked thresholds, and `average_gain` the average over the changes of the output over the
    same with those leaked so far. `difference` is how far the largest error of a new estimate from the expected bits
    is from that from the bits, and `average_difference` the same of the average error, over the same bounds;
    `rare_difference` and `rare_average` are the largest of these in bits, over the bounds with what Hoeffding's
    inequality adds at a probability of 0.05. `chance` is the square of the difference where the output changes,
    after the first three blocks per site, over its mean for sites at random places in their blocks. `sample_error`
    is the largest |estimate - bits|; with the paper's constants `over_equation3` is the same over 4 C sqrt k, and
    `over_equation2` the counter's part of it over C sqrt k. `over_budget` is the largest |estimate - expected bits|
    over the allowance of the round: 8 C sqrt k with the paper's constants (Lemma 7), else alpha N0 over the block size.
    `leaked` is the largest leaked set of a round, `leaked_over_phases` its share of the phases; `least_bits` and
    `most_bits` are the bits of a complete round over C k. Columns that need privacy are empty without it.
    """

    kind: ClassVar[str] = "generalisation"
    labels: ClassVar = {"deviation": "largest deviation, in items"}
    rules: ClassVar[int] = 7
    columns: ClassVar[Sequence[str]] = tuple(column.name for column in fields(Measures))
    answers: ClassVar[Sequence[Answer]] = (
        HELD,
        OVER_ALPHA,
        Answer("deviation", "largest distance from the expected bits", "deviation", rank=0),
        Answer("gain", "bits beyond the expected, over half the leaked thresholds", "gain", "mean"),
        Answer("over proven", "bits beyond the expected, over what is proven", "over_proven", "mean"),
        Answer("over budget", "error, over what a round allows", "over_budget", rank=2),
        replace(WORDS, rank=3),
    )

    def check(self, point: Point) -> None:
        super().check(point)
        if not isinstance(point.protocol.make(), Robust | Block):
            raise point.protocol.wrong(must_be(f"robust or block in task {self.kind}", point.protocol.kind))
        point.check_no_network()
        check_no_rests(point)

    def demand(self, point: Point) -> Demand:
        """Return the same, with the time of `leap`: a game is recorded, so that no compiled functions play it."""
        known = super().demand(point)
        return replace(known, seconds=known.messages / (4 * RATES[LEAP][0]))  # a third of the bound is sent

    def play(self, point: Point, seed: int) -> Record:
        game = self.game(point, seed=seed, record=True)
        if len(game.series) and int(game.series["step"].iloc[-1]) != game.items:
            raise ScenarioError(skips(point, self.kind))
        return record_of(game, **vars(measured(game, point.protocol.make())))


def measured(game: Game, protocol: Robust | Block) -> Measures:
    """Return the columns of the task for a recorded game."""
    k, rounds = game.sites, list(rounds_of(game, protocol))
    leaks = Counter(number for number, _, _ in game.extra.get("leaked", ()))
    rows = []
    for each in rounds:
        row = Measures(deviation=each.deviation, sample_error=each.sample_error)
        if each.of is not None:
            row.leaked = leaks[each.number]
            row.leaked_over_phases = row.leaked / each.of.phases
            row.over_budget = each.total_error / each.of.divisor
            if isinstance(protocol, Robust) and protocol.parameters == "paper":
                unit = each.of.c * sqrt(k)
                row.over_equation2, row.over_equation3 = each.counter_error / unit, each.sample_error / (4 * unit)
        rows.append(row)
    known = {name: [value for row in rows if (value := vars(row)[name]) is not None] for name in vars(Measures())}
    columns = Measures(**{name: max(values, default=None) for name, values in known.items()})
    columns.rounds_measured = len(rounds)
    whole = [each for each in rounds if each.complete]
    hidden = [each for each in whole if each.size > 1]
    columns.gain = _mean(each.gained / ((each.of.phases if each.of else k) * half_a_bit(each.size)) for each in hidden)
    private = [(each, each.of) for each in hidden if each.of is not None]
    columns.over_proven = _mean(each.gained / proven_gain(k, of.epsilon, of.phases) for each, of in private)
    _compare(columns, k, private)
    columns.chance = _mean(square / chance(k, each.size) for each, _ in private for square in each.mixed_squares(3 * k))
    bits = [int(each.bits[-1]) / (each.of.c * k) for each in whole if each.of is not None]
    columns.least_bits, columns.most_bits = min(bits, default=None), max(bits, default=None)
    return columns


def _compare(columns: Measures, k: int, rounds: Sequence[tuple[Round, Constants]]) -> None:
    """Fill the columns that compare errors of bits and of answers with what is proven, for private rounds."""
    rows = []
    for each, of in rounds:
        new = len(each.estimates)
        if not new:  # it ended before its first phase
            continue
        at_end, on_average = (proven_gain(k, of.epsilon, leaked) for leaked in (of.phases, (new + 1) / 2))
        largest, average = each.differences
        gain = float((each.bits - each.expected)[:new].mean()) / on_average
        rare = largest / (at_end + tail(k)), average / (on_average + tail(k))
        rows.append((gain, largest / at_end, average / on_average, *rare))
    if rows:
        gains, differences, averages, *rarest = zip(*rows, strict=True)
        columns.average_gain, columns.difference = _mean(gains), _mean(differences)
        columns.average_difference = _mean(averages)
        columns.rare_difference, columns.rare_average = map(max, rarest)


def _mean(values: Iterable[float]) -> float | None:
    """Return the mean of some numbers; None without numbers."""
    numbers = [*values]
    return float(np.mean(numbers)) if numbers else None
