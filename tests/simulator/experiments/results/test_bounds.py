"""A user's bound on the mean cost that all games exceed is said to be exceeded, where chance does not explain it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import pytest
from synthetic_results import write_result

from disttrack.protocols import Deterministic
from disttrack.simulator.experiments.results.folder import Results
from disttrack.simulator.experiments.results.pairs import exceeded
from disttrack.simulator.experiments.results.read import read_tables
from disttrack.simulator.shown.plots import check_plot
from disttrack.simulator.shown.plots.description import Description
from disttrack.simulator.shown.plots.requests import described_of


class Costly(Deterministic):
    """States a bound of the test's at 16 sites, and one that holds at others."""

    kind: ClassVar[str] = "costly"
    bound: ClassVar[float] = 0.0

    def cost_bound(self, k: int, items: int, start: int = 0) -> float:
        """Return it."""
        return self.bound if k == 16 else 1e12


@pytest.mark.parametrize(
    ("trials", "share", "said"), [(20, 0.99, True), (2, 0.99, False), (2, 1e-4, True), (20, 1.01, False)]
)
def test_costs_above_a_users_bound_are_said(
    trials: int, share: float, said: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: dict[str, Any] = {"sites": (16, 64), "adversaries": ("round-robin",), "trials": trials}
    folder = write_result(tmp_path / "r", protocols=("costly", "randomized"), **sizes)
    tables = read_tables([Results(folder, {"costly": Costly})])
    games = tables.trials[(tables.trials["protocol"] == "costly") & (tables.trials["sites"] == 16)]
    monkeypatch.setattr(Costly, "bound", share * games["messages"].min())
    sentence = f"Measured costs of costly exceed its cost bound {Costly.bound:,.3g} at 1 of 2 points."
    made = described_of(tables, check_plot({"kind": "cost", "x": "sites"}))
    assert isinstance(made, Description)
    texts = [made.note, *exceeded(tables)]
    assert [text.count("exceed its cost bound") for text in texts if "cost bound" in text] == [1, 1] * said
    if said and Costly.bound < 100:
        assert made.note.count(sentence) == texts.count(sentence) == 1
    # the control: without the class there is no bound
    assert not exceeded(read_tables([folder]))
