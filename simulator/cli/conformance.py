"""``disttrack conformance``: all faults of a class, each with the way to mend it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from disttrack.simulator.cli import complete
from disttrack.simulator.cli.point_flags import entry_of, maker_of
from disttrack.simulator.cli.tables import say
from disttrack.simulator.errors import ScenarioError

if TYPE_CHECKING:
    from disttrack.simulator.points.registry import Family

USUAL: Final[Mapping[Family, Mapping[str, Any]]] = {
    "protocol": {"alpha": 0.2},
    "adversary": {},
    "mechanism": {"epsilon": 1.0, "horizon": 64},
}
"""What has tests, and the parameters for its games where the name gives none."""


@click.command(
    epilog="NAME is a protocol, an adversary or a private counter: a kind, module:Class or path/to/file.py:Class, "
    "with parameters after a colon: mine.py:Mine:patience=2."
)
@click.argument("name", shell_complete=complete.kinds_of("protocol", "adversary", "mechanism"))
def conformance(name: str) -> int:
    """Check a class by all tests of its kind; list every fault, and how to mend it.

    Exit status 1 if there is one.
    """
    from disttrack.simulator.conformance import all_faults

    try:
        checks, faults = all_faults(_made(name))
    except (ScenarioError, TypeError) as error:
        raise ScenarioError(f"{name}: {error}") from error
    for number, fault in enumerate(faults, start=1):
        say(f"{fault.check}: {fault}", f"{number}. ", "   ")
        if fault.mend:
            say(fault.mend, "   mend: ", "      ")
    if faults:
        say(f"{name}: {len(faults)} fault{'s' * (len(faults) > 1)} in {len(checks)} checks")
    else:
        say(f"{name}: all {len(checks)} checks pass ({', '.join(checks)})")
    return int(bool(faults))


def _made(name: str) -> Any:
    """Return the object that a kind and its parameters describe."""
    from disttrack.simulator.points.point import PointError, part
    from disttrack.simulator.points.registry import family_of, kinds, parameters
    from disttrack.simulator.scenario.document import spell

    entry = entry_of(name)
    families: list[Family] = [family for family in USUAL if entry["kind"] in kinds(family)]
    maker = maker_of([*families, "protocol"][0], entry["kind"])
    family = family_of(maker) or "mechanism"
    usual = {key: value for key, value in USUAL.get(family, {}).items() if key in parameters(maker)}
    try:
        return part(family, family, {**usual, **entry}, Path.cwd()).make()
    except PointError as error:
        raise ScenarioError(f"{spell(error.path)}: {error}") from error
