"""Audits: exact confidence, the distribution of the tracker's transcripts, the command, and its JSON document."""

from __future__ import annotations

import json
from math import exp, log
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from commands import disttrack
from scipy import stats

from disttrack.adversaries import RoundRobin
from disttrack.privacy.audit_command import audit as command
from disttrack.privacy.tasks.audit import budget as audit_budget
from disttrack.privacy.tasks.audit import epsilon_bound
from disttrack.privacy.tasks.audit.budget import exact_available
from disttrack.privacy.tasks.audit.case import Shape, audit_of, learn
from disttrack.privacy.tasks.audit.mechanism import usual
from disttrack.privacy.tasks.audit.task import Audit
from disttrack.privacy.tasks.audit.tracker import Tracker
from disttrack.protocols import Robust
from disttrack.simulator.experiments.results.formats import number
from disttrack.simulator.kinds.registry import parameters


@pytest.mark.parametrize(("epsilon", "q", "delta"), [(0.0, 0.5, 0.0), (1.0, 0.2, 0.0), (2.0, 0.05, 0.01)])
def test_the_bound_is_too_high_as_rarely_as_it_says(epsilon: float, q: float, delta: float) -> None:
    """By going through all outcomes of 60 runs on each side, at a false-alarm rate of 0.05."""
    runs, rate = 60, 0.05
    p = exp(epsilon) * q + delta
    hits = np.arange(runs + 1)
    ours, theirs = stats.binom.pmf(hits, runs, p), stats.binom.pmf(hits, runs, q)
    wrong = sum(
        ours[i] * theirs[j]
        for i in hits
        for j in hits
        if epsilon_bound(int(i), runs, int(j), runs, delta, rate) > epsilon
    )
    assert wrong <= rate


