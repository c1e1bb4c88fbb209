"""The arena: one tracker against all attackers, or one attacker against all trackers, as a scenario and its results."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import MISSING, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from disttrack.adversaries.base import Opponent
from disttrack.mechanisms.checks import plain
from disttrack.protocols.base import Protocol
from disttrack.simulator.errors import ScenarioError, explained, must_be
from disttrack.simulator.experiments.results.files import write_text
from disttrack.simulator.experiments.results.folder import finished
from disttrack.simulator.experiments.results.pairs import OFTEN
from disttrack.simulator.experiments.runs.progress import OnProgress
from disttrack.simulator.experiments.runs.runner import Report, run
from disttrack.simulator.experiments.scenario.load import Scenario, load
from disttrack.simulator.experiments.scenario.settings import differ
from disttrack.simulator.game.columns import ADVERSARY, ERROR, FAILED, OK, POINT, PROTOCOL, TASK, TRIAL, VERDICT
from disttrack.simulator.game.sides import counted
from disttrack.simulator.game.tasks.answers import over_alpha
from disttrack.simulator.game.tasks.base import Task
from disttrack.simulator.game.tasks.contents.task import ItemFrequency
from disttrack.simulator.game.tasks.tracking import Count
from disttrack.simulator.kinds.entries import entry_of
from disttrack.simulator.kinds.installed import entry_points
from disttrack.simulator.kinds.names import in_words, label_of
from disttrack.simulator.kinds.point import LISTED, Part, canonical, family_named, part, unusual
from disttrack.simulator.kinds.registry import ROLES, Role, kinds, parameters, role_of
from disttrack.simulator.kinds.source import import_reference, refuse_in_import, session_advice
from disttrack.simulator.workshop.advice import Situation, candidates
from disttrack.simulator.workshop.attackers import attackers, with_power

if TYPE_CHECKING:
    import pandas as pd

TAKES: Final = "arena takes a class or function"

ALPHA: Final = 0.1
DELTA: Final = 0.05
"""Promise of a tracker that takes these parameters and is given none."""
PROMISE: Final = (*LISTED, "largest", "sees")
"""Parameters that all trackers or attackers of an arena share, or that follow from their classes."""
GAMES: Final = {Count: "round-robin", ItemFrequency: "zipf-items"}
"""The games that an arena plays, each with the stream that an attacker is compared with."""
DOMAIN: Final = 1000
"""Items of a game of items, where the tracker does not say it."""
SEARCHERS: Final = "disttrack.searchers"
"""The entry points of searches."""
FEWEST_SEARCHED: Final = 100
"""Fewest games of a search."""
SCENARIO: Final = "arena.yaml"
"""The scenario, in the folder of the results."""


@dataclass(frozen=True)
class Arena:
    """The outcome of an arena.

    Attributes
    ----------
    role, name
        `protocol` or `adversary`, and the name of the class that entered it.
    results
        The results, as of any run: ``results.trials``, ``results.plot.matrix()``.
    matrix
        A row per tracker and attacker: protocol, adversary, point, trial (of the worst game); numbers of games, held
        (without a failure), failed, errors (ended by a class); over_alpha (the largest error in units of alpha); words
        (median); ended_early (games that the adversary ended before all items were sent: their words are of fewer).
    """

    role: Role
    name: str
    results: Report
    matrix: pd.DataFrame

    @property
    def own(self) -> pd.DataFrame:
        """The rows of the class that entered, those with the most failures and then the largest errors first."""
        mine = self.matrix[self.matrix[self.role] == self.name]
        return mine.sort_values(["failed", "over_alpha"], ascending=False)

    @property
    def errors(self) -> tuple[list[str], list[str]]:
        """A line for each game that an error ended: of the class that entered, and of those that play beside it."""
        trials, mine = self.results.trials, set(self.own[POINT])
        ended = trials.loc[trials[VERDICT] == ERROR, POINT]
        lines = [(point in mine, line) for point, line in zip(ended, self.results.errors, strict=True)]
        return [line for own, line in lines if own], [line for own, line in lines if not own]

    @property
    def costs(self) -> pd.DataFrame:
        """A row per tracker: protocol, words (the largest median), over_alpha, broken_by; the cheapest first."""
        import pandas as pd

        rows = []
        for name, games in self.matrix.groupby(PROTOCOL, sort=False):
            judged = (games.held + games.failed).clip(lower=1)
            breakers = games.loc[games.failed >= OFTEN * judged, ADVERSARY]
            worst = {"words": games.words.max(), "over_alpha": games.over_alpha.max()}
            rows.append({PROTOCOL: name, **worst, "broken_by": list(breakers)})
        return pd.DataFrame(rows).sort_values("words", kind="stable")

    @property
    def replay(self) -> str:
        """The command that replays the worst game of the class that entered; empty if none ended."""
        worst = self.own.iloc[0]
        if worst.errors == worst.games:
            return ""
        return f"disttrack replay {self.results.dir / SCENARIO} --point {worst.point} --trial {worst.trial}"

    def _repr_html_(self) -> str:
        return str(self.own.to_html(index=False)) + str(self.costs.to_html(index=False))


@explained()
def arena(
    entrant: type | str | Mapping[str, object],
    *,
    sites: int = 64,
    items: int = 10_000,
    trials: int = 3,
    seed: int = 0,
    out: str | Path | None = None,
    workers: int | None = None,
    game_timeout: float = 5.0,
    search: int = 0,
    on_progress: OnProgress | None = None,
) -> Arena:
    """Play a tracker against all attackers beside the shipped trackers, or an attacker against all of these.

    Parameters
    ----------
    entrant
        A class of a protocol or an adversary, or a function of the view; a registered name or ``FILE.py:Class``; or
        either with parameters: ``"robust:alpha=0.05"``, or as in scenarios ``{"kind": "robust", "alpha": 0.05}``.
    sites, items, trials, seed
        The size of the games, games of each pair, and the root of all randomness.
    out
        The folder for the results; ``results/arena-NAME`` if left out.
    workers, game_timeout, on_progress
        As for `run`. A game that takes longer than the limit, or whose class raises, counts as an error.
    search
        Games of a search for the strongest `policy` against a tracker, at least 100, which plays in place of the usual
        one, in other games than those of the search; 0 for none.

    Raises
    ------
    ScenarioError
        The class is no tracker and no attacker, or a parameter is refused.
    """
    import yaml

    refuse_in_import("arena")
    mine, role, task = _entrant(entrant)
    sizes = {"seed": plain(seed), "trials": plain(trials), "sites": plain(sites), "items": counted(items)}
    load({"name": "arena", PROTOCOL: "exact", ADVERSARY: GAMES[Count], **sizes})  # refuses sizes out of range
    if search and (role != PROTOCOL or task is not Count or search < FEWEST_SEARCHED):
        raise ScenarioError(must_be(f"at least {FEWEST_SEARCHED}, for a tracker of counts", search, "search"))
    data = _scenario(mine, sizes, task)
    if search:
        _search(data, search)
    folder = Path(out) if out is not None else Path("results") / data["name"]
    scenario = load(data)
    results = run(scenario, out=folder, workers=workers, game_timeout=game_timeout, on_progress=on_progress)
    write_text(folder / SCENARIO, yaml.safe_dump(data, sort_keys=False, allow_unicode=True), folder)
    names = _names([getattr(point, side) for point in scenario.points for side in ROLES])
    entered = getattr(scenario.points[0], role)  # it stands before all others of its side
    return Arena(role, names[canonical(entered.identity())], results, _matrix(results.trials, scenario, names))


def _entrant(entrant: type | str | Mapping[str, object]) -> tuple[Part, Role, type[Task]]:
    """Return the class that enters, with its role and its game.

    Raises
    ------
    ScenarioError
        It is no tracker and no attacker, or cannot be imported.
    """
    if isinstance(entrant, str | Mapping):
        given = entry_of(entrant) if isinstance(entrant, str) else entrant
        entry = {key: value.tolist() if hasattr(value, "tolist") else value for key, value in given.items()}  # numpy's
    else:
        entry = {"kind": _reference_of(entrant)}
    kind = str(entry.get("kind"))
    maker = part(family_named(kind, ROLES), entry, Path()).maker()
    if not callable(maker):
        example = f", as in {kind.rpartition(':')[0] or 'mine.py'}:{type(maker).__name__}"
        raise ScenarioError(f"{kind}: {TAKES}{example}; got an object")
    role = role_of(maker)
    for task in GAMES:
        extends = not inspect.isclass(maker) or issubclass(maker, import_reference(task.bases[role]))
        if extends and (role == ADVERSARY or task.meant_for(maker)):
            return part(role, entry, Path(), task.bases[role]), role, task
    raise ScenarioError(f"{kind}: arena takes a Protocol, ItemTracker of item-frequency, Adversary or ItemAdversary")


def _reference_of(entrant: Any) -> str:
    """Return the kind of a class or function; ScenarioError if workers could not import it, or it is an object."""
    if isinstance(entrant, Protocol | Opponent):
        kind = entrant.kind if entrant.kind in kinds(role_of(type(entrant))) else f"mine.py:{type(entrant).__name__}"
        entry = {"kind": kind, **unusual(type(entrant), entrant.as_mapping())}
        entry |= {name: entrant.as_mapping()[name] for name in LISTED if entrant.as_mapping().get(name) is not None}
        raise ScenarioError(f"{TAKES}, or a mapping: arena({entry})")
    name, module = getattr(entrant, "__qualname__", ""), getattr(entrant, "__module__", "")
    if not name.isidentifier():
        raise ScenarioError(f"{entrant!r}: {TAKES} of a module")
    if module != "__main__":
        return f"{module}:{name}"
    with suppress(OSError, TypeError):  # a worker process has another main module
        if Path(file := inspect.getfile(entrant)).is_file():
            return f"{file}:{name}"
    raise ScenarioError(session_advice(entrant))


def _scenario(mine: Part, sizes: Mapping[str, Any], task: type[Task]) -> dict[str, Any]:
    """Return the scenario in which a class meets all of the other side."""
    if mine.role == PROTOCOL:
        alpha = {"alpha": ALPHA} if parameters(mine.maker()).get("alpha") is MISSING else {}
        mine = replace(mine, arguments={**alpha, **mine.arguments})
        given = mine.given()
        promise = {name: given.get(name) or usual for name, usual in (("alpha", ALPHA), ("delta", DELTA))}
        domain = None if task is Count else given.get("domain") or DOMAIN
        shipped = _trackers(Situation(sizes["sites"], sizes["items"], **promise, against="nothing", domain=domain))
        others = [one for one in shipped if part(PROTOCOL, one, Path()).identity() != mine.identity()]
        sides = {
            PROTOCOL: [{"kind": mine.kind, **mine.arguments}, *others],
            ADVERSARY: list(attackers(task, domain)),
        }
        question = f"Which attackers break {mine.label}?"
    else:
        own = {**with_power(mine.kind, mine.maker()), **mine.arguments}
        alphas = ((name, parameters(kind.load())) for name, kind in task.kinds(PROTOCOL).items())
        trackers = [{"kind": name, **({"alpha": ALPHA} if "alpha" in taken else {})} for name, taken in alphas]
        beside = [] if mine.kind == GAMES[task] else [{"kind": GAMES[task]}]
        sides = {PROTOCOL: trackers, ADVERSARY: [own, *beside]}
        question = f"Which trackers does {mine.label} break?"
    return {
        "name": "arena-" + re.sub(r"[^\w.-]+", "-", mine.label, flags=re.ASCII).strip("-").lower(),
        "question": question,
        TASK: task.kind,
        **sizes,
        **sides,
        "plots": [{"kind": "matrix"}],
    }


def _search(data: dict[str, Any], games: int) -> None:
    """Replace the adversary `policy` of a scenario by the strongest one that a search against its tracker finds.

    Raises
    ------
    ScenarioError
        No installed package registers a search.
    """
    size = {name: data[name] for name in ("sites", "items", "seed")}
    searcher = next(iter(entry_points(group=SEARCHERS)), None)
    if searcher is None:
        raise ScenarioError(f"search: no package registers one ({SEARCHERS})")
    found = searcher.load()(part(PROTOCOL, data[PROTOCOL][0], Path()).make(), **size, budget=games).policy
    others = [one for one in data[ADVERSARY] if one["kind"] != found.kind]
    data[ADVERSARY] = [{"kind": found.kind, **found.as_mapping()}, *others]


def _trackers(situation: Situation) -> Iterator[dict[str, object]]:
    """Yield the entries of the shipped trackers with this promise, also where it is for inputs that do not react."""
    for one in candidates(situation):
        taken = parameters(type(one.protocol))
        yield {"kind": one.protocol.kind, **({"alpha": situation.alpha} if "alpha" in taken else {}), **one.parameters}


def _label(side: Part, promise: Mapping[str, Any] | None = None) -> str:
    """Return the name of a side, with its parameters; of those of the promise only the ones in `promise`.

    A tracker that takes a delta or none is another one with it, and says so.
    """
    given = unusual(side.maker(), side.arguments)
    if parameters(side.maker()).get("delta", MISSING) is None and side.arguments.get("delta") is not None:
        given["delta"] = side.arguments["delta"]
    without = [one for one in PROMISE if one != "delta"]
    return label_of(side.label, {**in_words(given, without), **in_words(promise or {})}.values())


def _names(sides: Sequence[Part]) -> dict[str, str]:
    """Return the name of each side by its identity; sides that differ in their promise only state it."""
    named: dict[str, dict[str, Part]] = {}
    for side in sides:
        named.setdefault(_label(side), {})[canonical(side.identity())] = side
    names = {}
    for alike in named.values():
        promises = {key: {one: side.given().get(one) for one in PROMISE} for key, side in alike.items()}
        apart = [one for one in PROMISE if differ(promise[one] for promise in promises.values())]
        for key, side in alike.items():
            names[key] = _label(side, {one: promises[key][one] for one in apart})
    return names


def _matrix(trials: pd.DataFrame, scenario: Scenario, names: Mapping[str, str]) -> pd.DataFrame:
    """Return the rows of `Arena.matrix`."""
    import pandas as pd

    rows, over_of_all = [], over_alpha(trials).fillna(0.0)
    for point in scenario.points:
        games = trials[trials[POINT] == point.number]
        played = finished(games)
        over = over_of_all[played.index]
        worst = over.idxmax() if len(over) else games.index[0]
        row: dict[str, object] = {side: names[canonical(getattr(point, side).identity())] for side in ROLES}
        row |= {POINT: point.number}
        row |= {TRIAL: int(games[TRIAL][worst]), "games": len(games), "errors": len(games) - len(played)}
        row |= {name: int((played[VERDICT] == verdict).sum()) for name, verdict in (("held", OK), ("failed", FAILED))}
        row |= {"over_alpha": over.max(), "words": played.words.median()}
        row |= {"ended_early": int((played["items"] < (point.items or 0)).sum())}
        rows.append(row)
    return pd.DataFrame(rows)
