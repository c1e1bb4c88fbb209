"""A quota of the user's that changes a rule promises nothing of its parent."""

from __future__ import annotations

from typing import Any

import numpy as np

from disttrack.fleet.quotas import Split


def test_a_quota_of_its_own_promises_nothing_of_its_parent() -> None:
    class Lavish(Split):
        """Each site has the whole limit."""

        def site(self, number: int, k: int, answers: Any) -> Any:
            site = super().site(number, k, answers)
            site.left = self.limit
            return site

    lavish = Lavish(limit=10, window=100)
    assert Split(limit=10, window=100).slack(4, 0, 0) == 0
    assert (lavish.guarantee, lavish.slack(4, 0, 0)) == ("none", np.inf)
