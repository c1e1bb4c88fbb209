"""The shell of pages: text stays text, data for scripts cannot end its element, nothing can be fetched."""

from __future__ import annotations

import json
import re

import pytest

from disttrack.simulator.shown.pages.html import MANY, WIDE, Html, data, table

EVIL = "</script><script>alert('x')</script><!-- & \"quotes\""


def test_pieces_are_escaped_once() -> None:
    inner = Html("<i>{}</i>", "a & b {}")
    assert str(Html("<p title='{}'>{}</p>", "it's", inner)) == "<p title='it&#x27;s'><i>a &amp; b {}</i></p>"


def test_data_for_scripts_come_back_as_they_were_and_cannot_end_their_element() -> None:
    text = str(data("figures", {"name": EVIL, "values": [1.5, None]}))
    inside = re.fullmatch(r'<script type="application/json" id="figures">(.*)</script>', text)
    assert inside
    assert not set("<>&") & set(inside[1])
    assert json.loads(inside[1]) == {"name": EVIL, "values": [1.5, None]}


def test_a_number_that_json_has_not_is_refused() -> None:
    with pytest.raises(ValueError, match="JSON"):
        data("x", [float("nan")])


def test_long_tables_have_a_filter_and_wide_ones_are_printed_across() -> None:
    short, long = (str(table(["a"], [["x"]] * rows, says="t")) for rows in (MANY - 1, MANY))
    assert "data-filter" not in short
    assert "data-filter" in long
    assert "wide" not in short
    assert "class='table wide'" in str(table(["a"] * WIDE, [], says="t"))
