"""The code and the user's files that a part of a point is made of: they belong to the identity of its games.

Code is the file or module of the part's kind, those of kinds that its parameters name (``of: mine:Mine``), and what
they import, directly or not, that is neither Python's nor an installed library. Code of a package that was compared
is known as a whole. Data are the files that a parameter `file` names, at any depth, and those that a parameter, a
class or a file of code names as `depends_on`. What a class opens otherwise is not seen.
"""

from __future__ import annotations

import ast
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from functools import lru_cache
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any, Final, NamedTuple

from disttrack.loaded import is_installed, text_of
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.kinds.code import bare_digest, code_name, digest_of
from disttrack.simulator.kinds.installed import compared, is_compared, package_of
from disttrack.simulator.kinds.registry import FAMILIES, Family, kinds
from disttrack.simulator.kinds.source import Source, is_reference, located, source_of

FACE: Final = "disttrack"
"""The module that has the classes of all packages as names."""
DEPENDS_ON: Final = "depends_on"
"""The parameter, or name in a file of code, that names further files: a text or a list."""
RUNNER: Final = "runner"
"""The parameter with the command that runs a program: scripts in it are part of the program."""
IMPORTERS: Final = ("import_module", "__import__")
"""Functions that import the module whose name is their first argument."""


class OwnFile(NamedTuple):
    """A file: where it is, and its digest: of code without comments, of data as it is."""

    path: str
    digest: str


class MadeOf(NamedTuple):
    """What a part is made of.

    Attributes
    ----------
    files
        The user's files, by names that stay when the folder moves.
    code
        The names of compared code, as `code.code_of` takes them.
    """

    files: dict[str, OwnFile]
    code: set[str]


def made_of(reference: str, source: Source | None, arguments: object, folder: Path) -> MadeOf:
    """Return what a part is made of.

    Parameters
    ----------
    reference
        The ``module:Class`` or ``file.py:Class`` of its kind, whose module has been imported.
    source
        The file of its kind, if it is one.
    arguments, folder
        Its parameters, and where the files that they name are looked for before the current folder.

    Raises
    ------
    ScenarioError
        A module is not the one that this process has loaded, or a file of `depends_on` is not there.
    """
    files, code = _code("class", reference, folder, source)
    for place, text in texts(arguments):
        if DEPENDS_ON in place.split(".")[-2:]:
            files[place] = _needed(text, folder, place)
        elif place.rpartition(".")[2] == RUNNER:
            files |= {f"{place} {file.name}": _own(file) for file in _scripts(text, folder).values()}
        elif place.rpartition(".")[2] != "file":
            more = _code(place, reference_of(text), folder)
            files |= more.files
            code |= more.code
        elif (file := located(text, folder)) is not None:
            files[place] = _own(file)
    return MadeOf(files, code)


def reference_of(text: str, families: Sequence[Family] = FAMILIES) -> str:
    """Return the reference of a kind that a text may name: the text itself, or that of a registered kind."""
    if is_reference(text):
        return text
    return next((kind.reference for family in families if (kind := kinds(family).get(text)) is not None), "")


def foreign(text: str, families: Sequence[Family] = FAMILIES) -> str:
    """Return the reference of a kind that a text may name, if nobody has compared its code."""
    reference = reference_of(text, families)
    return "" if is_compared(reference.partition(":")[0]) else reference


def with_files(arguments: object, folder: Path, put: Callable[[Path], str]) -> Any:
    """Return parameters with something put in the place of each file that is there and that a `file` names."""
    if isinstance(arguments, list):
        return [with_files(inner, folder, put) for inner in arguments]
    if not isinstance(arguments, Mapping):
        return arguments
    made = {key: with_files(inner, folder, put) for key, inner in arguments.items()}
    if isinstance(made.get("file"), str) and (file := located(made["file"], folder)) is not None:
        made["file"] = put(file)
    if isinstance(made.get(RUNNER), str) and (scripts := _scripts(made[RUNNER], folder)):
        command = enumerate(shlex.split(made[RUNNER]))
        made[RUNNER] = shlex.join(put(scripts[place]) if place in scripts else word for place, word in command)
    return made


def _scripts(command: str, folder: Path) -> dict[int, Path]:
    """Return the files in a command line, by the number of the word; the program of one without / is on the path."""
    try:
        words = shlex.split(command)
    except ValueError:  # a quotation has no end: whoever runs it says so
        return {}
    found = {place: located(word, folder) for place, word in enumerate(words) if place or "/" in word}
    return {place: file for place, file in found.items() if file is not None}


def texts(value: object, place: str = "") -> Iterator[tuple[str, str]]:
    """Yield the texts in a parameter, at any depth, each with its place: `of.file`."""
    if isinstance(value, str):
        yield place, value
    inner = value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list | tuple) else ()
    for key, one in inner:
        yield from texts(one, f"{place}.{key}".lstrip("."))


