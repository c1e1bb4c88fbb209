"""Quotas that a fleet of sites shares, and protocols as real processes.

A plug-in of the simulator: it registers by the entry points of pyproject.toml, as a package of anybody's does, and
nothing outside of this folder knows it.
"""

from __future__ import annotations

from typing import Final

COMMANDS: Final = {
    "live": (
        "disttrack.fleet.live.command:live",
        "Play a scenario with real processes, beside its simulation.",
        "disttrack[live]",
        "Deploy",
    ),
    "serve": (
        "disttrack.fleet.live.deploy:serve",
        "Run the server of a protocol for real sites.",
        "disttrack[live]",
        "Deploy",
    ),
    "feed": (
        "disttrack.fleet.live.deploy:feed",
        "Run a real site, fed from a file, a pipe or over HTTP.",
        "disttrack[live]",
        "Deploy",
    ),
}
"""Its commands, what they do, the extra that they need, and their heading in ``disttrack --help``."""
