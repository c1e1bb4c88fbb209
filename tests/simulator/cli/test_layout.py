"""Tables in a given width: what is wrapped, what is left out, and what becomes several lines."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from disttrack.simulator.cli.layout import Column, Table, hanging, wrapped
from disttrack.simulator.cli.tables import plain

NAMES = [Column("protocol", key=True), Column("largest error", right=True), Column("seconds", right=True, rank=2)]
ROWS = [["deterministic", "0.0291", "12.5"], ["robust", "1,234,567", ""]]


def lines(columns: list[Column], rows: list[list[str]], width: int | None) -> list[str]:
    """Return header and rows of a table without a title."""
    return [line for line in Table("", columns, rows).lines(width) if line]


def left_out(columns: list[Column], rows: list[list[str]], width: int) -> str:
    *_, last = Table("", columns, rows).lines(width)
    return last.removeprefix("with more room: ") if "room" in last else ""


def test_a_pipe_has_no_width() -> None:
    assert lines(NAMES, ROWS, None) == [
        "protocol       largest error  seconds",
        "deterministic         0.0291     12.5",
        "robust             1,234,567",
    ]
    assert len(lines([Column("claim", wraps=True)], [["one\ntwo " * 99]], None)) == 2  # each row is one line


def test_headers_go_over_two_lines_before_a_column_is_left_out() -> None:
    assert lines(NAMES, ROWS, 37)[0].endswith("largest error  seconds")
    shown = lines(NAMES, ROWS, 36)
    assert shown[:2] == ["                 largest", "protocol           error  seconds"]
    assert max(map(len, shown)) == 33


def test_columns_of_the_highest_rank_are_left_out_first_and_those_of_rank_0_never() -> None:
    assert "with more room: seconds" in lines(NAMES, ROWS, 32)
    columns = [Column("a", rank=1), Column("b", rank=2), Column("c"), Column("d", rank=1)]
    row = [["x" * 9] * 4]
    assert "with more room: b" in lines(columns, row, 31)
    assert "with more room: b, d" in lines(columns, row, 20)
    assert lines(columns, row, 9)[-2:] == ["  room:", "  a, b, d"]


def test_what_does_not_fit_becomes_several_lines() -> None:
    columns = [Column("kind", key=True), Column("held"), Column("words"), Column("empty")]
    row = ["deterministic", "20 of 20", "1,234,567", ""]
    assert lines(columns, [row], 22) == ["deterministic", "  held 20 of 20", "  words 1,234,567"]
    assert lines([Column("sites", right=True, key=True), *columns], [["64", *row]], 22)[0] == "sites 64 ·"


def test_texts_are_wrapped_at_spaces() -> None:
    columns = [Column("name", key=True), Column("what it is", wraps=True)]
    text = "each site with probability p, which the server sets anew in every round"
    assert lines(columns, [["coin", text]], 44) == [
        "name  what it is",
        "─" * 44,
        "coin  each site with probability p, which",
        "      the server sets anew in every round",
    ]


def test_a_table_says_what_it_left_out_and_where_that_is() -> None:
    columns = [Column("n", says="how many"), Column("words", rank=1, source="words_up"), Column("memory", rank=2)]
    text = " ".join(Table("T", columns, [["1", "22222222", "O(log t)"]], whole="trials.csv").lines(8))
    assert text.split()[:4] == ["T", "n", "─", "1"]
    text = " ".join(text.split())
    assert "also in trials.csv: words_up (words)" in text
    assert "with more room: memory" in text
    assert "n: how many" in text


def test_columns_without_content_are_not_shown() -> None:
    columns = [Column("a", key=True), Column("b", says="nothing"), Column("c")]
    assert lines(columns, [["", "", "1"], ["", "", "2"]], 20) == ["a  c", "─" * 4, "   1", "   2"]


def test_codes_of_a_terminal_and_marks_of_rich_are_shown_as_text() -> None:
    columns = [Column("\x1b[2Jname", key=True), Column("[red]text[/]", wraps=True)]
    for width in (None, 80, 12):
        text = "".join(Table("\x1b]0;t", columns, [["[bold]x", "\x1b[31mred"]], "\x07", ["\x9b1m"]).lines(width))
        assert not any(code in text for code in "\x1b\x07\x9b")
        assert "[bold]x" in text
        assert "\\x1b[31mred" in text


text = st.text(alphabet="ab1.,", max_size=9)
sentence = st.lists(text, max_size=6).map(" ".join)


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(rows=st.lists(st.tuples(text, sentence, text, sentence), min_size=1, max_size=4), width=st.integers(12, 60))
def test_no_table_breaks_a_word_or_leaves_its_width(rows: list[tuple[str, ...]], width: int) -> None:
    columns = [
        Column("k", key=True),
        Column("t", wraps=True),
        Column("number", right=True),
        Column("u", wraps=True, rank=1),
    ]
    shown = lines(columns, [list(row) for row in rows], width)
    whole = {word for row in rows for cell in row for word in cell.split()} | {"k", "t", "u", "number"}
    for line in shown:
        words = line.replace("─", " ").replace("·", " ").split()
        assert set(words) <= whole | {"with", "more", "room:", "u"}
        assert len(line) <= width


def test_a_word_longer_than_the_line_stays_whole() -> None:
    assert wrapped("see results/reference/headline/trials.csv there", 20) == [
        "see",
        "results/reference/headline/trials.csv",
        "there",
    ]


def test_hanging_text_begins_below_its_first_line() -> None:
    assert hanging("a: ", "", 10) == ["a:"]
    assert hanging("  ", "one two", None) == ["  one two"]


def test_values_for_programs_are_those_that_json_has() -> None:
    assert plain({"a": (float("-inf"), float("nan"), None, True)}) == {"a": ["-infinite", None, None, True]}
