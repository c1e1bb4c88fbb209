"""``disttrack new``: a starting file for an adversary or a protocol of one's own, and its test."""

from __future__ import annotations

import re
from pathlib import Path

import click


@click.command()
@click.argument("what", type=click.Choice(["adversary", "protocol"]))
@click.argument("name")
def new(what: str, name: str) -> None:
    """Write NAME.py, which runs at once, and test_NAME.py into the current folder."""
    from simulator.errors import ScenarioError
    from simulator.results.files import writing
    from simulator.templates import written

    words = re.findall(r"[A-Za-z][a-z0-9]*|[0-9]+", name)
    if not words or not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", name):
        raise ScenarioError(f"{name!r} must be a name: letters, digits, hyphens, underscores, a letter first")
    file = "_".join(word.lower() for word in words)
    class_name = "".join(word.capitalize() for word in words)
    paths = [Path(f"{file}.py"), Path(f"test_{file}.py")]
    for path in paths:
        if path.exists():
            raise ScenarioError(f"{path} is there already; choose another name")
    kind = "-".join(word.lower() for word in words)
    with writing(Path()) as start:
        for path, text in zip(paths, written(what, module=file, class_name=class_name, kind=kind), strict=True):
            start(path.name).write(text)
    side = {
        "adversary": "--protocol randomized --adversary",
        "protocol": "--adversary round-robin --protocol",
    }[what]
    click.echo(f"wrote {paths[0]} and {paths[1]}; now try")
    click.echo(f"  disttrack play {side} {file}.py:{class_name} --sites 16 --items 100000")
    click.echo(f"  python -m pytest {paths[1]}")
