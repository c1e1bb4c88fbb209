"""Where an epsilon goes: ledgers of counters, of the robust tracker, and of what keeps its own."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from disttrack.mechanisms import COUNTERS, Binary, PrivatePartition, SquareRoot
from disttrack.mechanisms.counters import counter
from disttrack.privacy.audit_command import audit
from disttrack.privacy.mechanisms import FullyDynamic, ReleaseMonitor
from disttrack.privacy.mechanisms.accounting import Overdrawn
from disttrack.privacy.tasks.audit.budget import budget_lines, budget_of
from disttrack.protocols import Deterministic, Robust
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.kinds.faults import broken


@pytest.mark.parametrize("kind", COUNTERS)
def test_no_entry_of_a_counter_costs_more_than_its_epsilon(kind: str) -> None:
    spent, delta = budget_of(counter(kind, 0.5, 32)).spent
    assert 0.25 < spent <= 0.5 * (1 + 1e-9)
    assert delta == (1e-6 if COUNTERS[kind].privacy == "approximate" else 0)


def test_what_draws_more_than_it_claims_overdraws() -> None:
    """The published number of levels of the binary mechanism is one too few."""
    with pytest.raises(Overdrawn, match=r"sum of steps 1 to 4 asks for epsilon 0\.5, and 0 of 1 are left"):
        budget_of(Binary(1.0, 4, literal=True))
    with pytest.raises(ScenarioError, match="are left"):
        budget_lines(Binary(1.0, 4, literal=True))


def test_the_robust_tracker_spends_half_on_its_phases_and_half_on_its_counter() -> None:
    ledger = budget_of(Robust(alpha=0.1), sites=64)
    assert ledger.spent[0] == pytest.approx(ledger.epsilon)
    phases = sum(use.epsilon for use in ledger.uses.values())
    assert phases == pytest.approx(ledger.epsilon / 2)
    assert sum(part.spent[0] for part in ledger.parts) == pytest.approx(ledger.epsilon / 2)


def test_dynamic_mechanisms_show_their_own() -> None:
    said = "\n".join(budget_lines(FullyDynamic(1.0)))
    assert "partition: 0.5 of epsilon 0.5, in parallel" in said
    assert "round 1:" in said


@pytest.mark.parametrize("thing", [PrivatePartition(1.0), SquareRoot(1.0, 8)], ids=lambda thing: thing.kind)
def test_what_has_no_parts_is_one_use(thing) -> None:
    assert budget_of(thing).spent[0] == 1.0


@pytest.mark.parametrize("thing", [Deterministic(alpha=0.1), ReleaseMonitor(4, 0.1)], ids=lambda thing: thing.kind)
def test_what_claims_no_epsilon_has_no_budget(thing) -> None:
    with pytest.raises(ScenarioError, match="claims no epsilon"):
        budget_of(thing)


def test_the_command_prints_trees_and_refuses_overdrafts() -> None:
    done = CliRunner().invoke(audit, ["binary horizon=4", "--budget"], standalone_mode=False)
    assert done.return_value == 0
    assert "binary: 1 of epsilon 1, in sequence\n  sum of step 1: 0.3333\n" in done.output
    refused = CliRunner().invoke(audit, ["binary literal=true", "--budget"], standalone_mode=False)
    assert refused.return_value == 1


def test_a_fault_of_the_noise_is_not_the_ledgers_business() -> None:
    """A ledger keeps what is claimed of each draw; that the draws are what they claim is for audits to see."""
    assert budget_of(broken(Binary(1.0, 4), "half-noise")).spent[0] == pytest.approx(1.0)
