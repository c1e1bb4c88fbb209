"""Whole numbers in JSON: as texts where a double would round them.

JavaScript, R, jq and spreadsheets read each number of a file as a double, which has all whole numbers up to 2^53 only.
"""

from __future__ import annotations

import re
from typing import Any, Final

LARGEST: Final = 2**53
"""The number up to which all whole numbers are doubles."""
_LONG: Final = re.compile(r"-?[1-9]\d{15,99}")


def in_texts(value: Any) -> Any:
    """Return plain values with the whole numbers beyond `LARGEST` as texts.

    >>> in_texts({"seed": 2**53 + 1, "items": [2**53]})
    {'seed': '9007199254740993', 'items': [9007199254740992]}
    """
    if isinstance(value, dict):
        return {name: in_texts(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [in_texts(one) for one in value]
    return str(value) if isinstance(value, int) and abs(value) > LARGEST else value


def from_texts(value: Any) -> Any:
    """Return plain values with the texts of `in_texts` as whole numbers again.

    >>> from_texts({"seed": "9007199254740993", "items": ["12", 9007199254740992]})
    {'seed': 9007199254740993, 'items': ['12', 9007199254740992]}
    """
    if isinstance(value, dict):
        return {name: from_texts(one) for name, one in value.items()}
    if isinstance(value, list):
        return [from_texts(one) for one in value]
    long = isinstance(value, str) and _LONG.fullmatch(value) and abs(int(value)) > LARGEST
    return int(value) if long else value
