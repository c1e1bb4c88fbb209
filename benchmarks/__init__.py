"""Benchmarks: every figure is a ratio to a baseline measured in the same run.

``make bench``, or ``python -m benchmarks``: writes goals.csv (goals of the engines), scaling.csv (time
against items and sites, with fitted exponents), and machine.json. Those of a wing stand with it, in
``src/disttrack/WING/benchmarks``, and run by the same name: ``python -m benchmarks.live``.
"""

from pathlib import Path

__path__ += map(str, sorted(Path(__file__).resolve().parents[1].glob("src/disttrack/*/benchmarks")))
