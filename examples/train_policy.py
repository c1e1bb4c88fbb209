"""Train a policy that breaks `randomized`, and watch it fail against `robust`.

    pip install 'disttrack[gym]'
    python examples/train_policy.py

The policy has four numbers. After each action it sees whether the output has changed, how long ago it last did, and
the relative error, and decides whether to stay at its site or to go on to the next. The cross-entropy
method (Rubinstein 1999) draws policies, keeps the best quarter, and draws the next ones around those. It finds what
its authors never told it: to leave a site when the output has moved.
"""

from __future__ import annotations

import argparse
from statistics import fmean

import numpy as np
import numpy.typing as npt

from disttrack import DistributedCount, Protocol, Randomized, Robust

Weights = npt.NDArray[np.float64]


def play(game: DistributedCount, weights: Weights, seed: int) -> float:
    """Return the largest relative error of a game in which the policy with these weights feeds the sites."""
    observation, _ = game.reset(seed=seed)
    site, harm, over = 0, 0.0, False
    while not over:
        _, error, since_change, changed = observation[:4]
        if weights @ (1.0, changed, since_change, 10 * error) > 0:
            site = (site + 1) % game.sites
        observation, reward, terminated, truncated, _ = game.step(np.int64(site))
        harm += reward
        over = terminated or truncated
    return harm


def train(game: DistributedCount, generations: int, drawn: int, seed: int) -> Weights:
    """Return the weights that the cross-entropy method arrives at."""
    rng = np.random.default_rng(seed)
    centre, spread = np.zeros(4), np.ones(4)
    for generation in range(generations):
        policies = centre + spread * rng.standard_normal((drawn, 4))
        harms = [play(game, weights, int(rng.integers(2**32))) for weights in policies]
        best = policies[np.argsort(harms)[-max(2, drawn // 4) :]]
        centre, spread = best.mean(axis=0), best.std(axis=0) + 0.1
        print(f"generation {generation + 1}: largest error {max(harms):.3f}, mean {fmean(harms):.3f}")
    return centre


def main() -> None:
    """Train against `randomized`, and try the result on both trackers."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sites", type=int, default=64)
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--generations", type=int, default=6)
    parser.add_argument("--drawn", type=int, default=16, help="policies a generation")
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()

    def game(protocol: Protocol) -> DistributedCount:
        return DistributedCount(protocol, sites=chosen.sites, items=chosen.items, burst=20)

    weights = train(game(Randomized(alpha=0.1)), chosen.generations, chosen.drawn, chosen.seed)
    print("weights of 1, changed, time since, error:", np.round(weights, 2))
    for protocol in (Randomized(alpha=0.1), Robust(alpha=0.1)):
        errors = [play(game(protocol), weights, 10_000 + seed) for seed in range(5)]
        broken = sum(error > 0.1 for error in errors)
        print(
            f"{protocol.kind:>10}: largest error {fmean(errors):.3f} on average over 5 games, {broken} of them broken"
        )


if __name__ == "__main__":
    main()
