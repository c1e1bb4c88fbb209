"""Adversaries that react, whose rule is compiled, with parameters of several kinds."""

from __future__ import annotations

from disttrack.adversaries import Adversary, BoundedMemory, Drain, Freeze, Phase, Policy

COMPILED: list[Adversary] = [
    Freeze(),
    Freeze(reach=0.5, growth=1.3, begin=0.5),
    Drain(),
    Drain(patience=0.7, tries=2),
    Policy(patience=0.3),
    Policy(stay=2.3, patience=0.7, growth=1.2),
    Phase(),
    Phase(side="below", near=0.2),
    BoundedMemory(2),
    BoundedMemory(None, "drain", patience=0.7),
    BoundedMemory(1, "1/0-0/1"),
]
