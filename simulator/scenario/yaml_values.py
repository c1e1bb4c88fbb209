"""Reading YAML: plain values of YAML 1.2 and nothing else, so that no text can turn into a date or an object.

Numbers may hold underscores (``2_000_000``) and may be written ``1e9``. What would take long to read, or would not fit
into a message, is refused: large or deep texts, aliases that multiply, characters that cannot be written.
"""

from __future__ import annotations

import re
from collections.abc import Hashable
from typing import Any, ClassVar, Final

import yaml

MOST_LETTERS: Final = 300_000
"""Letters of a text; the largest scenario that ships has a thirtieth of them."""
MOST_VALUES: Final = 100_000
"""Values in a text, with those that aliases repeat."""
MOST_LEVELS: Final = 40
"""How deep lists and mappings may stand in one another."""
MOST_DIGITS: Final = 400
"""Digits of a whole number: the largest float has 309."""

_TAG: Final = "tag:yaml.org,2002:"
_MERGE: Final = _TAG + "merge"


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


def read_yaml(text: str) -> tuple[Any, yaml.Node | None]:
    """Return what a text says, and its tree of nodes, which know their lines.

    Raises
    ------
    YamlError
        It is not YAML, or more than a scenario needs; in one line.

    Examples
    --------
    >>> read_yaml("a: [1e9, 2_000, 0x1f, yes, 2013-01-01, ~]")[0]
    {'a': [1000000000.0, 2000, 31, 'yes', '2013-01-01', None]}
    """
    if len(text) > MOST_LETTERS:
        raise YamlError(f"has {len(text):,} letters; at most {MOST_LETTERS:,} are read")
    try:
        loader = _Loader(text)
        root = loader.get_single_node()
        if root is None:
            return None, None
        _measure(root, {}, 0)
        return loader.construct_document(root), root
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        raise YamlError(_cause(error), None if mark is None else mark.line + 1) from error
    except yaml.YAMLError as error:
        raise YamlError(_cause(error)) from error
    except RecursionError as error:
        raise YamlError(f"lists and mappings stand more than {MOST_LEVELS} deep in one another") from error
    except (ValueError, OverflowError) as error:  # the reader's own, of escapes such as "\UFFFFFFFF"
        raise YamlError("an escape in a text is no character") from error


class _Loader(yaml.SafeLoader):
    """Plain values; a key that is given twice is refused."""

    yaml_implicit_resolvers: ClassVar[dict[Any, Any]] = {}  # type: ignore[misc]
    yaml_constructors: ClassVar[dict[Any, Any]] = {}

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen = set()
        for key_node, _ in node.value:  # before merging: a key of one's own overrides a merged one
            key = self.construct_object(key_node, deep=True)
            if key_node.tag == _MERGE or not isinstance(key, Hashable):
                continue
            if key in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {key!r} is given twice", key_node.start_mark
                )
            seen.add(key)
        return super().construct_mapping(node, deep)


def _refused(node: yaml.Node, what: str) -> yaml.constructor.ConstructorError:
    return yaml.constructor.ConstructorError(None, None, what, node.start_mark)


def _null(loader: _Loader, node: yaml.ScalarNode) -> None:
    if str(node.value) not in ("", "~", "null", "Null", "NULL"):
        raise _refused(node, f"{node.value!r} is not null")


def _truth(loader: _Loader, node: yaml.ScalarNode) -> bool:
    word = str(node.value).lower()
    if word not in ("true", "false"):
        raise _refused(node, f"{node.value!r} is neither true nor false")
    return word == "true"


def _whole(loader: _Loader, node: yaml.ScalarNode) -> int:
    text = str(node.value).replace("_", "")
    if len(text) > MOST_DIGITS:
        raise _refused(node, f"a number of {len(text):,} digits is too large")
    base = {"0x": 16, "0o": 8}.get(text[:2], 10)
    try:
        return int(text, base)
    except ValueError as error:
        raise _refused(node, f"{node.value!r} is not a whole number") from error


def _real(loader: _Loader, node: yaml.ScalarNode) -> float:
    text = str(node.value).replace("_", "")
    special = text.lower().lstrip("+-") in (".inf", ".nan")
    try:
        return float(text.replace(".", "") if special else text)
    except ValueError as error:
        raise _refused(node, f"{node.value!r} is not a number") from error


def _text(loader: _Loader, node: yaml.ScalarNode) -> str:
    text = str(node.value)
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        raise _refused(node, f"{text!r} holds half of a surrogate pair, which cannot be written")
    return text


def _other(loader: _Loader, node: yaml.Node) -> None:
    raise _refused(node, f"there are no values of the kind {node.tag.replace(_TAG, '!!')} here")


for _name, _first, _pattern in (
    ("null", ["~", "n", "N", ""], r"~|null|Null|NULL|"),
    ("bool", list("tTfF"), r"true|True|TRUE|false|False|FALSE"),
    ("int", list("-+0123456789"), r"[-+]?[0-9][0-9_]*|0o[0-7]+|0x[0-9a-fA-F]+"),
    (
        "float",
        list("-+.0123456789"),
        r"[-+]?(?:\.[0-9]+|[0-9][0-9_]*(?:\.[0-9_]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)",
    ),
    ("merge", ["<"], r"<<"),
):
    _Loader.add_implicit_resolver(_TAG + _name, re.compile(rf"^(?:{_pattern})$"), _first)

_tag: str | None
for _tag, _constructor in (
    ("null", _null), ("bool", _truth), ("int", _whole), ("float", _real), ("str", _text), ("merge", _text),
    ("seq", yaml.SafeLoader.construct_yaml_seq), ("map", yaml.SafeLoader.construct_yaml_map), (None, _other),
):  # fmt: skip
    _Loader.add_constructor(_tag if _tag is None else _TAG + _tag, _constructor)


def _measure(node: yaml.Node, sizes: dict[int, int | None], level: int) -> int:
    """Return how many values stand at and below a node once its aliases are written out; refuse too many."""
    known = sizes.get(id(node), 0)
    if known is None:
        raise _refused(node, "an alias stands inside of what it repeats")
    if known:
        return known
    if level > MOST_LEVELS:
        raise _refused(node, f"lists and mappings stand more than {MOST_LEVELS} deep in one another")
    sizes[id(node)] = None
    inner: list[yaml.Node] = []
    if isinstance(node, yaml.MappingNode):
        inner = [part for pair in node.value for part in pair]
    elif isinstance(node, yaml.SequenceNode):
        inner = node.value
    size = 1 + sum(_measure(part, sizes, level + 1) for part in inner)
    if size > MOST_VALUES:
        raise _refused(node, f"holds more than {MOST_VALUES:,} values, counting what aliases repeat")
    sizes[id(node)] = size
    return size


def _cause(error: yaml.YAMLError) -> str:
    context, problem = getattr(error, "context", None), getattr(error, "problem", None)
    return " ".join(str(part) for part in (context, problem) if part) or " ".join(str(error).split())
