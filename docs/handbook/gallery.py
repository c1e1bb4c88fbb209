"""A page a scenario, and the gallery: the figures of the reference results with the questions that they answer."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from typing import Final

from disttrack.simulator.experiments.results.formats import number
from disttrack.simulator.shown.plots.base import brief
from handbook.corpus import Row, Shipped, shipped
from handbook.prose import code, paragraphs, prose, table

CHAPTERS: Final = {
    "Tracking": ("count", "generalisation", "audit-tracker"),
    "Counters under continual observation": (
        *("continual-count", "threshold-monitor", "threshold-queries", "density", "experts"),
    ),
    "Private data that changes": ("static-queries", "dynamic-queries"),
    "Sketches under attack": ("second-moment", "distinct-count", "frequency", "resettable-sum"),
    "Adaptive data analysis": ("statistical-queries", "sample-size", "worst-of-many"),
    "Online prediction": ("prediction", "mirror", "joint-privacy"),
    "Audits of privacy": ("audit",),
}
"""The tasks of each part of the gallery, in the order of the chapters."""


def by_chapter() -> dict[str, list[Shipped]]:
    """Return the scenarios of each part; what no part names stands in a last one."""
    chapters: dict[str, list[Shipped]] = {chapter: [] for chapter in [*CHAPTERS, "More"]}
    for one in shipped().values():
        task = one.scenario.head.task
        chapters[next((chapter for chapter, tasks in CHAPTERS.items() if task in tasks), "More")].append(one)
    return {chapter: some for chapter, some in chapters.items() if some}


def gallery_pages() -> dict[str, tuple[str, str, list[Shipped]]]:
    """Return title, text and scenarios of the gallery's pages by their paths: an overview, and a page per part."""
    overview = (
        "# Gallery\n\nThe figures of the reference results in `results/reference/`: each is drawn from the tables "
        "beside it, which the scenario makes again.\n"
    )
    pages: dict[str, tuple[str, str, list[Shipped]]] = {}
    for chapter, some in by_chapter().items():
        path = f"gallery/{chapter.lower().replace(' ', '-')}.md"
        overview += f"\n## [{chapter}]({posixpath.basename(path)})\n\n"
        overview += "".join(f"- [{one.name}]({one.name}.md): {prose(one.scenario.head.question)}\n" for one in some)
        text = "".join(f"\n## [{one.name}]({one.name}.md)\n\n{_question(one)}\n\n{_pictures(one)}" for one in some)
        pages[path] = chapter, f"# {chapter}\n{text}", some
    return {"gallery/index.md": ("All scenarios", overview, []), **pages}


def scenario_page(one: Shipped) -> str:
    """Return the page of a scenario: its question, figures, claims as measured, and its text."""
    scenario = one.scenario
    sides = ", ".join(_links(one))
    return "\n".join(
        [
            f"# {one.name}\n\n**{prose(scenario.head.question)}**\n\n{_finding(one)}{paragraphs(one.comment)}\n",
            _pictures(one),
            f"## Claims\n\n{claims_table(one.claims)}" if one.claims else "",
            f"## Play it\n\n{scenario.size}, of {sides}.\n\n```text\ndisttrack run {one.name}\n```\n",
            f'## The file\n\n```yaml title="scenarios/{one.path.name}"\n{_text(one)}\n```\n',
        ]
    )


def claims_table(claims: Iterable[Row]) -> str:
    """Return rows of claims.csv as a table, a line a claim; of a claim for several groups, the range over them."""
    groups: dict[str, list[Row]] = {}
    for row in claims:
        groups.setdefault(row["name"], []).append(row)
    lines = []
    for name, rows in groups.items():
        verdicts = {row["verdict"] for row in rows}
        lines.append(
            [
                prose(name),
                code(rows[0]["measure"]),
                _span([row["value"] for row in rows]),
                prose(rows[0]["bound"]),
                _span([row["control"] for row in rows if row["control"]]) or "–",
                ", ".join(sorted(verdicts)),
            ]
        )
    return table(["claim", "measure", "measured", "bound", "in the control", "verdict"], lines)


def _span(values: list[str]) -> str:
    numbers = sorted({float(value) for value in values if value})
    if not numbers:
        return ""
    low, high = number(numbers[0]), number(numbers[-1])
    return low if low == high else f"{low} … {high}"


def _question(one: Shipped) -> str:
    return f"{prose(one.scenario.head.question)} {_finding(one)}".rstrip()


def _finding(one: Shipped) -> str:
    """Return the finding of a scenario whose claims hold in the reference results."""
    holds = one.claims and all(row["verdict"] == "PASS" for row in one.claims)
    return f"{prose(one.scenario.head.finding)}.\n\n" if holds and one.scenario.head.finding else ""


def _pictures(one: Shipped) -> str:
    return "".join(
        f"![{says.replace('[', '(').replace(']', ')')}](../reference/{one.name}/{file})\n\n{prose(brief(says))}\n\n"
        for file, says in one.captions.items()
    )


def _links(one: Shipped) -> list[str]:
    from disttrack.simulator.kinds.registry import HOMES, kinds

    parts = {
        (part.role, part.label): part
        for point in one.scenario.points
        for part in (point.task, point.protocol, point.adversary)
    }
    return [
        f"[{label}](../{HOMES[family].plural}/{label}.md)" if label in kinds(family) else code(label)
        for family, label in sorted(parts)
    ]


def _text(one: Shipped) -> str:
    """Return the file without the comment that the page has above."""
    lines = one.path.read_text(encoding="utf-8").splitlines()
    while lines and lines[0].startswith("#"):
        lines.pop(0)
    return "\n".join(lines)
