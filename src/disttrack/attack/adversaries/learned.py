"""Adversary that plays a trained policy: a small network as data, of the observations of the Gymnasium environment."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from math import inf, isnan
from pathlib import Path
from typing import ClassVar, Final, SupportsFloat

import numpy as np
import numpy.typing as npt

from disttrack.adversaries.base import Adversary, View
from disttrack.adversaries.recorded import Text
from disttrack.adversaries.schedules import Burst, Rest, Schedule

LARGEST: Final = 10.0
"""Relative errors beyond this are shown as this."""
COMMON: Final = 4
"""Observed numbers that do not depend on the number of sites."""
TRAINED: Final = {"burst": 20, "layers": [{"weights": [[0.0, 2.2, -0.94, 1.47]], "bias": [-0.83]}]}
"""The policy that `examples/train_policy.py` arrives at against `randomized`."""

Reals = npt.NDArray[np.float64]
Layers = list[tuple[Reals, Reals]]
"""Weights, a row per output, and biases of each layer."""


def relative_error(view: View) -> float:
    """Return the present relative error, infinite where the output is no finite number."""
    return error_of(view.output, view.start + view.sent)


def error_of(output: SupportsFloat, count: int) -> float:
    """Return the relative error of an output when there are `count` items; infinite if the output is no number."""
    error = (float(output) - count) / count if count else 0.0
    return inf if isnan(error) else error


def observation(view: View, fed: Reals, changes: int) -> npt.NDArray[np.float32]:
    """Return what an adversary that sees outputs observes, as numbers.

    These are the share of the items sent; the relative error, cut at ±10; log(1 + s) / log(1 + items) for the s steps
    since the output changed; whether it has changed since the last move; and for each site its share of the items sent.

    Parameters
    ----------
    fed
        Items that each site was given.
    changes
        Changes of the output before the last move.
    """
    since = np.log1p(view.steps - view.changed_at) / np.log1p(max(1, view.items))
    error = min(LARGEST, max(-1.0, relative_error(view)))
    common = [view.sent / max(1, view.items), error, min(1.0, since), view.changes != changes]
    return np.concatenate([common, fed / max(1, view.sent)]).astype(np.float32)


@dataclass
class Learned(Adversary):
    """Plays a trained policy: a network with tanh between its layers, which chooses the next site.

    The file is JSON: ``{"burst": 20, "layers": [{"weights": [[…], …], "bias": […]}, …]}``. The first layer takes the
    observation of `DistributedCount` that sees outputs, or its first 4 numbers. The last layer has one output (above 0,
    it goes on to the next site), or one per site (the largest one is fed) and perhaps one more to skip a step.

    Parameters
    ----------
    file
        The policy; if left out, the one found by `examples/train_policy.py`.
    """

    kind: ClassVar[str] = "learned"
    rests: ClassVar[bool] = True
    source: ClassVar[str] = "trained in the Gymnasium environment, or elsewhere"
    each_item: ClassVar[bool] = True
    draws_coins: ClassVar[bool] = False

    file: Text | None = None
    _layers: Layers = field(init=False, repr=False, compare=False)
    _burst: int = field(init=False, repr=False, compare=False)
    _fed: Reals | None = field(init=False, repr=False, compare=False, default=None)
    _site: int = field(init=False, repr=False, compare=False, default=0)
    _moved: bool = field(init=False, repr=False, compare=False, default=False)
    _sent: int = field(init=False, repr=False, compare=False, default=0)
    _changes: int = field(init=False, repr=False, compare=False, default=0)

    def __post_init__(self) -> None:
        super().__post_init__()
        try:
            policy = TRAINED if self.file is None else json.loads(Path(self.file).expanduser().read_text("utf-8"))
            self._layers, self._burst = _read(policy)
        except (OSError, ValueError, RecursionError) as error:
            raise ValueError(f"file {self.file!r}: {getattr(error, 'strerror', None) or error}") from error

    def plan(self, view: View) -> Schedule:
        if self._fed is None:
            self._fed = np.zeros(view.sites)
            self._check(view.sites)
        if self._moved:
            self._fed[self._site] += view.sent - self._sent
        outputs = self._outputs(observation(view, self._fed, self._changes))
        self._sent, self._changes = view.sent, view.changes
        site = int(outputs.argmax()) if len(outputs) > 1 else (self._site + bool(outputs[0] > 0)) % view.sites
        self._moved = site < view.sites
        if not self._moved:
            return Rest(1)
        self._site = site
        return Burst(site, self._burst)

    def _check(self, sites: int) -> None:
        taken, given = self._layers[0][0].shape[1], len(self._layers[-1][1])
        if taken not in (COMMON, COMMON + sites) or given not in (1, sites, sites + 1):
            raise ValueError(
                f"file {self.file!r}: a policy for {sites} sites takes {COMMON} or {COMMON + sites} numbers and gives "
                f"1, {sites} or {sites + 1}; this one takes {taken} and gives {given}"
            )

    def _outputs(self, seen: npt.NDArray[np.float32]) -> Reals:
        values: Reals = seen[: self._layers[0][0].shape[1]].astype(float)
        for weights, bias in self._layers[:-1]:
            values = np.tanh(weights @ values + bias)
        weights, bias = self._layers[-1]
        return weights @ values + bias


def _read(policy: object) -> tuple[Layers, int]:
    """Return the layers and the items of a move; ValueError if the policy is malformed."""
    if not isinstance(policy, dict) or not isinstance(policy.get("layers"), list) or not policy["layers"]:
        raise ValueError('must be a JSON object with "layers": a list of {"weights": …, "bias": …}')
    if unknown := sorted(policy.keys() - {"burst", "layers"}):
        raise ValueError(f"unknown key {unknown[0]!r}; accepted: burst, layers")
    burst = policy.get("burst", 1)
    if isinstance(burst, bool) or not isinstance(burst, int) or burst < 1:
        raise ValueError(f"burst must be a whole number of at least 1; got {burst!r}")
    layers: Layers = []
    for number, entry in enumerate(policy["layers"]):
        try:
            weights, bias = (np.array(entry[key], dtype=float) for key in ("weights", "bias"))
        except (TypeError, KeyError, ValueError, OverflowError) as error:
            raise ValueError(f'layer {number} must have "weights", rows of numbers, and "bias"') from error
        width = len(layers[-1][1]) if layers else weights.shape[-1] if weights.ndim else 0
        if weights.size == 0 or weights.ndim != 2 or weights.shape != (len(np.atleast_1d(bias)), width):
            raise ValueError(f"layer {number} must have a row of weights and a bias per output, and a weight per input")
        if bias.ndim != 1 or not (np.isfinite(weights).all() and np.isfinite(bias).all()):
            raise ValueError(f"layer {number} must hold finite numbers, and its bias be a list")
        layers.append((weights, bias))
    return layers, burst
