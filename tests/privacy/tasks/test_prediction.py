"""The tasks of online prediction: who sees what, both engines alike, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from disttrack.adversaries import Choice, Replay
from disttrack.adversaries.base import Adversary, View
from disttrack.privacy.adversaries import Contrary, Insertion, Intruder, PointStream, Scattered
from disttrack.privacy.adversaries.prediction import Examiner
from disttrack.privacy.mechanisms import Exponential, Guessing, Learner, Plain, PointPredictor, PrivateProper
from disttrack.privacy.tasks.prediction.task import shown_of
from disttrack.simulator.errors import MoveError, ScenarioError
from disttrack.simulator.experiments.runs.runner import run
from disttrack.simulator.game.tasks.duel import play_duel
from tests.privacy.mechanisms.prediction.test_stated_chances import Listed

POINTS, ROUNDS = 50, 400
LEARNERS: list[Learner] = [
    Plain(),
    Guessing(POINTS),
    PrivateProper(8.0, ROUNDS),
    Exponential(8.0, POINTS, ROUNDS),
    PointPredictor(60.0, 0.3),
]


def play(learner: Learner, adversary: Adversary, **given: Any) -> Any:
    return play_duel(learner, adversary, **{"points": POINTS, "steps": ROUNDS, "seed": 3, **given})


def test_the_timeline_ends_with_all_mistakes_and_ones() -> None:
    """The figure of the predictor's flags needs it."""
    game = play(LEARNERS[-1], PointStream())
    last = {name: values[-1] for name, values in game.series.items()}
    assert (last["step"], last["output"], last["items"]) == (game.items, game.mistakes, game.ones)


def test_the_contrary_is_consistent_and_costs_what_it_must() -> None:
    """One mistake where nothing is hidden, K and more for the predictor, and all rounds where nothing is learned."""
    for learner in LEARNERS:
        game = play(learner, Contrary())
        assert game.consistent
        assert game.engine == "step"
        assert game.mistakes >= 1
    assert play(Plain(), Contrary()).mistakes == 1
    assert play(Guessing(POINTS), Contrary()).mistakes > ROUNDS / 2
    predictor = PointPredictor(60.0, 0.3)
    assert predictor.mirror.delay <= play(predictor, Contrary()).mistakes <= predictor.mirror.delay + 100


@pytest.mark.parametrize("engine", ["step", "arrays"])
def test_a_game_without_a_round_is_undecided(engine: str) -> None:
    assert play(PointPredictor(60.0, 0.3), Scattered(0), steps=5, engine=engine).verdict == "undecided"


def test_the_contrary_contradicts_a_hypothesis_that_it_sees() -> None:
    """A learner that sticks to point 0 is told that it is not that one; an adversary that sees nothing agrees."""
    stubborn = Listed(*[0] * ROUNDS)
    seen = play(stubborn, Contrary())
    assert (seen.false_ones, seen.ones, seen.mistakes) == (1, ROUNDS - 1, ROUNDS)  # then point 1, with label 1
    blind = play(stubborn, Contrary(), sees="nothing")
    assert (blind.ones, blind.mistakes) == (ROUNDS, 0)


def test_a_replay_is_the_same_stream_against_fresh_coins() -> None:
    game = play(Plain(), Replay(of="contrary"))
    assert (game.mistakes, game.ones, game.engine) == (1, ROUNDS, "arrays")
    streams = [play(Guessing(POINTS), Replay(of="point-stream"), seed=seed).ones for seed in (1, 1, 2)]
    assert streams[0] == streams[1] != streams[2]
    fresh = [play(Guessing(POINTS), PointStream(), seed=seed).ones for seed in range(5)]
    assert [play(Guessing(POINTS), Replay(of="point-stream"), seed=seed).ones for seed in range(5)] != fresh
    with pytest.raises(ScenarioError, match="of: must be an adversary that sees outputs only"):
        play(Plain(), Replay(of="intruder"))


