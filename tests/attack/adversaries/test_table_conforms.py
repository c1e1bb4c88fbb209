"""An adversary that is a table goes through the public conformance tests."""

from __future__ import annotations

from disttrack.attack.adversaries import Tabular
from disttrack.simulator import check_adversary


def test_a_table() -> None:
    assert len(check_adversary(Tabular(table={"0": 0}), sites=(1, 7), items=60)) >= 4
