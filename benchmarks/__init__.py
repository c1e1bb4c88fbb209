"""Benchmarks: every figure is a ratio to a baseline measured in the same run.

``make bench``, or ``python -m benchmarks``: writes goals.csv (goals of the engines), scaling.csv (time
against items and sites, with fitted exponents), and machine.json.
"""
