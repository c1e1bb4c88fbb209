"""Adversaries that give examples, points with labels, to online learners; in other games they feed sites."""

from disttrack.adversaries.prediction.adversaries import Contrary, Halving, Insertion, PointStream
from disttrack.adversaries.prediction.base import Examiner

__all__ = ["Contrary", "Examiner", "Halving", "Insertion", "PointStream"]
