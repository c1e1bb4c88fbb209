"""Kinds and points from the command line: an entry with its parameters, its class, a point of flags."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from disttrack.simulator.cli import complete
from disttrack.simulator.cli.tables import SET
from disttrack.simulator.errors import ScenarioError

if TYPE_CHECKING:
    from disttrack.simulator.points.registry import Family
    from disttrack.simulator.scenario.load import Scenario

Command = Callable[..., Any]


def game_options(sites: int | None = None, items: str | None = None) -> Callable[[Command], Command]:
    """Return a decorator that gives a command the options of a game, with these defaults of its size."""
    options = (
        click.option(
            "--protocol",
            required=True,
            metavar="KIND",
            help="Kind and parameters of the protocol.",
            shell_complete=complete.kinds_of("protocol"),
        ),
        click.option("--sites", type=int, default=sites, show_default=True, help="Number of sites."),
        click.option(
            "--items", default=items, show_default=True, metavar="N", help="Number of items; 1e6 is a million."
        ),
        click.option(
            "--alpha", type=float, default=0.1, show_default=True, help="Accuracy of a protocol that takes one."
        ),
        click.option(
            "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Root of all randomness."
        ),
        SET,
    )

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def scenario_of(flags: Mapping[str, Any]) -> Scenario:
    """Return the scenario of one point that the flags describe, read as a file would be."""
    from disttrack.simulator.points.registry import parameters
    from disttrack.simulator.scenario.document import value_of
    from disttrack.simulator.scenario.load import load

    data: dict[str, Any] = {
        "name": "play",
        "protocol": entry_of(flags["protocol"]),
        "adversary": entry_of(flags["adversary"]),
    }
    try:
        if "alpha" in parameters(maker_of("protocol", data["protocol"]["kind"])):
            data["protocol"].setdefault("alpha", flags["alpha"])
    except ScenarioError:
        pass  # the check of the point names the scenario's key
    data |= {key: value_of(str(flags[key])) for key in ("sites", "items") if flags[key] is not None}
    scenario = load(data, flags["overrides"])
    if len(scenario.points) > 1:
        raise ScenarioError("--set: one game has one value for each key; lists are for scenario files")
    return scenario


def maker_of(family: Family, kind: str) -> Any:
    """Return the class or function of a registered kind, or of one in a module or file of the user's."""
    from disttrack.simulator.points.registry import find
    from disttrack.simulator.points.source import source_of

    here = Path.cwd()
    return find(family, kind, source_of(kind, here), here)


def entry_of(text: str) -> dict[str, Any]:
    """Return the entry that a kind and its parameters describe: ``robust delta=0.01`` or ``robust:delta=0.01``.

    Examples
    --------
    >>> entry_of("robust:delta=0.01, alpha=0.1"), entry_of("own.py:Mine patience=2")
    ({'kind': 'robust', 'delta': 0.01, 'alpha': 0.1}, {'kind': 'own.py:Mine', 'patience': 2})
    """
    from disttrack.simulator.scenario.document import value_of

    # a colon before a name without = belongs to file.py:Class
    kind, *assignments = re.sub(r":(?=\w+=)", " ", text).replace(",", " ").split() or [""]
    entry = {"kind": kind}
    for assignment in assignments:
        key, equals, value = assignment.partition("=")
        if not equals:
            raise ScenarioError(f"{text}: {assignment!r} must be parameter=value")
        entry[key] = value_of(value)
    return entry