def _code(place: str, reference: str, folder: Path, source: Source | None = None) -> MadeOf:
    """Return the file of a reference, and the modules that it imports, directly or not.

    Of an installed package only the modules of this package count. A `source` is the text that was read, and is sent to
    workers, where its file need not exist.
    """
    if not reference and source is None:
        return MadeOf({}, set())
    module = reference.rpartition(":")[0]
    waiting, before = _with_packages([module]), [folder, Path.cwd()]
    made = MadeOf({}, set())
    if source is None:
        with suppress(ScenarioError):  # a text with a colon that is no reference
            source = source_of(reference, folder)
    if source is not None:
        path = Path(source.path)
        made.files[place] = OwnFile(source.path, bare_digest(source.text.encode("utf-8", "surrogatepass")))
        made.files.update(_stated(source.text, path, place))
        waiting, before = [*_imports(source.text, "")], [path.parent]
    files: dict[str, Path] = {}
    while waiting:
        name = waiting.pop()
        top = name.partition(".")[0]
        if name in files or not top.isidentifier() or top in sys.stdlib_module_names:
            continue
        if name == FACE or (package := package_of(name)):
            made.code.update(map(code_name, compared() if name == FACE else [package]))
            continue
        file = _module_file(name, before)
        if file is None or file in files.values() or (is_installed(file) and top != module.partition(".")[0]):
            continue
        files[name] = file
        package = name if file.name == "__init__.py" else name.rpartition(".")[0]
        text = file.read_text(encoding="utf-8", errors="replace")
        waiting += _imports(text, package)
        made.files.update(_stated(text, file, name))
    made.files.update((name, OwnFile(str(file), digest_of(file, code=True))) for name, file in sorted(files.items()))
    return made


@lru_cache(maxsize=512)
def _tree(text: str) -> ast.Module:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return ast.Module([], [])  # loading it raises the error


def _stated(text: str, file: Path, place: str) -> Iterator[tuple[str, OwnFile]]:
    """Yield the files that a file of code, or a class in it, names as `depends_on`, seen from its folder."""
    for value in _values_of(text, DEPENDS_ON):
        try:
            names = ast.literal_eval(value)
        except ValueError:
            if isinstance(value, ast.Call):  # the field of a dataclass
                continue
            raise ScenarioError(f"{file}:{value.lineno}: {DEPENDS_ON} must be names of files, written out") from None
        for _, name in texts(names):
            yield f"{place} {name}", _needed(name, file.parent, f"{file}:{value.lineno}: {DEPENDS_ON}")


@lru_cache(maxsize=512)
def _values_of(text: str, name: str) -> list[ast.expr]:
    """Return what a text assigns to a name, anywhere in it."""
    values = []
    for node in ast.walk(_tree(text)):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(isinstance(one, ast.Name) and one.id == name for one in targets):
                values.append(node.value)
    return values


def _needed(name: str, folder: Path, place: str) -> OwnFile:
    """Return the file of a name, seen from a folder; ScenarioError if there is none."""
    file = folder / Path(name).expanduser()
    if not file.is_file():
        raise ScenarioError(f"{place}: there is no file {file}")
    return _own(file)


def _own(file: Path) -> OwnFile:
    return OwnFile(str(file.resolve()), digest_of(file))


@lru_cache(maxsize=512)
def _imports(text: str, package: str) -> list[str]:
    """Return the names that a text imports, also those of which only an attribute may be meant, and their packages."""
    names: list[str] = []
    importers = set(IMPORTERS)
    for node in ast.walk(_tree(text)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(package, node.level, node.module or "")
            names += [base, *(f"{base}.{alias.name}" for alias in node.names)]
            importers |= {alias.asname for alias in node.names if alias.asname and alias.name in IMPORTERS}
    for call in ast.walk(_tree(text)):
        if isinstance(call, ast.Call) and (name := _imported_by(call, importers)):
            names.append(_absolute(package, len(name) - len(name.lstrip(".")), name.lstrip(".")))
    return _with_packages(names)


def _absolute(package: str, level: int, module: str) -> str:
    """Return the name of a module that a package imports; a level is the number of dots before it."""
    folders = package.split(".")
    above = folders[: len(folders) - level + 1] if level else []
    return ".".join([*above, *filter(None, [module])])


def _imported_by(call: ast.Call, importers: Set[str]) -> str:
    """Return the module that a call of one of these functions imports, if its name is written out; else nothing."""
    called = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    given = [*call.args[:1], *(keyword.value for keyword in call.keywords if keyword.arg == "name")]
    if called not in importers or not given or not isinstance(given[0], ast.Constant):
        return ""
    return given[0].value if isinstance(given[0].value, str) else ""


def _with_packages(names: Sequence[str]) -> list[str]:
    """Return the names of modules and of the packages that they are in, which are imported before them."""
    packages = [".".join(name.split(".")[: depth + 1]) for name in names for depth in range(name.count(".") + 1)]
    return [name for name in packages if name != FACE or FACE in names]


def _module_file(name: str, before: Sequence[Path]) -> Path | None:
    """Return the Python file of a module, located without running anything; None if there is none.

    Raises
    ------
    ScenarioError
        This process has loaded another module of this name, or the file has changed since.
    """
    search = [*(str(place.resolve()) for place in before), *sys.path]
    spec, parts = None, name.split(".")
    for number in range(len(parts)):
        spec = PathFinder.find_spec(".".join(parts[: number + 1]), search)
        search = list(spec.submodule_search_locations or ()) if spec is not None else []
    origin = (spec.origin if spec is not None else None) or ""
    located = Path(origin).resolve() if origin.endswith(".py") else None
    module = sys.modules.get(name)
    there = getattr(module, "__file__", None)
    if module is None or there is None:
        return located
    loaded = Path(there).resolve()
    if not is_installed(loaded) and loaded.suffix == ".py":
        if located not in (None, loaded):
            raise ScenarioError(f"{name!r} is {located}, and in this process {loaded}: rename one, or restart Python")
        text = text_of(module)
        if text is None or bare_digest(text) != digest_of(loaded, code=True):
            remedy = "restart Python, import disttrack first"
            raise ScenarioError(f"{loaded} has changed since its import, or before: {remedy}")
    return loaded if loaded.suffix == ".py" else None
