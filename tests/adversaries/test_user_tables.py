"""Tables of a user's: values as written, rows that do not fit, archives, and numbers where a task orders them."""

from __future__ import annotations

import csv
import gzip
import io
import zipfile
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from disttrack.adversaries import ItemTrace, Trace
from disttrack.adversaries.quantities import moment, number
from disttrack.adversaries.tables import line_counts, unpacked
from disttrack.protocols.contents import FrequencySample, RankDeterministic
from disttrack.simulator.game.tasks.contents.task import RankGame
from disttrack.simulator.game.tasks.duel import play_duel
from disttrack.simulator.kinds.point import PointError

TEXTS: Final = st.text(
    st.one_of(
        st.sampled_from('0.17eN,A"\n\r\t ;-_é\ufeff'), st.characters(exclude_characters="\0", exclude_categories=["Cs"])
    ),
    max_size=5,
)


def fed(trace: Trace | ItemTrace) -> list[str]:
    """Return the names of the sites in the order in which they are fed."""
    plan, names = trace.stream().plan, trace.names
    return [names[place] for place in plan.labels.tolist()]


def written(folder: Path, content: str | bytes, name: str = "t.csv") -> str:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


def zipped(*names: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name in names:
            archive.writestr(name, "" if name.endswith("/") else "site\na\n")
    return packed.getvalue()


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    header=st.lists(TEXTS.filter(lambda text: text and number(text) is None), min_size=1, max_size=4, unique=True),
    rows=st.lists(st.lists(TEXTS, min_size=4, max_size=4), min_size=1, max_size=8),
    end=st.sampled_from(["\n", "\r\n"]),
    ending=st.sampled_from([".csv", ".csv.gz", ".csv.zip", ".parquet"]),
    data=st.data(),
)
def test_any_table_of_text_is_read_as_it_was_written(
    tmp_path: Path, header: list[str], rows: list[list[str]], end: str, ending: str, data: st.DataObject
) -> None:
    """What Python's csv module, or pyarrow, has written is played; rows with an empty site are dropped and counted."""
    rows = [row[: len(header)] for row in rows]
    rows = [row for row in rows if row != header]
    column = data.draw(st.sampled_from(header))
    text = io.StringIO()
    csv.writer(text, lineterminator=end, quoting=csv.QUOTE_ALL).writerows([header, *rows])
    assert [*csv.reader(io.StringIO(text.getvalue(), newline=""))] == [header, *rows]
    path, content = tmp_path / f"t{ending}", text.getvalue().encode()
    if ending == ".parquet":
        pa = pytest.importorskip("pyarrow")
        columns = [pa.array([row[place] for row in rows], pa.string()) for place in range(len(header))]
        __import__("pyarrow.parquet").parquet.write_table(pa.Table.from_arrays(columns, names=header), path)
    elif ending == ".csv.zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("t.csv", content)
    else:
        path.write_bytes(gzip.compress(content) if ending == ".csv.gz" else content)
    expected = [row[header.index(column)] for row in rows]
    trace = Trace(file=str(path), site=column)
    trace.check()
    if not any(expected):
        with pytest.raises(ValueError, match="names no site in any row"):
            trace.stream()
        return
    assert fed(trace) == [*filter(None, expected)]
    assert trace.dropped == expected.count("")


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"site\nabc\nM\xfcnchen\n", r"line 3: not UTF-8, invalid start byte at byte 2"),
        ("site\na\n".encode("utf-16"), r"it has NUL bytes"),
        (gzip.compress(b"site\na\n", mtime=0), r"it is a gzip file, and not lines of text"),
    ],
)
def test_a_table_that_does_not_fit_is_refused_with_its_line(tmp_path: Path, content: str | bytes, line: str) -> None:
    trace = Trace(file=written(tmp_path, content), site="site")
    with pytest.raises(ValueError, match=line) as caught:
        _ = trace.check(), trace.items
    assert "\n" not in str(caught.value)
    assert "t.csv" in str(caught.value)


