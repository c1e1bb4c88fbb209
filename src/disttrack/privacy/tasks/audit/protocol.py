"""The audit of the robust tracker: exact losses of transcripts, a test of its noise, and a lower bound from runs."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite, nan
from typing import Final

import numpy as np

from disttrack.adversaries import RoundRobin
from disttrack.adversaries.base import Adversary
from disttrack.privacy.tasks.audit.case import outcome
from disttrack.privacy.tasks.audit.event import FALSE_ALARM, Event
from disttrack.privacy.tasks.audit.tracker import Entry, Losses, Thresholds, Tracker, Transcript, nodes
from disttrack.protocols import Robust
from disttrack.simulator.game.streams import streams
from disttrack.simulator.game.tasks.base import Record

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
