"""What can be wrong with what a user gave, what can go wrong while it runs, and the advice that goes with it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Final, TypeVar

from disttrack.nearest import MEANT as MEANT
from disttrack.nearest import nearest as nearest

F = TypeVar("F", bound=Callable[..., object])
KEPT: Final = "finished games are kept, and the same command continues"
"""After what ends a run."""


class ScenarioError(Exception):
    """The user's input is wrong; the message says where, what, and what is accepted, in one line.

    The command line prints the message and ends with status 2. A very long one is cut in its middle.
    """

    def __str__(self) -> str:
        return shortened(super().__str__())


class ScenarioErrors(ScenarioError):
    """Several faults of one input, each in a line of the message; of many the first twenty.

    Attributes
    ----------
    errors
        All of them.
    """

    SHOWN: Final = 20

    def __init__(self, errors: Sequence[ScenarioError]) -> None:
        super().__init__(errors)
        self.errors = tuple(errors)

    def __str__(self) -> str:
        lines = [one_line(error) for error in self.errors[: self.SHOWN]]
        more = len(self.errors) - self.SHOWN
        return "\n".join([*lines, *([f"… and {more:,} more"] if more > 0 else [])])


class MoveError(ScenarioError):
    """An adversary named a site that does not exist; the message has the step."""


class PartError(ScenarioError):
    """A part of a protocol broke a rule: a message that cannot be counted or delivered, or another returned value."""


class RunError(Exception):
    """The input was right but the run could not be finished: a full disk, a lost cluster.

    The command line prints the message and ends with status 1; finished games are kept.
    """


_UNSEEN: Final = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Letters that control a terminal or the direction of a line, and those that no encoding has."""
LONGEST: Final = 900
"""Letters of a message that are shown."""


def printable(text: str) -> str:
    """Return a text that can be written and shown: control codes and what no encoding has stand in it as escapes.

    Examples
    --------
    >>> printable(chr(0xDC80)), printable("α"), printable(chr(27) + "[31mred")
    ('\\\\udc80', 'α', '\\\\x1b[31mred')
    """
    return _UNSEEN.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def as_decimal(value: object) -> str:
    """Return advice for a number that is written with a comma, in per cent, as a quotient or in quotes, or nothing.

    Examples
    --------
    >>> as_decimal("0,1"), as_decimal("10%"), as_decimal("2.5 %"), as_decimal("1/8"), as_decimal("1,000")
    ('; write 0.1', '; write 0.1', '; write 0.025', '; write 0.125', '')
    >>> as_decimal("0.1"), as_decimal(10)
    ('; write it without quotes', '')
    """
    if not isinstance(value, str):
        return ""
    if re.fullmatch(r"-?\d*\.?\d+(e-?\d+)?", value):
        return "; write it without quotes"
    if quotient := re.fullmatch(r"(\d{1,9}) ?/ ?([1-9]\d{0,8})", value):
        return f"; write {int(quotient[1]) / int(quotient[2]):g}"
    written = re.fullmatch(r"(0?,\d+)|(\d+(?:[.,]\d+)?) ?%", value)
    if written is None:
        return ""
    number = float((written[1] or written[2]).replace(",", "."))
    return f"; write {number if written[1] else number / 100:g}"


def as_whole(value: object) -> str:
    """Return advice for a whole number, or several, in a form that YAML reads as text: ``; write 2_000``, or nothing.

    Examples
    --------
    >>> as_whole("2k"), as_whole("2,000"), as_whole("1.5M"), as_whole("10**5"), as_whole("many")
    ('; write 2_000', '; write 2_000', '; write 1_500_000', '; write 1e5', '')
    >>> as_whole("64,256")
    '; write 64_256, or [64, 256] for several'
    >>> as_whole("4, 8"), as_whole("4 8")
    ('; a list is in brackets, with commas: [4, 8]', '; a list is in brackets, with commas: [4, 8]')
    """
    text = value.strip() if isinstance(value, str) else ""
    if grouped := re.fullmatch(r"\d{1,3}(?:([,.' ])\d{3})(?:\1\d{3})*", text):
        several = grouped[1] == "," and ",0" not in text
        listed = f", or [{text.replace(',', ', ')}] for several" * several
        return f"; write {text.replace(grouped[1], '_')}{listed}"
    if short := re.fullmatch(r"(\d{1,9}(?:\.\d{1,9})?) ?([kKmM])", text):
        number = float(short[1]) * (1000 if short[2] in "kK" else 1_000_000)
        return f"; write {int(number):_}" if number.is_integer() else ""
    if power := re.fullmatch(r"10 ?(?:\*\*|\^) ?(\d{1,2})", text):
        return f"; write 1e{power[1]}"
    if re.fullmatch(r"\d+(?:[ ,;]+\d+)+", text):
        return f"; a list is in brackets, with commas: [{', '.join(re.findall('[0-9]+', text))}]"
    return ""


def as_mapping(value: object) -> str:
    """Return advice for a key and its value in one text, as YAML does not read them: ``; write {latency: 5}``.

    Examples
    --------
    >>> as_mapping("latency 5"), as_mapping("exponential(5)"), as_mapping("loss=0.1"), as_mapping("coarse")
    ('; write {latency: 5}', '; write {exponential: 5}', '; write {loss: 0.1}', '')
    """
    pair = re.fullmatch(r"([a-z_]+)\s*[\s=:(]\s*([\w.+-]+)\)?", value.strip()) if isinstance(value, str) else None
    return f"; write {{{pair[1]}: {pair[2]}}}" if pair else ""


def accepted(names: Iterable[str]) -> str:
    """Return names as the end of an error message: ``accepted: a, b, c``, or ``accepted: none``."""
    return "accepted: " + (", ".join(names) or "none")


