"""Adversaries of games on data sets: insertions, deletions, and the live items."""

from __future__ import annotations

from disttrack.adversaries.updates.base import Live, UpdateStream, UpdateView
from disttrack.adversaries.updates.departures import InTheAir
from disttrack.adversaries.updates.streams import Churn, Grow, GrowAndDelete, Overcount, Sliding

__all__ = ["Churn", "Grow", "GrowAndDelete", "InTheAir", "Live", "Overcount", "Sliding", "UpdateStream", "UpdateView"]
