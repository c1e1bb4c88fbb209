"""Array forms of learners, sketches and curators give what a loop over the entries gives, and leave the same state."""

from __future__ import annotations

from importlib.util import find_spec
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from array_forms import STEPS, Form, bits, hold_forms_equal

from disttrack.privacy.mechanisms import (
    MECHANISMS,
    AmsMedian,
    JdpMirror,
    Learner,
    PerturbedLeader,
    QueryMechanism,
    Sketch,
)
from disttrack.privacy.mechanisms.statistical.base import FeatureMean, Selection

POINTS, ROUNDS = 40, 400


def of_leader(epsilon: float | None) -> Form:
    leader = PerturbedLeader(5, ROUNDS, epsilon=epsilon)
    return Form(
        lambda rng: leader.start(*rng.spawn(2)), lambda rng: rng.integers(0, 2, (ROUNDS, 5)) * np.linspace(0.8, 1, 5),
        lambda run, costs: run.step(costs), lambda run, costs: run.release(costs),
    )  # fmt: skip


def examples(rng: np.random.Generator) -> np.ndarray:
    """Return points and labels; the target comes often, and in every other game one label in fifty is wrong."""
    points = np.where(rng.random(ROUNDS) < 0.5, 7, rng.integers(0, POINTS, ROUNDS))
    return np.stack((points, (points == 7) ^ (rng.random(ROUNDS) < 0.02 * rng.integers(2))), axis=1)


def predict_and_learn(run: Any, example: np.ndarray) -> bool:
    predicted = run.predict(int(example[0]))
    run.learn(int(example[0]), bool(example[1]))
    return bool(predicted)


def of_learner(learner: Learner) -> Form:
    return Form(
        learner.start, examples, predict_and_learn, lambda run, pairs: run.play(pairs[:, 0], pairs[:, 1].astype(bool)),
        lambda run: run.facts(),
    )  # fmt: skip


def of_sketch(sketch: Sketch) -> Form:
    changes = (-2, 1, 3) if sketch.goal == "second-moment" else (1, 3)
    return Form(
        sketch.start, lambda rng: np.stack((rng.integers(0, 90, STEPS // 5), rng.choice(changes, STEPS // 5)), axis=1),
        lambda run, update: run.step(tuple(update.tolist())), lambda run, updates: run.release(updates),
        lambda run: (run.estimate(), run.scale(), run.exhausted),
    )  # fmt: skip


def of_curator(curator: QueryMechanism) -> Form:
    """Queries of single features, or selections among two if it answers none."""
    data = np.random.default_rng(1).choice([-1, 1], (POINTS, ROUNDS))

    def queries(rng: np.random.Generator) -> list[Any]:
        asked = [FeatureMean(feature) for feature in rng.integers(0, POINTS, ROUNDS).tolist()]
        return asked if curator.answers else [Selection(pair) for pair in pairwise(asked)]

    return Form(
        lambda rng: curator.start(data, ROUNDS, rng), queries, lambda run, query: run.step(query),
        lambda run, several: run.release(several), lambda run: getattr(run, "paid", None),
    )  # fmt: skip


LEARNED: dict[str, dict[str, Any]] = {
    "plain": {},
    "guessing": {"points": POINTS, "rate": 0.7},
    "private-proper": {"epsilon": 8.0, "horizon": ROUNDS, "delta": 0.1},
    "exponential": {"epsilon": 8.0, "points": POINTS, "horizon": ROUNDS},
    "experts-private": {"epsilon": 2.0, "points": POINTS, "horizon": ROUNDS, "counter": "per-item"},
    "point-predictor": {"epsilon": 60.0, "delta": 0.3},
}


SKETCHED: dict[str, dict[str, Any]] = {
    "ams": {"rows": 9},
    "ams-median": {"groups": 3, "rows": 9},
    "switched": {"copies": 9, "size": 16},
    "private-median": {"changes": 3, "copies": 9, "rows": 8},
    "ams-difference": {"rounds": 9, "rows": 16},
    "rounded": {"size": 16},
    "computation-paths": {"changes": 3, "updates": 4},
    "reset-sample": {"size": 40},
    "private-sample": {"horizon": 40},
    "estimator-corrector": {"updates": 40, "rows": 8},
    "kmv": {"size": 16},
    "hyperloglog": {"registers": 128},
    "salted": {"size": 128},
    "count-sketch": {"width": 8},
    "count-min": {"width": 8},
    "datasketches-hll": {},
    "datasketches-theta": {},
    "datasketches-count-min": {"width": 8},
}


CURATED: dict[str, dict[str, Any]] = {"laplace-answers": {"epsilon": 0.5}, "noisy-argmax": {"epsilon": 0.5}}
"""Parameters of registered classes. A new one that needs some is missing here, and fails."""


def of_base(base: type[Any]) -> list[tuple[str, Any]]:
    """Return the registered classes with a base class, and their names."""
    return [(kind, one) for kind, one in MECHANISMS.items() if issubclass(one, base)]


FORMS: dict[str, Form] = {
    "leader": of_leader(None),
    "private leader": of_leader(0.5),
    **{f"learner {kind}": of_learner(learner(**LEARNED[kind])) for kind, learner in of_base(Learner)},
    **{f"sketch {name}": of_sketch(sketch(**SKETCHED[name])) for name, sketch in of_base(Sketch)
       if find_spec("datasketches") or not name.startswith("datasketches")},
    **{f"curator {name}": of_curator(curator(**CURATED.get(name, {}))) for name, curator in of_base(QueryMechanism)},
    "mirror": Form(
        JdpMirror(2.0, delay=3).start, lambda rng: bits(rng).astype(bool), lambda run, bit: run.step(bool(bit)),
        lambda run, several: run.release(several), lambda run: (run.count, run.first_top),
    ),
    "sketch of hashed signs": of_sketch(AmsMedian(groups=3, rows=9, signs="hashed")),
}  # fmt: skip


@pytest.mark.quick_cases(6)
@pytest.mark.parametrize("name", FORMS)
def test_an_array_of_data_is_a_loop_over_its_entries(name: str) -> None:
    assert len(hold_forms_equal(FORMS[name])) > 1
