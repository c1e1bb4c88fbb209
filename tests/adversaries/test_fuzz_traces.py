"""Trace files that are damaged: a stream, or an error that says which file cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest
from hostile import damaged, hold_line, often
from hypothesis import given

from disttrack.adversaries.recorded import Trace

ROWS = "site,time,ü\n" + "".join(f"s{number % 5},{1000 - 7 * number},x{number}\n" for number in range(40))


@pytest.mark.slow
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_damaged_trace_is_read_or_refused(form: str, tmp_path: Path) -> None:
    import pandas as pd

    path = tmp_path / f"trace.{form}"
    path.write_text(ROWS, encoding="utf-8")
    if form == "parquet":
        pytest.importorskip("pyarrow")
        (tmp_path / "rows.csv").write_text(ROWS, encoding="utf-8")
        pd.read_csv(tmp_path / "rows.csv").to_parquet(path)
    whole = path.read_bytes()

    @often(150)
    @given(content=damaged([whole]))
    def tried(content: bytes) -> None:
        path.write_bytes(content)
        try:
            trace = Trace(file=str(path), site="site", time="time")
            assert trace.items >= 1
            assert 1 <= trace.sites <= trace.items
        except ValueError as error:
            hold_line(error)

    tried()


def test_a_column_of_parquet_that_is_too_short_is_refused(tmp_path: Path) -> None:
    """Seen in 10,000 damaged files: the number of rows in the file's foot was damaged."""
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "trace.parquet"
    parquet.write_table(pa.table({"site": [f"s{number % 5}" for number in range(40)]}), path)
    whole = path.read_bytes()
    rows = b"\x16\x50\x19"  # 40, as the third field of the foot
    assert whole.count(rows) == 1
    path.write_bytes(whole.replace(rows, b"\x16\x52\x19"))
    with pytest.raises(ValueError, match="column 'site' has 40 values in 41 rows") as refusal:
        Trace(file=str(path), site="site").stream()
    hold_line(refusal.value)
