"""Names of packages that are imported when they are first used: a command pays only for the classes that it plays.

A package states its names once, as imports under ``if TYPE_CHECKING``, which type checkers and editors read; in its
``else`` stands ``__getattr__, __dir__, __all__ = lazy_names(__name__)``. Kinds, which scenarios name, stand in a list
besides. As `lazy_loader` does it with stubs (scientific-python.org, SPEC 1).
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

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
        value = getattr(import_module(homes[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    names = sorted(homes_of(package))
    return get, lambda: sorted({*vars(sys.modules[package]), *names}), names


@cache
def homes_of(package: str) -> dict[str, str]:
    """Return the module of each lazy name of a package, in the order of its imports."""
    tree = ast.parse(Path(str(sys.modules[package].__file__)).read_bytes())
    homes: dict[str, str] = {}
    for block in tree.body:
        if isinstance(block, ast.If) and ast.unparse(block.test).endswith("TYPE_CHECKING"):
            for line in block.body:
                if isinstance(line, ast.ImportFrom) and line.module:
                    homes |= _names_from(line.module, [alias.name for alias in line.names])
    return homes


def _names_from(module: str, names: list[str]) -> dict[str, str]:
    if names != ["*"]:
        return dict.fromkeys(names, module)
    import_module(module)
    return homes_of(module)


class Kinds(Mapping[str, type[K]]):
    """Kinds by their names: classes that are loaded when they are asked for.

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
    def of(cls, package: str, group: str, kinds: str) -> Kinds[K]:
        """Return kinds of a package, whose classes are among its lazy names.

        Parameters
        ----------
        package
            Its ``__name__``.
        group
            As for the class.
        kinds
            Names in one text: ``round-robin`` is the class `RoundRobin`; ``gaussian=GaussianQueries`` another one.
        """
        homes = homes_of(package)
        pairs = [one.partition("=")[::2] for one in kinds.split()]
        classes = {kind: name or "".join(map(str.capitalize, kind.split("-"))) for kind, name in pairs}
        return cls(group, {kind: f"{homes[name]}:{name}" for kind, name in classes.items()})

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

    def __or__(self, others: Kinds[Any]) -> Kinds[Any]:
        both: Kinds[Any] = Kinds("", self.references | others.references)
        both.groups = self.groups | others.groups
        return both
