"""Entries of a scenario as one text, ``robust:alpha=0.1,delta=0.05``, and values as pieces of YAML."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from typing import Any, Final

from disttrack.simulator.errors import ScenarioError, refusing

_WORDS: Final = re.compile(r"""(?:"(?:\\.|[^"\\])*"|'[^']*'|\[[^]]*\]|\{[^}]*\}|[^\s,])+""")
"""Words with spaces or commas between them, which quotes and brackets keep together."""


def value_of(text: str, place: str = "") -> Any:
    """Return the value of a piece of YAML, for flags.

    Parameters
    ----------
    place
        The flag, for messages; the text itself if left out.

    Raises
    ------
    ScenarioError
        It is not YAML.

    Examples
    --------
    >>> value_of("1e6"), value_of("{kind: robust}")
    (1000000, {'kind': 'robust'})
    """
    from disttrack.simulator.kinds.yaml_values import YamlError, read_yaml  # the help of a command needs no YAML

    with refusing(f"{place or repr(text)}: not valid YAML", YamlError):
        return read_yaml(text)[0]


def _refuse_nameless(text: str) -> None:
    """Raise ScenarioError for a registered kind with values that have no name: ``randomized:0.1``."""
    from disttrack.simulator.kinds.registry import FAMILIES, joined  # the help of a command needs neither

    for family in FAMILIES:
        if entry := joined(text, family):
            values = ",".join(f"{key}={value}" for key, value in entry[1].items())
            raise ScenarioError(f"{text}: a parameter has a name; write {entry[0]}:{values}")


def entry_of(text: str) -> dict[str, Any]:
    """Return the entry of a scenario for a kind with parameters: ``robust delta=0.01`` or ``robust:delta=0.01``.

    Values are read as in a file: one in quotes is a text, which may have spaces, and a list is in brackets. An entry in
    braces is one of a file.

    Examples
    --------
    >>> entry_of("robust:delta=0.01, alpha=0.1"), entry_of("own.py:Mine patience=2")
    ({'kind': 'robust', 'delta': 0.01, 'alpha': 0.1}, {'kind': 'own.py:Mine', 'patience': 2})
    >>> entry_of("split costs='1 2 4'"), entry_of('own.py:Mine file="my file.csv" places=[1, 2]')
    ({'kind': 'split', 'costs': '1 2 4'}, {'kind': 'own.py:Mine', 'file': 'my file.csv', 'places': [1, 2]})
    >>> entry_of("{kind: cost, x: alpha}")
    {'kind': 'cost', 'x': 'alpha'}
    """
    if text.lstrip().startswith("{"):
        entry = value_of(text)
        if not isinstance(entry.get("kind"), str):
            raise ScenarioError(f"{text}: kind must be a name")
        return dict(entry)
    with refusing(text, ValueError):
        shlex.split(text)
    first, *assignments = _WORDS.findall(text) or [""]
    # a colon before a name without = belongs to file.py:Class
    if glued := re.fullmatch(r"([^='\"]*):(\w+=.*)", first, re.DOTALL):
        first, assignments = glued[1], [glued[2], *assignments]
    entry = {"kind": " ".join(shlex.split(first))}
    if re.match(r"[\w-]+[:(]", first):
        _refuse_nameless(text)
    for assignment in assignments:
        key, equals, value = assignment.partition("=")
        if not (key and equals):  # == of a condition has no key
            before, value = list(entry.items())[-1]
            cut = assignment.isdigit() and isinstance(value, int)  # 0,1 is read as 0 and 1
            if not (cut or equals):
                _refuse_nameless(text)
            named = before != "kind"
            listed = named and re.search(rf",\s*{re.escape(assignment)}", text)
            remedy = "quote what has spaces" + f': {before}="{value} …"' * named
            if cut or listed:
                meant = f"{value}.{assignment}" if cut else f"[{str(value).strip('[]')}, …]"
                remedy = f"write {before}={meant}"
            raise ScenarioError(f"{text}: {assignment!r} must be parameter=value; {remedy}")
        if joined := re.fullmatch(r"(\w+=[^:'\"\[{]*):(\w+=.*)", assignment):
            raise ScenarioError(f"{text}: a comma divides parameters: {joined[1]},{joined[2]}")
        if key in entry:
            raise ScenarioError(f"{text}: {key} is given twice")
        entry[key] = shlex.split(value)[0] if value[:1] in ("'", '"') else value_of(value)
    return entry


def text_of(entry: Mapping[str, Any]) -> str:
    """Return an entry of a scenario as one text, of which `entry_of` makes it again.

    Examples
    --------
    >>> text_of({"kind": "robust", "delta": 0.01, "counter": "binary", "note": "two words"})
    'robust delta=0.01 counter=binary note="two words"'
    """
    kind, *parameters = entry.items()
    return " ".join([str(kind[1]), *(f"{name}={text_of_value(value)}" for name, value in parameters)])


def text_of_value(value: object) -> str:
    """Return a value as a flag has it: in quotes if it is a text of several words, or one that looks like a number."""
    plain = isinstance(value, str) and re.fullmatch(r"[\w.-]+", value) and value_of(value) == value
    return str(value) if plain else json.dumps(value, default=str, ensure_ascii=False)
