"""Adversaries, which feed the sites: oblivious streams, adaptive attackers, and base classes for users' own."""

from disttrack.adversaries.adaptive import Coin, Drain, Freeze, Policy
from disttrack.adversaries.base import Adversary, Choice, View
from disttrack.adversaries.believing import Eavesdrop, Posterior, WhiteBox
from disttrack.adversaries.bisect import Bisect
from disttrack.adversaries.intruder import Challenge, Intruder
from disttrack.adversaries.learned import Learned
from disttrack.adversaries.listed_schedules import Labels, Runs
from disttrack.adversaries.oblivious import Bursts, RoundRobin, SingleSite, Uniform, Zipf
from disttrack.adversaries.phase import Phase
from disttrack.adversaries.prediction import Contrary, Examiner, Halving, Insertion, PointStream
from disttrack.adversaries.replay import Replay
from disttrack.adversaries.schedules import NEVER, Burst, Rest, Rotation, Schedule
from disttrack.adversaries.streams import Biased, HardInstance, Scattered
from disttrack.adversaries.trace import Trace
from disttrack.adversaries.trial import Trial
from disttrack.adversaries.updates import (
    Churn,
    Grow,
    GrowAndDelete,
    InTheAir,
    Overcount,
    Sliding,
    UpdateStream,
    UpdateView,
)
from disttrack.adversaries.views import StateView, TrafficView

__all__ = [
    "NEVER",
    "Adversary",
    "Biased",
    "Bisect",
    "Burst",
    "Bursts",
    "Challenge",
    "Choice",
    "Churn",
    "Coin",
    "Contrary",
    "Drain",
    "Eavesdrop",
    "Examiner",
    "Freeze",
    "Grow",
    "GrowAndDelete",
    "Halving",
    "HardInstance",
    "InTheAir",
    "Insertion",
    "Intruder",
    "Labels",
    "Learned",
    "Overcount",
    "Phase",
    "PointStream",
    "Policy",
    "Posterior",
    "Replay",
    "Rest",
    "Rotation",
    "RoundRobin",
    "Runs",
    "Scattered",
    "Schedule",
    "SingleSite",
    "Sliding",
    "StateView",
    "Trace",
    "TrafficView",
    "Trial",
    "Uniform",
    "UpdateStream",
    "UpdateView",
    "View",
    "WhiteBox",
    "Zipf",
]
