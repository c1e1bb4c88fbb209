"""What Xiong, Zhu, Huang 2023 and docs/proofs.md state of the thresholds given the transcript, on small rounds.

Each function returns a measured value over the statement's bound: at most 1 where the statement is true. A statement
with free constants (for every c > 0 …) is taken at the worst of them: a probability above v that may be at most
delta / c with c growing with v is checked at each value v that occurs. All is counted in bits, the paper's q times m.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from math import exp, inf, tanh

import numpy as np
from small_tracker import Array, Histories

TINY = 1e-12
"""What rounding may make of 0."""
Query = Callable[[Array], Array]
"""From the bits of the blocks in work to a number that one bit changes by at most 1."""


def linear(bits: Array) -> Array:
    """The paper's query (equation 1), but for the full blocks, which are known."""
    return bits.astype(float)


def beyond_one(bits: Array) -> Array:
    """A query of low sensitivity that is not linear: the bits beyond the first."""
    return np.maximum(bits - 1.0, 0.0)


# ---------------------------------------------------------------------- of single transcripts: all adversaries at once


def moved_threshold(here: Histories, epsilon: float, leaked: Array | None = None) -> float:
    """Definition 3, Lemma 5: the loss of a transcript by another threshold outside its leaked set, over epsilon."""
    leaked = here.leaked if leaked is None else leaked
    losses = []
    for entry in range(here.small.entries):
        chances = _by_place(here, entry)[~leaked[:, entry]]
        places = chances.shape[1]
        losses += [loss_of(chances[:, a], chances[:, b]) for a in range(places) for b in range(a)]
    return max(losses) / epsilon


def odds(here: Histories, x: float, leaked: Array | None = None) -> float:
    """The odds bound of docs/proofs.md: ln of the odds that a block's bit has been sent over those before, over x.

    The odds are those given the thresholds of all other blocks, whatever they are; only blocks in work are asked about.
    """
    small, leaked = here.small, here.leaked if leaked is None else leaked
    losses = [0.0]
    for site in range(small.sites):
        block, offset = np.divmod(here.fed[:, site], small.size)
        for entry, place in np.unique(np.stack((site * small.blocks + block, offset), axis=1)[offset > 0], axis=0):
            rows = (offset == place) & (site * small.blocks + block == entry) & ~leaked[:, entry] & ~here.over
            chances = _by_place(here, entry)[rows]
            losses += [loss_of(chances[:, sent], chances[:, not_yet])
                       for sent in range(place) for not_yet in range(place, small.size)]  # fmt: skip
    return max(losses) / x


def shift(here: Histories, x: float, leaked: Array | None = None) -> tuple[float, float]:
    """The mean shift of docs/proofs.md, over its bounds: upwards k tanh(x / 4) + leaked, downwards k tanh(x / 4)."""
    small = here.small
    going = here.pick(~here.over & (here.law.sum(axis=1) > 0))
    if not len(going):
        return 0.0, 0.0
    found = _posterior(going)
    bits = np.einsum("nd,nd->n", found, going.bits[:, -1]) - going.items[:, -1] / small.size
    held = leaks_in_work(going) if leaked is None else leaked
    room = small.sites * tanh(x / 4)
    return float((bits / (room + held)).max()), float((-bits / room).max())


def leaks_in_work(here: Histories) -> Array:
    """Return how many blocks in work are in the leaked set of each transcript."""
    return _in_work_and_leaked(here).sum(axis=1)


def leaked_upwards(here: Histories, named: int = 0) -> float:
    """That a leaked block's bit has been *sent*: the largest posterior chance that it has not.

    With `named` the leaked set is broken: it names the site that many after the one that ended the phase.
    """
    small = here.small
    going = here.pick(~here.over & (here.law.sum(axis=1) > 0))
    going = replace(going, leaked=np.roll(going.leaked, named * small.blocks, axis=1))
    found = _posterior(going)
    doubt = [0.0]
    for row, site in zip(*np.nonzero(_in_work_and_leaked(going)), strict=True):
        block, offset = divmod(going.fed[row, site], small.size)
        sent = small.databases[:, site * small.blocks + block] <= offset
        doubt.append(1.0 - float(found[row] @ sent))
    return max(doubt)


