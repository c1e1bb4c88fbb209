"""The command line: ``disttrack``, and the same program as ``python -m disttrack.simulator``.

Commands live in modules of their own and are loaded when they are called, so that ``--help`` is quick.
Exit status: 0 done and all claims hold, 1 a claim failed or a run failed, 2 the input is wrong.
"""

from __future__ import annotations

import ast
import atexit
import gc
import importlib
import os
import sys
import traceback
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from pathlib import Path
from typing import Any, Final, NoReturn

import click

from disttrack.simulator.cli.numbers import with_advice
from disttrack.simulator.errors import (
    KEPT,
    RunError,
    ScenarioError,
    ScenarioErrors,
    accepted,
    nearest,
    one_line,
    shortened,
)
from disttrack.simulator.kinds.installed import plugged
from disttrack.simulator.kinds.source import ours
from disttrack.simulator.shown.terminal.patient_pipe import patient_output

GROUPS: Final = {
    "Play and run": ("play", "run", "arena"),
    "Look": ("report", "plot", "results", "compare", "replay"),
    "Choose": ("list", "describe", "advise"),
    "Check": ("check", "conformance"),
    "Write": ("new", "schema", "completion"),
}
"""Headings of ``--help``, below each its commands. Installed packages register more by entry points
``disttrack.commands``, each a mapping with ``module:command``, what it does in one line, and optionally what must be
installed for it, and its heading."""
_PLACES: Final = {"report": "plot:report", "list": "catalogue:list_", "schema": "check:schema"}
"""Where a command lives in this package, if not in a module of its name; its docstring begins with what it does."""
COMMANDS: Final = {name: (_PLACES.get(name, f"{name}:{name}"), "") for group in GROUPS.values() for name in group}
HERE: Final = frozenset({"play", "conformance", "replay", "check", "describe", "plot", "report", "compare"})
"""Commands that run the user's code in this process only."""
KEEPING: Final = frozenset({"run", "arena"})
"""Commands that go on where they were stopped."""
OTHERS: Final = "Of installed packages"
"""The heading of commands that name none."""
DEBUG: Final = "--debug"
CONTAINERS: Final = 100_000
"""New containers after which garbage in circles is collected: by Python's 700, a tenth of a short command is spent on
scanning what its imports have made."""

# pydantic would read the metadata of all installed packages to find plugins of its own
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "1")
# matrices are small: their products by several threads take a fifth of the time of `advise count`
os.environ.setdefault("OPENBLAS_NUM_THREADS", os.environ.get("OMP_NUM_THREADS", "1"))


@cache
def commands() -> dict[str, tuple[str, ...]]:
    """Return all commands as in `COMMANDS`: those of this package, then those of others."""
    known: dict[str, tuple[str, ...]] = dict(COMMANDS)
    for own in plugged("disttrack.commands").values():
        known |= {name: entry for name, entry in own.items() if name not in COMMANDS}
    return known


