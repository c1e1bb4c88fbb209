"""The audit of the robust tracker: exact losses of transcripts, a test of its noise, and a lower bound from runs."""

from __future__ import annotations

from math import exp, inf
from typing import Final

import numpy as np

from disttrack.adversaries import RoundRobin
from disttrack.adversaries.base import Adversary
from disttrack.protocols import Robust
from disttrack.simulator.game.streams import streams
from disttrack.simulator.tasks.audit.case import outcome
from disttrack.simulator.tasks.audit.event import FALSE_ALARM, epsilon_bound
from disttrack.simulator.tasks.audit.tracker import Thresholds, Tracker, Transcript
from disttrack.simulator.tasks.base import Record

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

Entry = tuple[int, int, int]
"""A site, a block from 1, and its threshold in the neighbouring database."""


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
    training = [tracker.play(here, rngs["training"]) for _ in range(transcripts)]
    test = [tracker.play(here, rngs["testing"]) for _ in range(transcripts)]
    largest, checked, entry = _exact(tracker, here, training)
    more, more_checked, _ = _exact(tracker, here, test)
    low = _proved(tracker, here, entry, (training, test), rngs["testing neighbour"], false_alarm / 2)
    everything = training + test
    largest, fits = max(largest, more), _fit(tracker, everything, rngs["places"])
    row = {
        "largest_loss": largest,
        "loss_over_epsilon": largest / tracker.epsilon,
        "noise_fits": fits,
        "leaked": max(len(played.leaked) for played in everything),
        "neighbours": checked + more_checked,
        "sites": sites,
    }
    refuted = largest > tracker.epsilon * (1 + ROUNDING) or low > tracker.epsilon or fits < false_alarm / 2
    inputs = f"{sites} sites, blocks of {SIZE} items, fed {tracker.adversary.kind}; one threshold is another"
    return outcome(row, refuted, (tracker.epsilon, 0.0), low, len(everything), inputs)


def _proved(
    tracker: Tracker,
    here: Thresholds,
    entry: Entry,
    played: tuple[list[Transcript], list[Transcript]],
    rng: np.random.Generator,
    false_alarm: float,
) -> float:
    """Return a lower bound on epsilon, from the runs alone.

    Parameters
    ----------
    here, entry
        A database, and the entry in which its neighbour differs.
    played
        Rounds on this database: those for learning the event, and those for testing it.
    rng
        Draws the same number of rounds on the neighbour.
    false_alarm
        Probability that the bound is too high.
    """
    training, test = played
    there = here.copy()
    there[entry[0], entry[1] - 1] = entry[2]
    back = entry[0], entry[1], int(here[entry[0], entry[1] - 1])
    other = [tracker.play(there, rng) for _ in test]
    learned = _scores(tracker, here, training, entry)
    cut = float(np.median(learned[np.isfinite(learned)])) if np.isfinite(learned).any() else 0.0
    reverse = cut < 0
    scores = _scores(tracker, here, test, entry), -_scores(tracker, there, other, back)
    hits = [int(((score <= cut) if reverse else (score >= cut))[~np.isnan(score)].sum()) for score in scores]
    order = hits[::-1] if reverse else hits
    return epsilon_bound(order[0], len(test), order[1], len(other), 0.0, false_alarm)


def _exact(tracker: Tracker, thresholds: Thresholds, played: list[Transcript]) -> tuple[float, int, Entry]:
    """Return the largest exact loss, the number of losses checked, and the entry with the largest effect on average."""
    largest, checked = 0.0, 0
    felt: dict[Entry, float] = {}
    for transcript in played:
        if transcript.strange:
            continue
        for site, fed in enumerate(transcript.fed):
            for block in range(1, -(-len(fed) // tracker.size) + 1):
                for other in range(1, tracker.size + 1):
                    loss = tracker.loss(transcript, thresholds, site, block, other)
                    if loss is None:
                        continue
                    checked += 1
                    if loss:
                        largest = max(largest, abs(loss))
                        entry = site, block, other
                        felt[entry] = felt.get(entry, 0.0) + min(abs(loss), 2 * tracker.epsilon)
    return largest, checked, max(felt, key=lambda entry: felt[entry]) if felt else (0, 1, 1)


def _scores(
    tracker: Tracker, thresholds: Thresholds, played: list[Transcript], entry: Entry
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return the transcripts' losses for one entry; not-a-number if it is leaked or has no effect."""
    losses = [None if each.strange else tracker.loss(each, thresholds, *entry) for each in played]
    return np.array([np.nan if loss is None else loss for loss in losses], dtype=np.float64)


def _fit(tracker: Tracker, played: list[Transcript], rng: np.random.Generator) -> float:
    """Return twice the smaller p-value of two Kolmogorov-Smirnov tests: of the phases' lengths and of the nodes' noise.

    A phase of c bits means that its length fell into (c - 1, c]; a point in that interval is drawn from the length's
    distribution, which makes its quantile uniform.
    """
    from scipy import stats  # a second of import, which listing the kinds should not cost

    quantiles, noise = [], []
    for each in played:
        if each.strange:
            continue
        noise += tracker.nodes(each.counts, each.values)
        for bits in each.counts[: len(each.ends)]:
            low, high = (_laplace((bits - x - tracker.constants.phase_length) / tracker.constants.threshold_scale)
                         for x in (1, 0))  # fmt: skip
            quantiles.append(low + (high - low) * rng.random())
    if not quantiles or not noise:
        return 1.0
    lengths = stats.kstest(quantiles, "uniform").pvalue
    counter = stats.kstest(np.array(noise) / tracker.node_scale, "laplace").pvalue
    return float(min(1.0, 2 * min(lengths, counter)))


def _laplace(x: float) -> float:
    """Return the distribution function of Laplace noise of scale 1."""
    if x in (inf, -inf):
        return float(x > 0)
    return exp(x) / 2 if x < 0 else 1 - exp(-x) / 2
