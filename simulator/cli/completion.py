"""``disttrack completion``: Click's completion script for bash, zsh and fish."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import click
from click.shell_completion import get_completion_class

SHELLS: Final = {
    "bash": 'add to ~/.bashrc:  eval "$({program} completion bash)"',
    "zsh": 'add to ~/.zshrc, after compinit:  eval "$({program} completion zsh)"',
    "fish": "run once:  {program} completion fish > ~/.config/fish/completions/disttrack.fish",
}
"""Each shell, and how its script is installed."""


@click.command()
@click.argument("shell", type=click.Choice(list(SHELLS)), required=False)
@click.pass_context
def completion(ctx: click.Context, shell: str | None) -> None:
    """Print the script that makes SHELL complete commands, flags, scenarios, results and kinds.

    Without SHELL: how to switch it on, for the shell that is running.
    """
    root = ctx.find_root()
    if shell is None:
        own = Path(os.environ.get("SHELL", "bash")).name
        click.echo(SHELLS.get(own, SHELLS["bash"]).format(program=root.command_path))
        return
    script = get_completion_class(shell)
    assert script is not None
    click.echo(script(root.command, {}, "disttrack", "_DISTTRACK_COMPLETE").source().rstrip())
