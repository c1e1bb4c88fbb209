"""Online learning and prediction of point functions, the mirror inside, and joint privacy by enumeration.

>>> from disttrack.privacy.adversaries import PointStream
>>> from disttrack.privacy.mechanisms import Plain
>>> from disttrack.simulator.game.tasks.duel import play_duel
>>> play_duel(Plain(), PointStream(), points=100, steps=1000).mistakes
1
"""
