"""Reading YAML: plain values of YAML 1.2 and nothing else, so that no text can turn into a date or an object.

Numbers may hold underscores (``2_000_000``) and may be written ``1e9``. PyYAML reads the text into nodes; the values
are made of these here, in one pass that counts them. What would take long to read, or would not fit into a message, is
refused: large or deep texts, aliases that multiply, characters that cannot be written.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Final

import yaml

MOST_LETTERS: Final = 300_000
"""Letters of a text; the largest scenario that ships has a thirtieth of them."""
MOST_VALUES: Final = 100_000
"""Values in a text, with those that aliases repeat."""
MOST_LEVELS: Final = 40
"""How deep lists and mappings may be nested."""
MOST_DIGITS: Final = 400
"""Digits of a whole number: the largest float has 309."""

Place = tuple[str | int, ...]
"""Where a value stands: keys of mappings and places in lists, from the top."""
_NULL: Final = re.compile(r"~|null|Null|NULL|")
_TRUTH: Final = re.compile(r"true|True|TRUE|false|False|FALSE")
_WHOLE: Final = re.compile(r"[-+]?[0-9][0-9_]*|0o[0-7]+|0x[0-9a-fA-F]+")
_REAL: Final = re.compile(r"[-+]?(\.[0-9]+|[0-9][0-9_]*(\.[0-9_]*)?)([eE][-+]?[0-9]+)?")
_SPECIAL: Final = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_DEEP: Final = f"nested more than {MOST_LEVELS} levels deep"
_TAG: Final = "tag:yaml.org,2002:"


class YamlError(Exception):
    """A text that cannot be read as plain values.

    Attributes
    ----------
    line
        Where, from 1; None if no line is to blame.
    """

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line


def read_yaml(text: str) -> tuple[object, dict[Place, int]]:
    """Return the value of a text, and the line of each value in it.

    Raises
    ------
    YamlError
        It is not YAML, or more than a scenario needs; in one line.

    Examples
    --------
    >>> read_yaml("a: [1e9, 2_000, 0x1f, yes, 2013-01-01, ~]")[0]
    {'a': [1000000000, 2000, 31, 'yes', '2013-01-01', None]}
    """
    if len(text) > MOST_LETTERS:
        raise YamlError(f"{len(text):,} letters; at most {MOST_LETTERS:,}")
    try:
        root = _Loader(text).get_single_node()
        lines: dict[Place, int] = {}
        return None if root is None else _value(root, (), lines), lines
    except yaml.YAMLError as error:
        parts = (getattr(error, "context", None), getattr(error, "problem", None))
        cause = " ".join(str(part) for part in parts if part) or " ".join(str(error).split())
        mark = getattr(error, "problem_mark", None)
        cause = (_remedy(text.splitlines(), mark.line, cause) if mark is not None else "") or cause
        raise YamlError(cause, None if mark is None else mark.line + 1) from error
    except RecursionError as error:
        raise YamlError(_DEEP) from error
    except (ValueError, OverflowError) as error:  # the reader's own, of escapes such as "\UFFFFFFFF"
        raise YamlError("invalid escape sequence") from error


def _remedy(lines: Sequence[str], number: int, cause: str) -> str:
    """Return what is wrong with a line, by its number from 0, that YAML's own cause does not say; else empty."""
    line = lines[number] if number < len(lines) else ""
    if "'\\t'" in cause:
        return "indent by spaces, not by a tab"
    if "flow mapping" in cause and cause.endswith(("got '['", "got '{'", "got '<scalar>'")):
        return f"{cause}: quote texts with brackets, commas or quotes: where: \"protocol in ['a', 'b']\""
    if not any(words in cause for words in ("mapping values are not allowed", "block end", "document start")):
        return ""
    above = [place for place in range(number) if lines[place].strip() and lines[place].strip()[0] != "#"]
    if above and (deeper := _indent(line) - _indent(lines[above[-1]])):
        more = "more" if deeper > 0 else "less"
        return f"indented {more} than line {above[-1] + 1}; keys of a mapping share a column"
    return "a text with a colon needs quotes" if line.count(": ") > 1 else ""


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


class _Loader(yaml.BaseLoader):
    """Makes nodes; a plain scalar, whose value decides its type, has the tag `plain`."""

    def resolve(self, kind: type[yaml.Node], value: object, implicit: tuple[bool, bool]) -> str:
        if kind is yaml.ScalarNode and implicit[0]:
            return "plain"
        return str(super().resolve(kind, value, implicit))  # type: ignore[no-untyped-call]


