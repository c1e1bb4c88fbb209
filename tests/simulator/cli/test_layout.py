"""Tables in a given width: what is wrapped, what is left out, and what becomes several lines."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.cli.layout import Column, hanging, lay_out, wrapped
from simulator.cli.tables import plain, table_lines

NAMES = [Column("protocol", key=True, named=True), Column("largest error", right=True), Column("seconds", True, rank=2)]
ROWS = [["deterministic", "0.0291", "12.5"], ["robust", "1,234,567", ""]]


def test_a_pipe_has_no_width() -> None:
    assert lay_out(NAMES, ROWS, None).lines == [
        "protocol       largest error  seconds",
        "deterministic         0.0291     12.5",
        "robust             1,234,567",
    ]


def test_headers_go_over_two_lines_before_a_column_is_left_out() -> None:
    found = lay_out(NAMES, ROWS, 33)
    assert found.lines[:2] == ["                 largest", "protocol           error  seconds"]
    assert not found.left_out
    assert max(map(len, found.lines)) == 33


def test_columns_of_the_highest_rank_are_left_out_first_and_those_of_rank_0_never() -> None:
    found = lay_out(NAMES, ROWS, 32)
    assert [column.header for column in found.left_out] == ["seconds"]
    columns = [Column("a", rank=1), Column("b", rank=2), Column("c"), Column("d", rank=1)]
    row = [["x" * 9] * 4]
    assert [column.header for column in lay_out(columns, row, 31).left_out] == ["b"]
    assert [column.header for column in lay_out(columns, row, 20).left_out] == ["b", "d"]
    assert [column.header for column in lay_out(columns, row, 9).left_out] == ["a", "b", "d"]


def test_what_does_not_fit_becomes_several_lines() -> None:
    found = lay_out([Column("kind", key=True, named=True), Column("held"), Column("words")],
                    [["deterministic", "20 of 20", "1,234,567"]], 22)  # fmt: skip
    assert found.lines == ["deterministic", "  held 20 of 20", "  words 1,234,567"]


def test_texts_are_wrapped_at_spaces() -> None:
    columns = [Column("name", key=True), Column("what it is", wraps=True, least=10)]
    assert lay_out(columns, [["coin", "each site with probability p"]], 24).lines == [
        "name  what it is",
        "─" * 24,
        "coin  each site with",
        "      probability p",
    ]


def test_a_table_says_what_it_left_out_and_where_that_is() -> None:
    columns = [Column("n", says="how many"), Column("words", rank=1, source="words_up"), Column("memory", rank=2)]
    lines = table_lines("T", columns, [["1", "22222222", "O(log t)"]], 8, whole="trials.csv")
    said = " ".join(" ".join(lines).split())
    assert "also in trials.csv: words_up (words)" in said
    assert "with more room: memory" in said
    assert "n: how many" in said


text = st.text(alphabet="ab1.,", max_size=9)
sentence = st.lists(text, max_size=6).map(" ".join)


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(rows=st.lists(st.tuples(text, sentence, text), min_size=1, max_size=4), width=st.integers(12, 60))
def test_no_table_breaks_a_word_or_leaves_its_width(rows: list[tuple[str, str, str]], width: int) -> None:
    columns = [Column("k", key=True, named=True), Column("t", wraps=True, least=6), Column("number", right=True)]
    lines = lay_out(columns, rows, width).lines
    whole = {word for row in rows for cell in row for word in cell.split()} | {"k", "t", "number"}
    for line in lines:
        assert set(line.replace("─", " ").replace("·", " ").split()) <= whole
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
