"""Audits: no shipped mechanism is refuted, every planted fault is.

False alarms: an audit of a right mechanism refutes it with probability `false_alarm` at most (two one-sided
Clopper-Pearson bounds at half of that each; the event is chosen on other runs): 1e-6 here, 1e-4 unless said. Seeds are
fixed. Power: the planted faults are the named wrong alternatives, each told apart with near certainty.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import planted_faults as faults
import pytest
from scipy import stats

from disttrack.adversaries import Freeze, RoundRobin
from disttrack.mechanisms import Binary, PerItem
from disttrack.privacy.mechanisms import MECHANISMS, Learner
from disttrack.privacy.tasks.audit import audit_mechanism, audit_tracker
from disttrack.privacy.tasks.audit.budget import exact_available
from disttrack.privacy.tasks.audit.case import audit_of
from disttrack.privacy.tasks.audit.mechanism import usual
from disttrack.privacy.tasks.audit.task import Audit
from disttrack.protocols import Robust
from disttrack.simulator.kinds.faults import broken
from disttrack.simulator.kinds.registry import parameters

RUNS = 1_000
"""On each input, in each half: both bounds of an event of probability 1/2 cost 0.17 or less."""
FALSE_ALARM = 1e-6
LEARNERS = [kind for kind, one in MECHANISMS.items() if issubclass(one, Learner)]
BY_RUNS = ("counter-monitor", "pmw", "growing-sparse", "jdp-mirror", *LEARNERS)
"""Mechanisms that have no exact loss in tests/privacy/tasks/test_exact_losses.py."""
SEEN = ("binary", "square-root", "pan-private", "above-threshold", "randomized-response")
"""One of the others for each structure of an observation: Laplace, normal, with a memory, a halt, and coins."""
FAULTS = [faults.NoiseReused, faults.ExactMemory, faults.TwoReveals]
"""Of the others exact losses are above the claim: tests/privacy/tasks/test_exact_losses.py."""


def made(cls: Any) -> Any:
    """Return an instance with the parameters under which the audit takes its kind."""
    return cls(**usual(cls.kind, list(parameters(cls))))


@pytest.mark.drawn(5)
@pytest.mark.slow
@pytest.mark.parametrize("name", [*BY_RUNS, *SEEN])
@pytest.mark.false_alarm(1e-6)
def test_no_shipped_mechanism_gives_away_more_than_it_claims(name: str) -> None:
    mechanism = made(Audit.kinds("protocol")[name].load())
    found = audit_mechanism(mechanism, runs=RUNS, seed=3, false_alarm=FALSE_ALARM)
    assert not found.exceeds, found
    assert found.items == (RUNS // 4 if audit_of(mechanism).slow else RUNS)


@pytest.mark.drawn(2)
@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_every_planted_fault_is_found_by_its_runs(fault: Any) -> None:
    """What is found here is far above the claim; of the same classes without the fault nothing is."""
    mechanism = made(fault)
    found = audit_mechanism(mechanism, runs=4_000, seed=5)
    assert found.epsilon_low > found.claimed, found


@pytest.mark.slow
def test_an_audit_finds_most_of_the_loss_of_a_simple_mechanism() -> None:
    """At 3,000 runs both bounds of an event of probability 1/2 cost 0.1 or less: 0.7 of 1 leaves room for 1e-6."""
    found = audit_mechanism(PerItem(1.0, 4), runs=3_000, seed=2)
    assert 0.7 < found.epsilon_low <= 1


@pytest.mark.skipif(not exact_available(), reason="needs dp-accounting, the extra audit")
def test_composition_alone_refutes_a_declared_fault() -> None:
    right, wrong = made(faults.SquareRoot), made(faults.UndeclaredHalf)
    from disttrack.privacy.tasks.audit.budget import accounted

    assert accounted(right, right.delta) < 1 < accounted(wrong, wrong.delta)
    literal = accounted(Binary(1.0, 4, literal=True), 0.0)
    assert accounted(Binary(1.0, 4), 0.0) == pytest.approx(1, abs=2e-3)
    assert literal == pytest.approx(1.5, abs=2e-3)


@pytest.mark.slow
@pytest.mark.parametrize("adversary", [RoundRobin(), Freeze()], ids=lambda adversary: adversary.kind)
def test_the_tracker_loses_no_more_than_epsilon_on_any_transcript(adversary: Any) -> None:
    """A moved bit is felt as the densities say: epsilon / 4 in two phases, and epsilon / 8 in a node of the counter."""
    found = audit_tracker(Robust(alpha=0.1), adversary, transcripts=60, seed=4)
    assert not found.exceeds, found
    assert found.neighbours > 1_000
    assert found.leaked <= 3
    assert adversary.kind == "freeze" or found.largest_loss == pytest.approx(0.625 * found.claimed, rel=1e-9)


@pytest.mark.slow
def test_with_tight_constants_a_transcript_may_lose_all_of_epsilon_and_no_more() -> None:
    """Their counter has a noise an item, so that a moved bit costs twice its epsilon, and twice a phase's: 2x in all.

    Controls: with the nodes of `binary` most of that cancels; half of the noise is seen in 2,000 draws.
    """
    tight = Robust(alpha=0.1, parameters="tight")
    assert tight.constants(80, 1).counter == "per-item"
    found = audit_tracker(tight, sites=80, transcripts=10, seed=1)
    assert not found.exceeds, found
    assert found.largest_loss == pytest.approx(found.claimed, rel=1e-9)
    binary = audit_tracker(Robust(alpha=0.1, parameters="tight", counter="binary"), sites=150, transcripts=2, seed=1)
    assert binary.largest_loss < 0.8 * binary.claimed
    assert audit_tracker(broken(tight, "half-noise"), sites=80, transcripts=20, seed=1).exceeds


@pytest.mark.slow
def test_a_tracker_with_half_of_its_noise_is_refuted() -> None:
    """Its 25th fellow: 600 nodes at half the scale are no stranger than 1e-8, and it has its thresholds' noise too."""
    found = audit_tracker(broken(Robust(alpha=0.1), "half-noise"), transcripts=150, seed=4)
    assert found.exceeds
    assert found.noise_fits < 1e-4 / 2


@pytest.mark.parametrize(("lengths", "noise", "both"), [(0.2, 0.3, 0.4), (0.3, 0.2, 0.4), (0.8, 0.9, 1.0)])
def test_the_fit_of_a_tracker_is_that_of_two_tests(
    lengths: float, noise: float, both: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The smaller p-value counts twice: so the two together are below a rate no oftener than one alone."""
    values = {"uniform": SimpleNamespace(pvalue=lengths), "laplace": SimpleNamespace(pvalue=noise)}
    monkeypatch.setattr(stats, "kstest", lambda _, law: values[law])
    assert audit_tracker(Robust(alpha=0.1), sites=20, transcripts=2, seed=1).noise_fits == both