class Commands(click.Group):
    """The group of all commands: loads one when it is called, and turns errors into one line each."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(commands())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in (known := COMMANDS if cmd_name in COMMANDS else commands()):
            if ctx.resilient_parsing:  # a shell completes
                return None
            ctx.fail(f"no such command {cmd_name!r}{nearest(cmd_name, known)} ({accepted(known)})")
        place, _, *extra = known[cmd_name]
        module, _, name = place.partition(":")
        try:
            home = importlib.import_module(module if cmd_name not in COMMANDS else f"{__name__}.{module}")
            command: click.Command = getattr(home, name)
        except ModuleNotFoundError as error:
            _needs(ctx, cmd_name, error, extra)
        return with_advice(command)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except ModuleNotFoundError as error:  # a command that shows its help without its extra
            name = str(ctx.invoked_subcommand)
            _, _, *extra = commands().get(name, ("", ""))
            if not extra:
                raise
            _needs(ctx, name, error, extra)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        headings = {name: heading for heading, group in GROUPS.items() for name in group}
        groups: dict[str, list[tuple[str, str]]] = {}
        for name, (place, says, *more) in commands().items():
            heading = headings.get(name) or (more[1] if len(more) > 1 else OTHERS)
            groups.setdefault(heading, []).append((name, says or _summary(place)))
        for heading, rows in groups.items():
            with formatter.section(heading):
                formatter.write_dl(rows)

    def main(self, args: Sequence[str] | None = None, *rest: Any, **extra: Any) -> NoReturn:
        """Run a command and end the program with its status."""
        words = list(sys.argv[1:] if args is None else args)
        gc.set_threshold(CONTAINERS)
        # where no class of the user's plays in this process, there is nothing to close
        atexit.register(gc.freeze if words[:1] and words[0] in COMMANDS.keys() - HERE else _collect_once)
        extra["standalone_mode"] = False
        try:
            with ours(), patient_output(), _watched(words[:1]):
                # every command takes it, at any place
                extra["obj"] = DEBUG in words
                status = super().main([word for word in words if word != DEBUG], *rest, **extra)
        except (ScenarioError, RunError, click.ClickException, KeyboardInterrupt, click.Abort) as error:
            if DEBUG in words:
                traceback.print_exc()
            click.echo(_line(error, words), err=True)
            sys.exit(2 if isinstance(error, ScenarioError | click.ClickException) else 1)
        sys.exit(status if isinstance(status, int) else 0)


def _collect_once() -> None:
    """Collect garbage a last time: Python would scan all that imports have made several times more at its exit."""
    gc.collect()
    gc.freeze()


def _summary(place: str) -> str:
    """Return the first line of the docstring of a command of this package, which is not imported."""
    module, _, name = place.partition(":")
    tree = ast.parse(Path(__file__).with_name(f"{module}.py").read_text(encoding="utf-8"))
    functions = {one.name: one for one in tree.body if isinstance(one, ast.FunctionDef)}
    return (ast.get_docstring(functions[name]) or "").partition("\n")[0]


def _needs(ctx: click.Context, command: str, error: ModuleNotFoundError, extra: Sequence[str]) -> NoReturn:
    """Refuse a command whose packages are not installed; `extra` begins with what to install, if that is known."""
    remedy = f": pip install {extra[0]!r}" if extra else ""
    ctx.fail(f"{command} needs {error.name}, which is not installed{remedy}")


def _watched(command: Sequence[str]) -> AbstractContextManager[None]:
    """Return the watch over the user's code in commands that play in this process."""
    if not HERE.issuperset(command) or not command:
        return nullcontext()
    from disttrack.simulator.shown.terminal.progress import watched

    return watched(command[0])


def _line(error: BaseException, words: Sequence[str]) -> str:
    """Return an error as one line, several as one each."""
    if isinstance(error, KeyboardInterrupt | click.Abort):
        from disttrack.simulator.kinds.lines import cause_of

        *_, place = cause_of("".join(traceback.format_exception(error))).rpartition(" (")
        where = f" at {place[:-1]}" if place.endswith(")") else ""
        kept = f"; {KEPT}" if {*words[:1]} & KEEPING else ""
        return f"disttrack: stopped{where}{kept}"
    if not isinstance(error, click.ClickException):
        return str(error) if isinstance(error, ScenarioErrors) else one_line(shortened(str(error)))
    from disttrack.simulator.cli.near_ways import instead

    message = " ".join(error.format_message().split())
    if remedy := instead(error, words):
        message = f"{message.partition('. ')[0].rstrip('.')}{remedy}"  # without the near options
    command = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx is not None else "disttrack"
    return one_line(shortened(f"{command}: {message[:1].lower()}{message[1:]}"))


FIRST: Final = """\

  {0} play --protocol randomized --adversary freeze --sites 64 --items 1e6
  {0} run headline         a scenario: table, claims, figures, page
  {0} list                 all kinds and scenarios; {0} describe NAME
  {0} new adversary Mine   an attack of your own
"""
"""Printed when the program is called with nothing, below what it is."""


@click.command(
    "disttrack",
    cls=Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110, "show_default": True},
)
@click.option(DEBUG, is_flag=True, expose_value=False, help="Show the traceback of an error.")
@click.version_option(package_name="disttrack", message="%(prog)s %(version)s")
@click.pass_context
def main(ctx: click.Context) -> None:
    """Distributed counting against adversaries that react: play it, measure it, see who breaks what.

    Begin with: disttrack run headline
    """
    if ctx.invoked_subcommand is None:
        says = (main.help or "").partition("\n")[0]
        click.echo(f"{says}\n{FIRST.format(ctx.command_path)}", nl=False)
