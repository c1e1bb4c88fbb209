"""Names of packages that are imported when they are first used: a command pays only for the classes that it plays.

A package states its names once, as imports under ``if TYPE_CHECKING``, which type checkers and editors read; in its
``else`` stands ``__getattr__, __dir__, __all__ = lazy_names(__name__)``. As `lazy_loader` does it with stubs
(scientific-python.org, SPEC 1). A text between the imports is the heading of the kinds that follow, of which `Kinds`
makes a table.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

K = TypeVar("K", covariant=True)


def lazy_names(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` of a package, from its imports for type checkers.

    Parameters
    ----------
    package
        Its ``__name__``.
    """

    def get(name: str) -> Any:
        if name not in (homes := homes_of(package)):
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(homes[name].module), name)
        setattr(sys.modules[package], name, value)
        return value

    names = sorted(homes_of(package))
    return get, lambda: sorted({*vars(sys.modules[package]), *names}), names


class Home(NamedTuple):
    """Where a lazy name comes from.

    Attributes
    ----------
    module
        The module that defines it.
    heading
        The heading above its import; empty for what is no kind.
    """

    module: str
    heading: str = ""


@cache
def homes_of(package: str) -> dict[str, Home]:
    """Return the home of each lazy name of a package, in the order of its imports."""
    tree = ast.parse(Path(str(sys.modules[package].__file__)).read_bytes())
    homes: dict[str, Home] = {}
    for block in tree.body:
        if isinstance(block, ast.If) and ast.unparse(block.test).endswith("TYPE_CHECKING"):
            heading = ""
            for line in block.body:
                if isinstance(line, ast.ImportFrom) and line.module:
                    homes |= _names_from(line.module, [alias.name for alias in line.names], heading)
                elif isinstance(line, ast.Expr):
                    heading = str(ast.literal_eval(line.value))
    return homes


def _names_from(module: str, names: list[str], heading: str) -> dict[str, Home]:
    if names != ["*"]:
        return dict.fromkeys(names, Home(module, heading))
    import_module(module)
    return homes_of(module)  # under its own headings


class Kinds(Mapping[str, type[K]]):
    """Kinds by their names: classes that are loaded when they are asked for.

    To register a kind, write its class in a module of its own, with its name as `kind`, and import it in the
    ``__init__`` of its package, below the heading of its game::

        if TYPE_CHECKING:
            from disttrack.protocols.base import Protocol as Protocol

            "Tracking"
            from disttrack.protocols.exact import Exact as Exact

        PROTOCOLS = Kinds.of(__name__)

    The name is the one of the class in small letters, with hyphens (`RoundRobin` is ``round-robin``); another one is
    given to `of`. Everything else that is to be known of it, its class states.

    Parameters
    ----------
    group
        The heading that `disttrack list` shows them under, without loading one: that of the tasks they are made for.
    references
        Each kind's name, and ``module:Class``.
    """

    def __init__(self, group: str, references: Mapping[str, str]) -> None:
        self.references = dict(references)
        self.groups = dict.fromkeys(references, group)

    @classmethod
    def of(cls, package: str, *headings: str, **named: str) -> Kinds[K]:
        """Return the kinds of a package: its lazy names that have a heading.

        Parameters
        ----------
        package
            Its ``__name__``.
        headings
            The headings of those meant; all if left out.
        named
            The names of kinds that are not called as their classes, by class.
        """
        table: Kinds[K] = cls("", {})
        for name, home in homes_of(package).items():
            if home.heading and home.heading in (headings or (home.heading,)):
                kind = named.get(name) or re.sub(r"(?<=.)(?=[A-Z])", "-", name).lower()
                table.references[kind] = f"{home.module}:{name}"
                table.groups[kind] = home.heading
        return table

    def __getitem__(self, kind: str) -> type[K]:
        module, _, name = self.references[kind].partition(":")
        found: type[K] = getattr(import_module(module), name)
        return found

    def __contains__(self, kind: object) -> bool:
        return kind in self.references

    def __iter__(self) -> Iterator[str]:
        return iter(self.references)

    def __len__(self) -> int:
        return len(self.references)
