"""The known rules of the algorithm, with default accuracy and confidence if it states none."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any, Final

from disttrack.adversaries.base import View
from disttrack.mechanisms.rules import BlockSizes, SamplingRule

ALPHA: Final = 0.1
"""Default accuracy, for a protocol that states none."""
CONFIDENCE: Final = 3.0
"""Default c of sqrt(k)/p = alpha n/c, for a protocol that states none."""


def sampling_rule(view: View) -> SamplingRule:
    """Return the rule that determines p of a sampling tracker."""
    alpha, confidence = _supposed(view.known)
    return SamplingRule(alpha / confidence, view.sites)


def block_sizes(view: View) -> BlockSizes:
    """Return the block sizes of the tracker in blocks."""
    return BlockSizes(*_supposed(view.known), view.sites)


def early(view: View) -> float:
    """Return c sqrt(k) / alpha: the items from which a sampling tracker of confidence c does not report every item."""
    return early_of(view.known, view.sites)


def early_of(known: Mapping[str, object], sites: int) -> float:
    """Return the same for a protocol of these parameters."""
    return BlockSizes(*_supposed(known), sites).early


def estimate(view: View) -> float:
    """Return the output, or the adversary's own count if the output is no finite number."""
    output = float(view.output)
    return output if isfinite(output) else float(view.start + view.sent)


def _supposed(known: Mapping[str, Any]) -> tuple[float, float]:
    """Return alpha and c."""
    return float(known.get("alpha") or ALPHA), float(known.get("confidence") or CONFIDENCE)
