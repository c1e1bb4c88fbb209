"""What may stand at a place of the command line, for shells: scenarios, kinds, their parameters and values.

Nothing is played and no scenario is checked here; what cannot be read is left out, for a shell has nowhere to say it.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, get_args, get_origin, get_type_hints

from click import Context, Parameter
from click.shell_completion import CompletionItem

from simulator.errors import ScenarioError

if TYPE_CHECKING:
    from simulator.points.registry import Family

Items: TypeAlias = "list[CompletionItem[str]]"  # a text, for older versions of Click have no parameter here
SIDES: Final = ("protocol", "adversary")
ENGINES: Final = ("auto", "step", "leap", "bulk")


def scenario_files(ctx: Context, param: Parameter, incomplete: str) -> Items:
    """Return the shipped scenarios and the YAML files that begin so; any file if there are none."""
    from simulator.scenario.load import shipped_scenarios

    folder = Path(incomplete).parent if "/" in incomplete else Path()
    files = [str(path) for suffix in ("yaml", "yml") for path in sorted(folder.glob(f"*.{suffix}"))]
    return _begin(incomplete, [*shipped_scenarios(), *files]) or [CompletionItem(incomplete, type="file")]


def folders(ctx: Context, param: Parameter, incomplete: str) -> Items:
    """Return the folders of results that begin so; any folder if there are none."""
    found = [str(path.parent) for path in sorted(Path("results").glob("*/manifest.json"))]
    return _begin(incomplete, found) or [CompletionItem(incomplete, type="dir")]


def described(ctx: Context, param: Parameter, incomplete: str) -> Items:
    """Return what `describe` knows: kinds of all families, scenarios, classes of a file."""
    from simulator.points.registry import FAMILIES
    from simulator.scenario.load import shipped_scenarios

    names = [item for family in FAMILIES for item in _kinds(family, incomplete)]
    return [*names, *_begin(incomplete, shipped_scenarios())] or _of_file(incomplete)


def tested(ctx: Context, param: Parameter, incomplete: str) -> Items:
    """Return the kinds that have conformance tests, with their parameters and values."""
    families: tuple[Family, ...] = ("protocol", "adversary", "mechanism")
    return [item for family in families for item in entries(family, incomplete)]


def audited(ctx: Context, param: Parameter, incomplete: str) -> Items:
    """Return the kinds that can be audited, with their parameters and values."""
    return [*_begin(incomplete, ["all", "robust"]), *entries("mechanism", incomplete)]


def side(ctx: Context, param: Parameter, incomplete: str) -> Items:
    """Return the kinds of a side, with their parameters and values: ``robust:alpha=0.1``."""
    return entries("adversary" if param.name == "adversary" else "protocol", incomplete)


def engines(ctx: Context, param: Parameter, incomplete: str) -> Items:
    """Return the engines."""
    return _begin(incomplete, ENGINES)


def entries(family: Family, incomplete: str) -> Items:
    """Return what a kind with parameters may be that begins so, the parameters after a colon and commas."""
    kind, colon, rest = _kind_and_rest(incomplete)
    if not colon:
        return _kinds(family, incomplete) or _of_file(incomplete)
    maker = _maker(family, kind)
    if maker is None:
        return _of_file(incomplete)
    *done, last = rest.split(",")
    before = incomplete.removesuffix(last)
    given = {assignment.partition("=")[0] for assignment in done}
    name, equals, value = last.partition("=")
    if equals:
        return _begin(value, values(maker, name), before=f"{before}{name}=")
    free = {f"{one}=": says for one, says in _parameters(maker).items() if one not in given}
    return _begin(last, free, before=before)


def settings(ctx: Context, param: Parameter, incomplete: str) -> Items:
    """Return what --set may set in the files before it: keys, parameters of the entries, and values."""
    from simulator.scenario.document import read
    from simulator.scenario.load import locate

    found: Items = []
    for file in ctx.params.get("files") or ctx.args:  # an option that waits for its value leaves them in the latter
        try:
            data = read(locate(file), str(file)).data
        except (ScenarioError, OSError):
            continue
        key, equals, value = incomplete.partition("=")
        if equals:
            found += _begin(value, _values_at(data, key), before=f"{key}=")
        else:
            found += _begin(incomplete, _keys(data))
    return list({item.value: item for item in found}.values())


def _keys(data: Mapping[str, Any]) -> Iterator[str]:
    """Yield the keys that may be set, each with the sign that follows it."""
    from simulator.points.registry import find
    from simulator.scenario.model import keys_of

    try:
        sizes = find("task", str(data.get("task") or "count")).sizes
    except ScenarioError:
        sizes = ()
    yield from (f"{key}=" for key in keys_of(sizes) if key not in (*SIDES, "claims", "plots", "zip"))
    for role in SIDES:
        for place, entry in _entries(data, role):
            maker = _maker(role, str(entry.get("kind")))
            yield from (f"{place}.{name}=" for name in (_parameters(maker) if maker else entry))


def _entries(data: Mapping[str, Any], role: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the places of a role's entries, and the entries: `protocol` for all, `protocol.0` for one of several."""
    value = data.get(role)
    listed = value if isinstance(value, list) else [value]
    for number, entry in enumerate(listed):
        whole = {"kind": entry} if isinstance(entry, str) else entry
        if isinstance(whole, Mapping):
            yield role, whole
            if isinstance(value, list):
                yield f"{role}.{number}", whole


