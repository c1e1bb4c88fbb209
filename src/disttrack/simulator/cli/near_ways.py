"""What to write in place of words that a command does not take: parameters as options, or apart from their kind."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from disttrack.simulator.kinds.registry import Role


def instead(error: click.ClickException, words: Sequence[str]) -> str:
    """Return the end of the message on words that a command does not take; empty if none is known.

    Parameters
    ----------
    words
        All words of the command line.
    """
    context = getattr(error, "ctx", None)
    if context is None or context.command is context.find_root().command:
        return ""
    if isinstance(error, click.NoSuchOption):
        options = "" if error.possibilities else f"; options: {context.command_path} --help"
        return _in_place_of(error.option_name, words, context) or options
    if isinstance(error, click.MissingParameter) and error.param is not None:
        *_, first = ["", *words[1:2]]
        option = error.param.opts[0]
        kind = first[:1].isalnum() and not re.match(r"\w+=", first)
        return f"; write {option} {first}" if option[:2] == "--" and kind else ""
    extra = re.search(r"unexpected extra arguments? \(([^\s)]+)", error.message)
    at = words.index(extra[1]) if extra and extra[1] in words else 0
    name, equals, value = words[at].partition("=")
    if at and equals and any(f"--{name}" in one.opts for one in context.command.params):
        return f"; write --{name} {value}"
    if re.match(r"\w+=", words[at]) and not words[at - 1].startswith("-"):
        return f"; parameters are joined to their kind: {words[at - 1]}:{words[at]}"
    takes_plots = any("--plot" in one.opts for one in context.command.params)
    return f"; for a figure: --plot {words[at]}" if at and takes_plots else ""


def _in_place_of(option: str, words: Sequence[str], context: click.Context) -> str:
    """Return how a command takes what was given as an option that it does not have."""
    from disttrack.simulator.kinds.registry import parameters_of

    name = option.lstrip("-").replace("-", "_")
    if name == "dry_run":
        return "; to play nothing: disttrack check"
    if name == "with":
        return "; your class: --protocol, --adversary or --task mine.py:Mine"
    given = next((word.partition("=")[2] for word in words if word.startswith(f"{option}=")), "")
    value = given or next(iter(words[words.index(option) + 1 :]), "…") if option in words or given else "…"
    takers = [(kind, side) for kind, side in _kinds_in(words) if name in (parameters_of(side, kind) or ())]
    kind, side = takers[0] if takers else ("", "")
    if "overrides" not in [one.name for one in context.command.params]:
        return f"; write {kind}:{name}={value}" if kind else ""
    if name == "network" and re.match(r"\w+=", value):
        return f"; write --set network.{value}"
    place = f"network.{name}" if _of_network(name) else f"{side}.{name}" if kind else name if _of_point(name) else ""
    return f"; write --set {place}={value}" if place else ""


def _of_network(name: str) -> bool:
    from dataclasses import fields

    from disttrack.simulator.game.network import Network

    return name in [one.name for one in fields(Network)]


def _of_point(name: str) -> bool:
    from disttrack.simulator.experiments.scenario.model import SWEPT
    from disttrack.simulator.game.tasks.base import Task

    return name in (*SWEPT, *Task.defaults, *(size.key for size in Task.sizes))


def _kinds_in(words: Sequence[str]) -> list[tuple[str, Role]]:
    """Return the registered kinds among words, each with its side."""
    from disttrack.simulator.kinds.registry import ROLES, kinds

    names = [re.split(r"[:\s]", word)[0] for word in words]
    return [(name, role) for role in ROLES for name in names if name in kinds(role)]
