"""Headers of a task's tables, used as columns in a claim, are refused with the matching column of trials.csv."""

from __future__ import annotations

from typing import Any

import pytest

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.experiments.claims.expressions import columns_of
from disttrack.simulator.experiments.scenario.load import load
from disttrack.simulator.game.columns import TRIAL_COLUMNS
from disttrack.simulator.game.tasks.answers import answers_of, shown_in_tables
from disttrack.simulator.kinds.registry import find, kinds_for

COUNT: dict[str, Any] = {"name": "a", "question": "a?", "task": "count", "sites": 2, "items": 64, "trials": 1}
SIDES = {"protocol": {"kind": "deterministic", "alpha": 0.1}, "adversary": "freeze"}


@pytest.mark.parametrize(
    ("data", "measure", "shown"),
    [
        (COUNT | SIDES, "fraction(held)", "no column 'held'; tables show ok as 'held' (acc"),
        (COUNT | SIDES, "max(error/alpha)", "'error/alpha'; tables show max_rel_error / alpha as 'error/alpha' (acc"),
        (COUNT | SIDES, "max(largest_error)", "'largest_error'; tables show max_rel_error as 'largest error' (acc"),
        (COUNT | SIDES, "max(wordz)", "no column 'wordz'; did you mean 'words'? (acc"),
    ],
)
def test_a_claim_on_a_name_of_a_table(data: dict[str, Any], measure: str, shown: str) -> None:
    claim = {"name": "it", "measure": measure, "at_least": 0.5, "chance": 0}
    with pytest.raises(ScenarioError) as refused:
        load({**data, "claims": [claim]})
    assert shown in str(refused.value)


def test_a_figure_of_a_name_of_a_table() -> None:
    with pytest.raises(ScenarioError, match="no column 'held'; tables show ok as 'held'"):
        load({**COUNT, **SIDES, "sites": [2, 4], "plots": [{"kind": "measure", "x": "sites", "y": "held"}]})


def test_every_name_that_tables_show_leads_to_columns() -> None:
    """Of all tasks; without an expression are only the orders of a paper's table and facts of protocols."""
    led, without = 0, set()
    kinds = kinds_for("task", "disttrack.simulator.game.tasks.base:Task")
    for kind in kinds:
        task = find("task", kind)
        sizes = {size.key for size in task.sizes}
        columns = {*(one.name for one in TRIAL_COLUMNS), *task.columns, *sizes, *task.defaults, "alpha"}
        for one in answers_of(task):
            if not one.column:
                without.add((kind, one.header))
            elif one.header not in columns and one.header.replace(" ", "_") not in columns:
                text = shown_in_tables(f"max({one.header})", task, columns)
                assert f"tables show {one.column} as {one.header!r}" in text
                assert columns_of(one.column) <= columns, (kind, one.header)
                led += 1
    assert led >= 19
    orders = [("dynamic-queries", "Table 1"), ("dynamic-queries", "value"), ("dynamic-queries", "ratio")]
    assert without == {one for one in [*orders, ("continual-count", "memory")] if one[0] in kinds}
