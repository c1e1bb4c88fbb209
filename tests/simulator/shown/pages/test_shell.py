"""The shell of pages: text stays text, data for scripts cannot end its element, nothing can be fetched."""

from __future__ import annotations

import json
import re
from html import unescape

import pytest

from disttrack.simulator.shown.pages.html import MANY, WIDE, Html, data, facts, page, resource, table, verdict

EVIL = "</script><script>alert('x')</script><!-- & \"quotes\""


def test_pieces_are_escaped_once() -> None:
    inner = Html("<i>{}</i>", "a & b {}")
    assert str(Html("<p title='{}'>{}</p>", "it's", inner)) == "<p title='it&#x27;s'><i>a &amp; b {}</i></p>"


def test_titles_anchors_and_headings_stay_text() -> None:
    text = page(EVIL, [facts({EVIL: EVIL})], kicker=EVIL, contents=[(EVIL, EVIL)])
    assert "alert('x')" not in text
    assert unescape(text).count("alert('x')") == 7  # title, heading, kicker, both of the contents, both of the facts


def test_data_for_scripts_come_back_as_they_were_and_cannot_end_their_element() -> None:
    text = str(data("figures", {"name": EVIL, "values": [1.5, None]}))
    inside = re.fullmatch(r'<script type="application/json" id="figures">(.*)</script>', text)
    assert inside
    assert not set("<>&") & set(inside[1])
    assert json.loads(inside[1]) == {"name": EVIL, "values": [1.5, None]}


def test_a_number_that_json_has_not_is_refused() -> None:
    with pytest.raises(ValueError, match="JSON"):
        data("x", [float("nan")])


def test_the_browser_may_fetch_nothing_from_anywhere() -> None:
    text = page("t", [], scripts=[resource("tables.js")])
    policy = re.search(r"Content-Security-Policy' content=\"([^\"]*)\"", text)
    assert policy
    assert "default-src 'none'" in policy[1]
    assert "http" not in policy[1]
    assert not re.search(r"(?:href|src)=['\"]?(?:https?:)?//", text)


def test_a_page_has_a_language_a_main_part_and_a_way_to_it() -> None:
    text = page("t", [])
    assert "<html lang='en'>" in text
    assert "<a class='skip' href='#main'>" in text
    assert "<main id='main' tabindex='-1'>" in text


def test_rows_that_fail_are_marked_and_cells_sort_by_their_numbers() -> None:
    text = str(table(["name", "share"], [["a", ("half", 0.5)], ["b", ("none", None)]], (1,), says="two", failing={1}))
    assert "<td class='right' data-key='0.5'>half</td>" in text
    assert "<td class='right' data-key=''>none</td>" in text
    assert text.count("<tr class='failing'>") == 1
    assert "<caption>two</caption>" in text


def test_long_tables_have_a_filter_and_wide_ones_are_printed_across() -> None:
    short, long = (str(table(["a"], [["x"]] * rows, says="t")) for rows in (MANY - 1, MANY))
    assert "data-filter" not in short
    assert "data-filter" in long
    assert "wide" not in short
    assert "class='table wide'" in str(table(["a"] * WIDE, [], says="t"))


def test_a_verdict_is_a_word_too() -> None:
    assert [str(verdict(word)).split("'")[1] for word in ("PASS", "FAIL", "UNDECIDED", "VACUOUS", "error")] == [
        "verdict pass", "verdict fail", "verdict open", "verdict fail", "verdict fail",
    ]  # fmt: skip