CONDITION: Final = "a condition as text, \"adversary == 'freeze'\""
"""What the text of a condition must be."""


def must_be(wanted: str, value: object, name: str = "") -> str:
    """Return the refusal of a value: its name, what is accepted, and the value.

    Examples
    --------
    >>> must_be("above 0", -1, "alpha")
    'alpha must be above 0; got -1'
    """
    return f"{name} must be {wanted}; got {value!r}".lstrip()


def sites_of_game(k: int) -> str:
    """Return which sites there are, for the refusal of another one."""
    return f"this game has sites 0 … {k - 1}"


def must_be_one_of(names: Iterable[str], value: object, name: str = "") -> str:
    """Return the refusal of a value that is none of these names."""
    return must_be(f"one of {', '.join(names)}", value, name)


def no_such(sort: str, name: str, known: Iterable[str], advice: str = "") -> str:
    """Return the message on a name that there is not, with advice or the nearest name, and the known ones.

    Examples
    --------
    >>> no_such("column", "word", ["words", "bits"])
    "there is no column 'word'; did you mean 'words'? (accepted: words, bits)"
    """
    known = list(known)
    return f"there is no {sort} {name!r}{advice or nearest(name, known)} ({accepted(known)})"


def cannot_be(done: str, path: object, error: OSError | UnicodeDecodeError) -> str:
    """Return the message on a file that cannot be read or written; of one in another encoding with the line."""
    if isinstance(error, UnicodeDecodeError):
        line = error.object.count(b"\n", 0, error.start) + 1
        return f"{path}:{line}: must be saved as UTF-8"
    return f"{path}: cannot be {done}: {error.strerror or error}"


@contextmanager
def refusing(place: str, *refusals: type[Exception], by: type[Exception] = ScenarioError) -> Iterator[None]:
    """Raise a refusal of the block as a ScenarioError, or another one, whose message begins with the place.

    Examples
    --------
    >>> with refusing("--size", ValueError):
    ...     float("wide")
    Traceback (most recent call last):
        ...
    disttrack.simulator.errors.ScenarioError: --size: could not convert string to float: 'wide'
    """
    try:
        yield
    except refusals as error:
        raise by(f"{place}: {error}") from error


def without(owner: str, name: str, names: Iterable[str]) -> str:
    """Return the message on an attribute that there is not, with the near and the known ones.

    Examples
    --------
    >>> without("a game", "word", ["words", "_private"])
    "a game has no 'word'; did you mean 'words'? (accepted: words)"
    """
    known = sorted(one for one in names if one[0] != "_")
    advice = "" if name[0] == "_" else f"{nearest(name, known)} ({accepted(known)})"  # libraries probe for such names
    return f"{owner} has no {name!r}{advice}"


def explained(*, name: str = "", others: str = "") -> Callable[[F], F]:
    """Return a decorator: a call whose arguments do not fit the function states what it takes, in place of Python.

    Parameters
    ----------
    name
        What users call; the name of the function, or of the class of a constructor, if left out.
    others
        Where arguments of other names belong.

    Examples
    --------
    >>> @explained()
    ... def play(protocol, *, sites, seed=0): ...
    >>> play("exact", site=16)
    Traceback (most recent call last):
        ...
    TypeError: play takes no 'site'; did you mean 'sites'? (accepted: protocol, sites, seed)
    >>> play("exact")
    Traceback (most recent call last):
        ...
    TypeError: play needs sites (accepted: protocol, sites, seed)
    """

    def decorate(function: F) -> F:
        @wraps(function)
        def call(*given: object, **named: object) -> object:
            try:
                return function(*given, **named)
            except TypeError as error:
                if error.__traceback__ is None or error.__traceback__.tb_next is not None:
                    raise  # it comes from within
            called = name or (type(given[0]).__name__ if function.__name__ == "__init__" else function.__name__)
            raise TypeError(_unfit(called, inspect.signature(function), given, named, others))

        return call  # type: ignore[return-value]

    return decorate


def _unfit(
    called: str, signature: inspect.Signature, given: Sequence[object], named: Mapping[str, object], others: str
) -> str:
    """Return what is wrong with the arguments of a call."""
    taken = {
        one: facts
        for one, facts in signature.parameters.items()
        if one != "self" and facts.kind not in (facts.VAR_POSITIONAL, facts.VAR_KEYWORD)
    }
    known = f" ({accepted(taken)})" if taken else ""
    for key in named:
        if key not in taken:
            advice = nearest(key, taken, 0.8 if others else 0.5) or (others and f"; {others}")
            return f"{called} takes no {key!r}{advice}{known}"
    try:
        signature.bind_partial(*given, **named)
    except TypeError as error:
        return f"{called}: {error}{known}"
    there = signature.bind_partial(*given, **named).arguments
    needed = [one for one, facts in taken.items() if facts.default is facts.empty and one not in there]
    return f"{called} needs {', '.join(needed)}{known}"


def one_line(message: object) -> str:
    """Return a text as one line that can be shown.

    Examples
    --------
    >>> one_line("a\\nb"), one_line("\\udcff")
    ('a b', '\\\\udcff')
    """
    return " ".join(printable(str(message)).split("\n"))


def shortened(message: str) -> str:
    """Return a message of at most 900 letters; of a longer one, which repeats a long value, the middle is left out.

    Examples
    --------
    >>> shortened("sites: got '" + "x" * 12_000 + "' (accepted: 4)")[-60:]
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx' (accepted: 4)"
    """
    if len(message) <= LONGEST:
        return message
    return f"{message[:500]} … ({len(message):,} letters) … {message[-300:]}"
