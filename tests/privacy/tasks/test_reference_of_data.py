"""Reference results of this wing come out again: a sample of their games."""

from __future__ import annotations

import pytest

from tests.e2e.replay_reference import replay_sample


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize(("name", "least"), [("monitor", 3), ("sparse", 3), ("experts", 1)])
def test_sampled_games_of_data_come_out_as_recorded(name: str, least: int) -> None:
    found = replay_sample(name)
    assert found.difference == ""
    assert found.games >= least
