"""An example of each kind: the quickest point of a shipped scenario in which it plays, as a scenario of one game."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import yaml

from disttrack.simulator.experiments.scenario.load import Scenario
from disttrack.simulator.kinds.point import Point
from disttrack.simulator.kinds.registry import Family
from handbook.corpus import Row, shipped, uses

PATIENCE: Final = 1.0
"""Seconds that the game of an example may have taken."""

_DATA: Final[dict[str, Any]] = {"epsilon": 1, "queries": "count"}
OWN: Final[dict[tuple[Family, str], dict[str, Any]]] = {
    ("adversary", "contrary"): {
        "task": "prediction", "points": 100, "steps": 1000,
        "protocol": {"kind": "point-predictor", "epsilon": 3, "delta": 0.03}, "adversary": {"kind": "contrary"},
    },
    ("adversary", "grow-and-delete"): {
        "task": "dynamic-queries", "domain": 16, "steps": 3000,
        "protocol": {"kind": "fully-dynamic", **_DATA},
        "adversary": {"kind": "grow-and-delete", "peak": 1000, "rest": 100},
    },
    ("adversary", "learned"): {
        "sites": 64, "items": 10_000,
        "protocol": {"kind": "randomized", "alpha": 0.1}, "adversary": {"kind": "learned"},
    },
    ("adversary", "moves"): {
        "sites": 2, "items": 6,
        "protocol": {"kind": "deterministic", "alpha": 0.1}, "adversary": {"kind": "moves", "steps": "0 1 0*3 1"},
    },
    ("adversary", "table"): {
        "sites": 2, "items": 10,
        "protocol": {"kind": "randomized", "alpha": 0.1}, "adversary": {"kind": "table", "table": {"0": 0}},
    },
    ("adversary", "sliding"): {
        "task": "dynamic-queries", "domain": 16, "steps": 3000,
        "protocol": {"kind": "inserted-minus-deleted", **_DATA}, "adversary": {"kind": "sliding", "window": 100},
    },
    ("adversary", "random-items"): {
        "task": "frequency", "updates": 1000,
        "protocol": {"kind": "count-min", "width": 64}, "adversary": {"kind": "random-items"},
    },
    ("adversary", "random-tails"): {
        "task": "frequency", "updates": 1000,
        "protocol": {"kind": "count-sketch", "width": 64}, "adversary": {"kind": "random-tails", "tail": 4},
    },
    ("adversary", "tail-attack"): {
        "task": "frequency", "updates": 1000,
        "protocol": {"kind": "count-sketch", "width": 64}, "adversary": {"kind": "tail-attack", "tail": 4},
    },
    ("protocol", "gaussian-tree"): {
        "task": "continual-count", "steps": 1000,
        "protocol": {"kind": "gaussian-tree", "epsilon": 1}, "adversary": {"kind": "round-robin"},
    },
    ("protocol", "count-sketch"): {
        "task": "frequency", "updates": 1000,
        "protocol": {"kind": "count-sketch", "width": 64}, "adversary": {"kind": "tail-attack", "tail": 4},
    },
    ("adversary", "gradient"): {
        "task": "statistical-queries", "samples": 1000, "features": 20, "queries": 101,
        "protocol": {"kind": "gaussian-answers", "std": 0.05}, "adversary": {"kind": "gradient"},
    },
    ("protocol", "private-partition"): {
        "task": "audit", "runs": 200,
        "protocol": {"kind": "private-partition", "epsilon": 1}, "adversary": {"kind": "round-robin"},
    },
    ("protocol", "continual-output"): {
        "task": "audit", "runs": 200,
        "protocol": {
            "kind": "continual-output", "epsilon": 3, "horizon": 16, "sensitivity": 1, "changes": 1, "variation": 1,
        },
        "adversary": {"kind": "round-robin"},
    },
}  # fmt: skip
"""Examples by hand: of kinds that play in no scenario, or only in long games."""


@dataclass(frozen=True)
class Example:
    """A game to be played.

    Parameters
    ----------
    data
        The scenario that plays it.
    drawn_from
        The shipped scenario that it is a point of; empty if it was made by hand.
    row
        The game in the reference results; None if it was made by hand.
    """

    data: Mapping[str, Any]
    drawn_from: str = ""
    row: Row | None = None

    @property
    def text(self) -> str:
        """Return the scenario as YAML."""
        return "".join(f"{key}: {_flow(value)}\n" for key, value in self.data.items())


def example(family: Family, name: str) -> Example | None:
    """Return an example of a kind; None of a plot, which is no game."""
    by_hand = OWN.get((family, name))
    if by_hand is not None:
        return Example({"name": f"{name}-example", **by_hand})
    use = min(uses().get((family, name), []), default=None)
    if use is None or family == "plot":
        return None
    one = shipped()[use.scenario]
    return Example(
        _scenario_of(f"{name}-example", one.scenario, one.scenario.points[use.point]),
        use.scenario,
        one.games.get(use.point),
    )


def _scenario_of(name: str, scenario: Scenario, point: Point) -> dict[str, Any]:
    """Return the scenario of which a point is all."""
    data: dict[str, Any] = {"name": name, "task": point.task.kind, "seed": scenario.plan_of(point).seed}
    for size in scenario.task.sizes:
        value = getattr(point, size.column)
        if value or (size.needed and value is not None):
            data[size.key] = value
    for side in (point.protocol, point.adversary):
        # a list is swept: a value that is one stands in another
        given = {key: [value] if isinstance(value, list) else value for key, value in side.arguments.items()}
        data[side.role] = {"kind": side.kind, **given}
    if point.network is not None:
        data["network"] = dict(point.network)
    if point.engine != "auto":
        data["engine"] = point.engine
    return data


def _flow(value: Any) -> str:
    """Return a value as YAML on a line."""
    plain = yaml.safe_dump(value, default_flow_style=True, width=10_000, sort_keys=False, allow_unicode=True)
    return plain.removesuffix("\n").removesuffix("\n...")
