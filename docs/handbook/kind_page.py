"""The page of a protocol, adversary, mechanism, task, …: from the facts that `disttrack describe` prints."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import MISSING, dataclass
from math import inf
from typing import Final

from disttrack.simulator.experiments.results.formats import number
from disttrack.simulator.kinds.facts import ACCURACY, Cost, Facts, first_line
from disttrack.simulator.kinds.registry import HOMES, ROLES, game_of, kinds
from disttrack.simulator.shown.plots.base import brief
from handbook.corpus import Row, shipped, uses
from handbook.examples import Example
from handbook.prose import code, paragraphs, prose, table

SHOWN: Final = ("verdict", "max_rel_error", "max_abs_error", "output_changes", "messages", "words", "bits")
"""Columns of an example's game that are shown, before those of its task."""
MOST: Final = 12
SITES, ITEMS = 256, 10**6
"""The sizes at which the index of protocols shows what each costs."""


@dataclass(frozen=True)
class Picture:
    """A picture on a page.

    Parameters
    ----------
    path
        From the folder of the page.
    says
        What is seen.
    """

    path: str
    says: str


def kind_page(facts: Facts, example: Example | None, picture: Picture | None, documented: Container[str] = ()) -> str:
    """Return the page of a kind in Markdown.

    Parameters
    ----------
    facts
        Facts of its class.
    example, picture
        An example that runs, and a picture; None where there is none.
    documented
        The classes that have a place in the API reference.
    """
    place = facts.reference.replace(":", ".")
    called = f"[{code(place)}][{place}]" if place in documented else code(place)
    head = f"# {facts.name}\n\n{facts.family} · {called}\n\n{paragraphs(facts.says)}\n"
    parts = [head, "".join(f"- **{name}**: {_property(name, text)}\n" for name, text in facts.properties.items())]
    if facts.cost is not None:
        parts.append(_cost(facts.cost))
    parts += [_sizes(facts), _parameters(facts)]
    if picture is not None:
        parts.append(f"## Picture\n\n![{picture.says}]({picture.path})\n\n{prose(brief(picture.says))}\n")
    if example is not None:
        parts.append(_example(facts, example))
    parts += [_scenarios(facts), f"On the command line: `disttrack describe {facts.family} {facts.name}`.\n"]
    return "\n".join(part for part in parts if part)


def _property(name: str, text: str) -> str:
    if name == "columns":
        return ", ".join(code(column) for column in text.split(", "))
    return prose(text)


def _cost(cost: Cost) -> str:
    says = cost.says.removeprefix("Return ")
    said = f"## Cost\n\nThe bound that it states on its messages: {prose(says)}\n\n"
    if not cost.bounds:
        return said + "No bound is stated.\n"
    at = "" if cost.alpha is None else f", alpha = {cost.alpha}"
    rows = [[f"{k:,}", f"{items:,}", number(float(round(bound)))] for k, items, bound in cost.bounds]
    return said + table(["sites", "items", f"messages at most{cost.on_average}{at}"], rows)


def _sizes(facts: Facts) -> str:
    if not facts.sizes:
        return ""
    rows = [
        [code(size.key), f"{size.least:,}", "yes" if size.needed else "no", code(size.column), prose(size.says)]
        for size in facts.sizes
    ]
    return "## Sizes\n\n" + table(["key", "at least", "must be given", "column in tables", "what it is"], rows)


def _parameters(facts: Facts) -> str:
    if not facts.parameters:
        return ""
    rows = [
        [
            code(parameter.name),
            "must be given" if parameter.default is MISSING else code(repr(parameter.default)),
            prose(parameter.says),
        ]
        for parameter in facts.parameters
    ]
    return "## Parameters\n\n" + table(["parameter", "default", "what it is"], rows)


def _example(facts: Facts, example: Example) -> str:
    said = "## Example\n\nA scenario of one game"
    if example.drawn_from:
        link = f"[{example.drawn_from}](../gallery/{example.drawn_from}.md)"
        said += f", the quickest point of {link} with {code(facts.name)} in it"
    said += f"; `disttrack run {facts.name}-example.yaml` plays it:\n\n"
    said += f'```yaml title="{facts.name}-example.yaml"\n{example.text}```\n'
    if example.row is not None:
        values = _outcome(example.row, shipped()[example.drawn_from].scenario.task.columns)
        said += "\nIts first game, in the reference results:\n\n" + table(list(values), [list(values.values())])
    return said


def _outcome(row: Row, columns: Sequence[str]) -> dict[str, str]:
    """Return what came of a game: columns and values."""
    kept = [column for column in dict.fromkeys([*SHOWN, *columns]) if row.get(column)]
    return {code(column): _shown(row[column]) for column in kept[:MOST]}


def _shown(value: str) -> str:
    try:
        return number(float(value))
    except ValueError:
        return prose(value)


def _scenarios(facts: Facts) -> str:
    names = sorted({use.scenario for use in uses().get((facts.family, facts.name), [])})
    if not names:
        return "## Scenarios\n\nNo shipped scenario uses it.\n"
    lines = [f"- [{name}](../gallery/{name}.md): {prose(shipped()[name].scenario.head.question)}" for name in names]
    return "## Scenarios\n\n" + "\n".join(lines) + "\n"


def family_page(plural: str, known: Sequence[Facts]) -> str:
    """Return the page that lists the kinds of a family: by their game, of trackers with promise and cost."""
    groups: dict[str, list[Facts]] = {}
    for facts in known:
        groups.setdefault(game_of(facts.maker) if facts.family in ROLES else "", []).append(facts)
    order = [*kinds("task"), ""]
    games = sorted(groups, key=lambda game: (game == "audit", order.index(game)))  # audits of parts come last
    tables = [f"## Task {game}\n\n{_kinds(groups[game])}" if game else _kinds(groups[game]) for game in games]
    entry = code(f"disttrack.{plural}")
    base = next((home.base for home in HOMES.values() if home.plural == plural), "")
    extends = f" Each extends {code(base)}." if base else ""
    return (
        f"# {plural.capitalize()}\n\nMade of the classes when the site was built.{extends} An installed package "
        f"adds its own by the entry point {entry}; `disttrack list {plural}` shows them too.\n\n" + "\n".join(tables)
    )


def _kinds(known: Sequence[Facts]) -> str:
    """Return the table of some kinds."""
    heads = ["kind", "what it is", "source"]
    rows = [
        [f"[{facts.name}]({facts.name}.md)", prose(first_line(facts.maker)), prose(facts.properties.get("source", ""))]
        for facts in known
    ]
    if any(facts.cost for facts in known):
        heads[1:1] = ["guarantee", f"messages on average at most, {SITES} sites, {ITEMS:,} items, alpha {ACCURACY}"]
        for row, facts in zip(rows, known, strict=True):
            row[1:1] = [prose(facts.properties["guarantee"]), _bound_of(facts)]
    return table(heads, rows)


def _bound_of(facts: Facts) -> str:
    """Return a protocol's own bound on its messages at one size, in words."""
    bounds = facts.cost.bounds if facts.cost is not None else []
    at = [bound for k, items, bound in bounds if (k, items) == (SITES, ITEMS)]
    return number(float(round(at[0]))) if at and at[0] < inf else "none stated"
