"""Threshold protocols: one alarm, never before (1 - epsilon) tau items and no later than tau.

The output is an estimate, as with every tracker, and the alarm is raised when it reaches `earliest`. A tracker of
relative error needs an exact estimate at all counts; these need it at one count only, which is cheaper.
"""
