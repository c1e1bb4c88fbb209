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


class OpenWords(ZshComplete):
    """Zsh puts a space after what it has completed, but for words that go on: `robust:delta=`."""

    source_template: ClassVar[str] = """\
#compdef %(prog_name)s

%(complete_func)s() {
    local -a response plain open described open_described
    local type key help
    (( ! $+commands[%(prog_name)s] )) && return 1
    response=("${(@f)$(env COMP_WORDS="${words[*]}" COMP_CWORD=$((CURRENT-1)) \\
        %(complete_var)s=zsh_complete %(prog_name)s)}")
    for type key help in ${response}; do
        if [[ $type == dir ]]; then
            _path_files -/
        elif [[ $type == file ]]; then
            _path_files -f
        elif [[ $type == plain ]]; then
            case "$help $key" in
                "_ "*[=:]) open+=("$key") ;;
                "_ "*) plain+=("$key") ;;
                *[=:]) open_described+=("$key:$help") ;;
                *) described+=("$key:$help") ;;
            esac
        fi
    done
    (( $#described )) && _describe -V unsorted described -U
    (( $#open_described )) && _describe -V unsorted open_described -U -S ''
    (( $#plain )) && compadd -U -V unsorted -a plain
    (( $#open )) && compadd -U -S '' -V unsorted -a open
    return 0
}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    %(complete_func)s "$@"
else
    compdef %(complete_func)s %(prog_name)s
fi
"""


class WholeValues(FishComplete):
    """Fish, with values that have commas of their own."""

    source_template: ClassVar[str] = FishComplete.source_template.replace(
        'string split ","', 'string split --max 1 ","'
    )


SHELLS: Final[dict[str, type[ShellComplete]]] = {"bash": WholeWords, "zsh": OpenWords, "fish": WholeValues}
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
