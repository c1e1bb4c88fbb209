"""Robust: a round by hand, its parameters and what each of them does, and that rounds are as they say."""

from __future__ import annotations

import pickle
from itertools import pairwise
from math import ceil, exp, sqrt

import numpy as np
import pytest

from disttrack.adversaries import Adversary, Drain, Freeze, RoundRobin, SingleSite
from disttrack.mechanisms.counters import KINDS
from disttrack.protocols import Robust
from disttrack.protocols.rounds.robust import AS_THE_PAPERS
from disttrack.protocols.rounds.tight import known_noise
from disttrack.simulator import check_protocol, play


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("engine", ["leap", "step", "bulk"])
def test_a_first_round_of_empty_phases_does_not_make_the_server_deaf(engine: str) -> None:
    """With one site and delta = 1/2 one round in twelve is over before it begins; its poll comes with the first bit.

    Before, such a round's bits were not heard in a game with a known start, whose output then stood still for ever:
    25 of 300 games failed. Now 2 of 3,000 do; at three times that rate eight of 300 have a probability below 1e-6.
    """
    protocol = Robust(alpha=0.5, delta=0.5)
    found = protocol.constants(1, 1)
    assert exp(-found.phase_length / found.threshold_scale) / 2 > 0.07
    games = [
        play(protocol, RoundRobin(), sites=1, items=4000, start=1000, seed=seed, engine=engine) for seed in range(300)
    ]
    assert sum(not game.ok for game in games) < 8
    assert min(game.rounds for game in games) > 2


def test_paper_constants_worked_by_hand() -> None:
    """k = 100, beta = 0.01 = 6 delta / (10 pi^2): C^2 = ((ln 10)^1.5 + 1) ln 8000 = 4.4940 · 8.9872 = 40.389."""
    found = Robust(alpha=0.1, delta=0.01 * 10 * np.pi**2 / 6).constants(100, 1)
    assert found.c == pytest.approx(6.3552, abs=5e-5)
    assert found.epsilon == pytest.approx(0.63552, abs=5e-6)
    assert found.divisor == pytest.approx(8 * 63.552, abs=5e-3)
    assert (found.phases, found.releases, found.blocks) == (10, 10, ceil(found.c * 100))
    assert found.phase_length == pytest.approx(127.104, abs=2e-3)
    assert found.threshold_scale * found.epsilon == pytest.approx(4)
    assert found.counter_epsilon == pytest.approx(found.epsilon / 4)
    assert found.shift == 0


def test_values_by_hand_scale_the_papers() -> None:
    paper = Robust(alpha=0.1).constants(100, 3)
    assert Robust(alpha=0.1, parameters={}).constants(100, 3) == paper
    found = Robust(
        alpha=0.1,
        parameters={
            "c": 0.5,
            "budget": 4,
            "phase_length": 1,
            "phases": 2,
            "epsilon": 3,
            "counter_share": 0.8,
            "shift": 0.5,
        },
    ).constants(100, 3)
    assert found.c == pytest.approx(paper.c / 2)
    assert found.divisor == pytest.approx(paper.divisor / 4)
    assert found.phase_length == pytest.approx(paper.phase_length / 4)
    assert found.phases == 20
    assert found.epsilon == pytest.approx(paper.epsilon * 1.5)
    assert found.counter_epsilon == pytest.approx(0.8 * found.epsilon / 2)
    # thresholds and counter together, each for two changed phases
    assert 2 / found.threshold_scale + 2 * found.counter_epsilon == pytest.approx(found.epsilon)
    assert found.shift == pytest.approx(found.phase_length / 2)
    assert Robust(alpha=0.1, parameters={"shift": -20}).constants(100, 3).shift == pytest.approx(
        -20 * paper.phase_length
    )


def test_only_what_is_proven_says_so() -> None:
    assert Robust(alpha=0.1).proven
    assert Robust(alpha=0.1).guarantee == "adaptive"
    assert Robust(alpha=0.1, parameters="tight", counter="k-ary").proven
    for unproven in (Robust(alpha=0.1, parameters={"c": 1}), Robust(alpha=0.1, counter="fresh")):
        assert not unproven.proven
        assert unproven.guarantee == "none"
        assert pickle.loads(pickle.dumps(unproven)).guarantee == "none"
    assert set(AS_THE_PAPERS) <= set(KINDS)


