"""Beliefs about the server's error, site by site, from the algorithm and the outputs.

The total error is known to an adversary: it sees the output and has counted its items. It must infer how the error is
divided among the sites, which determines where the next item does the most harm. An error here is the server's
estimate of a site minus the site's items, in items; positive means too high an estimate.
"""

from __future__ import annotations

from disttrack.adversaries.base import View
from disttrack.attack.adversaries.beliefs.base import AttributedBelief, Belief, BlockBelief, CaughtBelief
from disttrack.attack.adversaries.beliefs.sampling import SamplingBelief

__all__ = ["AttributedBelief", "Belief", "BlockBelief", "CaughtBelief", "SamplingBelief", "belief_of"]


def belief_of(view: View) -> Belief:
    """Return the belief for the protocol of this game."""
    kind = view.known.get("kind")
    plain = view.known.get("copies", 1) == 1 and view.known.get("delta") is None
    if kind == "randomized" and plain:
        return SamplingBelief(view)
    if kind == "block":
        return BlockBelief(view)
    if kind in ("robust", "private-copies", "sketch-switching", "difference-estimators"):
        return CaughtBelief(view)
    return AttributedBelief(view)
