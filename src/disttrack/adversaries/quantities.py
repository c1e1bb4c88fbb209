"""Numbers, dates and lengths of time that texts state, exactly: for tasks that put them in order."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Annotated, Final, NoReturn

_NUMBER: Final = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*", re.ASCII)
_FRACTION: Final = re.compile(r"(.*\d\d:?\d\d:?\d\d)[.,](\d+)([^.,]*)", re.ASCII)
_LOGGED: Final = re.compile(r"(\d\d)/(\w{3})/(\d{4}):(\d\d:\d\d:\d\d)(?: ([+-]\d\d)(\d\d))?", re.ASCII)
"""A date as web servers log it."""
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DURATION: Final = re.compile(r"(\d+(?:\.\d+)?)? ?([a-z]+)", re.ASCII)
SECONDS: Final = {
    "us": Fraction(1, 10**6), "ms": Fraction(1, 1000), "s": Fraction(1), "min": Fraction(60), "h": Fraction(3600),
    "day": Fraction(86_400), "days": Fraction(86_400),
}  # fmt: skip
"""Units of time, in seconds."""
TICKS: Final = 10**9
"""Ticks of a second, or of a unit of numbers."""
MOST_KNOWN: Final = 100_000
"""Dates that are kept with their ticks: those of one log often recur."""
_BEGIN: Final = datetime(1970, 1, 1)  # of dates without an offset
NO_TIME: Final = str(2**63 - 1)
"""What traces of clusters write where an event has no time in the trace."""
Tick = int | Fraction


def number(text: str) -> Decimal | None:
    """Return the exact number that a text is; None if it is none.

    >>> number("07"), number("1e3"), number("3,5"), number("nan")
    (Decimal('7'), Decimal('1E+3'), None, None)
    """
    if not _NUMBER.fullmatch(text):
        return None
    try:
        return Decimal(text.strip())
    except InvalidOperation:  # an exponent of twenty digits
        return None


def moment(text: str) -> tuple[datetime, str] | None:
    """Return the date and the decimals of its seconds, all of them; None if a text is no date of ISO 8601 or a log.

    >>> moment("2024-03-01T12:00:00.1234567890+01:00")
    (datetime.datetime(2024, 3, 1, 11, 0, tzinfo=datetime.timezone.utc), '123456789')
    >>> moment("01/Mar/2024:12:00:00.5 +0100")
    (datetime.datetime(2024, 3, 1, 11, 0, tzinfo=datetime.timezone.utc), '5')
    """
    match = _FRACTION.fullmatch(text)
    whole, decimals = (match[1] + match[3], match[2].rstrip("0")) if match else (text, "")
    if (logged := _LOGGED.fullmatch(whole)) and logged[2] in _MONTHS:
        zone = f"{logged[5]}:{logged[6]}" if logged[5] else ""
        whole = f"{logged[3]}-{_MONTHS.index(logged[2]) + 1:02}-{logged[1]}T{logged[4]}{zone}"
    try:
        when = datetime.fromisoformat(whole)
        return (when if when.tzinfo is None else when.astimezone(UTC)), decimals
    except (ValueError, OverflowError):
        return None


def duration(text: object) -> Fraction | None:
    """Return the seconds of a length of time with its unit; None if a text is none.

    >>> duration("15min"), duration("0.5 ms"), duration("day"), duration("10"), duration("0s")
    (Fraction(900, 1), Fraction(1, 2000), Fraction(86400, 1), None, None)
    """
    match = _DURATION.fullmatch(text) if isinstance(text, str) else None
    if match is None or match[2] not in SECONDS:
        return None
    return Fraction(match[1] or 1) * SECONDS[match[2]] or None


def _duration(name: str, value: object) -> None:
    """Raise ValueError unless a value is a length of time."""
    if duration(value) is None:
        units = ", ".join(SECONDS)
        raise ValueError(f"{name} must be a length of time, as in 1ms, 15min or day ({units}); got {value!r}")


Duration = Annotated[str, _duration]


class Clock:
    """Turns the texts of a column of times into ticks, by which they are put in order, exactly.

    All of them are numbers, of which a unit has `TICKS` ticks, or dates, with offsets in all or in none.

    Parameters
    ----------
    column
        The name of the column, for messages.

    Examples
    --------
    >>> Clock("t").ticks(["7", "7.5"], [2, 3]), Clock("t").ticks(["1970-01-01T00:00:01.5"], [2])
    ([7000000000, 7500000000], [1500000000])
    """

    def __init__(self, column: str) -> None:
        self._column = column
        self._reading: Callable[[str], Tick | None] | None = None
        self._known: dict[str, tuple[int, bool] | None] = {}
        self._local: bool | None = None
        """Whether the first date has no offset."""
        self._first = 0
        """The line of the first text."""

    def ticks(self, texts: Sequence[str], lines: Sequence[int]) -> list[Tick]:
        """Return the ticks of texts, which are in these lines.

        Raises
        ------
        ValueError
            One has no place in an order; the message has its line.
        """
        if "" in texts:
            remedy = "fill it in, or leave time out: then the order is that of the file"
            where = f"line {lines[texts.index('')]}"
            raise ValueError(f"time: column {self._column!r} is empty in {where}, so there is no order; {remedy}")
        if NO_TIME in texts:
            line = lines[texts.index(NO_TIME)]
            raise ValueError(f"time: column {self._column!r} has 2^63 - 1, no time, in line {line}: remove such rows")
        if self._reading is None:
            self._reading, self._first = self._date if _number_tick(texts[0]) is None else _number_tick, lines[0]
        ticks = [self._reading(text) for text in texts]
        if None in ticks:
            self._refuse(texts[ticks.index(None)], lines[ticks.index(None)])
        return ticks  # type: ignore[return-value]  # none is None

    def _refuse(self, text: str, line: int) -> NoReturn:
        """Raise the error of a text in a line."""
        where = f"time: column {self._column!r}"
        if self._reading is not _number_tick and self._second(text) is not None:
            one, other = sorted((self._first, line))
            raise ValueError(f"{where} has an offset in one of the lines {one} and {other} only")
        kind = "a number" if self._reading is _number_tick else "a date"
        accepted = "numbers in all rows, or dates as in 2000-10-10T13:55:36 or 10/Oct/2000:13:55:36 -0700"
        raise ValueError(f"{where} must have {accepted}: {text[:40]!r} in line {line} is not {kind}")

    def _date(self, text: str) -> Tick | None:
        """Return the ticks of a date; None if a text is none, or has an offset unlike the first."""
        match = _FRACTION.fullmatch(text)
        whole, decimals = (match[1] + match[3], match[2]) if match else (text, "")
        if whole not in self._known:
            if len(self._known) > MOST_KNOWN:
                self._known.clear()
            self._known[whole] = self._second(whole)
        known = self._known[whole]
        self._local = known[1] if known and self._local is None else self._local
        if known is None or known[1] != self._local:
            return None
        if len(decimals) <= 9:
            return known[0] * TICKS + int(decimals.ljust(9, "0"))
        return known[0] * TICKS + Fraction(int(decimals), 10 ** (len(decimals) - 9))

    @staticmethod
    def _second(text: str) -> tuple[int, bool] | None:
        """Return the second of a date, and whether it has no offset; None if it is none."""
        found = moment(text)
        if found is None:
            return None
        when, local = found[0].replace(tzinfo=None), found[0].tzinfo is None
        return (when - _BEGIN) // timedelta(seconds=1), local


def _number_tick(text: str) -> Tick | None:
    """Return the ticks of a number; None if a text is none."""
    if text.isascii():  # the usual texts first
        whole, _, decimals = text.partition(".")
        if whole.isdigit() and len(decimals) <= 9 and (decimals.isdigit() or whole == text):
            return int(whole + decimals.ljust(9, "0"))
    value = number(text)
    if value is None:
        return None
    exact = Fraction(value) * TICKS
    return exact.numerator if exact.denominator == 1 else exact
