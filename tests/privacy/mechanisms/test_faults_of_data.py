"""Faults of mechanisms on private data break the part that they name; shipped claims have each fault as a control."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
import yaml

from disttrack.privacy.adversaries import Churn
from disttrack.privacy.mechanisms import FullyDynamic, InsertedMinusDeleted, ReleaseMonitor, SparseVectorMonitor
from disttrack.simulator.experiments.scenario.shipped import shipped_scenarios
from disttrack.simulator.game.tasks.duel import play_duel
from disttrack.simulator.kinds.faults import broken, faults_of
from disttrack.simulator.kinds.registry import kinds


@pytest.mark.parametrize("name", faults_of(FullyDynamic))
def test_a_broken_mechanism_is_one_of_its_class_and_crosses_processes(name: str) -> None:
    right = FullyDynamic(1.0)
    wrong = broken(right, name)
    assert isinstance(wrong, FullyDynamic)
    assert wrong.fault == name
    assert wrong == broken(right, name) == pickle.loads(pickle.dumps(wrong)) != right


def test_each_fault_is_the_control_of_a_shipped_claim() -> None:
    used = {
        claim.get("control", {}).get("fault")
        for path in shipped_scenarios().values()
        for claim in yaml.safe_load(path.read_text(encoding="utf-8"))["claims"]
    }
    stated = {name for kind in kinds("protocol").values() for name in faults_of(kind.load())}
    assert len(stated) >= 10
    assert stated <= used


@pytest.mark.parametrize("kind", [FullyDynamic, InsertedMinusDeleted])
def test_answers_of_zero_come_when_answers_are_new(kind: Any) -> None:
    """The data set is as large as ever, and so is the error."""
    games = [play_duel(one, Churn(peak=40), steps=60, seed=2) for one in (kind(1e6), broken(kind(1e6), "answers-zero"))]
    right, wrong = games
    assert right.output_changes == wrong.output_changes > 40
    assert wrong.late_error == wrong.late_zero == right.late_zero > 39 > 1 > right.late_error


@pytest.mark.parametrize(("fault", "times"), [("half-noise", 2.0), ("tenfold-noise", 0.1)])
def test_a_test_with_other_noise_is_that_of_another_epsilon(fault: str, times: float) -> None:
    monitor = SparseVectorMonitor(8, 0.5)
    assert broken(monitor, fault).test().epsilon == pytest.approx(times * monitor.test().epsilon)


def test_a_delta_is_doubled_and_stays_below_1() -> None:
    assert broken(ReleaseMonitor(8, 0.1), "half-noise").halting_times() == ReleaseMonitor(8, 0.2)
    assert broken(ReleaseMonitor(8, 0.7), "half-noise").halting_times() == ReleaseMonitor(8, 0.999)