def _value(node: yaml.Node, place: Place, lines: dict[Place, int]) -> object:
    """Return the value of a node, and keep the line of each value in it; aliases are written out."""
    lines.setdefault(place, node.start_mark.line + 1)  # that of its key, if it has one
    if len(lines) > MOST_VALUES:
        raise _refused(node, f"more than {MOST_VALUES:,} values, aliases repeated")
    if len(place) > MOST_LEVELS:
        raise _refused(node, f"{_DEEP}, or an alias in its anchor")
    if node.tag not in ("plain", *(_TAG + name for name in ("str", "seq", "map"))):
        raise _refused(node, f"no values of the kind {node.tag.replace(_TAG, '!!')} here")
    if isinstance(node, yaml.SequenceNode):
        return [_value(part, (*place, number), lines) for number, part in enumerate(node.value)]
    if not isinstance(node, yaml.MappingNode):
        return _scalar(node)
    values: dict[object, object] = {}
    _refuse_cut_texts(node)
    for key_node, value_node in node.value:
        if not isinstance(key_node, yaml.ScalarNode):
            raise _refused(key_node, "a key must be a word")
        key = _scalar(key_node)
        if key == "<<" and key_node.tag == "plain":
            raise _refused(key_node, "write the keys out, without <<")
        if key in values:
            raise _refused(key_node, f"the key {key!r} is given twice")
        lines[*place, str(key)] = key_node.start_mark.line + 1
        values[key] = _value(value_node, (*place, str(key)), lines)
    return values


def _refuse_cut_texts(node: yaml.MappingNode) -> None:
    """Refuse what a comma cuts in braces: of ``{measure: slope(words, sites)}`` the second key is ``sites)``."""
    if not node.flow_style:
        return
    for place, (key, value) in enumerate(node.value):
        whole = value.value if isinstance(value.value, str) else ""
        for rest, nothing in node.value[place + 1 :]:
            if nothing.value != "" or not isinstance(rest.value, str) or whole.count("(") <= whole.count(")"):
                break
            whole += f", {rest.value}"
        if whole not in ("", value.value) and whole.count("(") == whole.count(")"):
            quote = '"' if "'" in whole else "'"
            raise _refused(value, f"a comma ends a value in braces; quote: {key.value}: {quote}{whole}{quote}")


def _scalar(node: yaml.Node) -> str | int | float | bool | None:
    """Return the value of a scalar: a plain one is a number, a truth value or null if it is written like one."""
    text = str(node.value)
    if node.tag == "plain":
        digits = text.replace("_", "")
        if _NULL.fullmatch(text):
            return None
        if _TRUTH.fullmatch(text):
            return text.lower() == "true"
        if _WHOLE.fullmatch(text):
            if len(digits) > MOST_DIGITS:
                raise _refused(node, f"{len(digits):,} digits are too many")
            return int(digits, {"0x": 16, "0o": 8}.get(digits[:2], 10))
        if _REAL.fullmatch(text):
            return _real(digits)
        if _SPECIAL.fullmatch(text):
            return float(text.replace(".", ""))
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        raise _refused(node, f"{text!r} holds half of a surrogate pair")
    return text


def _real(digits: str) -> int | float:
    """Return a number with a point or exponent: an int if it is whole, has an exponent as in 1e9 and is below 2^63.

    So is a whole one that floats would round, up to 2^64.

    Examples
    --------
    >>> _real("1e9"), _real("1.5e3"), _real("9007199254740993.0"), _real("2.0"), _real("0.1"), _real("1e30")
    (1000000000, 1500, 9007199254740993, 2.0, 0.1, 1e+30)
    """
    value = float(digits)
    scaled = "e" in digits.lower() and abs(value) < 2**63
    if not 1 <= abs(value) <= 2**64 or not (scaled or abs(value) >= 2**53):  # of 1e-999999999 a fraction takes hours
        return value
    written = Fraction(digits)
    return written.numerator if written.denominator == 1 and (scaled or written != value) else value


def _refused(node: yaml.Node, what: str) -> yaml.MarkedYAMLError:
    return yaml.MarkedYAMLError(None, None, what, node.start_mark)
