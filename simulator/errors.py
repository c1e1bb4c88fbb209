"""What can be wrong with what a user gave, what can go wrong while it runs, and the advice that goes with it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class ScenarioError(Exception):
    """The user's input is wrong; the message says where, what, and what is accepted, in one line.

    The command line prints the message and ends with status 2.
    """


class MoveError(ScenarioError):
    """An adversary named a site that does not exist; the message has the step."""


class MessageError(ScenarioError):
    """A protocol sent a message that cannot be counted or delivered; the line has its kind, and its words or site."""


class RunError(Exception):
    """The input was right but the run could not be finished: a full disk, a cluster that has gone.

    The command line prints the message and ends with status 1; finished games are kept.
    """


def printable(text: str) -> str:
    """Return a text that can be written: what no encoding has (a lone surrogate) stands in it as an escape.

    Examples
    --------
    >>> printable(chr(0xDC80)), printable("α")
    ('\\\\udc80', 'α')
    """
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


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
    """Return a message as one line of text; an argument that it names may hold bytes that are no text.

    Examples
    --------
    >>> one_line("a\\nb"), one_line("\\udcff")
    ('a b', '\\\\udcff')
    """
    return " ".join(str(message).encode("utf-8", "backslashreplace").decode().split("\n"))