def test_an_archive_has_one_file(tmp_path: Path) -> None:
    for names, found in ((("a.csv", "b.csv"), r"it has 2 \(a.csv, b.csv\)"), (("d/",), r"it has 0 \(none\)")):
        with pytest.raises(ValueError, match=f"the archive must have one file; {found}"):
            Trace(file=written(tmp_path, zipped(*names), "t.csv.zip"), site="site").check()
    assert Trace(file=written(tmp_path, zipped("d/", "d/a.csv"), "t.csv.zip"), site="site").items == 1
    twice = gzip.compress(b"site\na\n") + gzip.compress(b"b\n")
    assert fed(Trace(file=written(tmp_path, twice, "t.csv.gz"), site="site")) == ["a", "b"]


@pytest.mark.parametrize("text", ["", "a", "a\n", "a\n\nb", "a\r\nb\r\n", "1\n" * 70_000])
def test_lines_of_a_packed_file_are_counted(tmp_path: Path, text: str) -> None:
    """As `disttrack feed` counts them: one item a line."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a.txt", text)
    for name, content in (("a.txt", text), ("a.gz", gzip.compress(text.encode())), ("a.zip", packed.getvalue())):
        with unpacked(Path(written(tmp_path, content, name))) as file:
            assert sum(line_counts(file)) == len(text.splitlines())


def test_parquet_is_read_without_floats_and_nested_values_are_refused(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    path = str(tmp_path / "t.parquet")

    def store(**columns: Any) -> Trace:
        __import__("pyarrow.parquet").parquet.write_table(pa.table(columns), path)
        return Trace(file=path, site="site")

    pd.DataFrame({"site": ["a", "b"], "v": [1, 2]}).set_index("site").to_parquet(path)
    assert fed(Trace(file=path, site="site")) == ["a", "b"]
    large = store(site=pa.array([2**53, 2**53 + 1, None, 7]))
    assert (fed(large), large.dropped) == ([str(2**53), str(2**53 + 1), "7"], 1)
    words = store(site=["NA", "", "None", None])
    assert (fed(words), words.dropped) == (["NA", "None"], 2)
    assert fed(store(site=pa.array(["x", "y", "x"]).dictionary_encode())) == ["x", "y", "x"]
    for value, kind in (({"x": 1}, "struct<x: int64>"), ([1], "list<.*: int64>")):
        with pytest.raises(ValueError, match=f"^file .* column 'site' holds values of type {kind}; accepted are"):
            store(site=[value]).stream()
    with pytest.raises(ValueError, match=r"^file .* Invalid UTF8 payload$"):
        store(site=[b"\xff"]).stream()


@given(st.decimals(allow_nan=False, allow_infinity=False), st.sampled_from(["", " ", "+", "_", ",", "٣", "nan"]))
def test_a_number_is_exact_or_none(value: Decimal, spoilt: str) -> None:
    assert number(str(value)) == value
    assert (number(f"{abs(value)}{spoilt}") is None) == bool(spoilt.strip())
    assert moment(str(value)) is None or number(str(value)) is not None


def test_equal_numbers_are_items_side_by_side_and_texts_have_no_rank(tmp_path: Path) -> None:
    file = written(tmp_path, "site,item,n\na,10,1\nb,9,1\na,100,1\nb,9.0,1\na,9,1\n")
    trace = ItemTrace(file=file, site="site", item="item")
    assert trace.item_names == ("9", "9.0", "10", "100")
    assert Counter(trace.item_names[item] for item in trace.stream().plan.contents.tolist())["9"] == 2
    assert play_duel(RankDeterministic(alpha=0.5), trace, seed=1).ok
    mixed = ItemTrace(file=written(tmp_path, 'site,item\na,10\nb,"9,5"\n', "m.csv"), site="site", item="item")
    assert mixed.item_names == ("10", "9,5")
    with pytest.raises(PointError, match=r"must be numbers in task item-rank: column 'item' has '9,5' in"):
        RankGame().fits(FrequencySample(alpha=0.1), mixed, {"sites": 2, "items": 2})


def test_names_of_several_columns_are_kept_apart(tmp_path: Path) -> None:
    file = written(tmp_path, 'site,a,b,"c,d"\ns,x-y,z,q\ns,x,y-z,q\ns,"x,y",z,q\n')
    trace = ItemTrace(file=file, site="site", item="a, b")
    assert trace.item_names == ("x-y,z", "x,y-z", '"x,y",z')
    assert ItemTrace(file=file, site="site", item='"c,d"').item_names == ("q",)
