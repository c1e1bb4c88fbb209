"""`learned`: a trained policy plays the same game as in the environment, and a malformed file is refused in a line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from disttrack import Learned, Randomized, play

SITES, ITEMS = 8, 2_000


def written(path: Path, policy: Any) -> str:
    path.write_text(json.dumps(policy))
    return str(path)


def network(inputs: int, outputs: int, seed: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    shapes = [(6, inputs), (outputs, 6)]
    return {
        "burst": 3,
        "layers": [
            {"weights": rng.normal(size=one).tolist(), "bias": rng.normal(size=one[0]).tolist()} for one in shapes
        ],
    }


def in_environment(policy: dict[str, Any], seed: int) -> tuple[float, int]:
    """Return the largest error and the messages of an episode, and play the network without its class."""
    pytest.importorskip("gymnasium")
    from disttrack import DistributedCount

    first, last = ({key: np.array(layer[key]) for key in layer} for layer in policy["layers"])
    game = DistributedCount(Randomized(alpha=0.1), sites=SITES, items=ITEMS, burst=policy["burst"])
    seen, known = game.reset(seed=seed)
    site, over = 0, False
    while not over:
        hidden = np.tanh(first["weights"] @ seen[: first["weights"].shape[1]].astype(float) + first["bias"])
        scores = last["weights"] @ hidden + last["bias"]
        move = int(np.argmax(scores)) if len(scores) > 1 else (site + int(scores[0] > 0)) % SITES
        site = move if move < SITES else site
        seen, _, over, cut, known = game.step(np.int64(move))
        over = over or cut
    return known["largest_error"], known["messages"]


def hold_same(policy: dict[str, Any], seed: int, path: Path) -> tuple[float, int]:
    """Return the largest error and the messages of a game, which are those of the environment."""
    expected = in_environment(policy, seed)
    from gymnasium.utils.seeding import np_random

    root = int(np_random(seed)[0].integers(2**53))
    file = written(path / "policy.json", policy)
    game = play(Randomized(alpha=0.1), Learned(file=file), sites=SITES, items=ITEMS, seed=root)
    assert (game.max_rel_error, game.messages) == expected
    return expected


@pytest.mark.parametrize(("inputs", "outputs"), [(4, 1), (4 + SITES, SITES)])
def test_it_plays_as_in_the_environment(tmp_path: Path, inputs: int, outputs: int) -> None:
    assert len({hold_same(network(inputs, outputs, seed), seed, tmp_path) for seed in range(2)}) > 1


def test_it_knows_the_share_of_each_site(tmp_path: Path) -> None:
    """It goes on to the next site while the first one has more than a tenth of the items: it has an eighth."""
    first = {"weights": [[0, 0, 0, 0, 1, *[0] * (SITES - 1)]], "bias": [-0.1]}
    hold_same({"burst": 3, "layers": [first, {"weights": [[1]], "bias": [0]}]}, 0, tmp_path)


def test_it_may_skip_steps(tmp_path: Path) -> None:
    layers = [{"weights": [[0.0] * 4] * 2 + [[0, 0, 1, 0]], "bias": [0.1, 0.0, 0.0]}]  # waits after a longer silence
    file = written(tmp_path / "policy.json", {"layers": layers})
    game = play(Randomized(alpha=0.1), Learned(file=file), sites=2, items=50, engine="leap")
    assert game.steps >= game.items


def test_the_shipped_policy_reacts() -> None:
    game = play(Randomized(alpha=0.1), Learned(), sites=64, items=10_000, seed=1)
    assert game.verdict == "failed"


def test_a_policy_for_another_number_of_sites_is_an_error_of_its_games(tmp_path: Path) -> None:
    learned = Learned(file=written(tmp_path / "policy.json", network(4 + SITES, SITES, 0)))
    game = play(Randomized(alpha=0.1), learned, sites=SITES + 1, items=20, on_error="record")
    assert game.verdict == "error"
    assert "takes 4 or 13 numbers" in (game.error or "")
