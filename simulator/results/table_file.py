"""Reading a table of a result: whole, with the columns that it must have, and numbers where numbers are told of.

A table may have been cut, damaged or edited by hand since a run wrote it. What nobody can compute with is refused in
a line that says where the fault is, and what is cut short is never taken for a smaller result.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from disttrack.simulator.claims.columns import CLAIM_COLUMNS, KIND_COLUMNS, SERIES_COLUMNS, TRIAL_COLUMNS

if TYPE_CHECKING:
    import pandas as pd

_OF_GAMES: Final = tuple(column.name for column in TRIAL_COLUMNS if column.name != "error")
NEEDED: Final[Mapping[str, tuple[str, ...]]] = {
    "trials.csv": _OF_GAMES,
    "series.csv": tuple(column.name for column in SERIES_COLUMNS if column.name not in ("protocol", "adversary")),
    "kinds.csv": tuple(column.name for column in KIND_COLUMNS if column.name not in ("protocol", "adversary")),
    "claims.csv": ("name", "verdict"),
    "controls.csv": ("claim", "broken", *_OF_GAMES),
}
"""The columns without which a table is none; a task's own and swept parameters may follow."""
OLDER: Final = {"claims.csv": tuple(column.name for column in CLAIM_COLUMNS)}
"""Columns that are empty where a table has them not."""
COLUMNS: Final = {
    "trials.csv": TRIAL_COLUMNS,
    "series.csv": SERIES_COLUMNS,
    "kinds.csv": KIND_COLUMNS,
    "claims.csv": CLAIM_COLUMNS,
    "controls.csv": TRIAL_COLUMNS,
}
"""The columns of each table whose contents are known; those of a control have the claim and what is broken before."""
OF_CONTROLS: Final = frozenset({"claim", "broken"})
TEXTS: Final = (
    OF_CONTROLS
    | {"name", "where", "group", "measure", "bound", "verdict", "note", "kind", "direction"}
    | {column.name for column in TRIAL_COLUMNS if column.holds == "text"}
)
"""Columns of text, whatever it looks like: a protocol may be called 1.5. Others hold numbers, but for `ok`."""
WHOLE: Final = ("point", "trial")
"""Columns in which every row has a whole number."""


def read_table(path: Path, digests: Mapping[str, str] | None = None) -> pd.DataFrame:
    """Return a table; one that is absent or has no header is empty.

    Parameters
    ----------
    digests
        The SHA-256 of each table of the result by its name, if they are known.

    Raises
    ------
    ValueError
        It can't be read, or is not as a run writes it; one line says what is wrong.
    """
    import pandas as pd

    name = path.name
    known = {column.name for column in COLUMNS[name]} | (OF_CONTROLS if name == "controls.csv" else frozenset())
    try:
        _hold_whole(path, digests)
        # only what is blank is missing: a claim may be called NA
        table = pd.read_csv(path, keep_default_na=False, na_values=[""], dtype=dict.fromkeys(TEXTS & known, str))
    except (FileNotFoundError, pd.errors.EmptyDataError):
        return pd.DataFrame(columns=list(NEEDED[name]))
    except (OSError, ValueError, OverflowError) as error:  # bad rows and undecodable bytes are ValueErrors
        raise ValueError(f"{name} cannot be read: {' '.join(str(error).split())}") from error
    if missing := [column for column in NEEDED[name] if column not in table]:
        raise ValueError(f"{name} has no column {missing[0]}")
    for column in OLDER.get(name, ()):
        if column not in table:
            table[column] = None
    for column in (known - TEXTS - {"ok"}) & set(table):
        _hold_numbers(name, column, table[column])
    for column in WHOLE:
        if column in table and len(table) and table[column].dtype.kind not in "iu":
            raise ValueError(f"{name}, column {column}: not a whole number in every row")
    if "ok" in table:
        table["ok"] = table["ok"].map(lambda value: str(value) == "True")
    return table


def _hold_whole(path: Path, digests: Mapping[str, str] | None) -> None:
    """Refuse a table that has been cut, or that is another one than its manifest was written with."""
    if digests is not None:
        left_out = path.name == "series.csv" and not path.exists()  # it is large, and only some figures need it
        if not left_out and _digest(path) != digests.get(path.name):
            raise ValueError("it is not the one that manifest.json was written with")
    elif path.is_file() and not path.read_bytes().endswith(b"\n"):
        raise ValueError("it is not whole")


def _hold_numbers(name: str, column: str, values: pd.Series[Any]) -> None:
    """Refuse a column of numbers in which something else stands."""
    import pandas as pd

    if values.dtype.kind in "iuf" or values.isna().all():
        return
    numbers = pd.to_numeric(values.astype("object").map(str), errors="coerce")
    wrong = values[numbers.isna() & values.notna()]
    shown = str(wrong.iloc[0] if len(wrong) else values.iloc[0])[:20]
    raise ValueError(f"{name}, column {column}: {shown!r} is no number")


def digests_of(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each table of a folder, to which `read_table` holds it."""
    return {name: digest for name in NEEDED if (digest := _digest(folder / name)) is not None}


def _digest(path: Path) -> str | None:
    if not path.is_file():
        return None
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
