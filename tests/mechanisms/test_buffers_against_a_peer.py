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


@pytest.mark.slow
@pytest.mark.parametrize(("steps", "entries", "separation", "count"), [(100, 2, 50, 2), (1_000, 64, 15, 2)])
def test_a_peer_agrees_on_several_entries(peer: Any, steps: int, entries: int, separation: int, count: int) -> None:
    ours = Blt(1.0, steps, buffers=count, participations=entries, separation=separation)
    loss = ours.variance(steps) / ours.sigma**2
    theirs = peer.BufferedToeplitz.build(buf_decay=ours.factors.decays, output_scale=ours.factors.weights)
    measure = peer.LossFn.build_min_sep(steps, "max", separation, entries)
    assert float(measure.loss(theirs)) == pytest.approx(loss, rel=1e-7)
    shared = {"n": steps, "min_sep": separation, "max_participations": entries, "error": "max"}
    found = peer.optimize(min_buffers=count, max_buffers=count, **shared)
    assert loss <= float(measure.loss(found)) * (1 + 2e-6)
