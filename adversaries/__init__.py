"""Who feeds the sites: oblivious workloads, adaptive attackers, and what a user's own is made of."""

from adversaries.adaptive import Coin, Drain, Freeze
from adversaries.base import Adversary, Choice, View
from adversaries.intruder import Challenge, Intruder
from adversaries.listed import Labels, Runs
from adversaries.oblivious import Bursts, RoundRobin, SingleSite, Uniform, Zipf
from adversaries.schedules import NEVER, Burst, Rest, Rotation, Schedule
from adversaries.streams import Biased, HardInstance, Scattered
from adversaries.trace import Trace

__all__ = [
    "NEVER",
    "Adversary",
    "Biased",
    "Burst",
    "Bursts",
    "Challenge",
    "Choice",
    "Coin",
    "Drain",
    "Freeze",
    "HardInstance",
    "Intruder",
    "Labels",
    "Rest",
    "Rotation",
    "RoundRobin",
    "Runs",
    "Scattered",
    "Schedule",
    "SingleSite",
    "Trace",
    "Uniform",
    "View",
    "Zipf",
]
