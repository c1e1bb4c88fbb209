"""The values in the figures of reports of this wing's scenarios are those of the tables."""

from __future__ import annotations

from typing import Final

import pytest

from disttrack.fleet import scenarios
from tests.simulator.shown.report.test_values_of_shipped_pages import hold_keys, hold_values

SCENARIOS: Final = ("quota", "quota-hostile")
"""Scenarios of small tables whose figures have each kind, and each key of a kind, that one of this wing asks for."""


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("name", SCENARIOS)
def test_values_in_pages_of_fleet_are_those_of_the_tables(name: str) -> None:
    hold_values(name)


def test_every_key_of_a_figure_of_fleet_is_there() -> None:
    hold_keys(SCENARIOS, scenarios)