def test_more_runs_prove_more_and_no_difference_proves_nothing() -> None:
    proved = [epsilon_bound(n // 2, n, n // 8, n) for n in (100, 1_000, 10_000, 1_000_000)]
    assert proved == sorted(proved)
    assert proved[-1] == pytest.approx(log(4), abs=0.02)
    assert epsilon_bound(10, 1_000, 990, 1_000) == 0
    assert epsilon_bound(10, 1_000, 0, 1_000, delta=0.5) == 0


def test_an_event_is_learned_where_there_is_a_difference() -> None:
    """A shift of 3 under Laplace noise of scale 1: the loss is 3, and 20,000 runs prove more than 2.5 of it."""
    rng = np.random.default_rng(0)
    shape = Shape([0.0], [3.0])
    event, score, _ = learn(shape, rng.laplace(0, 1, (20_000, 1)), rng.laplace(3, 1, (20_000, 1)))
    fresh = rng.laplace(0, 1, (20_000, 1)), rng.laplace(3, 1, (20_000, 1))
    proved, hits, other_hits = event.proved(score(fresh[0]), score(fresh[1]), 0.0, 1e-4)
    assert 2.5 < proved == epsilon_bound(hits, 20_000, other_hits, 20_000) <= 3


def tracker(sites: int = 9) -> Tracker:
    return Tracker(Robust(alpha=0.1), RoundRobin(), sites, 4)


def test_a_played_round_is_counted_as_it_was() -> None:
    law = tracker()
    here = law.database(np.random.default_rng(1))
    played = law.play(here, np.random.default_rng(2))
    assert not played.strange
    assert played.over
    assert len(played.ends) == law.constants.phases == len(played.counts)
    assert sum(played.counts) == len(played.bit_steps)
    assert played.ends[-1] == played.bit_steps[-1]
    assert len(played.leaked) == law.constants.phases
    # each of the sites has sent its bits where the database says, in each block that it has passed
    for site, fed in enumerate(played.fed):
        places = [block * law.size + int(here[site, block]) for block in range(len(fed) // law.size)]
        assert {fed[place - 1] for place in places} <= set(played.bit_steps)
    assert abs(len(played.bit_steps) - sum(len(fed) for fed in played.fed) / law.size) < law.sites


def test_a_loss_is_the_difference_of_two_likelihoods() -> None:
    """Moved by hand: the bit of one block leaves its phase for another, all other bits stay."""
    law = tracker()
    here = law.database(np.random.default_rng(1))
    checked = 0
    for seed in range(20):
        played = law.play(here, np.random.default_rng(seed))
        for site in range(law.sites):
            for block in range(1, len(played.fed[site]) // law.size + 1):
                for other in (1, law.size):
                    loss = law.loss(played, here, site, block, other)
                    if not loss:
                        continue
                    begin = (block - 1) * law.size - 1
                    steps = [played.fed[site][begin + place] for place in (int(here[site, block - 1]), other)]
                    bits = sorted([*(step for step in played.bit_steps if step != steps[0]), steps[1]])
                    counts = [
                        sum(low < step <= high for step in bits)
                        for low, high in zip([0, *played.ends], played.ends, strict=False)
                    ]
                    assert counts != played.counts
                    ours = law.log_likelihood(played.counts, played.values, True)
                    theirs = law.log_likelihood(counts, played.values, True)
                    assert loss == pytest.approx(ours - theirs, abs=1e-9)
                    checked += 1
    assert checked > 20


def test_leaked_blocks_and_blocks_never_reached_have_no_loss() -> None:
    law = tracker()
    here = law.database(np.random.default_rng(1))
    played = law.play(here, np.random.default_rng(2))
    for site, block in played.leaked:
        assert law.loss(played, here, site, block, 1) is None
    assert law.loss(played, here, 0, law.blocks, 1) is None


def run(*arguments: str) -> Any:
    return CliRunner().invoke(command, list(arguments), standalone_mode=False)


def test_the_command_compares_with_the_claim_and_says_so_by_its_status() -> None:
    stands = run("per-item", "--runs", "500")
    assert stands.return_value == 0
    assert "stands" in stands.output
    refuted = run("fresh epsilon=0.01", "binary literal=true", "--runs", "500", "--seed", "3")
    if exact_available():
        assert refuted.return_value == 1
        assert "refuted" in refuted.output


def test_without_dp_accounting_one_line_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit_budget, "find_spec", lambda _: None)
    found = run("per-item", "--runs", "200")
    assert found.return_value == 0
    assert "pip install 'disttrack[audit]'" in found.output


OF_STEPS = {name: kind.load() for name, kind in Audit.kinds("protocol").items() if "horizon" in parameters(kind.load())}
"""The audited mechanisms that may have a horizon."""


def test_there_are_mechanisms_with_a_horizon() -> None:
    assert len(OF_STEPS) > 25


@pytest.mark.parametrize("name", OF_STEPS)
def test_an_audit_plays_no_step_past_the_horizon_and_refutes_no_short_one(name: str) -> None:
    """Each case once on each input, and the exact loss: those of a sound mechanism raise nothing, and stand."""
    played = 0
    for horizon in (1, 2, 3):
        made = OF_STEPS[name](**usual(name, list(parameters(OF_STEPS[name]))) | {"horizon": horizon})
        audit = audit_of(made)
        for case in audit.cases:
            for neighbour in (False, True):
                played += len(case.sample(neighbour, 1, np.random.default_rng(0)))
        exact = audit.exact()
        assert exact is None or exact.loss <= exact.proved + 1e-6
    assert played >= 6


def document(*arguments: str, status: int = 0) -> Any:
    result = disttrack(*arguments, "--json")
    assert result.exit_code == status, result.output
    return json.loads(result.stdout, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))


def test_audit_as_a_document() -> None:
    good, bad = document("audit", "randomized-response", "binary literal=true", "--runs", "300", status=1)["audits"]
    assert (good["verdict"], bad["verdict"]) == ("stands", "refuted")
    assert good["claimed"] == bad["claimed"] == 1.0
    assert bad["epsilon_low"] < 1.0 < bad["loss"]  # runs see little, exact losses all


@pytest.mark.quick_cases(0)
def test_the_tracker_is_audited_with_this_number_of_runs() -> None:
    (robust,) = document("audit", "robust", "--runs", "100")["audits"]
    assert (robust["verdict"], robust["items"]) == ("stands", 200)  # on both databases
    assert 0 < robust["largest_loss"] <= robust["claimed"]
    printed = disttrack("audit", "robust", "--runs", "100").stdout
    assert "runs prove: lower bound on epsilon, from the runs alone\n" in printed
    header, row = printed.split("\n")[2:5:2]
    assert row[: header.index("runs prove") + 10].split() == ["stands", "robust", number(robust["epsilon_low"])]
