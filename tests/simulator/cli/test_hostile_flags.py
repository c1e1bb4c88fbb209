"""Flags and `--set` with values that nobody would write: one line and exit status 2, never a traceback."""

from __future__ import annotations

from itertools import cycle
from typing import Final

import pytest

from disttrack.simulator.cli import main

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
