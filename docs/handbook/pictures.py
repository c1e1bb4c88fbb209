"""Pictures: timelines of tracking games, drawn when the site is built, and figures of the reference results.

Of these only what README.md and docs/ show is shipped; the others are drawn from the tables.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import MISSING
from functools import cache
from pathlib import Path
from typing import Any, Final

from disttrack.adversaries import Freeze, RoundRobin, Trace
from disttrack.protocols import Randomized, Robust
from disttrack.simulator import play
from disttrack.simulator.experiments.results.folder import Results
from disttrack.simulator.kinds.registry import Family, kinds, parameters
from handbook.corpus import REFERENCE, Shipped, shipped, uses
from handbook.written import ROOT

KEPT: Final = ROOT / ".cache" / "handbook"
"""Pictures that have been drawn, by what they were drawn from."""
SITES: Final = 64
ITEMS: Final = 100_000
SEED: Final = 7
ALPHA: Final = 0.1


def timeline(family: Family, name: str) -> tuple[bytes, str] | None:
    """Return a drawn timeline of a tracker or of an adversary in tracking games, and what it shows."""
    mine = [use for use in uses().get((family, name), []) if shipped()[use.scenario].scenario.head.task == "count"]
    if family not in ("protocol", "adversary") or not mine:
        return None
    maker = kinds(family)[name].load()
    if maker is Trace or any(parameters(maker)[name] is MISSING for name in parameters(maker) if name != "alpha"):
        return None  # what a trace plays is a recording, with its own sites
    own = maker(alpha=ALPHA) if "alpha" in parameters(maker) else maker()
    others: list[Any] = (
        [RoundRobin(), Freeze()] if family == "protocol" else [Randomized(alpha=ALPHA), Robust(alpha=ALPHA)]
    )
    says = (
        f"Estimate, error and words of {name} against an input that does not react and against freeze"
        if family == "protocol"
        else f"Estimate, error and words of randomized and of robust against {name}"
    )
    package = maker.__module__.split(".")[1]  # a wing's, or one of these
    state = _state_of_the_code(
        "protocols", "adversaries", "mechanisms", "simulator/game", "simulator/shown/plots", package
    )
    path = KEPT / f"{family}-{name}-{state}.png"
    if not path.is_file():
        pairs = [(own, other) if family == "protocol" else (other, own) for other in others]
        draw_games(path, pairs, says, own.sees if family == "adversary" else "outputs")
    return path.read_bytes(), f"{says}; {SITES} sites, {ITEMS:,} items, alpha = {ALPHA}, seed {SEED}"


def reference_figure(family: Family, name: str) -> tuple[str, str, str] | None:
    """Return a figure in which a kind is seen: scenario, file, caption. It has the fewest kinds beside this one."""
    having = {use.scenario for use in uses().get((family, name), []) if shipped()[use.scenario].captions}

    def company(scenario: str) -> tuple[int, str]:
        points = shipped()[scenario].scenario.points
        return len({part.label for point in points for part in (point.protocol, point.adversary)}), scenario

    for scenario in sorted(having, key=company):
        for file, caption in shipped()[scenario].captions.items():
            if family != "plot" or file.startswith(name):
                return scenario, file, caption
    return None


def figure(one: Shipped, file: str) -> bytes:
    """Return a figure of the reference results: as shipped, or drawn from the tables if it is not."""
    path = REFERENCE / one.name / "figures" / file
    if not path.is_file():
        tables = json.dumps(Results(REFERENCE / one.name).manifest["tables"], sort_keys=True)
        state = _state_of_the_code("simulator/experiments/results", *rooms_of_plots())
        folder = KEPT / f"{one.name}-{hashlib.sha256(tables.encode()).hexdigest()[:16]}-{state}"
        path = folder / file
        if not path.is_file():
            draw_figures(one, folder)
    return path.read_bytes()


def rooms_of_plots() -> list[str]:
    """Return the folders below `src/disttrack` of all kinds of figures, those of the wings too."""
    modules = {kind.load().__module__ for kind in kinds("plot").values()}
    return sorted({"/".join(module.split(".")[1:-1]) for module in modules})


def draw_figures(one: Shipped, folder: Path) -> None:
    """Draw all figures of a scenario from the tables of its reference results that are not shipped."""
    from disttrack.simulator.experiments.results.read import read_tables
    from disttrack.simulator.shown.plots.requests import figure_of, planned
    from disttrack.simulator.shown.plots.style import house_style, save

    results = Results(REFERENCE / one.name)
    tables = read_tables([results])
    for stem, plot in planned(results, tables, None)[0].items():
        if not (REFERENCE / one.name / "figures" / f"{stem}.png").is_file():
            with house_style():
                save(figure_of(tables, plot), folder / stem, ("png",))


def draw_games(path: Path, pairs: list[tuple[Any, Any]], title: str, sees: str) -> None:
    """Play a pair each and draw their timelines beside each other."""
    from disttrack.simulator.shown.plots.render import render
    from disttrack.simulator.shown.plots.style import house_style
    from disttrack.simulator.shown.plots.traces import described, from_game, outcome

    games = [
        play(protocol, adversary, sites=SITES, items=ITEMS, seed=SEED, sees=sees, record=True)
        for protocol, adversary in pairs
    ]
    endings = [outcome(game.verdict, game.failing_fraction, promised=True) for game in games]
    traces = [
        from_game(game, "\n".join([game.protocol, f"against {game.adversary}", ending]))
        for game, ending in zip(games, endings, strict=True)
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    with house_style():
        figure = render(described(traces, title, f"{SITES} sites · {ITEMS:,} items · α = {ALPHA} · seed {SEED}"))
        figure.savefig(path, dpi=110)


@cache
def _state_of_the_code(*packages: str) -> str:
    """Return a digest of all code that a game or its picture depends on."""
    digest = hashlib.sha256(Path(__file__).read_bytes())
    for package in packages:
        for path in sorted((ROOT / "src" / "disttrack" / package).rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
