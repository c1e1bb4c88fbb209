"""``disttrack conformance``: all faults of a class, with a fix for each; and the kinds of a package, compared."""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from dataclasses import MISSING
from textwrap import indent
from typing import TYPE_CHECKING

import click

from disttrack.simulator.cli import completion
from disttrack.simulator.cli.options import class_of
from disttrack.simulator.errors import PartError, ScenarioError
from disttrack.simulator.kinds.entries import entry_of
from disttrack.simulator.kinds.names import count
from disttrack.simulator.shown.terminal.tables import print_text

if TYPE_CHECKING:
    from disttrack.simulator.workshop.conformance import ConformanceError


@click.command()
@click.argument("name", shell_complete=completion.kinds_of("protocol", "adversary"))
def conformance(name: str) -> int:
    """Check a class by all tests of its kind; list every fault and how to fix it.

    NAME is a kind, module:Class or mine.py:Mine:patience=2, or a package: all of its protocols and adversaries are
    compared with the reference engine, as packages promise that are listed under the entry points disttrack.compared.
    Exit status 1 if there is a fault.
    """
    from disttrack.simulator.kinds.registry import ROLES, make, parameters, role_of
    from disttrack.simulator.kinds.source import Dropped, guarded
    from disttrack.simulator.workshop.conformance import all_faults, games_of, remarks_on, untested
    from disttrack.simulator.workshop.conformance.packages import USUAL, kinds_of

    if kinds_of(name):
        return _package(name)
    entry, so_far = entry_of(name), _SoFar()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # a polite kill is an interruption like Ctrl-C
    try:
        maker = class_of(entry.pop("kind"), *ROLES)
        needed = {"horizon"} if getattr(maker, "needs_horizon", False) else set()
        needed |= {key for key, value in parameters(maker).items() if value is MISSING}
        usual = {key: USUAL[key] for key in needed & USUAL.keys()}
        printed = Dropped()
        with guarded(printed):
            thing = make(role_of(maker), maker, {**usual, **entry})
            checks, faults = all_faults(thing, so_far.note)
            nothing = untested(thing)
            unplayable = any(one.check == "silence is honest" or isinstance(one.__cause__, PartError) for one in faults)
            remarks = [] if unplayable else list(remarks_on(thing))
    except (ScenarioError, TypeError) as error:
        raise ScenarioError(f"{name}: {error}") from error
    except KeyboardInterrupt:
        _print_faults(so_far.faults)
        passed = ", ".join(so_far.passed) or "none"
        print_text(f"{name}: stopped; faults so far: {len(so_far.faults)}; checks passed: {passed}")
        raise
    _print_faults(faults)
    if faults:
        print_text(f"{name}: {count(len(faults), 'fault')} in {count(len(checks), 'check')}")
        if any(fault.__cause__ is not None for fault in faults):
            _note("an error ends its check: check again")
    else:
        print_text(f"{name}: no fault found in {count(len(checks), 'check')} ({', '.join(checks)}), in these games:")
        for check, games in games_of(thing).items():
            print_text(games, f"{check}: ", "      ")
    for check, why in nothing.items():
        _note(f"{check}: not tested, since {why}")
    for remark in remarks:
        _note(remark)
    if printed.lines:
        _note(f"printed lines, not shown: {printed.lines:,} (disttrack play shows them)")
    return int(bool(faults))


def _note(text: str) -> None:
    print_text(text, "note: ", "      ")


def _print_faults(faults: Sequence[ConformanceError]) -> None:
    for number, fault in enumerate(faults, start=1):
        during = "during " if fault.__cause__ is not None else ""  # an error of the class, in whatever check
        print_text(f"{during}{fault.check}: {fault.described}", f"{number}. ", "   ")
        if fault.game:
            click.echo(f"   fix: {fault.mend}")  # not wrapped: its command is copied
        elif fault.mend:
            print_text(fault.mend, "   fix: ", "      ")
        if fault.test:
            click.echo(indent(f"a failing game as a test:\n\n{fault.test}", "   "))


class _SoFar:
    """The faults and the passed checks so far: shown at once on a terminal."""

    def __init__(self) -> None:
        self.faults: list[ConformanceError] = []
        self.passed: list[str] = []

    def note(self, check: str, fault: ConformanceError | None) -> None:
        if fault is None:
            self.passed.append(check)
        else:
            self.faults.append(fault)
        if sys.stderr.isatty():
            print_text(f"{check}: {fault or 'passed'}", "", "   ", err=True)


def _package(name: str) -> int:
    """Print which kinds of a package play otherwise than the reference engine, and return the exit status."""
    from disttrack.simulator.kinds.installed import compared
    from disttrack.simulator.workshop.conformance.packages import check_package

    verified = check_package(name)
    for number, (kind, fault) in enumerate(verified.faults.items(), start=1):
        print_text(f"{kind}: {fault}", f"{number}. ", "   ")
    kinds = count(len(verified.compared), "kind")
    if verified.faults:
        print_text(f"{name}: {len(verified.faults)} of {kinds} with a fault")
    else:
        print_text(f"{name}: {kinds} played as by the reference engine ({', '.join(verified.compared)})")
    for kind, why in verified.untested.items():
        _note(f"{kind}: not tested, since {why}")
    if name not in compared():
        line = f'[project.entry-points."disttrack.compared"] with a line for "{name}"'
        _note(f"not declared, compared before each game: {line}")
    return int(bool(verified.faults))
