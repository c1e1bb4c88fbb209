"""``disttrack new``: starting files for a protocol, an adversary, a task or a plot of one's own, and a test."""

from __future__ import annotations

import ast
import builtins
import keyword
import os
import re
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import click

from disttrack.simulator.errors import ScenarioError


@click.command()
@click.argument("what", type=click.Choice(["adversary", "protocol", "task", "plot"]))
@click.argument("name")
@click.pass_context
def new(ctx: click.Context, what: str, name: str) -> None:
    """Start a class of your own: NAME.py, which runs at once, and test_NAME.py.

    A task or a plot comes with a scenario, NAME.yaml.
    """
    from disttrack.simulator.experiments.results.files import write_text
    from disttrack.simulator.workshop.templates import written

    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", name):
        raise ScenarioError(f"{name!r} must be letters, digits, - and _, a letter first")
    words = re.findall(r"[A-Za-z][a-z0-9]*|[0-9]+", name)
    module = "_".join(word.lower() for word in words)
    class_name = "".join(word.capitalize() for word in words)
    texts = written(what, module=module, class_name=class_name, kind=module.replace("_", "-"))
    if taken := [file for file in texts if os.path.lexists(file)]:
        raise ScenarioError(f"{taken[0]} exists; choose another name")
    if why := why_taken(module, class_name, texts[f"{module}.py"]):
        raise ScenarioError(f"{name!r} is taken: {why}; choose another, such as my-{module.replace('_', '-')}")
    for file, text in texts.items():
        write_text(Path(file), text)
    game = f"{module}.py:{class_name} --sites 16 --items 100000"
    command = {
        "adversary": f"play --protocol randomized --adversary {game}",
        "protocol": f"play --adversary round-robin --protocol {game}",
    }.get(what, f"run {module}.yaml")
    click.echo(f"wrote {', '.join(texts)}; now try")
    click.echo(f"  {ctx.find_root().command_path} {command}")
    click.echo(f"  python -m pytest test_{module}.py")


def why_taken(module: str, class_name: str, text: str) -> str:
    """Return why no file and class can have these names; empty if they can.

    Parameters
    ----------
    text
        The file, whose own imports a class must not hide.

    Examples
    --------
    >>> why_taken("class", "Class", ""), why_taken("freeze", "Freeze", ""), why_taken("tide", "Tide", "")
    ('class is a keyword', 'disttrack has Freeze', '')
    """
    from disttrack.simulator.kinds.registry import FAMILIES, kinds

    if word := next(filter(keyword.iskeyword, (module, class_name)), ""):
        return f"{word} is a keyword"
    if class_name in dir(import_module("disttrack")):
        return f"disttrack has {class_name}"
    kind = module.replace("_", "-")
    if family := next((one for one in FAMILIES if kind in kinds(one)), ""):
        return f"{kind} is a {family}"
    imported = {one.asname or one.name for node in ast.walk(ast.parse(text)) for one in getattr(node, "names", [])}
    if class_name in {*imported, *dir(builtins)}:
        return f"its file uses {class_name}"
    spec = None if module in sys.builtin_module_names else find_spec(module)
    if module in sys.stdlib_module_names or (spec is not None and spec.origin):
        return f"{module} is an installed module"
    return ""
