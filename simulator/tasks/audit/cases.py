"""The exact loss of each mechanism, and the parameters for audits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from disttrack.simulator.tasks.audit import data, streams
from disttrack.simulator.tasks.audit.case import Exact, audit_of

COMMON: Final = {"epsilon": 1.0, "horizon": streams.STEPS}
USUAL: Final[dict[str, dict[str, Any]]] = {
    "above-threshold": {"threshold": 0.0},
    "private-partition": {"horizon": 4},
    "sparse-vector-monitor": {"k": 2, "cut": 0.0},
    "release-monitor": {"k": 1, "delta": 0.01},
    "counter-monitor": {"k": 2, "cut": 0.0, "horizon": 4},
    "sparse-vector-queries": {"epsilon": 10.0, "points": 2500, "queries": 2},
    "release-queries": {"delta": 0.01},
    "pan-private-density": {"users": 2},
    "continual-output": {"horizon": 2, "sensitivity": 1.0, "changes": 1, "variation": 1.0},
    "perturbed-leader": {"experts": 2, "horizon": 62, "rate": 100.0, "epsilon": 12.0},
    "k-ary": {"base": 3},
    "laplace": {"queries": "points", "domain": 2},
    "gaussian": {"queries": "points", "domain": 2},
    "pmw": {"queries": "points", "domain": 2, "rounds": 2},
    "growing-sparse": {"horizon": data.DENSE},
    "growing-sparse-infinite": {"horizon": None},
    "fully-dynamic": {"horizon": None},
    "inserted-minus-deleted": {"horizon": None},
    "guessing": {"points": 2},
    "exponential": {"points": 2},
    "experts-private": {"points": 2},
    "jdp-mirror": {"delta": 0.1},
    "point-predictor": {"epsilon": 18.0, "delta": 0.15, "count": 3, "delay": 6, "window": 6, "half": 2},
}
"""Default parameters for audits: those for which little hides a mechanism's loss."""


def usual(kind: str, taken: Sequence[str]) -> dict[str, Any]:
    """Return the default parameters for the audit of a kind, restricted to the ones that it takes."""
    return {name: value for name, value in (COMMON | USUAL.get(kind, {})).items() if name in taken}


def exact_loss(mechanism: Any) -> Exact | None:
    """Return the exact loss of a mechanism; None if there is no method for it."""
    return audit_of(mechanism).exact()
