"""Games in which nothing is judged: they are never ok, in any task, and no claim about them passes."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest
from game_engines import ENGINES
from loaded_scenarios import short_data
from test_face import smallest

from disttrack import Deterministic, RoundRobin, play
from disttrack.simulator.errors import MoveError
from disttrack.simulator.experiments.results.write import write_tables
from disttrack.simulator.experiments.scenario.load import load
from disttrack.simulator.game.tasks import TASKS
from disttrack.simulator.game.tasks.base import Task
from disttrack.simulator.game.tasks.tracking import Count
from disttrack.simulator.kinds.registry import parameters
from disttrack.simulator.shown.plots.traces import game_described


@pytest.mark.parametrize("engine", ["step", "leap"])
@pytest.mark.parametrize(
    ("network", "verdict"),
    [
        ({"latency": 5, "warm_up": 5000, "loss": 1}, "undecided"),
        ({"warm_up": 1000}, "undecided"),
        ({"latency": 10**9}, "undecided"),  # every output up to the present number could be right
        ({"warm_up": 999}, "ok"),
        ({"latency": 5}, "ok"),
        ({"latency": 10**9, "loss": 1}, "failed"),
    ],
)
def test_a_game_without_a_judged_step_on_a_network_is_undecided(
    network: dict[str, Any], verdict: str, engine: str
) -> None:
    sides: Any = Deterministic(alpha=0.1), RoundRobin()
    game = play(*sides, sites=3, items=1000, network=network, engine=engine)
    assert (game.verdict, game.judged) == (verdict, verdict != "undecided")
    assert ("no step was judged" in game_described(game).subtitle) == (verdict == "undecided")


@pytest.mark.parametrize("engine", ENGINES)
def test_a_game_without_items_has_no_timeline(uncompiled: None, engine: str) -> None:
    game = play(Deterministic(alpha=0.1), RoundRobin(), sites=3, items=0, engine=engine)
    assert (game.verdict, game.ok, game.judged) == ("undecided", False, False)
    with pytest.raises(ValueError, match="no item was sent"):
        game.plot()


@pytest.mark.parametrize("kind", sorted(Count.kinds("protocol")))
def test_a_game_of_which_no_step_was_judged_says_so(kind: str) -> None:
    """Seen: `exact`, which promises an error of 0, was said to promise none."""
    maker: Any = Count.kinds("protocol")[kind].load()
    made = maker(**({"alpha": 0.1} if "alpha" in parameters(maker) else {}))
    game = play(made, RoundRobin(), sites=3, items=0)
    why = "no accuracy is promised" if made.accuracy is None else "no step was judged"
    assert (game.verdict, game.why_undecided) == ("undecided", why)


# ---------------------------------------------------------------------- every task

STEPS_GO_ON: Final = {
    "continual-count", "density", "experts", "mirror", "threshold-monitor",
}  # fmt: skip
"""Tasks on a clock: without an item there are steps, and outputs that are judged."""
NO_MOVES: Final = {
    "audit", "audit-tracker", "joint-privacy", "sample-size",  # the adversary is not asked
    "static-queries",  # the release on an empty data set is judged
    "worst-of-many",  # never more than undecided
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("task", sorted(TASKS.keys() - NO_MOVES - STEPS_GO_ON))
def test_a_game_without_a_move_is_never_ok(task: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The adversary ends the game at once: there is nothing that a protocol could have been right about."""
    with short_data():
        point = smallest(task)
    adversary = point.adversary.maker()
    nothing: Any = lambda *_: None  # noqa: E731
    nothing.__module__ = adversary.__module__  # a user's None is taken for a forgotten return
    for name in ("plan", "machine"):
        monkeypatch.setattr(adversary, name, nothing, raising=False)
    monkeypatch.setattr(adversary, "move", lambda *_: None)
    monkeypatch.setattr(adversary, "stretches", lambda *_: iter(()))
    made: Task = point.task.make()
    if task == "statistical-queries":
        with pytest.raises(MoveError, match="asked nothing"):
            made.play(point, 1)
        return
    record = made.play(point, 1)
    assert (record.row["verdict"], record.row["ok"], record.judged) == ("undecided", False, False)


SCENARIO: Final = """\
name: unheard
items: 200
sites: 2
network: {latency: 5, warm_up: 1000}
protocol: {kind: deterministic, alpha: 0.1}
adversary: round-robin
claims:
"""
MEASURES: Final = (
    "fraction(ok), at_least: 0.01", "fraction(ok), at_most: 0.1", "max(max_lag_error), at_most: 1",
    "max(words), at_most: 1000", "fraction(verdict == 'failed'), at_most: 0",
)  # fmt: skip


def test_no_claim_about_unjudged_games_passes(tmp_path: Path) -> None:
    claims = [f"  - {{name: c{number}, measure: {measure}}}\n" for number, measure in enumerate(MEASURES)]
    path = tmp_path / "unheard.yaml"
    path.write_text(SCENARIO + "".join(claims))
    scenario = load(path)
    record = scenario.points[0].task.make().play(scenario.points[0], 1)
    findings, _ = write_tables(tmp_path, scenario, [(0, 0, 1, record)])
    assert {finding.verdict for finding in findings} == {"UNDECIDED"}
    assert {finding.note for finding in findings} == {"games with no judged step: 1 of 1"}
