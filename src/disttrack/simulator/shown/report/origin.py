"""The origin of a result: the scenario's text, versions, seeds, and the command that makes it again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

import yaml

from disttrack.simulator.experiments.results.formats import cell
from disttrack.simulator.experiments.results.stored import Plain
from disttrack.simulator.shown.pages.html import Html, facts, section

_SLOW: Final = re.compile(r"slow, since .*")
"""How the reason for an engine ends if faster functions could not be compiled."""


def origin(scenario: Plain, manifest: Plain, above: str) -> Html:
    """Return the section; `above` is the comment at the head of the scenario's file."""
    machine, games = (manifest.get(key) or {} for key in ("machine", "games"))
    engines = sorted({str(point["engine"]) for point in manifest.get("points") or [] if point.get("engine")})
    seeds = [str(seed) for seed in manifest.get("seeds") or []]
    took = "the last call took" if games.get("kept") else "took"
    known = {
        "scenario": manifest.get("name"),
        "seed": scenario.get("seed", 0),
        "seeds of the trials": ", ".join(seeds[:10]) + (f", … ({len(seeds):,} in manifest.json)" if seeds[10:] else ""),
        "games": ", ".join(f"{cell(value)} {key}" for key, value in games.items()),
        "engines": "; ".join(filter(None, [", ".join(engines), slow_since(manifest.get("points") or [])])),
        "begun": manifest.get("begun"),
        took: f"{manifest['seconds']:,} s" if manifest.get("seconds") is not None else None,
        "played by": manifest.get("workers"),
        "machine": ", ".join(f"{value} {key}" if key == "cores" else str(value) for key, value in machine.items()),
        "versions": versions(manifest),
        "rules": manifest.get("rules"),
    }
    comment = "".join(f"# {line}".rstrip() + "\n" for line in above.splitlines())
    text = comment + yaml.safe_dump(dict(scenario), sort_keys=False, allow_unicode=True, width=100)
    name = file_name(manifest)
    return section(
        "Where it comes from",
        Html("<h3>Make it again</h3><p>Save the scenario below as <code>{}</code>.</p>", name),
        copied("command", command(manifest)),
        Html("<h3>What it was made with</h3>"),
        facts({key: str(value) for key, value in known.items() if value not in (None, "")}),
        Html("<details><summary>The scenario</summary>{}</details>", copied("scenario", text)),
        anchor="origin",
    )  # fmt: skip


def slow_since(points: Iterable[Mapping[str, object]]) -> str:
    """Return why games of points, as the manifest has them, were slow; empty if nothing is said of any.

    >>> slow_since([{"engine_reason": "exact for every game; slow, since numba is not installed"}, {}])
    'slow, since numba is not installed'
    """
    endings = (_SLOW.search(str(point.get("engine_reason", ""))) for point in points)
    return next((ending[0] for ending in endings if ending), "")


def versions(manifest: Plain) -> str:
    """Return the versions of the libraries of a result."""
    known = manifest.get("versions") or {}
    return ", ".join(f"{key} {value}" for key, value in known.items() if value)


def copied(name: str, text: str) -> Html:
    """Return a text to be copied."""
    return Html("<pre tabindex='0' aria-label='{}'><code>{}</code></pre>", name, text)


def file_name(manifest: Mapping[str, object]) -> str:
    """Return a name for the scenario's file."""
    return re.sub(r"[^\w.-]+", "-", str(manifest.get("name") or "scenario")).strip("-") + ".yaml"


def command(manifest: Mapping[str, object]) -> str:
    """Return the one command that plays the same games again.

    >>> command({"name": "headline"})
    'disttrack run headline.yaml --fresh'
    """
    return f"disttrack run {file_name(manifest)} --fresh"
