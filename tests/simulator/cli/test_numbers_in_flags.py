"""Options, kinds and values in flags: what they take, and the line on anything else, never a traceback."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import Final

import click
import pytest
from click.testing import CliRunner
from commands import disttrack, refused

from disttrack import Exact, RoundRobin, play
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


# ---------------------------------------------------------------------- values that nobody would write


VALUES: Final = (
    "2020-13-01", "9" * 5000, "{kind: [a]}", '"\\UFFFFFFFF"', '"\\ud800"', "\udcff", "", "~", "[[]]", "{a: b}", "1e999",
    "-1", ".nan", "a" * 3000, "!!python/object:os.abort x", "&a [*a]", "[1,", "\x00", "::", "x.py:Y",
)  # fmt: skip
"""Found by trying thousands; each of these once ended in a traceback, or stands beside one that did."""


def _status(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> int:
    """Return the exit status; the error, if there is one, is a line that can be written."""
    with pytest.raises(SystemExit) as ended:
        main.main(arguments)
    said = capsys.readouterr().err
    if ended.value.code == 2:
        assert said.encode()
        assert 1 <= said.count("\n") <= 21, "a line for each fault, of many the first twenty"
    assert "Traceback" not in said
    return int(ended.value.code or 0)


@pytest.mark.parametrize("side", ["--protocol", "--adversary"])
def test_specs_refuse_in_one_line(side: str, capsys: pytest.CaptureFixture[str]) -> None:
    usual = {"--protocol": "deterministic:alpha=0.1", "--adversary": "freeze"}
    shapes = ("{}", "robust:alpha={}", "drain:patience={}", "robust {}", "robust:{}=1")
    for value, shape in zip(VALUES, cycle(shapes), strict=False):
        sides = {**usual, side: shape.format(value)}
        flags = [part for pair in sides.items() for part in pair]
        assert _status(["play", "--sites", "4", "--items", "20", *flags], capsys) in (0, 1, 2)


def test_a_game_of_ages_is_refused_before_it_begins(capsys: pytest.CaptureFixture[str]) -> None:
    """A protocol that forwards sends a message an item: without a word it went on for ever."""
    assert _status(["play", "--protocol", "exact", "--sites", "4", "--items", "1e18"], capsys) == 2


# ---------------------------------------------------------------------- kinds with parameters


def test_a_task_of_the_user_is_played_and_an_accuracy_of_theirs_has_the_range_of_the_game() -> None:
    Path("own.py").write_text(
        "from dataclasses import dataclass\nfrom disttrack import Deterministic\n"
        "from disttrack.simulator.game.tasks.tracking import Count\n\n\n"
        'class Mine(Count):\n    kind = "mine"\n\n\n'
        "@dataclass(frozen=True)\nclass Wide(Deterministic):\n    alpha: float = 0.3\n"
    )
    size = ("--sites", "2", "--items", "9")
    assert disttrack("play", "--protocol", "exact", "--task", "own.py:Mine", *size).exit_code == 0
    assert "must be above 0 and below 1; got 7" in refused("play", "--protocol", "own.py:Wide:alpha=7", *size)
    assert refused("play", "--protocol", "exact", "--with", "own.py:Mine").endswith("--task mine.py:Mine")
    assert refused("list", "own.py:Mine").endswith("disttrack describe own.py:Mine")


def test_sizes_may_be_floats_that_are_whole() -> None:
    assert play(Exact(), RoundRobin(), sites=2, items=1e3).items == 1000  # type: ignore[arg-type]
    with pytest.raises((TypeError, ValueError), match="items"):
        play(Exact(), RoundRobin(), sites=2, items=10.5)  # type: ignore[arg-type]
    assert disttrack("play", "--protocol", "exact", "--items", "1e3").exit_code == 0


def test_a_class_keeps_its_own_default_of_alpha() -> None:
    """What is given twice is in messages/command.txt."""
    Path("own.py").write_text(
        "from dataclasses import dataclass\nfrom disttrack import Deterministic\n\n\n"
        '@dataclass(frozen=True)\nclass Coarse(Deterministic):\n    """Coarse."""\n\n    alpha: float = 0.3\n'
    )
    for protocol, promised, alpha in (
        ("own.py:Coarse", 0.3, ()), ("own.py:Coarse", 0.2, ("--alpha", "0.2")), ("own.py:Coarse alpha=0.4", 0.4, ()),
        ("deterministic", 0.1, ()), ("deterministic", 0.2, ("--set", "alpha=0.2")),
    ):  # fmt: skip
        result = disttrack("play", "--protocol", protocol, "--sites", "2", "--items", "9", *alpha)
        assert f"promised {promised}\n" in result.stdout
