"""``disttrack new``: starting files for a protocol, an adversary, a task or a plot of one's own, and a test."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from pathlib import Path

import click


@click.command()
@click.argument("what", type=click.Choice(["adversary", "protocol", "task", "plot"]))
@click.argument("name")
def new(what: str, name: str) -> None:
    """Write NAME.py, which runs at once, and test_NAME.py into the current folder.

    A task or a plot comes with a scenario, NAME.yaml.
    """
    from disttrack.simulator.errors import ScenarioError
    from disttrack.simulator.results.files import writing
    from disttrack.simulator.templates import written

    words = re.findall(r"[A-Za-z][a-z0-9]*|[0-9]+", name)
    if not words or not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", name):
        raise ScenarioError(f"{name!r} must be a name: letters, digits, hyphens, underscores, a letter first")
    module = "_".join(word.lower() for word in words)
    class_name = "".join(word.capitalize() for word in words)
    texts = written(what, module=module, class_name=class_name, kind=module.replace("_", "-"))
    for file in texts:
        if Path(file).exists():
            raise ScenarioError(f"{file} is there already; choose another name")
    with writing(Path()) as start:
        for file, text in texts.items():
            start(file).write(text)
    disttrack, python = commands()
    one = f"{module}.py:{class_name}"
    run = {
        "adversary": f"{disttrack} play --protocol randomized --adversary {one} --sites 16 --items 100000",
        "protocol": f"{disttrack} play --adversary round-robin --protocol {one} --sites 16 --items 100000",
    }.get(what, f"{disttrack} run {module}.yaml")
    *first, last = texts
    click.echo(f"wrote {', '.join(first)} and {last}; now try")
    click.echo(f"  {run}")
    click.echo(f"  {python} -m pytest test_{module}.py")


def commands() -> tuple[str, str]:
    """Return the commands that call this program and its Python from here."""
    python, program = _called("python", Path(sys.executable)), Path(sys.argv[0])
    installed = program.name == "disttrack" and program.is_file()
    return _called("disttrack", program) if installed else f"{python} -m simulator", python


def _called(name: str, path: Path) -> str:
    """Return a program's name if the shell finds this very one by it, else its path.

    In an environment that is not activated a bare ``python`` would be another one.
    """
    path = path.absolute()
    found = shutil.which(name)
    if found is not None and Path(found).absolute() == path:
        return name
    here = Path.cwd()
    return shlex.quote(f"{path.relative_to(here)}" if path.is_relative_to(here) else str(path))
