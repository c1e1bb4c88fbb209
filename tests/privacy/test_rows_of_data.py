"""Rows of figures of this wing: losses of audits beside what is proved, thresholds that move with a size."""

from __future__ import annotations

import pandas as pd
import pytest
from drawn import described, marks
from drawn_again import REFERENCE


def test_an_audit_shows_the_loss_of_each_mechanism_beside_what_is_proved() -> None:
    made = described(REFERENCE / "audit", {"kind": "spread", "y": "loss", "limit": "allowed", "where": "exact"})
    (panel,) = made.panels
    losses, limits = marks(panel), marks(panel, "limit")
    assert len(panel.y.names) >= 20
    assert set(losses) == set(limits) == set(panel.y.names)
    above = {row for row in losses if losses[row] > limits[row] + 1e-6}
    assert above == {"binary(literal=true)"}, "the published number of levels is refuted, and nothing else"


def test_rows_leave_out_parameters_that_move_with_another_one() -> None:
    plot = {"kind": "spread", "y": "items_at_halt", "limit": "threshold", "where": "part == 'below'"}
    (panel,) = described(REFERENCE / "monitor", plot).panels
    rows = pd.read_csv(REFERENCE / "monitor" / "trials.csv.gz")
    rows = rows[(rows["protocol"] == "release-monitor") & (rows["adversary"] == "hard-instance")]
    mine = rows[rows["items"] == 2**26]
    name = "release-monitor(steps=$2^{26}$), against hard-instance"
    assert marks(panel)[name] == pytest.approx(mine["items_at_halt"].median())
    assert marks(panel, "limit")[name] == 8