def _in_work_and_leaked(here: Histories) -> Array:
    small = here.small
    block, offset = np.divmod(here.fed, small.size)
    entry = np.arange(small.sites) * small.blocks + np.minimum(block, small.blocks - 1)
    marked: Array = np.take_along_axis(here.leaked, entry, axis=1) & (offset > 0)
    return marked


def _by_place(here: Histories, entry: int) -> Array:
    """Return the chances of the transcripts: a row each, then by the place of one threshold, then by all the others."""
    places, m = len(here.small.places), here.small.entries
    table = here.law.reshape(len(here), *[places] * m)
    return np.moveaxis(table, entry + 1, 1).reshape(len(here), places, -1)


def _posterior(here: Histories) -> Array:
    """Return Q_pi: the chance of each database given each transcript."""
    found: Array = here.law / here.law.sum(axis=1, keepdims=True)
    return found


# ---------------------------------------------------------------------- of one adversary: laws over all transcripts


class Game:
    """All transcripts of games against one adversary, with what the lemmas speak of.

    Parameters
    ----------
    here
        The transcripts, as `small_tracker.played` returns them.
    query
        What is asked of the bits of the blocks in work, at every step.
    leaked
        The leaked set, if it is to be another than the transcripts'.
    most
        The bits that an answer may add to those of the full blocks: an answer is cut off there, and as far below what
        can be true as this is above it. By default as many as there are sites, the most that can be true.
    at_releases
        Whether it is asked only when a new value has been shown, and not at every step.
    """

    def __init__(
        self,
        here: Histories,
        query: Query = linear,
        leaked: Array | None = None,
        most: float | None = None,
        at_releases: bool = False,
    ) -> None:
        small = self.small = here.small
        self.here = here
        self.leaked = here.leaked if leaked is None else leaked
        self.kappa = int(self.leaked.sum(axis=1).max())
        self.chance: Array = here.law.mean(axis=1)
        in_work = here.bits - here.whole[..., None]
        sample = query(in_work)
        most = small.sites if most is None else most
        answers = query(np.clip(here.answers - here.whole, small.sites - most, most))
        # equation 1: the expected number of bits is the items over the size of a block
        expected = here.items / small.size - here.whole if query is linear else sample.mean(axis=-1)
        posterior = np.einsum("nd,ntd->nt", _posterior(here), sample)
        asked = np.ones(here.items.shape, dtype=bool)
        if at_releases:
            asked = np.diff(here.released, axis=1, prepend=0) > 0
        self.posterior_shift: Array = (np.abs(posterior - expected) * asked).max(axis=1)
        """max_t |q_t(Q_pi) - q_t(P^m)|."""
        self.prior_error: Array = (np.abs(answers - expected) * asked).max(axis=1)
        """max_t |a_t - q_t(P^m)|."""
        self.posterior_error: Array = (np.abs(answers - posterior) * asked).max(axis=1)
        """max_t |a_t - q_t(Q_pi)|."""
        self.sample_error: Array = (np.abs(answers[..., None] - sample) * asked[..., None]).max(axis=1)
        """max_t |a_t - q_t(S)|, a column a database."""

    def beyond(self, values: Array, bound: float) -> list[tuple[float, float]]:
        """Return for each value v above the bound that occurs: (v - bound, the probability of v or more)."""
        above = np.unique(values[values > bound + TINY])
        return [(float(v) - bound, float(self.chance[values >= v - TINY].sum())) for v in above]

    def failure(self, accuracy: float) -> float:
        """Return beta: the probability that the sample error is the accuracy or more at some step (Definition 2)."""
        return float((self.here.law * (self.sample_error >= accuracy - TINY)).sum() / self.here.law.shape[1])

    def accuracies(self) -> Array:
        """Return accuracies with a failure probability between 0 and 1, and one that never fails."""
        values = np.unique(self.sample_error)
        return np.append(values[:: max(1, len(values) // 12)], values[-1] + 1)

    @cache  # noqa: B019 - a handful of games, which the tests keep anyway
    def delta(self, epsilon: float) -> float:
        """Return the least delta with which Definition 3 holds against this adversary."""
        worst = 0.0
        for entry in range(self.small.entries):
            chances = _by_place(self.here, entry)[~self.leaked[:, entry]]
            excess = np.maximum(chances[:, :, None] - exp(epsilon) * chances[:, None], 0).sum(axis=0)
            worst = max(worst, float(excess.max(initial=0.0)))
        return worst

    def conditioned(self, epsilon: float) -> float:
        """Return the least delta with which Lemma 8 holds: one threshold is known, the others are averaged over."""
        worst = 0.0
        for entry in range(self.small.entries):
            chances = _by_place(self.here, entry)[~self.leaked[:, entry]].mean(axis=2)
            excess = np.maximum(chances - exp(epsilon) * chances.mean(axis=1, keepdims=True), 0).sum(axis=0)
            worst = max(worst, float(excess.max(initial=0.0)))
        return worst


def lemma_8(game: Game, epsilon: float, delta: float) -> float:
    """Lemma 8: delta needed over delta."""
    return _over(game.conditioned(epsilon), delta)


def posterior_near_prior(game: Game, bound: float, delta: float, unit: float, spread: float = 1.0) -> float:
    """Lemmas 3, 4, 9 and 11: Pr[shift > bound + c unit] is at most spread delta / c for every c."""
    needed = [probability * (more / unit) for more, probability in game.beyond(game.posterior_shift, bound)]
    return _over(max(needed, default=0.0), spread * delta)


def near_posterior(game: Game, unit: float, values: Array | None = None, promised: Game | None = None) -> float:
    """Lemmas 2 and 10: Pr[|a - q(Q)| > alpha + c unit] is at most beta / c for every c and alpha."""
    values = game.posterior_error if values is None else values
    promised = promised or game
    ratios = [0.0]
    for accuracy in promised.accuracies():
        beta = promised.failure(float(accuracy))
        ratios += [_over(p * (more / unit), beta) for more, p in game.beyond(values, float(accuracy))]
    return max(ratios)


def theorem_5(game: Game, loss: float, kappa: int, promised: Game | None = None) -> float:
    """Theorem 5 at delta = 0: Pr[|a - q(P)| > (e^eps - 1) k + kappa + alpha + d m] is at most beta / d."""
    promised = promised or game
    small = game.small
    ratios = [0.0]
    for accuracy in promised.accuracies():
        beta = promised.failure(float(accuracy))
        bound = growth(loss) * small.sites + kappa + float(accuracy)
        ratios += [_over(p * more / small.entries, beta) for more, p in game.beyond(game.prior_error, bound)]
    return max(ratios)


def largest_shift(games: Sequence[Game], bound: float) -> float:
    """The largest shift of the posterior at all over what it may be where delta = 0."""
    return max(float(game.posterior_shift[game.chance > 0].max()) for game in games) / bound


def _over(needed: float, given: float) -> float:
    if needed <= TINY:
        return 0.0
    return needed / given if given > 0 else inf


def loss_of(chances: Array, others: Array) -> float:
    """Return the largest |ln| of the ratio of two arrays of chances; where both are 0 nothing happened."""
    some = (chances > 0) | (others > 0)
    a, b = chances[some], others[some]
    if not a.size:
        return 0.0
    with np.errstate(divide="ignore"):
        return float(np.abs(np.log(a) - np.log(b)).max())


def growth(loss: float) -> float:
    """Return e^loss - 1."""
    return exp(loss) - 1
