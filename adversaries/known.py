"""What is known of the algorithm: its rules, with a usual accuracy and confidence supposed where it states none."""

from __future__ import annotations

from math import isfinite
from typing import Final

from adversaries.base import View
from mechanisms.rules import BlockSizes, SamplingRule

ALPHA: Final = 0.1
"""Accuracy supposed of a protocol that states none."""
CONFIDENCE: Final = 3.0
"""The c of sqrt(k)/p = alpha n/c supposed of a protocol that states none."""


def sampling_rule(view: View) -> SamplingRule:
    """Return which p a tracker that samples has in force when."""
    return SamplingRule(_alpha(view) / _confidence(view), view.sites)


def block_sizes(view: View) -> BlockSizes:
    """Return how long a block of the tracker in blocks is when."""
    return BlockSizes(_alpha(view), _confidence(view), view.sites)


def early(view: View) -> float:
    """Return c sqrt(k) / alpha: the items from which on a sampling tracker of confidence c leaves items out."""
    return block_sizes(view).early


def estimate(view: View) -> float:
    """Return the output, or the adversary's own count where the server shows no finite number."""
    output = float(view.output)
    return output if isfinite(output) else float(view.start + view.sent)


def _alpha(view: View) -> float:
    return float(view.known.get("alpha") or ALPHA)


def _confidence(view: View) -> float:
    return float(view.known.get("confidence") or CONFIDENCE)
