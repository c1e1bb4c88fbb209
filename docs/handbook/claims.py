"""The claims of the five papers as pages: each statement with its tests, measured values and verdicts.

They are made from the reference results. The scenarios name the statement that each claim tests (`source:`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, nan
from pathlib import Path
from typing import Final

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.experiments.claims.claim import Claim
from disttrack.simulator.experiments.claims.false_alarm import ALLOWED, rate_of_several
from disttrack.simulator.experiments.claims.findings import SKIPPED, UNDECIDED
from disttrack.simulator.experiments.claims.statements import PAPERS, Paper, key_of
from disttrack.simulator.experiments.results.formats import chance, games_of, interval, number, span
from disttrack.simulator.experiments.results.stored import text_rows
from disttrack.simulator.experiments.scenario.document import read

OTHERS: Final = "Beyond the papers"
HEAD: Final = """# Claims

Made from the claims of the scenarios in `scenarios/` and from the results in `results/reference/` when the site was
built. [Scenarios](scenarios.md#claims) explains claims and controls, [Why you can believe a
result](trust.md#false-alarms) false alarms and power.

Each of the five papers has a page, with its checkable statements in a line each, in our words, and under each the
claims of scenarios, and the tests, that bear it. The tests pass with each commit; a test's *control* is what is broken
where the same check fails. Intervals are at 95 %; of a claim made for several groups the ranges over them are shown,
its false alarms add up, and it holds if all of them do. `8 (80 played)`: games that repeat another one count once.
"""


@dataclass(frozen=True)
class Measured:
    """A claim of a scenario with its outcome.

    Attributes
    ----------
    scenario
        The scenario's name.
    claim
        The claim.
    outcomes
        Rows of claims.csv: one, or one a group; none if the claim has not been measured.
    """

    scenario: str
    claim: Claim
    outcomes: Sequence[Mapping[str, str]]

    @property
    def verdict(self) -> str:
        """Return the verdict in a word or two."""
        if not self.outcomes:
            return "not run"
        verdicts = [row["verdict"] for row in self.outcomes]
        if failing := verdicts.count("FAIL"):
            return "**fails**" if len(verdicts) == 1 else f"**fails** in {failing} of {len(verdicts)}"
        return next((f"**{word.lower()}**" for word in (UNDECIDED, SKIPPED, "VACUOUS") if word in verdicts), "holds")

    @property
    def false_alarm(self) -> float | None:
        """Return the chance that a fresh run misses the bound of one of its groups; None if it is not known."""
        rates = [float(row["false_alarm"]) if row.get("false_alarm") else None for row in self.outcomes]
        return rate_of_several(rates) if rates else None

    @property
    def of_goal(self) -> float:
        """Return the smallest violation that all groups find, over that of the goal; infinite if it is not known."""
        return max((float(row.get("of_goal") or inf) for row in self.outcomes), default=inf)

    def row(self) -> list[str]:
        """Return its cells: claim, measure, measured, interval, bound, control, games, false alarm, power, verdict."""
        values = [float(row["value"]) for row in self.outcomes if row["value"]]
        wanted = self.outcomes[0]["bound"] if self.outcomes else self.claim.bound
        games = sum(int(row["games"]) for row in self.outcomes)
        played = sum(int(row.get("played") or row["games"]) for row in self.outcomes)
        where = f"`{self.scenario}`: {self.claim.name}"
        measured = span(values) + (f" ({len(self.outcomes)} groups)" if len(self.outcomes) > 1 else "")
        ends = [interval(*(float(row[end] or nan) for end in ("low", "high"))) for row in self.outcomes]
        shown = games_of(games, played) if games else ""
        power = span([float(row["power"]) for row in self.outcomes if row.get("power")])
        goal = number(self.of_goal) if power else ""
        if self.of_goal > 1 and self.claim.weak is not None:
            goal += f": {self.claim.weak}"
        beside = [wanted, self._control(), shown, chance(self.false_alarm), power, goal, self.verdict]
        return [where, f"`{_flat(self.claim.measure)}`", measured, ends[0] if len(ends) == 1 else "", *beside]

    def _control(self) -> str:
        """Return the value of the control and its fault, or the reason why there is none."""
        if self.claim.no_control is not None:
            return f"none: {self.claim.no_control}"
        if self.claim.control is None:
            return ""
        values = [float(row["control"]) for row in self.outcomes if row.get("control")]
        return f"{span(values) if values else 'not run'} ({self.claim.control.says})"


def claims_with_results(scenarios: Iterable[Path], results: Path) -> list[Measured]:
    """Return the claims of scenario files with their outcomes.

    Raises
    ------
    ScenarioError
        If a claim names a statement that is none.
    """
    measured = []
    for path in sorted(scenarios):
        data = read(path, str(path)).data
        name = str(data.get("name", path.stem))
        rows = text_rows(results / name / "claims.csv")
        for given in data.get("claims", []):
            claim = Claim.model_validate(given)
            for source in claim.sources:
                if key_of(source) is None:
                    raise ScenarioError(
                        f"{path}: claim {claim.name!r}: source {source!r} names no statement, or several"
                    )
            mine = [row for row in rows if row["name"] == claim.name and _flat(row["measure"]) == _flat(claim.measure)]
            measured.append(Measured(name, claim, mine))
    return measured


def pages(claims: Sequence[Measured]) -> dict[str, str]:
    """Return pages in Markdown by their paths: the overview, one per paper, and the rest."""
    others = [one for one in claims if not one.claim.sources]
    parts = {_path(paper.name): "\n".join(_part(paper, claims)) for paper in PAPERS}
    parts[_path(OTHERS)] = f"# Claims: {OTHERS.lower()}\n\n{_table(others)}"
    beyond = f"Claims [beyond the papers]({_path(OTHERS)})"
    overview = f"{HEAD}\n{_verdicts(claims)}\n\n{_rates(claims)}\n\n{_papers(claims)}\n{beyond}"
    return {path: text.rstrip() + "\n" for path, text in {"claims.md": overview, **parts}.items()}


def _path(title: str) -> str:
    """Return the path of a page."""
    return f"claims-{title.lower().replace(' ', '-')}.md"


def _part(paper: Paper, claims: Sequence[Measured]) -> Iterable[str]:
    """Yield the blocks of a paper's page."""
    yield f"# Claims: {paper.name}\n\n{paper.cites}.\n"
    for statement in paper.statements:
        mine = _bearing(paper.key(statement), claims)
        yield f"## {statement.name}\n\n{statement.says}\n"
        if mine:
            yield _table(mine)
        if statement.tests:
            heads = "test | what it asserts | control, where the same check fails"
            yield _markdown(heads, [(f"`{one.test}`", one.says, one.control or "none") for one in statement.tests])
        if statement.untested:
            yield f"No experiment of its own: {statement.untested}.\n"
        elif not mine and not statement.tests:
            yield "Nothing tests it yet.\n"


def _bearing(key: str, claims: Iterable[Measured]) -> list[Measured]:
    """Return the claims that name a statement as their source."""
    return [one for one in claims if key in map(key_of, one.claim.sources)]


def _markdown(heads: str, rows: Iterable[Sequence[object]]) -> str:
    """Return a table; `heads` has its headings with bars between them."""
    lines = [f"| {heads} |", "| " + " | ".join("---" for _ in heads.split("|")) + " |"]
    lines += ["| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def _verdicts(claims: Sequence[Measured]) -> str:
    words = {
        "hold": "holds",
        "fail": "**fails",
        "are vacuous": "**vacuous",
        "are undecided": "**undecided",
    }
    counts = {says: sum(one.verdict.startswith(word) for one in claims) for says, word in words.items()}
    counts["have not been run"] = sum(not one.outcomes for one in claims)
    listed = ", ".join(f"{number} {says}" for says, number in counts.items())
    controlled = sum(one.claim.control is not None for one in claims)
    return f"{len(claims)} claims: {listed}. {controlled} of them have a control."


def _rates(claims: Sequence[Measured]) -> str:
    """Return how many claims are as sure to hold as they have to be, and how many reach the goal of their power."""
    measured = [one for one in claims if one.outcomes]
    often = [one for one in measured if one.false_alarm is None or one.false_alarm > ALLOWED]
    listed = [f"`{one.scenario}`: {one.claim.name} ({chance(one.false_alarm) or 'not known'})" for one in often]
    above = f"; not: {', '.join(listed)}" if listed else ""
    weak = [one for one in measured if one.of_goal > 1]
    excused = sum(one.claim.weak is not None for one in weak)
    of_all = f"of {len(measured)} measured claims"
    return (
        f"{len(measured) - len(often)} {of_all} have a false-alarm rate of at most {ALLOWED:g}{above}.\n\n"
        f"{len(measured) - len(weak)} {of_all} reach the goal of their power; {excused} of the other {len(weak)} "
        "say why they do not."
    )


def _papers(claims: Sequence[Measured]) -> str:
    """Return a table of the numbers of statements of each paper with a claim, a test, a reason, or nothing."""
    rows = []
    for paper in PAPERS:
        counts = [0, 0, 0, 0]
        for statement in paper.statements:
            claimed = bool(_bearing(paper.key(statement), claims))
            counts[0 if claimed else 1 if statement.tests else 2 if statement.untested else 3] += 1
        rows.append([f"[{paper.name}]({_path(paper.name)})", len(paper.statements), *counts])
    return _markdown(
        "paper | statements | with a claim | with a test only | untested, with a reason | nothing yet", rows
    )


def _table(claims: Sequence[Measured]) -> str:
    heads = "scenario: claim | measure | measured | 95 % interval | bound | control | games | false alarm | power "
    return _markdown(f"{heads}| of its goal | verdict", [one.row() for one in claims])


def _flat(text: str) -> str:
    """Return a text on one line, with single spaces."""
    return " ".join(text.split())
