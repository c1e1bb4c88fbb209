"""The claims of reference results: none misses its bound by chance too often; their values are those of the tables."""

from __future__ import annotations

import math
from collections import defaultdict

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
from disttrack.simulator.experiments.claims.false_alarm import ALLOWED, rate_of_several
from disttrack.simulator.experiments.results.folder import Results
from disttrack.simulator.experiments.results.stored import text_rows


def rates(name: str) -> dict[tuple[str, str, str], float | None]:
    """Return the false-alarm rate of each claim of a scenario, over all its groups; nothing without the column."""
    listed: dict[tuple[str, str, str], list[float | None]] = defaultdict(list)
    for row in text_rows(REFERENCE / name / "claims.csv"):
        if "false_alarm" in row:
            rate = float(row["false_alarm"]) if row["false_alarm"] else None
            listed[row["name"], row["where"], row["measure"]].append(rate)
    return {claim: rate_of_several(mine) for claim, mine in listed.items()}


def test_no_claim_misses_its_bound_by_chance_more_often_than_allowed() -> None:
    stated = {name: mine for name in recorded() if (mine := rates(name))}
    assert len(stated) >= 20  # older results of the core have none
    often = {
        f"{name}: {claim}": rate
        for name, mine in stated.items()
        for (claim, _, _), rate in mine.items()
        if rate is None or rate > ALLOWED
    }
    assert not often


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
