"""``disttrack completion``: what a shell needs to complete the command line, for bash, zsh and fish."""

from __future__ import annotations

import os
from pathlib import Path
from typing import ClassVar, Final

import click
from click.shell_completion import (
    BashComplete,
    FishComplete,
    ShellComplete,
    ZshComplete,
    add_completion_class,
    split_arg_string,
)

VARIABLE: Final = "_DISTTRACK_COMPLETE"
"""Set by the shell when it asks what may stand at a place."""


class WholeWords(BashComplete):
    """Bash cuts words at colons and equals signs; here the line is taken as typed, and only its rest answered."""

    source_template: ClassVar[str] = """\
%(complete_func)s() {
    local IFS=$'\\n' response completion type value
    response=$(env COMP_WORDS="${COMP_LINE:0:$COMP_POINT}" COMP_CWORD=0 %(complete_var)s=bash_complete $1)
    COMPREPLY=()
    for completion in $response; do
        IFS=',' read -r type value <<< "$completion"
        if [[ $type == 'dir' ]]; then
            compopt -o dirnames
        elif [[ $type == 'file' ]]; then
            compopt -o default
        elif [[ $type == 'plain' ]]; then
            COMPREPLY+=("$value")
            if [[ $value == *[=:] ]]; then compopt -o nospace; fi
        fi
    done
    return 0
}
complete -o nosort -F %(complete_func)s %(prog_name)s
"""

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the words before the cursor, and the one that is being typed."""
        line = os.environ["COMP_WORDS"]
        words = split_arg_string(line)
        return (words[1:], "") if line.endswith(" ") or len(words) < 2 else (words[1:-1], words[-1])

    def format_completion(self, item: click.shell_completion.CompletionItem[str]) -> str:
        """Return an answer without what bash takes for earlier words."""
        _, typed = self.get_completion_args()
        kept = max(typed.rfind(sign) for sign in ":=") + 1
        return f"{item.type},{item.value[kept:]}"


class WholeValues(FishComplete):
    """Fish, with values that have commas of their own."""

    source_template: ClassVar[str] = FishComplete.source_template.replace(
        'string split ","', 'string split --max 1 ","'
    )


SHELLS: Final[dict[str, type[ShellComplete]]] = {"bash": WholeWords, "zsh": ZshComplete, "fish": WholeValues}
WHERE: Final = {
    "bash": 'add to ~/.bashrc:  eval "$({program} completion bash)"',
    "zsh": 'add to ~/.zshrc, after compinit:  eval "$({program} completion zsh)"',
    "fish": "run once:  {program} completion fish > ~/.config/fish/completions/disttrack.fish",
}
"""How to keep it."""


def register() -> None:
    """Let the shells that ask be answered by these classes."""
    for name, shell in SHELLS.items():
        add_completion_class(shell, name)


@click.command()
@click.argument("shell", type=click.Choice(list(SHELLS)), required=False)
@click.pass_context
def completion(ctx: click.Context, shell: str | None) -> None:
    """Print what makes SHELL complete commands, scenario files, kinds, parameters and values.

    Without SHELL: how to switch it on, for the shell that is running.
    """
    root = ctx.find_root()
    if shell is None:
        own = Path(os.environ.get("SHELL", "bash")).name
        click.echo(WHERE.get(own, WHERE["bash"]).format(program=root.command_path))
        return
    click.echo(SHELLS[shell](root.command, {}, "disttrack", VARIABLE).source().rstrip())
