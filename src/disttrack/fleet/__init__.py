"""Quotas that a fleet of sites shares, and protocols as real processes.

A plug-in of the simulator: it registers by the entry points of pyproject.toml, as a package of anybody's does, and
nothing outside of this folder knows it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from disttrack.lazy import Kinds, lazy_names

if TYPE_CHECKING:
    from disttrack.adversaries.base import Adversary as Adversary
    from disttrack.fleet.change import Change as Change
    from disttrack.simulator.game.tasks.base import Task as Task
    from disttrack.simulator.shown.plots.base import Plot as Plot

    "Quotas"
    from disttrack.fleet.loads import Autoscaling as Autoscaling
    from disttrack.fleet.loads import Boundary as Boundary
    from disttrack.fleet.loads import ChurnOfSites as ChurnOfSites
    from disttrack.fleet.loads import FlashCrowd as FlashCrowd
    from disttrack.fleet.loads import Greedy as Greedy
    from disttrack.fleet.loads import Probing as Probing
    from disttrack.fleet.loads import Retrying as Retrying
    from disttrack.fleet.loads import Starving as Starving
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)

COMMANDS: Final = {
    "live": (
        "disttrack.fleet.live.command:live",
        "Play a scenario with real processes, beside its simulation.",
        "disttrack[live]",
        "Deploy",
    ),
    "serve": (
        "disttrack.fleet.deploy_commands:serve",
        "Run the server of a protocol for real sites.",
        "disttrack[live]",
        "Deploy",
    ),
    "feed": (
        "disttrack.fleet.deploy_commands:feed",
        "Run a real site, fed from a file, a pipe or over HTTP.",
        "disttrack[live]",
        "Deploy",
    ),
}
"""Its commands, what they do, the extra that they need, and their heading in ``disttrack --help``."""

LOADS: Final[Kinds[Adversary]] = Kinds.of(__name__)
"""Every load by its name."""
TASKS: Final[Kinds[Task]] = Kinds("Quotas", {"quota": "disttrack.fleet.task:QuotaGame"})
PLOTS: Final[Kinds[Plot]] = Kinds("Plots", {"windows": "disttrack.fleet.plot:Windows"})
