"""``disttrack conformance``: what a class does wrong, all of it, and how to mend each fault."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from simulator.cli import complete
from simulator.cli.layout import wrapped
from simulator.cli.point_flags import entry_of
from simulator.cli.tables import Form, form_options, print_json, say, terminal_width

if TYPE_CHECKING:
    from simulator.conformance import ConformanceError
    from simulator.points.registry import Family

USUAL: Final[dict[Family, dict[str, Any]]] = {
    "protocol": {"alpha": 0.2},
    "mechanism": {"epsilon": 1.0, "horizon": 64},
}
"""Parameters of the games that are played, where the name gives none."""


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
    from simulator.conformance import all_faults
    from simulator.errors import ScenarioError

    thing = _made(name)
    try:
        checks, found = all_faults(thing)
    except TypeError as error:
        raise ScenarioError(f"{name}: {error}") from error
    if form == "json":
        faults = [{"check": fault.check, "what": str(fault), "mend": fault.mend} for fault in found]
        print_json({"name": name, "checks": checks, "faults": faults})
    else:
        _tell(name, checks, found, form)
    return int(bool(found))


def _tell(name: str, checks: list[str], found: list[ConformanceError], form: Form) -> None:
    """Print the faults, each with the check that found it and the way to mend it."""
    width = terminal_width()
    for number, fault in enumerate(found, start=1):
        lines = wrapped(f"{number}. {fault.check}: {fault}", width, indent=3)
        mend = wrapped(f"mend: {fault.mend}", None if width is None else width - 3, indent=6) if fault.mend else []
        click.echo("\n".join([*lines, *(f"   {line}" for line in mend)]))
    if found:
        click.echo(f"{name}: {len(found)} fault{'s' * (len(found) > 1)} in {len(checks)} checks")
    elif form == "table":
        say(f"{name}: all {len(checks)} checks pass ({', '.join(checks)})")


def _made(text: str) -> Any:
    """Return what a name and its parameters describe."""
    from simulator.errors import ScenarioError, nearest
    from simulator.points.registry import family_of, find, kinds, make, parameters
    from simulator.points.source import is_reference, source_of

    entry = entry_of("conformance", text)
    kind = entry.pop("kind")
    tested: tuple[Family, ...] = ("protocol", "adversary", "mechanism")
    family = next((one for one in tested if kind in kinds(one)), None)
    here = Path.cwd()
    if is_reference(kind):
        maker = find("protocol", kind, source_of(kind, here), here)  # a reference is found alike in all families
        family = family_of(maker) or "mechanism"
    elif family is None:
        meant = nearest(kind, [name for one in tested for name in kinds(one)])
        raise ScenarioError(f"disttrack conformance: unknown name {kind!r}{meant} (disttrack list shows what there is)")
    else:
        maker = find(family, kind)
    if not inspect.isclass(maker):
        return maker  # an adversary that is a function of the view
    usual = {key: value for key, value in USUAL.get(family, {}).items() if key in parameters(maker)}
    try:
        return make(family, maker, {**usual, **entry})
    except ScenarioError as error:
        raise ScenarioError(f"disttrack conformance {text}: {error}") from error
