"""Requests of quotas per second of processor time, by `leap` and by `compiled`: ``python -m benchmarks.requests``.

Without a network, with latency, and with latency and losses.

The functions are compiled before they are timed. Each row is of games of the same size and seed, one after the other.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import product
from typing import Any, Final

import click

from disttrack.adversaries import Adversary, Uniform
from disttrack.fleet.loads import Autoscaling, ChurnOfSites, FlashCrowd, Greedy, Retrying
from disttrack.fleet.quotas import QUOTAS, Lease, Quota
from disttrack.simulator import play
from disttrack.simulator.experiments.results.formats import number
from disttrack.simulator.shown.terminal.tables import Column, Table, print_table

LIMIT: Final[dict[str, Any]] = {"limit": 2_000, "window": 6_000}
LOADS: Final[list[Adversary]] = [Uniform(), FlashCrowd(), Greedy(), Autoscaling(), ChurnOfSites(23), Retrying()]
"""The last one is asked in Python, at each request."""

NETWORKS: Final[dict[str, Any]] = {
    "none": None,
    "latency": {"latency": 20},
    "latency and loss": {"latency": {"uniform": {"from": 5, "to": 20}}, "loss": 0.01},
}

NAMES: Final = ("leap", "compiled", "ratio")


def quotas() -> Iterator[Quota]:
    """Yield each kind that has a compiled form, and one whose costs are known late."""
    for kind in QUOTAS.values():
        if kind.kernel_form is not Quota.kernel_form:
            yield kind(**LIMIT)
    yield Lease(limit=20_000, window=6_000, costs="1 2 4 8 16 32", reserve=10, settle=50)


def rates(requests: int) -> Iterator[tuple[str, str, str, list[float]]]:
    """Yield protocol, load, network, and the requests per second by both engines."""
    for quota, load, name in product(quotas(), LOADS, NETWORKS):
        given: dict[str, Any] = {"protocol": quota, "adversary": load, "sites": 12, "network": NETWORKS[name]}
        play(**given, items=1_000, engine="compiled")
        found: list[float] = []
        for engine, size in (("leap", requests), ("compiled", 10 * requests)):
            begun = time.process_time()
            play(**given, items=size, engine=engine)
            found.append(size / (time.process_time() - begun))
        yield quota.kind + " with a reserve" * bool(quota.reserve), load.kind, name, found


@click.command()
@click.option("--requests", default=24_000, show_default=True, help="Of a game by leap; compiled plays ten times.")
def main(requests: int) -> None:
    """Measure the engines of quotas, on one machine."""
    columns = [Column("protocol"), Column("load"), Column("network"), *(Column(name, right=True) for name in NAMES)]
    rows = [
        [protocol, load, network, number(slow), number(fast), number(fast / slow)]
        for protocol, load, network, (slow, fast) in rates(requests)
    ]
    print_table(Table("requests per second of processor time", columns, rows))


if __name__ == "__main__":
    main()
