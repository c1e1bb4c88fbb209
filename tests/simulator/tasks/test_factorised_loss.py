"""The exact privacy loss of a factorisation, from both sides: claims that bound its error do not see missing noise."""

from __future__ import annotations

from typing import Any

import pytest

from disttrack.mechanisms import FactorisedDifference
from disttrack.simulator.faults.noise import quieter
from disttrack.simulator.tasks.audit import exact_loss


class ALittleQuieter(FactorisedDifference):
    """The planted fault: 0.8 of the noise."""

    def start(self, rng: Any, ledger: Any = None) -> Any:
        return super().start(quieter(rng, 0.8), ledger)


@pytest.mark.parametrize(
    "given",
    [
        {"horizon": 3},
        {"horizon": 4, "lifetime": 2},
        {"horizon": 3, "queries": "intervals", "domain": 2},
        {"horizon": 4, "every": 2, "static": "gaussian", "delta": 1e-6},
        {"horizon": 3, "lifetime": 1, "static": "gaussian", "delta": 1e-6},
    ],
    ids=str,
)
def test_a_factorisation_has_all_the_noise_that_it_needs_and_no_more(given: dict[str, Any]) -> None:
    """Exact from both sides; 0.8 of the noise loses a quarter more. A loss of 1.0001 would be seen."""
    found, planted = (exact_loss(cls(1.0, **given)) for cls in (FactorisedDifference, ALittleQuieter))
    assert found is not None
    assert planted is not None
    assert 1 - 1e-4 <= found.loss <= 1 + 1e-6
    assert planted.loss > 1.2
