"""Tables in a given width: what is wrapped, what is left out, and what becomes a paragraph."""

from __future__ import annotations

import json

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from disttrack.simulator.shown.terminal.tables import NARROWEST, Column, Table, print_json, terminal_width, wrapped

NAMES = [Column("protocol"), Column("largest error", right=True), Column("seconds", right=True, rank=2)]
ROWS = [["deterministic", "0.0291", "12.5"], ["robust", "1,234,567", ""]]


def lines(columns: list[Column], rows: list[list[str]], width: int | None) -> list[str]:
    """Return header and rows of a table without a title."""
    return [line for line in Table("", columns, rows).lines(width) if line]


@pytest.mark.parametrize(("columns", "width"), [(100, 100), (20, NARROWEST)])
def test_a_terminal_has_its_width_and_a_pipe_none(columns: int, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    assert (terminal_width(), terminal_width(err=True)) == (None, None)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert (terminal_width(), terminal_width(err=True)) == (width, None)


def test_in_a_pipe_each_row_is_one_line() -> None:
    header, rule, *rows = lines(NAMES, ROWS, None)
    assert header == "protocol       largest error  seconds"
    assert set(rule) == {"─"}
    assert rows == ["deterministic         0.0291     12.5", "robust             1,234,567"]
    assert len(lines([Column("claim")], [["one\ntwo " * 99]], None)) == 3


def test_columns_of_the_highest_rank_are_left_out_first_and_those_of_rank_0_never() -> None:
    assert "with more room: seconds" in lines(NAMES, ROWS, 30)
    columns = [Column("a", rank=1), Column("b", rank=2), Column("c"), Column("d", rank=1)]
    row = [["x" * 9] * 4]
    assert "with more room: b" in lines(columns, row, 31)
    assert "with more room: b, d" in lines(columns, row, 20)
    assert lines(columns, row, 9)[-2:] == ["  room:", "  a, b, d"]


def test_every_column_is_shown_or_named_in_any_width() -> None:
    columns = [Column("claim"), *(Column(f"number{place}", right=True, rank=place % 3) for place in range(8))]
    row = ["a text of several words that may be wrapped", *["1,234,567"] * 8]
    for width in range(12, 120, 6):
        text = " ".join(lines(columns, [row], width))
        assert not [column.header for column in columns if column.header not in text], width


def test_a_row_that_does_not_fit_becomes_a_paragraph() -> None:
    columns = [Column("kind"), Column("held", right=True), Column("words", right=True), Column("empty")]
    row = ["deterministic", "20 of 20", "1,234,567", ""]
    assert lines(columns, [row], 22) == ["kind deterministic ·", "  held 20 of 20 ·", "  words 1,234,567"]


def test_codes_of_a_terminal_and_marks_of_rich_are_shown_as_text() -> None:
    columns = [Column("\x1b[2Jname"), Column("[red]text[/]")]
    for width in (None, 80, 12):
        text = "".join(Table("\x1b]0;t", columns, [["[bold]x", "\x1b[31mred"]], "\x07", ["\x9b1m"]).lines(width))
        assert not any(code in text for code in "\x1b\x07\x9b")
        assert "[bold]x" in text
        assert "\\x1b[31mred" in text


text = st.text(alphabet="ab1.,", max_size=9)
sentence = st.lists(text, max_size=6).map(" ".join)


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(rows=st.lists(st.tuples(text, sentence, text, sentence), min_size=1, max_size=4), width=st.integers(18, 60))
def test_no_table_breaks_a_word_or_leaves_its_width(rows: list[tuple[str, ...]], width: int) -> None:
    columns = [Column("k"), Column("t"), Column("number", right=True), Column("u", rank=1)]
    shown = lines(columns, [list(row) for row in rows], width)
    whole = {word for row in rows for cell in row for word in cell.split()} | {"k", "t", "u", "number"}
    for line in shown:
        words = line.replace("─", " ").replace("·", " ").split()
        assert set(words) <= whole | {"with", "more", "room:", "u"}
        assert len(line) <= width


def test_a_word_longer_than_the_line_stays_whole() -> None:
    path = "results/reference/headline/trials.csv"
    assert wrapped(f"see {path} there", 20, further="") == ["see", path, "there"]


def test_values_for_programs_are_those_that_json_has(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"a": (float("-inf"), float("nan"), None, True), "n": numpy.int64(3)})
    assert json.loads(capsys.readouterr().out) == {"a": ["-infinite", None, None, True], "n": 3}


def test_long_names_are_wrapped_before_a_table_becomes_paragraphs() -> None:
    """Left alone, rich gives the headings of numbers the room that it takes from the names."""
    columns = [Column("adversary"), *(Column(head, right=True) for head in ("updates", "held", "error/alpha"))]
    columns += [Column("least ratio", right=True), Column("most ratio", right=True)]
    row = ["ams-attack, constant 1, until 0.5", "10,240", "100 of 100", "0.0858", "0.975", "1.02"]
    lines = Table("", columns, [row]).lines(80)
    assert max(map(len, lines)) <= 80
    assert lines[-2].split() == ["ams-attack,", "constant", "1,", *row[1:2], "100", "of", "100", *row[3:]]
    assert lines[-1] == "until 0.5"
