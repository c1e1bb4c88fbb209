"""Names that a shell completes, and ``disttrack completion``: Click's completion script for bash, zsh and fish."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeAlias

import click
from click.shell_completion import CompletionItem, get_completion_class

Items: TypeAlias = "list[CompletionItem[str]]"  # a text: in older versions of Click the class takes no parameter


@click.command(
    epilog='bash, zsh (after compinit), in the start-up file: eval "$(disttrack completion SHELL)". '
    "fish: disttrack completion fish > ~/.config/fish/completions/disttrack.fish"
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the script that makes SHELL complete commands, flags, scenarios, results and kinds."""
    script = get_completion_class(shell)
    assert script is not None
    click.echo(script(ctx.find_root().command, {}, "disttrack", "_DISTTRACK_COMPLETE").source().rstrip())


def scenario_files(ctx: click.Context, param: click.Parameter, incomplete: str) -> Items:
    """Return the shipped scenarios and YAML files of this folder with this prefix; any file if there are none."""
    from disttrack.simulator.experiments.scenario.shipped import shipped_scenarios

    return _matches(incomplete, [*shipped_scenarios(), *map(str, sorted(Path().glob("*.y*ml")))], otherwise="file")


def folders(ctx: click.Context, param: click.Parameter, incomplete: str) -> Items:
    """Return the folders of results with this prefix; any folder if there are none."""
    results = sorted(str(path.parent) for path in Path("results").glob("*/manifest.json"))
    return _matches(incomplete, results, otherwise="dir")


def kinds_of(*given: str) -> Callable[[click.Context, click.Parameter, str], Items]:
    """Return a function that completes words and the kinds of families; without any, all kinds and scenarios."""

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> Items:
        from disttrack.simulator.experiments.scenario.shipped import shipped_scenarios
        from disttrack.simulator.kinds.registry import FAMILIES, kinds

        names = [name for word in given or FAMILIES for name in (kinds(word) if word in FAMILIES else [word])]
        return _matches(incomplete, [*names, *(() if given else shipped_scenarios())], otherwise="file")

    return complete


def _matches(incomplete: str, names: Iterable[str], *, otherwise: str) -> Items:
    """Return the names with this prefix; without any, the shell completes its own files or folders."""
    matches = [CompletionItem(name) for name in dict.fromkeys(names) if name.startswith(incomplete)]
    return matches or [CompletionItem(incomplete, type=otherwise)]
