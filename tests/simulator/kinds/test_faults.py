"""Faults: each breaks the part that it names and nothing else, and measures of claims detect it.

Each comparison is of a right protocol with the same one broken: the broken one is the named wrong alternative.
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from game_engines import ENGINES

from disttrack.adversaries import Freeze, RoundRobin
from disttrack.mechanisms import Binary, RandomizedResponse
from disttrack.protocols import Block, Deterministic, Exact, Martingale, Robust
from disttrack.protocols.faults import Coarse, LostReports
from disttrack.simulator import play
from disttrack.simulator.kinds.faults import broken, faults_of
from disttrack.simulator.kinds.registry import kinds


def test_faults_are_those_of_the_class_and_its_bases() -> None:
    of_rounds = {"coarse", "no-polls", "uncounted-kind", "lost-reports"}
    assert {*faults_of(Martingale)} == of_rounds
    assert {*faults_of(Block)} == {*of_rounds, "fixed-thresholds"}
    noise = {"no-noise", "half-noise", "tenfold-noise"}
    assert {*faults_of(Robust)} == {*of_rounds, *noise, "fixed-thresholds", "leak-ignored"}
    assert {*faults_of(Binary)} == {*faults_of(RandomizedResponse)} == noise
    assert {*faults_of(Exact)} == {"lost-reports"}


class Deaf(Deterministic):
    """States faults of its own, one by a reference."""

    faults: ClassVar = {"coarse": LostReports, "deaf": f"{LostReports.__module__}:LostReports"}


def test_a_class_of_the_users_states_faults_and_changes_no_rule_by_it() -> None:
    assert faults_of(Deaf) == {"coarse": LostReports, "deaf": LostReports, "lost-reports": LostReports}
    assert faults_of(Deterministic)["coarse"] is Coarse
    assert Deaf(alpha=0.1).guarantee == "always"
    assert isinstance(broken(Deaf(alpha=0.1), "deaf"), LostReports)


def test_a_class_that_changes_a_rule_does_not_inherit_the_faults_that_break_it() -> None:
    """Its own ones and those that are stated where the rule is left open stay."""

    class Other(Deaf):
        def sites(self, k: int, rng: Any, start: Any = ()) -> Any:
            return super().sites(k, rng, start)

    class Stating(Other):
        faults: ClassVar = {"deaf": LostReports}

    assert {*faults_of(Other)} == {"lost-reports"}
    assert {*faults_of(Stating)} == {"lost-reports", "deaf"}


@pytest.mark.parametrize("adversary", [RoundRobin(), Freeze()], ids=lambda one: one.kind)
def test_without_noise_estimates_are_whole_phases(adversary: Any) -> None:
    """By the array form and item by item; with noise no estimate is a whole number of bits."""
    start = 10**5
    options: dict[str, Any] = {"sites": 100, "items": 60_000, "start": start, "seed": 1, "record": True}
    for protocol, whole in ((broken(Robust(alpha=0.1), "no-noise"), True), (Robust(alpha=0.1), False)):
        game = play(protocol, adversary, **options)
        size = int(0.1 * start / protocol.constants(100, 1).divisor)
        bits = [(float(output) - start) / size for output in game.outputs["output"][:9]]
        assert len(bits) == 9
        assert all((value == round(value)) == whole for value in bits)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_coarse_tracker_is_one_of_four_times_the_alpha_held_to_its_own(engine: str) -> None:
    options: dict[str, Any] = {"sites": 4, "items": 3000, "seed": 1, "engine": engine}
    wrong = play(broken(Deterministic(alpha=0.05), "coarse"), RoundRobin(), **options)
    right = play(Deterministic(alpha=0.2), RoundRobin(), **options)
    assert (wrong.words, wrong.max_rel_error) == (right.words, right.max_rel_error)
    assert (wrong.ok, right.ok) == (False, True)
    coarsest = broken(Deterministic(alpha=0.5), "coarse")
    assert (
        play(coarsest, RoundRobin(), **options).words == play(Deterministic(alpha=0.9), RoundRobin(), **options).words
    )


@pytest.mark.parametrize("engine", ["step", "leap"])
def test_every_second_message_is_lost(engine: str) -> None:
    options: dict[str, Any] = {"sites": 1, "items": 9, "engine": engine, "record": True}
    game = play(broken(Exact(), "lost-reports"), RoundRobin(), **options)
    assert game.transcript["step"].tolist() == [1, 3, 5, 7, 9]
    assert not game.ok


@pytest.mark.parametrize("engine", ["step", "leap"])
def test_fixed_thresholds_come_at_the_first_item(engine: str) -> None:
    protocol = broken(Block(alpha=0.3), "fixed-thresholds")
    game = play(protocol, RoundRobin(), sites=4, items=8, start=10**4, engine=engine, record=True)
    bits = game.transcript[game.transcript["kind"] == "bit"]
    assert bits["step"].tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize("parameters", ["tight", "simple"])
def test_without_polls_a_round_is_announced_and_nothing_else(parameters: str) -> None:
    wrong = broken(Martingale(alpha=0.2, parameters=parameters), "no-polls")
    game = play(wrong, RoundRobin(), sites=16, items=100_000, start=1_000, seed=3)
    messages = dict(zip(game.kinds["kind"], game.kinds["messages"], strict=True))
    assert game.rounds > 5
    assert messages.pop("bit") > game.rounds
    assert messages == {"round": 16 * (game.rounds - 1)}


def test_an_uncounted_kind_is_missing_from_the_ledger() -> None:
    """The same game, bit for bit, but for k - 1 of k answers to each poll."""
    right = play(Martingale(alpha=0.2), RoundRobin(), sites=64, items=100_000, seed=2, engine="leap")
    wrong = play(broken(Martingale(alpha=0.2), "uncounted-kind"), RoundRobin(), sites=64, items=100_000, seed=2)
    assert wrong.rounds == right.rounds > 5
    assert wrong.max_rel_error == right.max_rel_error
    assert right.messages - wrong.messages == 63 * (right.rounds - 1)


@pytest.mark.parametrize(("fault", "times"), [("half-noise", 2.0), ("tenfold-noise", 0.1)])
def test_private_coins_are_those_of_another_promise(fault: str, times: float) -> None:
    def answers(mechanism: Any) -> list[float]:
        run = mechanism.start(np.random.default_rng(1))
        return [run.step(1) for _ in range(50)]

    right, wrong, other = (
        answers(one)
        for one in (RandomizedResponse(0.5), broken(RandomizedResponse(0.5), fault), RandomizedResponse(0.5 * times))
    )
    assert wrong == other != right


def test_the_faults_are_documented() -> None:
    text = (Path(__file__).parents[3] / "docs" / "scenarios.md").read_text(encoding="utf-8")
    table = text.partition("| fault | what is broken |")[2]
    rows = dict(re.findall(r"^\| `([\w-]+)` \| (.*) \|$", table, re.MULTILINE))
    stated = {pair for kind in kinds("protocol").values() for pair in faults_of(kind.load()).items()}
    assert len({name for name, _ in stated}) >= 9
    assert [(name, part) for name, part in stated if str(inspect.getdoc(part)) not in rows[name]] == []
