"""Parameters in docstrings of numpy style: a class describes its own, and those that it inherits are added.

Fields may also be described by a text below each.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from textwrap import fill

WIDTH = 110
"""Columns of a line that is added to a docstring."""
HEADER = "\nParameters\n----------\n"


@cache
def described(doc: str) -> Mapping[str, str]:
    """Return the description of each parameter in a docstring's section Parameters.

    Examples
    --------
    >>> described("A coin.\\n\\nParameters\\n----------\\nbias, other\\n    Chance of heads.")
    {'bias': 'Chance of heads.', 'other': 'Chance of heads.'}
    """
    doc = inspect.cleandoc(doc)
    section = re.search(r"\nParameters\n-+\n(.*?)(?=\n\w[\w ]*\n-{3,}|\Z)", doc, re.DOTALL)
    descriptions: dict[str, str] = {}
    names: list[str] = []
    for line in (section[1] if section else "").splitlines():
        if line and not line[0].isspace():
            names = [name.strip() for name in line.split(":")[0].split(",")]
        elif line.strip():
            descriptions |= {name: f"{descriptions.get(name, '')} {line.strip()}".strip() for name in names}
    return descriptions


@cache
def described_fields(maker: type) -> Mapping[str, str]:
    """Return the text below each field of a class and of its bases in the same module, read from its file."""
    tree = ast.parse(Path(str(sys.modules[maker.__module__].__file__)).read_text(encoding="utf-8"))
    lineage = {one.__name__ for one in maker.__mro__ if one.__module__ == maker.__module__}
    descriptions: dict[str, str] = {}
    for one in tree.body:
        for field, below in pairwise(one.body if isinstance(one, ast.ClassDef) and one.name in lineage else ()):
            match field, below:
                case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                    descriptions[name] = inspect.cleandoc(text)
    return descriptions


def with_parameters(doc: str, more: Mapping[str, str]) -> str:
    """Return a docstring that describes more parameters, before its own ones.

    Examples
    --------
    >>> print(with_parameters("A coin.\\n\\nRaises\\n------\\nValueError", {"bias": "Chance of heads."}))
    A coin.
    <BLANKLINE>
    Parameters
    ----------
    bias
        Chance of heads.
    <BLANKLINE>
    Raises
    ------
    ValueError
    """
    doc = inspect.cleandoc(doc)
    lines = "".join(f"{name}\n{fill(text, WIDTH, initial_indent='    ', subsequent_indent='    ')}\n"
                    for name, text in more.items())  # fmt: skip
    if not lines:
        return doc
    if HEADER in doc:
        return doc.replace(HEADER, HEADER + lines, 1)
    before, header, after = re.match(r"(.*?)(\n\w[\w ]*\n-{3,}\n|\Z)(.*)", doc, re.DOTALL).groups()  # type: ignore[union-attr]
    return f"{before.rstrip()}\n{HEADER}{lines}{header}{after}".rstrip()


def inherit_parameters(maker: type) -> None:
    """Describe in a new class's docstring the fields that it inherits, as the classes do that declare them.

    A class without a docstring, or with an `__init__` of its own, is left as it is.
    """
    if not maker.__doc__ or "__init__" in vars(maker):
        return
    lineage = maker.__mro__[:0:-1]
    says = {name: text for each in lineage for name, text in described(each.__doc__ or "").items()}
    inherited = [name for each in lineage for name, field in vars(each).get("__dataclass_fields__", {}).items()
                 if field.init]  # fmt: skip
    constant = {name for name, kind in vars(maker).get("__annotations__", {}).items() if "ClassVar" in str(kind)}
    own = described(maker.__doc__).keys() | constant
    more = {name: says[name] for name in dict.fromkeys(inherited) if name in says and name not in own}
    maker.__doc__ = with_parameters(maker.__doc__, more)
