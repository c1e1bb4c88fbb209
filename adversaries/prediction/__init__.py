"""Adversaries that give examples, points with labels, to online learners; in other games they feed sites."""

from disttrack.adversaries.prediction.base import Examiner
from disttrack.adversaries.prediction.constructed import Halving, Insertion
from disttrack.adversaries.prediction.contrary import Contrary
from disttrack.adversaries.prediction.point_stream import PointStream

__all__ = ["Contrary", "Examiner", "Halving", "Insertion", "PointStream"]
