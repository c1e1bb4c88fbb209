"""Adversaries: who feeds the sites. Oblivious streams, adaptive attackers, and the base classes for a user's own."""

from adversaries.adaptive import Coin, Drain, Freeze
from adversaries.base import Adversary, Choice, View
from adversaries.bisect import Bisect
from adversaries.eavesdrop import Eavesdrop
from adversaries.intruder import Challenge, Intruder
from adversaries.listed_schedules import Labels, Runs
from adversaries.oblivious import Bursts, RoundRobin, SingleSite, Uniform, Zipf
from adversaries.phase import Phase
from adversaries.policy import Policy
from adversaries.posterior import Posterior
from adversaries.prediction import Contrary, Examiner, FixedExamples, Halving, Insertion, PointStream
from adversaries.replay import Replay
from adversaries.schedules import NEVER, Burst, Rest, Rotation, Schedule
from adversaries.streams import Biased, HardInstance, Scattered
from adversaries.trace import Trace
from adversaries.trial import Trial
from adversaries.updates import Churn, Grow, GrowAndDelete, InTheAir, Overcount, Sliding, UpdateStream, UpdateView
from adversaries.views import StateView, TrafficView
from adversaries.white_box import WhiteBox

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
    "FixedExamples",
    "Freeze",
    "Grow",
    "GrowAndDelete",
    "Halving",
    "HardInstance",
    "InTheAir",
    "Insertion",
    "Intruder",
    "Labels",
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
