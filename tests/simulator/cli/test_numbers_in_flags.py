"""Options for numbers: what they take, and the line on anything else, for every option of every command."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from disttrack.simulator.cli import commands, main
from disttrack.simulator.cli.numbers import with_advice


def options() -> Iterator[tuple[list[str], click.Option]]:
    """Yield each option for numbers of each command, and the words that name the command."""
    group = click.Context(main)

    def below(words: list[str], command: click.Command) -> Iterator[tuple[list[str], click.Option]]:
        for one in command.params:
            if isinstance(one, click.Option) and one.type.name in ("integer", "integer range", "float", "float range"):
                yield words, one
        for name, inner in getattr(command, "commands", {}).items():
            yield from below([*words, name], inner)

    for name in commands():
        if command := main.get_command(group, name):  # type: ignore[attr-defined]
            yield from below([name], command)


def test_each_option_for_a_number_says_what_it_takes() -> None:
    known = list(options())
    assert len(known) >= 20
    for words, option in known:
        answer = CliRunner().invoke(main, [*words, option.opts[0], *["2k"] * option.nargs])
        said = f"invalid value for '{option.opts[0]}': '2k' is not "
        assert (answer.exit_code, said in answer.output) == (2, True), (words, option.opts, answer.output)
        assert "write 2_000" in answer.output
        assert len(answer.output.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("2e3", "2000"),
        ("2_000", "2000"),
        ("2,000", "'2,000' is not a whole number, as 2000 or 2e3; write 2_000"),
        ("2.5", "'2.5' is not a whole number"),
        ("1e-3", "'1e-3' is not a whole number"),
        ("1e999", "'1e999' is not a whole number"),
        ("many", "'many' is not a whole number, as 2000 or 2e3"),
        ("0", "0 is not in the range x>=1"),
    ],
)
def test_whole_numbers(text: str, said: str) -> None:
    @click.command()
    @click.option("--sites", type=click.IntRange(min=1))
    @click.option("--alpha", type=float)
    def command(sites: int, alpha: float) -> None:
        click.echo(f"{sites!r} {alpha!r}")

    with_advice(command)
    assert said in CliRunner().invoke(command, ["--sites", text]).output
    assert "None 0.1" in CliRunner().invoke(command, ["--alpha", "0.1"]).output
    assert "write 0.1" in CliRunner().invoke(command, ["--alpha", "10%"]).output
    assert "[x>=1]" in CliRunner().invoke(command, ["--help"]).output
