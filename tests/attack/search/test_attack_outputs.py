"""`attack` writes over its own file only."""

from __future__ import annotations

import pytest
from own_outputs import hold_own_output

pytestmark = pytest.mark.usefixtures("folder")


@pytest.mark.slow
def test_a_file_of_the_users_is_not_replaced_by_attack() -> None:
    hold_own_output(
        "attack", "--protocol", "deterministic", "--sites", "2", "--items", "50", "--budget", "100", "--out"
    )
