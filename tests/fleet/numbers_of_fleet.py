"""What the tables of numbers on this wing's pages are compared with."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import pandas as pd
import yaml
from commands import disttrack
from number_tables import PAGES, Compared, Within, recorded
from snippets import snippets

from disttrack import Block, Deterministic, DeterministicRounds, Martingale, Randomized, Robust, RoundRobin, play
from disttrack.simulator.experiments.results.folder import Results

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


WINDOWS: Final = "tables/quotas.md"
PLAYED: Final = ("lease", "countdown-quota", "batch-quota", "sliding-lease", "bucket-lease")
"""Protocols whose games take seconds together."""


@cache
def in_any_window() -> pd.DataFrame:
    """Play the scenario of the page with its number of sites, and those protocols."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "any.yaml")
        blocks = snippets(PAGES[WINDOWS].read_text(encoding="utf-8"), WINDOWS)
        keys = yaml.safe_load(next(one.text for one in blocks if one.file == "any.yaml"))
        keys["protocol"] = [one for one in keys["protocol"] if one["kind"] in PLAYED]
        path.write_text(yaml.safe_dump(keys), encoding="utf-8")
        disttrack("run", str(path), "--out", str(Path(folder, "played")), "--no-figures")
        return Results(str(Path(folder, "played"))).trials


def windows(name: str, *_: str) -> Sequence[Any]:
    """Return the worst of a protocol, without and with delay: of the loads, and of a client that makes sites die."""
    kind = name.strip("`")
    if kind not in PLAYED:
        return [None] * 6
    games = in_any_window()
    games = games[games["protocol"] == kind]
    deaths = games["adversary"] == "churn-of-sites"

    def two(mine: pd.DataFrame, column: str, worst: str) -> tuple[float, ...]:
        return tuple(mine[mine["latency"].fillna(0) == latency][column].agg(worst) for latency in (0, 15))

    loads = (("overshoot", "max"), ("burst", "max"), ("utilisation", "min"), ("words_per_window", "max"))
    return [
        *(two(games[~deaths], *one) for one in loads),
        *(two(games[deaths], *one) for one in loads[1:3]),
    ]


LOADED: Final = (
    ("uniform", 0, ("least_share", "words_per_window")),
    ("zipf", 0, ("least_share", "utilisation", "words_per_window")),
    ("starving", 0, ("least_share", "words_per_window")),
    ("starving", 2, ("least_share",)),
)
"""Loads of the scenario `quota-fair`, the windows in which they spare a site, and the columns that are shown."""


def shared(name: str, *_: str) -> Sequence[Any]:
    """Return shares and words of a protocol under each load."""
    games, kind = recorded("quota-fair").fillna({"pause": 0}), name.partition(",")[0].strip("`")
    games = games[games["protocol"] == kind]
    if kind == "fair-lease":
        games = games[games["free"] == (0.3 if "0.3" in name else 0.1)]
    cells = []
    for load, pause, columns in LOADED:
        mine = games[(games["adversary"] == load) & (games["pause"] == pause)]
        cells += [mine[column].min() if column == "least_share" else mine[column].median() for column in columns]
    return cells


TABLES: Final = (
    Compared(WINDOWS, "4 sites", cells=windows, slow=True, by_hand="minutes: `disttrack run any.yaml`"),
    *(
        Compared(WINDOWS, f"{sites} sites", by_hand=f"minutes: `disttrack run any.yaml --set sites={sites}`")
        for sites in (12, 64)
    ),
    Compared(
        "tables/deployed.md", "Words predicted and measured", cells=predicted,
        by_hand="in real time: `disttrack live`",
    ),
    *(
        Compared("tables/simulated-faults.md", "Faults found in simulated time", number, by_hand=BY)
        for number, BY in enumerate(("faults that are mended",) * 2 + ("counted by `make simulated`",))
    ),
    Compared(
        "tables/deployed.md", "Limits of deployed systems", given=2,
        by_hand="times of a machine: `python -m benchmarks.live`",
    ),
    Compared(
        "quota-in-your-gateway.md", "A quota in your gateway", by_hand="formulas, proved on the page",
    ),
    Compared(
        "tables/limiters.md", "Products",
        by_hand="other programs: `python -m benchmarks.limiters`, Node, HAProxy and nginx",
    ),
    Compared("tables/limiters.md", "Gateways beside their promise", elsewhere="tests/fleet/test_documented_quotas.py"),
    Compared(WINDOWS, "What to reserve", elsewhere="tests/fleet/test_documented_quotas.py"),
    Compared(WINDOWS, "Clients that retry", given=2, cells=retried),
    Compared(WINDOWS, "The least share", cells=shared),
)  # fmt: skip
