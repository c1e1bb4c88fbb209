"""Analysts: which queries they ask of scripted answers, and what all have in common."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from disttrack.adversaries.analysts import AnalystView, GradientAnalyst, LeaderboardClimber, SignCorrelation
from disttrack.mechanisms.statistical.queries import FeatureMean, Residual, Selection, Vote
from disttrack.simulator.tasks.analysis.task import StatisticalQueries

ANALYSTS = {name: kind.load() for name, kind in StatisticalQueries.kinds("adversary").items()}


def asked(analyst: Any, answers: Any, queries: int, features: int) -> list[Any]:
    """Let an analyst ask until it has nothing more to ask, with answers by the number of the query."""
    view = AnalystView(queries=queries, features=features, samples=100, rng=np.random.default_rng(1))
    found = []
    while view.left:
        query = analyst.move(view)
        if query is None:
            break
        found.append(query)
        view.answers.append(answers(len(found)))
    return found


def test_that_there_is_something_to_test() -> None:
    assert len(ANALYSTS) >= 6


@pytest.mark.parametrize("name", ANALYSTS)
def test_every_analyst_says_what_it_is_and_asks(name: str) -> None:
    analyst = ANALYSTS[name]()
    assert analyst.kind == name
    assert analyst.source
    found = asked(analyst, lambda number: 0.4, 12, 5)
    assert 1 <= len(found) <= 12
    assert analyst.selects == all(isinstance(query, Selection) for query in found)


def test_the_vote_goes_by_the_signs_of_the_answers() -> None:
    found = asked(SignCorrelation(), lambda number: [0.6, 0.4, 0.5, 0.7][number - 1], 4, 4)
    assert found[:3] == [FeatureMean(0), FeatureMean(1), FeatureMean(2)]
    assert isinstance(found[3], Vote)
    assert found[3].weights.tolist() == [1.0, -1.0, 0.0]


def test_the_climber_keeps_what_improves() -> None:
    found = asked(LeaderboardClimber(), lambda number: [0.6, 0.55, 0.7, 0.1][number - 1], 4, 10)
    assert [len(query.features) for query in found] == [1, 2, 2, 2]
    assert found[3].features == (0, 2)  # feature 1 did not improve on 0.6


def test_the_gradient_goes_with_the_answers() -> None:
    found = asked(GradientAnalyst(rate=0.5), lambda number: 0.75 if number % 2 else 0.25, 5, 2)
    assert all(isinstance(query, Residual) for query in found[:4])
    assert found[2].weights.tolist() == [0.5, -0.5]
    assert isinstance(found[4], Vote)
    assert found[4].weights.tolist() == [1.0, -1.0]
