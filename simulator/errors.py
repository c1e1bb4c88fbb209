"""What can be wrong with what a user gave, what can go wrong while it runs, and the advice that goes with it."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from typing import Final


class ScenarioError(Exception):
    """The user's input is wrong; the message says where, what, and what is accepted, in one line.

    The command line prints the message and ends with status 2. Long values in it are cut.
    """

    def __str__(self) -> str:
        return shortened(super().__str__())


class MoveError(ScenarioError):
    """An adversary named a site that does not exist; the message has the step."""


class MessageError(ScenarioError):
    """A protocol sent a message that cannot be counted or delivered; the line has its kind, and its words or site."""


class RunError(Exception):
    """The input was right but the run could not be finished: a full disk, a cluster that has gone.

    The command line prints the message and ends with status 1; finished games are kept.
    """


_UNSEEN: Final = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Letters that control a terminal or the direction of a line, and those that no encoding has."""
LONGEST: Final = 80
"""Letters of a value that a message repeats."""


def printable(text: str) -> str:
    """Return a text that can be written and shown: control codes and what no encoding has stand in it as escapes.

    Examples
    --------
    >>> printable(chr(0xDC80)), printable("α"), printable(chr(27) + "[31mred")
    ('\\\\udc80', 'α', '\\\\x1b[31mred')
    """
    return _UNSEEN.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def nearest(name: str, names: Iterable[str]) -> str:
    """Return advice for a misspelt name: ``; did you mean 'robust'?``, or nothing if none is near.

    Examples
    --------
    >>> nearest("robst", ["robust", "block"])
    "; did you mean 'robust'?"
    >>> nearest("quicksort", ["robust", "block"])
    ''
    """
    close = difflib.get_close_matches(str(name).lower(), list(names), n=4, cutoff=0.5)
    # of equally near ones, letters that changed places are the likeliest slip: itmes is items, not sites
    close.sort(key=lambda other: sorted(other) != sorted(str(name).lower()))
    return f"; did you mean {close[0]!r}?" if close else ""


def accepted(names: Iterable[str]) -> str:
    """Return names as the end of an error message: ``accepted: a, b, c``."""
    return "accepted: " + ", ".join(names)


def one_line(message: object) -> str:
    """Return a text as one line that can be shown.

    Examples
    --------
    >>> one_line("a\\nb"), one_line("\\udcff")
    ('a b', '\\\\udcff')
    """
    return " ".join(printable(str(message)).split("\n"))


def shortened(message: str) -> str:
    """Return a message with the values that it repeats cut to some 80 letters: quoted texts, lists, long numbers.

    Examples
    --------
    >>> shortened("sites: got '" + "x" * 12_000 + "' (accepted: 4)")
    "sites: got 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx … (12,002 letters) (accepted: 4)"
    >>> shortened("it doesn't hold")
    "it doesn't hold"
    """
    parts, place = [], 0
    for found in _VALUE.finditer(message):
        if found.start() < place:
            continue  # inside of a value that has been cut
        end = _end_of(message, found.start())
        if end - found.start() > LONGEST:
            value = message[found.start() : end]
            parts += [message[place : found.start()], f"{value[: LONGEST - 25]} … ({len(value):,} letters)"]
            place = end
    return "".join([*parts, message[place:]])


_VALUE: Final = re.compile(r"(?<![\w\])}])['\"\[{]|\d{80,}")
_CLOSED: Final = {"[": "]", "{": "}"}


def _end_of(message: str, begin: int) -> int:
    """Return where a value ends that begins here: at its other quotation mark, or bracket of the same depth."""
    first = message[begin]
    if first.isdigit():
        return begin + len(re.match(r"\d+", message[begin:])[0])  # type: ignore[index]
    if first not in _CLOSED:
        end = re.compile(rf"{first}(?!\w)").search(message, begin + 1)
        return end.end() if end else begin
    depth = 0
    for place in range(begin, min(len(message), begin + 20_000)):
        depth += (message[place] == first) - (message[place] == _CLOSED[first])
        if not depth:
            return place + 1
    return begin
