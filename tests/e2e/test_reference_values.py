"""The values of claims are those of the tables beside them: whoever measures trials.csv finds what is stated."""

from __future__ import annotations

import math

import numpy as np
import pytest
from replay_reference import REFERENCE, recorded

from disttrack.simulator.experiments.claims.expressions import (
    Columns,
    ExpressionError,
    column_of,
    condition,
    measure,
    select,
)
from disttrack.simulator.experiments.results.folder import Results

LEAST = 0.9
"""Share of the claims with a value that are measured; others need games that errors ended, or sizes by other names."""


def columns(results: Results) -> Columns:
    """Return the table of games, with the words and messages by kind."""
    table = {name: column_of(list(results.trials[name])) for name in results.trials}
    places = {
        place: number for number, place in enumerate(zip(*(table[one] for one in ("point", "trial")), strict=True))
    }
    for row in results.kinds.itertuples() if (results.dir / "kinds.csv.gz").is_file() else ():
        for unit in ("words", "messages"):
            sums = table.setdefault(f"{unit}_{row.kind.replace('-', '_')}", np.zeros(len(results.trials)))
            sums[places[row.point, row.trial]] += getattr(row, unit)
    return table


@pytest.mark.slow
def test_each_claim_states_what_its_table_says() -> None:
    """Means that count a game without coins once, and others by trials, differed by up to a fifth (quota)."""
    known, other, measured = 0, [], 0
    for name in recorded():
        results = Results(REFERENCE / name)
        table = columns(results)
        for claim in results.claims.astype(object).fillna("").itertuples():
            if claim.value == "":
                continue
            known += 1
            mine = table
            try:
                for text in filter(None, (claim.where, claim.group)):
                    mine = select(mine, condition(text, mine))
                value = measure(claim.measure, mine).value
            except ExpressionError:
                continue
            measured += 1
            if not math.isclose(value, float(claim.value), rel_tol=1e-9, abs_tol=1e-12):
                other.append(f"{name}: {claim.name} [{claim.group}]: {claim.value}, by trials.csv {value}")
    assert not other
    assert measured > LEAST * known > 0
