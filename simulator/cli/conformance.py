"""``disttrack conformance``: all faults of a class, each with the way to mend it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import click

from disttrack.simulator.cli import complete
from disttrack.simulator.cli.layout import wrapped
from disttrack.simulator.cli.point_flags import made
from disttrack.simulator.cli.tables import Form, form_options, print_json, say, terminal_width

if TYPE_CHECKING:
    from disttrack.simulator.points.registry import Family

TESTED: Final[tuple[Family, ...]] = ("protocol", "adversary", "mechanism")


@click.command(
    epilog="NAME is a protocol, an adversary or a private counter: a kind, module:Class or path/to/file.py:Class, "
    "with parameters after a colon: mine.py:Mine:patience=2."
)
@click.argument("name", shell_complete=complete.kinds_of("protocol", "adversary", "mechanism"))
@form_options
def conformance(name: str, form: Form) -> int:
    """Put a class through all tests of its kind; list every fault, and how to mend it.

    Exit status 1 if there is one.
    """
    from disttrack.simulator.conformance import all_faults
    from disttrack.simulator.errors import ScenarioError

    try:
        checks, faults = all_faults(made("conformance", name, TESTED, _usual))
    except TypeError as error:
        raise ScenarioError(f"{name}: {error}") from error
    if form == "json":
        rows = [{"check": fault.check, "what": str(fault), "mend": fault.mend} for fault in faults]
        print_json({"name": name, "checks": checks, "faults": rows})
        return int(bool(faults))
    width = terminal_width()
    for number, fault in enumerate(faults, start=1):
        lines = wrapped(f"{number}. {fault.check}: {fault}", width, indent=3)
        mend = wrapped(f"   mend: {fault.mend}", width, indent=6) if fault.mend else []
        click.echo("\n".join([*lines, *mend]))
    if faults:
        click.echo(f"{name}: {len(faults)} fault{'s' * (len(faults) > 1)} in {len(checks)} checks")
    elif form == "table":
        say(f"{name}: all {len(checks)} checks pass ({', '.join(checks)})")
    return int(bool(faults))


def _usual(kind: str, maker: Any) -> Mapping[str, Any]:
    """Return parameters for the games that are played, where the name gives none."""
    from disttrack.simulator.points.registry import family_of

    usual = {"protocol": {"alpha": 0.2}, "adversary": {}}
    return usual.get(str(family_of(maker)), {"epsilon": 1.0, "horizon": 64})
