"""Benchmark of the private counters: steps per second, and ratios to baselines measured in the same run.

Baselines: (a) numpy drawing one Laplace variable per step and nothing else, the minimum for any of these
counters; (b) the binary mechanism as listed in its paper, in plain Python. Run with ``python -m
benchmarks.counters``.
"""

from __future__ import annotations

import numpy as np

from benchmarks.clock import seconds
from disttrack.mechanisms import COUNTERS, Counter
from disttrack.mechanisms.counters import counter

STEPS = 1 << 20
SINGLE = 100_000
REPEATS = 5


def listed_binary(steps: int) -> None:
    """Count ones with the binary mechanism as listed: partial sums, noisy partial sums, set bits of t."""
    rng = np.random.default_rng(0)
    levels = steps.bit_length()
    exact, noisy = [0.0] * levels, [0.0] * levels
    for t in range(1, steps + 1):
        level = (t & -t).bit_length() - 1
        exact[level] = sum(exact[:level]) + 1
        exact[:level] = noisy[:level] = [0.0] * level
        noisy[level] = exact[level] + rng.laplace(0.0, levels)
        sum(noisy[i] for i in range(levels) if t >> i & 1)


def step_by_step(rules: Counter) -> None:
    """Count ones, with one call per step."""
    step = rules.start(np.random.default_rng(0)).step
    for _ in range(SINGLE):
        step(1)


def main() -> None:
    """Print the table."""
    ones = np.ones(STEPS)
    drawing = seconds(lambda: np.random.default_rng(0).laplace(0.0, 1.0, STEPS), REPEATS) / STEPS
    listing = seconds(lambda: listed_binary(SINGLE), REPEATS) / SINGLE
    print(f"(a) a Laplace draw in bulk          {drawing * 1e6:8.3f} us")
    print(f"(b) binary as listed, plain Python  {listing * 1e6:8.3f} us a step\n")
    print(f"{'counter':<24}{'release, M/s':>13}{'times (a)':>11}{'step, us':>10}{'(b) over it':>13}")
    for kind in COUNTERS:
        rules = counter(kind, 1.0, STEPS)
        released = seconds(lambda rules=rules: rules.start(np.random.default_rng(0)).release(ones), REPEATS) / STEPS  # type: ignore[misc]
        stepped = seconds(lambda rules=rules: step_by_step(rules), REPEATS) / SINGLE  # type: ignore[misc]
        print(
            f"{kind:<24}{1e-6 / released:>13.2f}{released / drawing:>11.2f}"
            f"{stepped * 1e6:>10.2f}{listing / stepped:>13.2f}"
        )
    for exponent in (16, 20):
        rules = counter("square-root", 1.0, 1 << exponent)
        took = seconds(lambda rules=rules: rules.start(np.random.default_rng(0)).release(ones[: rules.steps]), REPEATS)  # type: ignore[misc]
        print(f"square-root, all 2^{exponent} steps: {took:.2f} s")


if __name__ == "__main__":
    main()
