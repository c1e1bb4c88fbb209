"""Numbers and dates that texts state, exactly: for tasks that put them in order."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import Final

_NUMBER: Final = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*", re.ASCII)
_FRACTION: Final = re.compile(r"(.*\d\d:?\d\d:?\d\d)[.,](\d+)([^.,]*)", re.ASCII)


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
    """Return the date and the decimals of its seconds, all of them; None if a text is no date of ISO 8601.

    >>> moment("2024-03-01T12:00:00.1234567890+01:00")
    (datetime.datetime(2024, 3, 1, 11, 0, tzinfo=datetime.timezone.utc), '123456789')
    """
    match = _FRACTION.fullmatch(text)
    whole, decimals = (match[1] + match[3], match[2].rstrip("0")) if match else (text, "")
    try:
        when = datetime.fromisoformat(whole)
        return (when if when.tzinfo is None else when.astimezone(UTC)), decimals
    except (ValueError, OverflowError):
        return None
