"""A point whose network has the faults of a list, which may be those of a deployment."""

from __future__ import annotations

from dataclasses import replace
from math import ceil
from typing import Final, NamedTuple

from disttrack.simulator.errors import ScenarioError, sites_of_game
from disttrack.simulator.game.network import Latency, Network, deployed, listed, network_of
from disttrack.simulator.game.network.deployed import SERVER, DeployedFault, FaultList
from disttrack.simulator.game.network.listed import ListedFault
from disttrack.simulator.game.network.model import Link
from disttrack.simulator.game.network.unmet import unmet
from disttrack.simulator.game.tasks.tracking import Count, prepare
from disttrack.simulator.kinds.point import Point, PointError

RECOVERY: Final = 8.0
"""Seconds after the last fault of a deployment from which on its estimate must be right again."""
LONGEST_PAUSE: Final = 1.0
"""Seconds after which a link of a deployment sends again what was lost, at most."""


class Suffering(NamedTuple):
    """A point with the faults of a list.

    Attributes
    ----------
    point
        The point, whose network has them in steps.
    faults
        These, as a text.
    left_out
        Faults that its games cannot have, each with the reason.
    calm
        The first step after the faults of a deployment, and `RECOVERY`.
    """

    point: Point
    faults: str
    left_out: tuple[tuple[DeployedFault, str], ...]
    calm: int

    @property
    def afterwards(self) -> Point | None:
        """The same point, judged from `calm` on; None if its games have ended then, or are judged as a whole.

        What a deployment promises of an estimate holds when its faults have ended: in the meantime items wait at sites
        that are down. A limit holds at any time.
        """
        task, network = self.point.task.make(), dict(self.point.network or {})
        if task.beside or not self.calm <= task.last_step(self.point):
            return None
        return replace(self.point, network={**network, "warm_up": max(network.get("warm_up", 0), self.calm - 1)})


def with_faults(point: Point, faults: FaultList, step: float) -> Suffering:
    """Return a point whose network has the faults of a list in place of its own.

    Parameters
    ----------
    point
        The games. Without a network, messages take the latency of the list; without a link, faults of a deployment
        have reliable ones, since its connections send again what was lost.
    step
        Seconds of a step, for faults of a deployment.

    Raises
    ------
    ValueError
        The list names a site that the games do not have, or stops that overlap.
    ScenarioError
        The games have no network, or cannot have a fault in steps.
    """
    task = point.task.make()
    if not isinstance(task, Count):
        raise ScenarioError(f"games of task {task.kind} have no network")
    given = prepare(point)
    sites, own = given["sites"], given["network"]
    for fault in faults.deployed:
        if fault.place != SERVER and int(fault.place) >= sites:
            raise ValueError(f"{fault}: {sites_of_game(sites)}")
    network: Network = own or Network(Latency(constant=ceil((faults.latency or 0.0) / step - 1e-9)))
    if faults.deployed and network.link is None:
        network = replace(network, link=Link(longest=ceil(LONGEST_PAUSE / step)))
    quiet = network_of(network.with_faults((), sites)) or Network()

    def at(kept: list[ListedFault]) -> Point:
        return replace(point, network=quiet.with_faults(kept, sites))

    def refusal(fault: ListedFault) -> str:
        try:
            task.check(at([fault]))
        except (ValueError, PointError) as error:
            return str(error)
        return next(iter(unmet(Network(faults=listed.written([fault])), task.last_step(point), lambda site, up: 1)), "")

    done = deployed.in_steps(faults.deployed, step, quiet, refusal)
    kept = [*faults.listed, *done.faults]
    listed.check(kept, sites)
    task.check(at(kept))
    calm = ceil((max((fault.end for fault in faults.deployed), default=0.0) + RECOVERY) / step)
    return Suffering(at(kept), listed.written(kept), done.left_out, calm)
