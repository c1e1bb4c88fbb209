"""What the tables of numbers on this wing's pages are compared with, and those of other pages with its scenarios."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from number_tables import Compared, Within, recorded

from disttrack.privacy.mechanisms.queries.strategies import STRATEGIES, strategy

COUNTERS: Final = (
    "fresh", "per-item", "two-level", "binary", "hybrid", "tree-variance-reduced", "k-ary", "smooth-binary",
    "pan-private", "randomized-response", "above-threshold",
)  # fmt: skip
"""The eleven that share a row."""


def audited(name: str, *_: str) -> Sequence[Any]:
    """Return claim, exact loss, proved bound, loss with half the noise, and the range of the bounds from runs."""
    games = recorded("audit")
    literal = games["literal"].astype(str) == "True"
    if name.startswith("eleven counters"):
        assert len(COUNTERS) == 11
        mine = games[games["protocol"].isin(COUNTERS) & ~literal]
        assert len(mine) == 11
    else:
        mine = games[games["protocol"].isin(re.findall(r"`([a-z-]+)`", name)) & (literal == ("published" in name))]
    losses = [mine[column] for column in ("claimed", "loss", "allowed", "halved")]
    assert all(values.max() - values.min() < 1e-6 for values in losses)
    runs = mine["epsilon_low"]
    return [*(values.iloc[0] for values in losses), (runs.min(), runs.max())]


IN_THE_AIR: Final = {
    "by carrier (`rows:16`)": "queries == 'rows:16' and protocol == 'factorised-difference' and static == 'gaussian'",
    "by carrier and by hour (`axes:16`)": "queries == 'axes:16' and protocol == 'factorised-difference'",
    "by carrier and hour together (`points`)": "queries == 'points'",
    "by carrier, pure privacy": "queries == 'rows:16' and protocol == 'factorised-difference' and static == 'laplace'",
    "by carrier, inserted minus deleted": "queries == 'rows:16' and protocol == 'inserted-minus-deleted'",
    "by carrier, fully dynamic": "queries == 'rows:16' and protocol == 'fully-dynamic'",
}
"""The games of each row: mechanism and queries."""


def in_the_air(name: str, *_: str) -> Sequence[Any]:
    games = recorded("in-the-air").query(IN_THE_AIR[name])
    assert len(games) == 40
    errors = [games[column].median() for column in ("max_abs_error", "late_error", "late_zero")]
    return [None, *(Within(error, 500) if error > 10_000 else error for error in errors)]


def strategies(name: str, *_: str) -> Sequence[Any]:
    """Return the best strategies for normal and for Laplace noise: roots of their losses, beside those of others."""
    queries = {"all intervals": "intervals", "marginals of two bits": "marginals:2"}[name]

    def root(one: str, norm: Any) -> float:
        return float(strategy(one, queries, 256, norm).loss(norm)) ** 0.5  # type: ignore[arg-type]

    normal, laplace = ({one: root(one, norm) for one in STRATEGIES[1:]} for norm in (2, 1))
    tree = min(value for one, value in normal.items() if one.startswith("hierarchy"))
    others = (normal["points"], normal["answers"], tree)
    best = min(laplace, key=laplace.__getitem__)
    return [
        min(normal, key=normal.__getitem__),
        (min(normal.values()), *(others if queries == "intervals" else others[:2])),
        best.replace(":", " of "),
        (laplace[best], *(laplace[one] for one in ("points", "answers") if one != best)),
    ]


TABLES: Final = (
    Compared("tables/private-data.md", "Exact losses", cells=audited),
    Compared(
        "tables/published.md", "Counters",
        by_hand="the last column names what computes them",
    ),
    Compared("tables/private-data.md", "Flights in the air", cells=in_the_air, by_hand="facts of the flights"),
    Compared("tables/private-data.md", "Strategies for queries", cells=strategies, slow=True),
    Compared(
        "tables/published.md", "Sketches",
        by_hand="the last column names what computes them",
    ),
)  # fmt: skip
