"""Some blows of the campaign of `kill_campaign.py`, which strikes a hundred times: as many as a few seconds hold."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest
from kill_campaign import Campaign

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="finds processes by /proc")

SECONDS = 4.0


@pytest.mark.slow
def test_runs_that_are_killed_lose_nothing_and_leave_nobody(tmp_path: Path) -> None:
    campaign = Campaign(tmp_path, seed=2026)
    begun = time.monotonic()
    while time.monotonic() < begun + SECONDS and campaign.counts["lives"] < 4:
        campaign.life()
    assert campaign.counts["lives"] >= 1
