"""Pages of the public face, which mkdocstrings fills in from the docstrings."""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import Any, Final

from disttrack.simulator.kinds.installed import BUILT_IN, distribution_of, entry_points

CORE: Final = {
    "disttrack.simulator": "Play, run, read and check",
    "disttrack.protocols": "Protocols",
    "disttrack.adversaries": "Adversaries",
    "disttrack.mechanisms": "Mechanisms",
}
"""The packages of the core whose names the one import gives, in the order in which they are looked up."""


def packages() -> dict[str, str]:
    """Return the packages with their titles: those of the core, then those of the wings that are there.

    >>> packages().get("disttrack.fleet.quotas", "Fleet: quotas")
    'Fleet: quotas'
    """
    points = [point for point in entry_points("disttrack.names") if distribution_of(point) == BUILT_IN]
    plugged = [point.module for point in points if not point.attr]
    return CORE | {module: ": ".join(module.split(".")[1:]).capitalize() for module in plugged}


def api_pages() -> dict[str, str]:
    """Return the pages by their paths: a page a package, and the index."""
    pages, seen = {}, set()
    lines = []
    for package, title in packages().items():
        places = {name: _place(getattr(import_module(package), name)) for name in import_module(package).__all__}
        mine = {name: place for name, place in places.items() if place and place not in seen}
        seen |= set(mine.values())
        body = "\n".join(f"::: {place}\n" for name, place in sorted(mine.items()))
        page = package.removeprefix("disttrack.")
        pages[f"api/{page}.md"] = (
            f"# {title}\n\n`from {package} import …`, or all of it by `import disttrack`.\n\n{body}"
        )
        lines.append(f"- [{title}]({page}.md): " + ", ".join(f"`{name}`" for name in sorted(mine)))
    pages["api/index.md"] = (
        "# API reference\n\n`import disttrack` gives every name on these pages: `disttrack.play`, `disttrack.Robust`. "
        "The packages can be imported by themselves as well. Made of the docstrings when the site was built.\n\n"
        + "\n".join(lines)
        + "\n"
    )
    return pages


def documented() -> set[str]:
    """Return the places of all classes and functions that have an entry."""
    return {line[4:] for text in api_pages().values() for line in text.splitlines() if line.startswith("::: ")}


def _place(thing: Any) -> str:
    """Return where a class or a function is defined; nothing for a constant."""
    if inspect.isclass(thing) or inspect.isfunction(thing):
        return f"{thing.__module__}.{thing.__qualname__}"
    return ""
