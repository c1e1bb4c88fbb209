"""The entries under `protocol` and `adversary` as a scenario gives them: names, defaults, groups of `zip`."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.experiments.scenario.document import Document
from disttrack.simulator.experiments.scenario.skipped import columns_of_kinds
from disttrack.simulator.experiments.scenario.sweep import Place
from disttrack.simulator.game.columns import PROTOCOL
from disttrack.simulator.game.tasks.base import Task
from disttrack.simulator.kinds.point import part
from disttrack.simulator.kinds.registry import ROLES, Role, current_name, parameters

_CHOICE: Final = re.compile(rf"\b({'|'.join(ROLES)})\s*(?:==|!=|(?:not\s+)?in)\s*(?:\[[^]]*\]|'[^']*'|\"[^\"]*\")")
"""A condition on the name of a side, in an expression."""
_QUOTED: Final = re.compile(r"(['\"])(.*?)\1")


def with_current_names(value: object, bases: Mapping[str, str], role: Role | None = None) -> Any:
    """Return data of a scenario with the present names of kinds, of its sides and in its expressions.

    Parameters
    ----------
    bases
        The class that the kinds of each role must extend, as ``module:Class``.
    role
        The role whose kind the value is.
    """

    def chosen(match: re.Match[str]) -> str:
        side = next(one for one in ROLES if one == match[1])
        return _QUOTED.sub(lambda name: name[1] + current_name(side, name[2], bases[side]) + name[1], match[0])

    if isinstance(value, list):
        return [with_current_names(one, bases, role) for one in value]
    if isinstance(value, dict):
        roles: dict[str, Role | None] = {**{one: one for one in ROLES}, "kind": role}
        return {key: with_current_names(inner, bases, roles.get(key)) for key, inner in value.items()}
    if not isinstance(value, str):
        return value
    return current_name(role, value, bases[role]) if role else _CHOICE.sub(chosen, value)


def spread_defaults(
    data: dict[str, object], place_of: Callable[[Place], Place], document: Document, game: Task
) -> list[str]:
    """Put the defaults of the task, as `alpha`, into the protocols that take them and do not give their own.

    Parameters
    ----------
    data
        The swept keys of a scenario or of a part; they are changed.
    place_of
        The place in the file of a path in `data`.

    Returns
    -------
    untaken
        The defaults that no protocol takes.
    """
    for role in ROLES:
        if role in data:
            data[role] = entries_of(data[role])
    sizes = [size.key for size in game.sizes]
    given = {key: data.pop(key) for key in game.defaults if key in data and key not in sizes}
    if PROTOCOL not in data:
        return []  # which is the fault
    untaken = []
    entries = data[PROTOCOL] if isinstance(data[PROTOCOL], list) else [data[PROTOCOL]]
    for key, value in given.items():
        taken = False
        for number, entry in enumerate(entries):
            takes = _parameters_of(entry, game, document) if isinstance(entry, dict) and key not in entry else ()
            if takes is None:
                taken = True  # perhaps, and the fault is that of the kind
            elif key in takes:
                entry[key], taken = value, True
                place = (PROTOCOL, number, key) if isinstance(data[PROTOCOL], list) else (PROTOCOL, key)
                document.spread[place_of(place)] = place_of((key,))
        if not taken:
            untaken.append(key)
    return untaken


def _parameters_of(entry: Mapping[str, object], game: Task, document: Document) -> Collection[str] | None:
    """Return the parameters that a kind of a protocol's entry takes; None if there is no such kind."""
    taken: set[str] | None = None
    kinds = entry.get("kind")
    for kind in kinds if isinstance(kinds, list) else [kinds]:
        with suppress(ScenarioError, KeyError):
            maker = part(PROTOCOL, {**entry, "kind": kind}, document.folder, game.bases[PROTOCOL]).maker()
            taken = (taken or set()) | {*parameters(maker)}
    return taken


def groups_of(groups: Sequence[Sequence[str]], swept: Mapping[str, object], game: Task) -> list[list[str]]:
    """Return the groups of `zip` without parameters that no entry here gives, but kinds of the task have."""
    there = {key for side in ROLES for entry in _listed(swept.get(side)) for key in entry}

    def kept(name: str) -> bool:
        side, _, parameter = name.partition(".")
        return side not in ROLES or parameter in there or parameter not in columns_of_kinds(game)

    return [[name for name in group if kept(name)] for group in groups]


def _listed(entries: object) -> list[Mapping[str, object]]:
    """Return the entries of a side that are mappings."""
    return [one for one in (entries if isinstance(entries, list) else [entries]) if isinstance(one, dict)]


def entries_of(value: object) -> object:
    """Return the protocol or adversary, or several: each may be its kind alone."""
    if isinstance(value, list):
        return [entries_of(entry) for entry in value]
    return {"kind": value} if isinstance(value, str) else value
