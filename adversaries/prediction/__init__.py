"""Adversaries that give examples, points with labels, to online learners; elsewhere they feed sites."""

from adversaries.prediction.base import Examiner, FixedExamples
from adversaries.prediction.constructed import Halving, Insertion
from adversaries.prediction.contrary import Contrary
from adversaries.prediction.point_stream import PointStream

__all__ = ["Contrary", "Examiner", "FixedExamples", "Halving", "Insertion", "PointStream"]
