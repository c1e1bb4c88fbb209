"""``disttrack describe``: one kind in its class's own words, or one scenario."""

from __future__ import annotations

import re
from collections.abc import Sequence
from inspect import isclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from disttrack.simulator.cli import completion
from disttrack.simulator.cli.options import class_of
from disttrack.simulator.errors import ScenarioError, accepted, nearest
from disttrack.simulator.experiments.results.formats import number
from disttrack.simulator.kinds.names import count
from disttrack.simulator.shown.terminal.tables import print_facts, print_text

if TYPE_CHECKING:
    from disttrack.simulator.kinds.facts import Facts


@click.command()
@click.argument("words", nargs=-1, required=True, metavar="[SORT] NAME", shell_complete=completion.kinds_of())
def describe(words: tuple[str, ...]) -> None:
    """Describe a kind or a scenario: parameters, source, guarantee, cost, error.

    NAME is a name that disttrack list shows, or a class of your own: module:Class, path/to/file.py:Class. Where it
    means two things, SORT says which: protocol, adversary, task, plot or scenario.
    """
    from disttrack.simulator.experiments.scenario.shipped import shipped_scenarios
    from disttrack.simulator.kinds.facts import Facts
    from disttrack.simulator.kinds.registry import FAMILIES, OF_FILES, Kind, current_name, family_of, kinds
    from disttrack.simulator.kinds.source import is_reference

    if given := re.search(r"[ :](\w+=\S*)", " ".join(words)):
        raise ScenarioError(f"disttrack describe: leave out {given[1]}")
    scenarios = shipped_scenarios()
    *sort, name = words
    sorts = [*FAMILIES, "scenario"]
    if len(sort) > 1 or (sort and sort[0] not in sorts):
        raise ScenarioError(f"disttrack describe: takes a name, or sort and name ({accepted(sorts)})")
    meanings: dict[str, Facts | None] = {}
    if is_reference(name):
        maker = class_of(name, "protocol")
        family = family_of(maker)
        meanings[family] = Facts(family, name, "your own", maker.__qualname__, maker)
    else:
        current = {family: current_name(family, name) if "." in name else name for family in FAMILIES}
        matches = [kinds(family)[one] for family, one in current.items() if one in kinds(family)]
        matches += [Kind(name, family, reference) for (family, one), reference in OF_FILES.items() if one == name]
        meanings |= {one.family: Facts(one.family, one.name, one.origin, one.reference, one.load()) for one in matches}
        meanings |= {"scenario": None} if name in scenarios else {}
    if sort:
        meanings = {one: facts for one, facts in meanings.items() if one == sort[0]}
    if not meanings and Path(name).is_file():
        raise ScenarioError(f"{name} is a file: disttrack check {name}")
    if not meanings:
        names = [*(kind for family in FAMILIES for kind in kinds(family)), *scenarios]
        raise ScenarioError(f"there is no {' '.join(words)!r}{nearest(name, names)} (disttrack list)")
    if len(meanings) > 1:
        ways = " or ".join(f"disttrack describe {one} {name}" for one in meanings)
        raise ScenarioError(f"{name} means {len(meanings)} things: {ways}")
    for facts in meanings.values():
        if facts is None:
            _print_scenario(name, scenarios[name])
        else:
            _print_kind(facts)


def _print_kind(known: Facts) -> None:
    made = "class" if isclass(known.maker) else "function"
    _print_paragraphs(f"{known.name} ({known.family}, {known.origin}, {made} {known.reference})", known.says)
    print_facts(known.properties)
    sizes = [
        f"{one.key} (at least {one.least}{', must be given' * one.needed}, column {one.column}): {one.says}"
        for one in known.sizes
    ]
    _print_list("sizes:", sizes)
    _print_list("parameters:", [f"{one.name} ({one.shown}): {one.says}".rstrip(": ") for one in known.parameters])
    if cost := known.cost:
        at = "" if cost.alpha is None else f" with alpha = {cost.alpha}"
        bounds = [
            f"{count(k, 'site')}, {count(items, 'item')}{at}: "
            f"at most {count(float(round(bound)), 'word', number)}{cost.on_average}"
            for k, items, bound in cost.bounds
        ]
        _print_list(f"cost: {cost.says}", bounds or ["no bound is stated"])
    click.echo()


def _print_scenario(name: str, path: Path) -> None:
    from disttrack.simulator.experiments.scenario.document import comment
    from disttrack.simulator.experiments.scenario.load import load

    scenario = load(path)
    _print_paragraphs(f"{name} (scenario, {path})", comment(path))
    print_facts({"question": scenario.head.question, "games": scenario.size})
    claims = scenario.head.claims
    _print_list(
        "claims:", [f"{one.name}: {one.measure} {one.bound}{one.where and f' where {one.where}'}" for one in claims]
    )
    click.echo()


def _print_paragraphs(heading: str, text: str) -> None:
    """Print a heading, and the paragraphs of a text below it."""
    print_text(heading)
    for paragraph in re.split(r"\n\s*\n", text):
        print_text(paragraph, "  ")
        click.echo()


def _print_list(heading: str, lines: Sequence[str]) -> None:
    """Print lines below their heading; nothing without any."""
    for line in [heading, *lines] if lines else ():
        print_text(line, "" if line is heading else "  ", "    ")
