"""Reading a table of a result: whole, with the columns that it must have, and numbers in numeric columns.

A table may have been cut, damaged or edited by hand since a run wrote it. It is then refused in one line, and a table
that was cut short is never taken for a smaller result.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from disttrack.simulator.claims.columns import CLAIMS, KINDS, SERIES, TRIAL_COLUMNS, TRIALS

if TYPE_CHECKING:
    import pandas as pd

OF_CONTROLS: Final = ("claim", "broken")
"""Columns that the games of controls have beside those of games."""
COLUMNS: Final = {
    "trials.csv": TRIALS,
    "series.csv": SERIES,
    "kinds.csv": KINDS,
    "claims.csv": CLAIMS,
    "controls.csv": (*OF_CONTROLS, *TRIALS),
}
"""The columns that each table must have; a task's own and swept parameters may follow."""
TEXTS: Final = {
    *OF_CONTROLS, "name", "where", "group", "measure", "bound", "verdict", "note", "kind", "direction",
    *(column.name for column in TRIAL_COLUMNS if column.holds == "text"),
}  # fmt: skip
"""Columns of text, also if it looks like a number: a protocol may be called 1.5. Others, except `ok`, hold numbers."""


def read_table(path: Path, digests: Mapping[str, str] | None = None) -> pd.DataFrame:
    """Return a table; one that is absent or has no header is empty.

    Parameters
    ----------
    digests
        The SHA-256 of each table of the result by its name, if they are known.

    Raises
    ------
    ValueError
        It cannot be read, or is not as a run writes it; the message is one line.
    """
    import pandas as pd

    name = path.name
    known = COLUMNS[name]
    try:
        _refuse_other(path, digests)
        # only blank cells are missing: a claim may be called NA
        texts = dict.fromkeys(TEXTS.intersection(known), str)
        table = pd.read_csv(path, keep_default_na=False, na_values=[""], dtype=texts)
    except (FileNotFoundError, pd.errors.EmptyDataError):
        return pd.DataFrame(columns=known)
    except (OSError, ValueError, OverflowError) as error:  # bad rows and undecodable bytes are ValueErrors
        raise ValueError(f"{name} cannot be read: {' '.join(str(error).split())}") from error
    for column in known:
        if column not in table:
            raise ValueError(f"{name} has no column {column}")
        _check(name, table[column])
    if "ok" in table:
        table["ok"] = table["ok"].map(lambda value: str(value) == "True")
    return table


def _refuse_other(path: Path, digests: Mapping[str, str] | None) -> None:
    """Refuse a table that has been cut, or that is another one than its manifest was written with."""
    if digests is not None:
        left_out = path.name == "series.csv" and not path.exists()  # it is large, and only some figures need it
        if not left_out and _digest(path) != digests.get(path.name):
            raise ValueError("it is not the one that manifest.json was written with")
    elif path.is_file() and not path.read_bytes().endswith(b"\n"):
        raise ValueError("it is not whole")


def _check(table: str, values: pd.Series[float]) -> None:
    """Refuse a column of numbers that contains something else, and a point or trial that is no whole number."""
    kinds = "iu" if values.name in ("point", "trial") else "iuf"
    if values.name not in (*TEXTS, "ok") and values.dtype.kind not in kinds and len(values.dropna()):
        raise ValueError(f"{table}, column {values.name}: not a {'whole ' * (kinds == 'iu')}number in every row")


def digests_of(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each table of a folder, to which `read_table` holds it."""
    return {name: digest for name in COLUMNS if (digest := _digest(folder / name)) is not None}


def _digest(path: Path) -> str | None:
    if not path.is_file():
        return None
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
