"""What the tables of numbers on this wing's pages are compared with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from number_tables import Compared, Within, recorded

from disttrack import Block, Deterministic, DeterministicRounds, Martingale, Randomized, Robust, RoundRobin, play

BACKOFF: Final = {"lost": "none", "exponential": "exponential", "client's bucket": "bucket"}
TRACKERS: Final[dict[str, Any]] = {
    f"`{tracker.kind}`": tracker
    for tracker in (
        kind(alpha=0.1) for kind in (Deterministic, DeterministicRounds, Block, Randomized, Martingale, Robust)
    )
}


def retried(protocol: str, what: str, *_: str) -> Sequence[Any]:
    """Return the medians of a protocol and a way to send again."""
    games = recorded("quota-retries")
    kind = protocol.partition(",")[0].strip("`")
    mine = games[(games["protocol"] == kind) & (games["backoff"] == BACKOFF[what])]
    assert len(mine) == 4
    overshoot, burst, used, refused, waiting = (
        mine[column].median() for column in ("overshoot", "burst", "utilisation", "refused", "waiting")
    )
    return overshoot, burst, used, 100 * refused, waiting


def predicted(name: str, *_: str) -> Sequence[Any]:
    """Return the words of a game when items wait; those with coins differ by 2 % from game to game."""
    words = play(TRACKERS[name], RoundRobin(), sites=64, items=1_000_000, seed=1).words
    both = words if TRACKERS[name].guarantee == "always" else Within(words, 0.05 * words)
    return [both, both, None, None, None]


TABLES: Final = (
    Compared("live.md", "Predicted beside measured", cells=predicted, by_hand="in real time: `disttrack live`"),
    *(
        Compared("live.md", "Searched in simulated time", number, cells=lambda *row: [None] * len(row[1:]), by_hand=BY)
        for number, BY in enumerate(("faults that are mended",) * 2 + ("counted by `make simulated`",))
    ),
    Compared(
        "live.md", "What it costs", given=2, cells=lambda *row: [None] * 3,
        by_hand="times of a machine: `python -m benchmarks.live`",
    ),
    Compared(
        "quota-in-your-gateway.md", "Settings", cells=lambda *row: [None] * 3, by_hand="formulas, proved on the page",
    ),
    Compared("quota-in-your-gateway.md", "The games that reach it", elsewhere="tests/fleet/test_documented_quotas.py"),
    Compared("quota.md", "What to reserve", elsewhere="tests/fleet/test_documented_quotas.py"),
    Compared("quota.md", "Clients that retry", given=2, cells=retried),
)  # fmt: skip
