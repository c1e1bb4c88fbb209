"""Analysts: which queries they ask of scripted answers, and what all have in common."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from disttrack.privacy.adversaries.analysts import AnalystView, SignCorrelation, VariableSelection
from disttrack.privacy.mechanisms import Holdout, ThresholdOut
from disttrack.privacy.mechanisms.statistical.base import Coins, Selection
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
    for base in (VariableSelection, SignCorrelation):

        class Curious(base):  # type: ignore[misc, valid-type]
            def script(self, view: AnalystView) -> Any:
                seen.append(view.training)
                return super().script(view)

        play_duel(Holdout(), Curious(), samples=7, features=3, queries=4, seed=4)
    data = Coins(3).draw(7, streams(4, StatisticalQueries.roles)["sample"])
    assert seen[0].tolist() == data[:, :3].tolist()
    assert seen[1] is None
