"""Reference results of this wing come out again: a sample of their games."""

from __future__ import annotations

from pathlib import Path

import pytest

from disttrack.privacy import scenarios
from disttrack.simulator.kinds.installed import folder_files
from tests.e2e.replay_reference import replay_sample
from tests.e2e.test_reference_rates import rates


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize(("name", "least"), [("monitor", 3), ("sparse", 3), ("experts", 1)])
def test_sampled_games_of_data_come_out_as_recorded(name: str, least: int) -> None:
    found = replay_sample(name)
    assert found.difference == ""
    assert found.games >= least


def test_the_claims_of_data_have_rates() -> None:
    """Guard against testing nothing: tests/e2e/test_reference_rates.py reads those of all shipped scenarios."""
    names = [path.stem for place in scenarios.__path__ for path in folder_files(Path(place))]
    assert len([name for name in names if rates(name)]) >= 25
