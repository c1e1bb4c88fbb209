"""The search for fixed sequences in tiny games: near the best one, found without the tracker's rules."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from disttrack.adversaries.moves import read
from disttrack.protocols import Block, Protocol, Randomized
from disttrack.simulator.cli import main
from disttrack.simulator.search.exact_game import ExactGame
from disttrack.simulator.search.policy_search import attack


@pytest.mark.slow
@pytest.mark.parametrize(
    "protocol", [Randomized(alpha=0.5, confidence=0.5), Block(alpha=0.5, confidence=0.25)], ids=lambda one: one.kind
)
def test_it_is_near_the_best_sequence(protocol: Protocol) -> None:
    """Its exact value is at least 80 % of the best one's.

    Power: of all sequences the median is at 59 % for `randomized`, and at 70 % for `block`. Six searches came to 98 %
    and more for `randomized`, one to 89 % for `block`.
    """
    found = attack(protocol, sites=2, items=10, budget=12_000, oblivious=True)
    sequence = [site for site, times in read(found.policy.steps) for _ in range(times)]
    game = ExactGame(protocol, sites=2, items=10, sees="nothing")
    assert game.value(lambda history: sequence[len(history)]) >= 0.8 * float(game.value())


FLAGS = ["attack", "--oblivious", "--protocol", "randomized alpha=0.5 confidence=0.5", "--budget", "100"]


@pytest.mark.slow
def test_the_command_saves_the_sequence(tmp_path: Path) -> None:
    file = tmp_path / "worst.yaml"
    done = CliRunner().invoke(main, [*FLAGS, "--sites", "2", "--items", "6", "--out", str(file)])
    assert done.exit_code == 0, done.output
    steps = done.output.partition("steps=")[2].partition("\n")[0]
    assert sum(times for _, times in read(steps)) == 6
    assert f"steps: {steps}" in file.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (["--sites", "8", "--items", "500"], "oblivious: takes a tracker with an accuracy, and sites times items of"),
        (["--sites", "2", "--items", "6", "--memory", "1"], "--network, --memory, --oblivious: one search has one"),
    ],
)
def test_what_no_sequence_is_searched_for_is_refused(flags: list[str], says: str) -> None:
    refused = CliRunner().invoke(main, [*FLAGS, *flags])
    assert refused.exit_code == 2
    assert says in refused.output
