"""Names that a shell completes: shipped scenarios, folders of results, registered kinds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from click import Context, Parameter
from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from disttrack.simulator.points.registry import Family

Items: TypeAlias = "list[CompletionItem[str]]"  # a text: in older versions of Click the class takes no parameter


def scenario_files(ctx: Context, param: Parameter, incomplete: str) -> Items:
    """Return the shipped scenarios and YAML files of this folder with this prefix; any file if there are none."""
    from disttrack.simulator.scenario.load import shipped_scenarios

    return _matches(incomplete, [*shipped_scenarios(), *map(str, sorted(Path().glob("*.y*ml")))], otherwise="file")


def folders(ctx: Context, param: Parameter, incomplete: str) -> Items:
    """Return the folders of results with this prefix; any folder if there are none."""
    results = sorted(str(path.parent) for path in Path("results").glob("*/manifest.json"))
    return _matches(incomplete, results, otherwise="dir")


def kinds_of(*families: Family, also: Iterable[str] = ()) -> Callable[[Context, Parameter, str], Items]:
    """Return a function that completes the kinds of these families, of all families if none is given."""

    def complete(ctx: Context, param: Parameter, incomplete: str) -> Items:
        from disttrack.simulator.points.registry import FAMILIES, kinds
        from disttrack.simulator.scenario.load import shipped_scenarios

        names = [name for family in families or FAMILIES for name in kinds(family)]
        return _matches(incomplete, [*also, *names, *(() if families else shipped_scenarios())], otherwise="file")

    return complete


def _matches(incomplete: str, names: Iterable[str], *, otherwise: str) -> Items:
    """Return the names with this prefix; without any, the shell completes its own files or folders."""
    matches = [CompletionItem(name) for name in dict.fromkeys(names) if name.startswith(incomplete)]
    return matches or [CompletionItem(incomplete, type=otherwise)]
