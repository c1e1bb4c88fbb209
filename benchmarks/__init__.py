"""How fast is it? Every figure is a ratio to a baseline that is measured in the same run.

``make bench``, or ``python -m benchmarks``: writes goals.csv (what the engines must reach), scaling.csv and
scaling.png (time against items and sites, with fitted exponents), and machine.json.
"""