def test_mapping_goes_out_as_it_came_in() -> None:
    made = Robust(alpha=0.1, parameters={"c": 2, "shift": 0})
    assert made.as_mapping() == {
        "alpha": 0.1,
        "delta": 0.05,
        "parameters": {"c": 2.0, "shift": 0.0},
        "counter": "best",
    }
    assert type(made.as_mapping()["parameters"]) is dict
    assert Robust(**made.as_mapping()) == made
    assert hash(Robust(**made.as_mapping())) == hash(made)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if not KINDS[kind].only_bits])
@pytest.mark.parametrize("parameters", ["paper", "tight"])
def test_every_counter_plays(kind: str, parameters: str) -> None:
    if parameters == "tight" and not known_noise(kind):
        pytest.skip("its noise has no known law")
    game = play(Robust(alpha=0.2, parameters=parameters, counter=kind), Freeze(), sites=150, items=60_000, seed=1)
    assert game.error is None
    assert game.rounds > 2
    if Robust(alpha=0.2, parameters=parameters, counter=kind).proven:
        assert game.ok


@pytest.mark.slow
def test_conformance_of_tight() -> None:
    assert len(check_protocol(Robust(alpha=0.2, parameters="tight"), sites=(2, 7), items=600)) >= 8


@pytest.mark.parametrize("adversary", [RoundRobin(), Freeze(), Drain(), SingleSite()], ids=lambda one: one.kind)
def test_a_tight_round_is_as_its_constants_say(adversary: Adversary) -> None:
    """Outputs and bits of each complete round; nobody sends END.

    A round has `phases` lengths of mean T + 1/2; its bits are within 6 deviations, sqrt(2 phases) b, of that (1e-6 for
    twenty rounds of a sum of many Laplace variables, checked by its Chernoff bound at 6).
    """
    protocol = Robust(alpha=0.1, parameters="tight")
    game = play(protocol, adversary, sites=256, items=400_000, seed=2, record=True)
    assert game.ok
    kinds = {row.kind: row.messages for row in game.kinds.itertuples()}
    assert "end" not in kinds
    assert kinds["item"] == ceil(protocol.constants(256, 1).divisor / 0.1)  # exact until a block holds an item
    table, number = game.transcript, 0
    begins = table.loc[table["kind"].isin(["round", "poll"]) & (table["receiver"] == 0), "step"].tolist()
    bits = table.loc[table["kind"] == "bit", "step"].to_numpy()
    changes = game.outputs["step"].to_numpy()
    told = begins[0]
    for number, (begin, end) in enumerate(pairwise(begins), start=1):
        size = protocol.block_size(256, number, told)
        found = protocol.constants(256, number).fitted(0.1 * begin / size)
        inside = int(((bits > begin) & (bits <= end)).sum())
        told = begin + size * inside
        spread = sqrt(2 * found.phases) * found.threshold_scale
        assert abs(inside - found.phases * (found.phase_length + 0.5)) < 6 * spread + found.phases
        # each phase but the last changes the output, and the poll does
        assert int(((changes > begin) & (changes < end)).sum()) == found.releases == found.phases - 1
    assert number > 5


@pytest.mark.parametrize("parameters", ["paper", "tight"])
def test_cost_bound_is_one_and_not_a_vain_one(parameters: str) -> None:
    """Mean words of four games against the bound: below it, and at least a quarter of it."""
    protocol = Robust(alpha=0.1, parameters=parameters)
    for start, items in ((0, 500_000), (10**7, 10**8)):
        words = np.mean(
            [play(protocol, RoundRobin(), sites=256, items=items, start=start, seed=seed).words for seed in range(4)]
        )
        bound = protocol.cost_bound(256, items, start)
        assert bound / 4 < words < bound


@pytest.mark.slow
@pytest.mark.parametrize("adversary", [RoundRobin(), Freeze()], ids=lambda one: one.kind)
@pytest.mark.false_alarm(1e-6)
def test_tight_holds(adversary: Adversary) -> None:
    """At least 95 of 100 games at delta = 0.05. Measured: all of them, the largest error 0.3 to 0.55 alpha.

    False alarm 1e-6 if a game fails with 0.3 %. Power: with the paper's C halved by hand, most games fail.
    """
    protocol = Robust(alpha=0.1, parameters="tight")
    held = [play(protocol, adversary, sites=256, items=2_000_000, seed=seed).ok for seed in range(100)]
    assert sum(held) >= 95


def test_too_small_constants_by_hand_fail() -> None:
    """With half of the paper's C errors are known to be 1.3 to 1.9 alpha; here 0.4 of it, against freeze at k = 100."""
    protocol = Robust(alpha=0.1, parameters={"c": 0.4})
    assert not any(play(protocol, Freeze(), sites=100, items=400_000, seed=seed).ok for seed in range(5))
