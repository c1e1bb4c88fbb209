"""Lines of the user's code, as messages name them: ``mine.py:6``."""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path
from types import FrameType
from typing import Any, Final

MOST_LETTERS: Final = 400
"""Maximum number of letters of an error in one line."""
_FRAME: Final = re.compile(r'^  File "(.+)", line (\d+)', re.MULTILINE)
"""A frame of a traceback: its file and line."""
_OTHERS: Final = (str(Path(__file__).resolve().parents[2]), "<", sys.prefix, sys.base_prefix)
"""Beginnings of files that are not the user's: of this project, generated, of Python and installed packages."""
_INSTALLED: Final = ("site-packages", "dist-packages")
"""Folders of installed packages, which may be outside of Python's own: those of one user, or of another environment."""


def is_users(file: str) -> bool:
    """Return whether a file of code is the user's own: not this project's, nor Python's, nor an installed package's."""
    return not file.startswith(_OTHERS) and not any(folder in file for folder in _INSTALLED)


def line(file: str, number: int) -> str:
    """Return a line as messages name it."""
    return f"{Path(file).name}:{number}"


def cause_of(error: str) -> str:
    r"""Return a traceback in one line: class, message and the last line of the user's; a line as it is.

    Examples
    --------
    >>> cause_of('Traceback:\n  File "a.py", line 3, in plan\n    fail()\nValueError: no\nmore')
    'ValueError: no more (a.py:3)'
    >>> cause_of("numpy.exceptions.AxisError: axis 2 is out of bounds")
    'AxisError: axis 2 is out of bounds'
    """
    lines = error.strip().splitlines()
    stack = [number for number, text in enumerate(lines) if text.startswith('  File "')]
    message = lines[stack[-1] + 1 :] if stack else lines
    while message[1:] and message[0].startswith(" "):  # the source of that line, and marks below it
        message = message[1:]
    text = re.sub(r"^(\w+\.)+(?=\w+(:|$))", "", " ".join(" ".join(message).split()))  # the module of the class
    if len(text) > MOST_LETTERS:  # its end has the remedy and the line
        text = f"{text[: MOST_LETTERS // 2]} … {text[3 - MOST_LETTERS // 2 :]}"
    if "'Message' object has no attribute" in text:
        text += ": a Message has kind, value and words"
    own = [line(file, int(number)) for file, number in _FRAME.findall(error) if is_users(file)]
    return f"{text} ({own[-1]})" if own else text


def users_frame(frame: FrameType | None) -> FrameType | None:
    """Return the innermost frame of the user's code on a stack; None without one."""
    while frame is not None and not is_users(frame.f_code.co_filename):
        frame = frame.f_back
    return frame


def standing(frame: FrameType | None) -> str:
    """Return where the user's code on a stack stands: ``in plan, mine.py:6``; empty if there is none."""
    own = users_frame(frame)
    return f"in {own.f_code.co_name}, {line(own.f_code.co_filename, own.f_lineno)}" if own is not None else ""


def defined_at(method: Any) -> str:
    """Return the line of the user's where a function or class is, for the end of a message; empty for other code."""
    if inspect.isclass(method):
        try:
            file, number = inspect.getsourcefile(method) or "<none>", inspect.getsourcelines(method)[1]
        except (OSError, TypeError):  # typed in, or built in
            return ""
        return f" ({line(file, number)})" if is_users(file) else ""
    code = getattr(inspect.unwrap(method), "__code__", None) if method is not None else None
    return f" ({line(code.co_filename, code.co_firstlineno)})" if code and is_users(code.co_filename) else ""


def as_fields(error: Exception) -> str:
    """Return how a class with a constructor of its own, whose arguments are no parameters, gets them."""
    fields_of = "; write @dataclass(frozen=True) and fields, alpha: float, in place of __init__"
    return fields_of if isinstance(error, TypeError) and "__init__() missing" in str(error) else ""


def as_field(maker: Any, name: str) -> str:
    """Return how an attribute of a user's class becomes a parameter, for the end of a message; empty if there is none.

    One that is annotated, as a `ClassVar`, is meant to be none.

    Examples
    --------
    >>> as_field(type("Late", (), {"wait": 5}), "wait"), as_field(int, "wait")
    ('; write wait: int = 5 under @dataclass', '')
    """
    value = getattr(maker, name, None)
    meant = any(name in vars(one).get("__annotations__", ()) for one in getattr(maker, "__mro__", ()))
    plain = isinstance(value, int | float | str) and not meant
    return f"; write {name}: {type(value).__name__} = {value!r} under @dataclass" if plain else ""


def asked_at(opponent: object) -> str:
    """Return the line of the user's that made the last move, for the end of a message; empty for other code.

    That is the line at which a generator stands, or the one where the function or method is defined.
    """
    inner = getattr(opponent, "inner", opponent)  # of a recorder
    running = getattr(inner, "_running", None) or getattr(inner, "_script", None)
    frame = getattr(running, "gi_frame", None)
    if frame is not None and is_users(frame.f_code.co_filename):
        return f" ({line(frame.f_code.co_filename, frame.f_lineno)})"
    asked = getattr(inner, "choose", None)
    methods = (vars(base).get(name) for base in type(inner).__mro__ for name in ("plan", "script", "move", "stretches"))
    return next(filter(None, map(defined_at, [asked, *methods])), "")
