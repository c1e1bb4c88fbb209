"""Analysts: which queries they ask of scripted answers, and what all have in common."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

from disttrack.privacy.adversaries.analysts import (
    AnalystView,
    GradientAnalyst,
    RandomSets,
    SignCorrelation,
    VariableSelection,
)
from disttrack.privacy.mechanisms.statistical import Holdout, ThresholdOut
from disttrack.privacy.mechanisms.statistical.queries import Coins, Residual, Selection, Vote
from disttrack.privacy.tasks.analysis.task import StatisticalQueries
from disttrack.simulator.game.streams import streams
from disttrack.simulator.game.tasks.duel import play_duel

ANALYSTS = {name: kind.load() for name, kind in StatisticalQueries.kinds("adversary").items()}


def asked(analyst: Any, answers: Any, queries: int, features: int) -> list[Any]:
    """Let an analyst ask until it has nothing more to ask, with answers by the number of the query."""
    rng = np.random.default_rng(1)
    training = Coins(features).draw(50, rng)
    view = AnalystView(queries=queries, features=features, samples=100, rng=rng, training=training)
    found = []
    while view.left:
        query = analyst.move(view)
        if query is None:
            break
        found.append(query)
        view.observe(answers(len(found)))
    return found


@pytest.mark.parametrize("name", ANALYSTS)
def test_every_analyst_says_what_it_is_and_asks(name: str) -> None:
    analyst = ANALYSTS[name]()
    assert analyst.kind == name
    assert analyst.source
    found = asked(analyst, lambda number: 0.4, 12, 5)
    assert 1 <= len(found) <= 12
    assert analyst.selects == all(isinstance(query, Selection) for query in found)


def test_the_gradient_goes_with_the_answers() -> None:
    found = asked(GradientAnalyst(rate=0.5), lambda number: 0.75 if number % 2 else 0.25, 5, 2)
    assert all(isinstance(query, Residual) for query in found[:4])
    assert found[2].weights.tolist() == [0.5, -0.5]
    assert isinstance(found[4], Vote)
    assert found[4].weights.tolist() == [1.0, -1.0]


def test_random_sets_by_hand() -> None:
    """Eight cells, four pairs. Fine sets have a cell of each pair, coarse ones both or none, of runs of pairs."""
    sets = asked(RandomSets(), lambda number: 0.8 if number % 4 else 0.1, 9, 8)
    assert len(sets) == 9
    favour = np.zeros(4)
    for number, query in enumerate(sets[:-1], start=1):
        pairs = query.inside.reshape(4, 2)
        assert query.filled == 4
        if number % 2:
            assert (pairs[:, 0] == pairs[:, 1]).all()
        else:
            assert (pairs[:, 0] != pairs[:, 1]).all()
            assert query.true == 0.5
            favour += (2.0 * pairs[:, 0] - 1) * (0.3 if number % 4 else -0.4)
    assert sets[-1].inside.reshape(4, 2).tolist() == [[value > 0, value <= 0] for value in favour]
    assert sets[-1].true == 0.5


def published(train: Any, holdout: Any, selected: int, sees: Any) -> float:
    """Return the accuracy that a holdout reports of the published classifier, point by point: the plain form.

    `sees` is the report of a holdout on the means of a query over both halves. Labels are all +1.
    """
    points = train.shape[1]
    ranked = []
    for feature in range(len(train)):
        correlation = sum(train[feature].tolist()) / points
        answer = sees(
            sum((1 + x) / 2 for x in train[feature].tolist()) / points,
            sum((1 + x) / 2 for x in holdout[feature].tolist()) / points,
        )
        other = 2 * answer - 1
        least = 1 / points**0.5
        if min(correlation, other) > least or max(correlation, other) < -least:
            ranked.append((-abs(correlation), feature, 1 if correlation > 0 else -1))
    ranked.sort()

    def accuracy(data: Any) -> float:
        right = 0.0
        for point in data.T.tolist():
            vote = sum(sign * point[feature] for _, feature, sign in ranked[:selected])
            right += 1.0 if vote > 0 else 0.5 if vote == 0 else 0.0
        return right / points

    return float(sees(accuracy(train), accuracy(holdout)))


@pytest.mark.parametrize("selected", [1, 5, 1000])
def test_variable_selection_against_the_published_experiment(selected: int) -> None:
    """Features of -1 and +1 in small, for a plain holdout and for Thresholdout with next to no noise."""
    sizes = {"samples": 122, "features": 90, "queries": 91, "seed": 4}
    data = Coins(90).draw(122, streams(4, StatisticalQueries.roles)["sample"])
    train, holdout = data[:, :61], data[:, 61:]
    game = play_duel(Holdout(), VariableSelection(selected), **sizes)
    assert 0.5 + game.final_error == pytest.approx(published(train, holdout, selected, lambda _, other: other))
    curator = ThresholdOut(threshold=0.0801, noise=1e-9)
    game = play_duel(curator, VariableSelection(selected), **sizes)
    expected = published(train, holdout, selected, lambda one, other: one if abs(one - other) <= 0.0801 else other)
    assert 0.5 + game.final_error == pytest.approx(expected, abs=1e-7)


def test_only_who_trains_sees_the_first_half() -> None:
    seen = []

    class Curious(VariableSelection):
        def script(self, view: AnalystView) -> Any:
            seen.append(view.training)
            return super().script(view)

    class Untrained(SignCorrelation):
        def script(self, view: AnalystView) -> Any:
            seen.append(view.training)
            return super().script(view)

    for analyst in (Curious(), Untrained()):
        play_duel(Holdout(), analyst, samples=7, features=3, queries=4, seed=4)
    data = Coins(3).draw(7, streams(4, StatisticalQueries.roles)["sample"])
    assert seen[0].tolist() == data[:, :3].tolist()
    assert seen[1] is None


def test_answers_are_read_only() -> None:
    view = AnalystView(queries=3, features=2, samples=5, rng=np.random.default_rng(1))
    view.observe(0.25)
    for change in (
        lambda: view.answers.append(1),
        lambda: view.answers.clear(),
        lambda: view.answers.__setitem__(0, 1),
    ):
        with pytest.raises(TypeError, match=r"view.answers is read only; list\(view.answers\) is a copy"):
            change()
    assert (view.answers, view.answers[-1:], copy.deepcopy(view.answers), view.steps) == ([0.25], [0.25], [0.25], 1)
