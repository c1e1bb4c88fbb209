"""MyTask: a kind of game of my own.

Run it:  disttrack run my_task.yaml
In a scenario:  task: my_task.py:MyTask
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from disttrack import Demand, Record, Size, Task, play
from disttrack.simulator.kinds.point import Point


class MyTask(Task):
    """Shops tell their head office how many customers they have had: does one of them bear most of the work?

    Columns: `busiest` is the share of all messages to the head office that come from the busiest shop, and `uneven`
    is that share over the one which each shop would have if all had the same.
    """

    kind: ClassVar[str] = "my-task"
    # Add one when a change moves results: finished games are then played again.
    rules: ClassVar[int] = 1
    # What the sizes of a game are called in scenario files, and which column of the tables each fills. Without this
    # line they are called as the columns are: sites, items and start.
    sizes: ClassVar[Sequence[Size]] = (
        Size("shops", "sites", "Shops that customers come to.", least=2, needed=True),
        Size("customers", "items", "Customers in all.", needed=True),
    )
    # Columns of trials.csv beyond those that all tasks have; claims and plots may speak of them.
    columns: ClassVar[Sequence[str]] = ("busiest", "uneven")
    # `bases` says what classes under `protocol:` and `adversary:` extend; left out, Protocol and Adversary.

    def check(self, point: Point) -> None:
        """Make both sides of a point: wrong parameters are refused before any game starts."""
        point.protocol.make()
        point.adversary.make()

    def play(self, point: Point, seed: int) -> Record:
        """Play one game. All that is random in it follows from the seed, so that it can be played again.

        A game that draws numbers of its own takes a stream for each role:
        rngs = disttrack.simulator.game.streams.streams(seed, ("noise", "customers")).
        """
        assert point.sites is not None  # both are needed, which has been checked with the scenario
        assert point.items is not None
        game = play(
            point.protocol.make(), point.adversary.make(), sites=point.sites, items=point.items, engine=point.engine,
            seed=seed,
        )  # fmt: skip
        up, _ = game.messages_of_site  # for each site, its messages to the server
        busiest = max(up) / max(1, sum(up))
        row = {**game.row(), "busiest": busiest, "uneven": busiest * point.sites}
        return Record(row, judged=game.judged)

    def demand(self, point: Point) -> Demand:
        """Return roughly how much a game needs: by it, work is shared out and time is estimated."""
        items = point.items or 0
        bound = point.protocol.make().cost_bound(point.sites or 1, items)  # infinite if none is known
        messages = min(bound, float(items))
        return Demand(seconds=messages / 200_000, messages=messages)
