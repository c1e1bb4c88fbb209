"""``disttrack completion``: Click's completion script for bash, zsh and fish."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class


@click.command(
    epilog='bash, zsh (after compinit): add to the shell\'s start-up file eval "$(disttrack completion SHELL)". '
    "fish: disttrack completion fish > ~/.config/fish/completions/disttrack.fish"
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the script that makes SHELL complete commands, flags, scenarios, results and kinds."""
    script = get_completion_class(shell)
    assert script is not None
    click.echo(script(ctx.find_root().command, {}, "disttrack", "_DISTTRACK_COMPLETE").source().rstrip())