def test_the_adversary_knows_the_algorithm_and_not_its_coins() -> None:
    seen: list[Any] = []

    class Curious(Examiner):
        """Looks at its view."""

        kind = "curious"

        def move(self, view: View) -> tuple[int, Any]:
            seen.append((view.known["kind"], view.output, view.steps, view.sites, view.items))
            point = (view.steps + 1) % view.sites

            def label(shown: Any) -> bool:
                seen.append(shown)
                return point == 2

            return point, label

        def plan(self, view: View) -> None:
            return None

    assert play(Plain(), Curious(), points=4, steps=4).mistakes == 1
    asked, shown = seen[::2], seen[1::2]
    assert asked == [("plain", None, 0, 4, 4), ("plain", -1, 1, 4, 4), ("plain", -1, 2, 4, 4), ("plain", 2, 3, 4, 4)]
    assert shown == [-1, -1, 2, 2]
    assert play(Plain(), Curious(), points=4, steps=4, sees="predictions").mistakes == 1
    assert seen[8::2][1:] == [("plain", 0, step, 4, 4) for step in (1, 2, 3)]


def test_what_may_be_shown() -> None:
    assert shown_of(Plain(), None) == shown_of(Plain(), "outputs") == "hypotheses"
    assert shown_of(Plain(), "nothing") == "nothing"
    predictor = PointPredictor(60.0, 0.3)
    assert shown_of(predictor, None) == "predictions"
    with pytest.raises(ValueError, match="point-predictor reveals predictions only"):
        shown_of(predictor, "hypotheses")
    with pytest.raises(ValueError, match="sees must be one of outputs, hypotheses, predictions, nothing; got 'state'"):
        shown_of(predictor, "state")


@pytest.mark.parametrize(
    ("points", "labels", "domain", "wanted"),
    [
        ([1, 2, 1], [True, False, True], 3, True),
        ([1, 1], [True, False], 3, False),
        ([1, 2], [True, True], 3, False),
        ([0, 1, 2], [False, False, False], 3, False),  # a point function has label 1 somewhere
        ([0, 1, 2], [False, False, False], 4, True),
        ([], [], 2, True),
    ],
)
def test_consistency(points: list[int], labels: list[bool], domain: int, wanted: bool) -> None:
    from disttrack.privacy.tasks.prediction.task import explained

    assert explained(np.array(points, dtype=np.int64), np.array(labels, dtype=bool), domain) is wanted


def test_points_that_are_not_there_are_refused() -> None:
    class Outside(Examiner):
        """Asks for a point too many."""

        kind = "outside"

        def move(self, view: View) -> tuple[int, bool]:
            return view.sites, False

        def plan(self, view: View) -> None:
            return None

    with pytest.raises(MoveError, match="outside: after step 0: asked for point 50; this game has 0 … 49"):
        play(Plain(), Outside())
    with pytest.raises(MoveError, match="named site 50"):
        play(Plain(), Choice(lambda view: 50))
    with pytest.raises(ScenarioError, match="intruder plays continual-count, not prediction"):
        play(Plain(), Intruder())
    with pytest.raises(ScenarioError, match="needs a learner that reveals hypotheses"):
        play(PointPredictor(60.0, 0.3), Insertion(), points=401)


HEAD = "name: own\ntask: {task}\ntrials: 1\nsteps: 9\nprotocol: {protocol}\nadversary: {adversary}\n"


def scenario(folder: Path, task: str, protocol: str, adversary: str) -> Path:
    path = folder / "own.yaml"
    path.write_text(HEAD.format(task=task, protocol=protocol, adversary=adversary), encoding="utf-8")
    return path


def test_a_scenario_fills_points_and_horizon(tmp_path: Path) -> None:
    path = scenario(tmp_path, "prediction", "[{kind: exponential, epsilon: 1}, {kind: guessing}]", "contrary")
    results = run(path, out=tmp_path / "out")
    assert results.trials["sites"].tolist() == [10, 10]
    assert (results.trials["mistakes"] > 0).all()
    assert results.trials["verdict"].tolist() == ["undecided"] * 2