def _values_at(data: Mapping[str, Any], key: str) -> list[str]:
    """Return values for a key that is to be set."""
    if key == "engine":
        return list(ENGINES)
    place, _, name = key.rpartition(".")
    makers = [
        maker
        for role in SIDES
        for where, entry in _entries(data, role)
        if where == place and (maker := _maker(role, str(entry.get("kind")))) is not None
    ]
    return list(dict.fromkeys(value for maker in makers for value in values(maker, name)))


def values(maker: Any, name: str) -> list[str]:
    """Return values that a parameter may have: those its type lists, else its default, and words its docstring names.

    Examples
    --------
    >>> from protocols import Deterministic, Robust
    >>> values(Deterministic, "centred"), values(Robust, "parameters")
    (['false', 'true'], ['paper', 'tight'])
    """
    from dataclasses import MISSING

    from simulator.points.registry import parameters

    default = parameters(maker).get(name, MISSING)
    if isinstance(default, bool):
        return ["false", "true"]
    listed = [str(value) for value in _literals(_hint(maker, name))]
    named = [] if listed or not isinstance(default, str) else re.findall(r"`([a-z][a-z-]*)`:", _says(maker, name))
    usual = [] if default is MISSING or default is None else [str(default)]
    return list(dict.fromkeys([*usual, *listed, *named]))


def _literals(hint: Any) -> Iterator[Any]:
    if get_origin(hint) is Literal:
        yield from get_args(hint)
    else:
        for part in get_args(hint):
            yield from _literals(part)


def _hint(maker: Any, name: str) -> Any:
    try:
        return get_type_hints(maker).get(name)
    except (NameError, TypeError):
        return None


def _says(maker: Any, name: str) -> str:
    return _parameters(maker).get(name, "")


def _parameters(maker: Any) -> dict[str, str]:
    """Return the parameters of a kind, and what it says of each."""
    from simulator.points.facts import facts

    known = facts("mechanism", "", "", "", maker)
    return {parameter.name: parameter.says for parameter in known.parameters}


def _maker(family: Any, kind: str) -> Any:
    from simulator.points.registry import find
    from simulator.points.source import source_of

    try:
        return find(family, kind, source_of(kind, Path.cwd()), Path.cwd())
    except (ScenarioError, OSError):
        return None


def _kinds(family: Family, incomplete: str) -> Items:
    from simulator.points.facts import first_line
    from simulator.points.registry import kinds

    return _begin(incomplete, {name: first_line(kind.load()) for name, kind in kinds(family).items()})


def _kind_and_rest(text: str) -> tuple[str, str, str]:
    """Return the kind that an entry begins with, the colon after it, and what follows; references have a colon too."""
    found = re.match(r"((?:[^:]+\.py|[\w.]+):[A-Z]\w*|[^:]+)(:)(?![A-Z])(.*)", text)
    if found is None or found[1].endswith(".py"):
        return text, "", ""
    return found[1], found[2], found[3]


def _of_file(incomplete: str) -> Items:
    """Return the Python files that begin so, or the classes and functions of one whose name is complete."""
    file, colon, name = incomplete.partition(":")
    if not colon:
        files = [f"{path}:" for path in sorted((Path(incomplete).parent if "/" in incomplete else Path()).glob("*.py"))]
        return _begin(incomplete, files)
    try:
        tree = ast.parse(Path(file).read_text(encoding="utf-8"))
    except (OSError, SyntaxError, UnicodeDecodeError):
        return []
    found = {
        node.name: inspect.cleandoc(ast.get_docstring(node) or "").split("\n")[0]
        for node in tree.body
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name[0] != "_"
    }
    return _begin(name, found, before=f"{file}:")


def _begin(incomplete: str, names: Iterable[str], *, before: str = "") -> Items:
    """Return the names that begin so, each with what a mapping says of it."""
    says = names if isinstance(names, Mapping) else {}
    return [CompletionItem(before + name, help=says.get(name) or None) for name in names if name.startswith(incomplete)]
