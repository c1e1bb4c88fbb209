"""Small parts by hand: releases over stretches, segments at once, views of a state."""

from __future__ import annotations

import numpy as np
import pytest

from disttrack.mechanisms.scripted_noise import ScriptedNoise
from disttrack.privacy.mechanisms import GaussianQueries, Overdrawn, PrivacyLedger  # fmt: skip
from disttrack.privacy.mechanisms.dynamic.releases import ReleaseTree, hybrid_parts


@pytest.mark.parametrize("after", [0, 5])
def test_releases_over_stretches(after: int) -> None:
    """Which stretch a tree releases at which level, and which items it declares."""
    static = GaussianQueries(3.0, 3e-3)
    ledger = PrivacyLedger("l", 3.0, 3e-3)
    tree = ReleaseTree(static, 3, ScriptedNoise(), ledger, **({"after": after} if after else {}))  # type: ignore[arg-type]
    seen = []
    for step in range(1, 8):
        answers = tree.step(np.array([float(step)]) if step % 3 else None)
        assert answers[0] == sum(one for one in range(1, step + 1) if one % 3)
        seen.append([level for level, _ in tree.nodes])
    assert seen == [[1], [2], [2, 1], [3], [3, 1], [3, 2], [3, 2, 1]]
    assert [(part.name, part.epsilon, part.delta, part.rule) for part in ledger.parts] == [
        (f"level {level}", 1.0, 1e-3, "parallel") for level in (1, 2, 3)
    ]
    for part, end in zip(ledger.parts, (7, 6, 4), strict=True):
        with pytest.raises(Overdrawn, match=f"those up to {after + end} have been used"):
            part.use("again", 0.1, over=(after + end, after + end))
    assert [part.uses["release"].count for part in ledger.parts] == [4, 2, 1]
    assert tree.parts() == [(GaussianQueries(1.0, 1e-3), 3)]
    half = GaussianQueries(1.5, 1.5e-3)
    for steps, power in ((1, 0), (2, 1), (3, 1), (4, 2), (9, 3)):
        each = max(1, power)
        assert hybrid_parts(static, steps) == [
            (half, power + 1), (GaussianQueries(1.5 / each, 1.5e-3 / each), power),
        ]  # fmt: skip
    assert hybrid_parts(static, 0) == []
