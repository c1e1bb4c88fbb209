"""Optimised buffers against those of jax-privacy: its loss of ours is ours, and its own search finds no lower one.

It runs where that library is installed: pip install jax-privacy.
"""

from __future__ import annotations

from typing import Any

import pytest

from disttrack.mechanisms import Blt


@pytest.fixture(scope="module")
def peer() -> Any:
    """The peer's module, in double precision."""
    jax = pytest.importorskip("jax", reason="jax-privacy is not installed")
    module = pytest.importorskip("jax_privacy.matrix_factorization.buffered_toeplitz")
    jax.config.update("jax_enable_x64", True)
    return module


@pytest.mark.parametrize(("steps", "count"), [(1_000, 2), (10_000, 3), (1_000_000, 5)])
def test_a_peer_agrees_and_finds_no_lower_loss(peer: Any, steps: int, count: int) -> None:
    ours = Blt(1.0, steps, buffers=count)
    loss = ours.variance(steps) / ours.sigma**2
    theirs = peer.BufferedToeplitz.build(buf_decay=ours.factors.decays, output_scale=ours.factors.weights)
    assert float(peer.max_loss(theirs, steps)) == pytest.approx(loss, rel=1e-7)
    found = peer.optimize(n=steps, min_buffers=count, max_buffers=count, error="max")
    assert loss <= float(peer.max_loss(found, steps)) * (1 + 1e-6)
