"""Headers of a task's tables, used as columns in a claim, are refused with the matching column of trials.csv."""

from __future__ import annotations

from disttrack.simulator.experiments.claims.expressions import columns_of
from disttrack.simulator.game.columns import TRIAL_COLUMNS
from disttrack.simulator.game.tasks.answers import answers_of, shown_in_tables
from disttrack.simulator.kinds.registry import find, kinds_for


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
