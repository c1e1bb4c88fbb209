"""Online learning and prediction of point functions, the mirror inside, and joint privacy by enumeration.

>>> from disttrack.adversaries import PointStream
>>> from disttrack.mechanisms import Plain
>>> play_prediction(Plain(), PointStream(), points=100, steps=1000).mistakes
1
"""

from __future__ import annotations

from disttrack.simulator.tasks.prediction.game import play_prediction
from disttrack.simulator.tasks.prediction.mirror import play_mirror

__all__ = ["play_mirror", "play_prediction"]
