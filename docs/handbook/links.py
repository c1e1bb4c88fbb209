"""Links to files of the project as links within the site.

The pages are read on GitHub too, so they name scenarios, classes and figures by their files. On the site such a link
leads to the page that was made of the file; where there is none, the text of the link stays.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from functools import cache
from typing import Final

from disttrack.simulator.experiments.scenario.shipped import shipped_scenarios
from disttrack.simulator.kinds.registry import FAMILIES, HOMES, kinds
from handbook.written import ROOT, on_site

LINK: Final = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
FENCED: Final = re.compile(r"(^ *(`{3,})[^\n]*\n.*?^ *\2[ \t]*$)", re.MULTILINE | re.DOTALL)
SOURCE: Final = "src/disttrack/"
FIGURE: Final = re.compile(r"results/reference/([\w-]+)/figures/([\w.-]+)$")
STATEMENTS: Final = re.compile(rf"{SOURCE}[\w/]+/statements(?:/(\w+)\.yaml)?$")
SCENARIO: Final = re.compile(rf"{SOURCE}(?:\w+/)?scenarios/([\w-]+)\.yaml$")


def outside_code(text: str, change: Callable[[str], str]) -> str:
    """Return a page with everything changed that is no fenced block."""
    parts = FENCED.split(text)  # text, block, its fence, text, …
    return "".join(change(part) if place % 3 == 0 else part for place, part in enumerate(parts) if place % 3 != 2)


def rewritten(text: str, file: str) -> str:
    """Return a page with its links to files of the project led to pages of the site.

    Parameters
    ----------
    file
        The file of the page, from the top of the project.

    Examples
    --------
    >>> rewritten("see [headline](../src/disttrack/scenarios/headline.yaml), [game](game.md#compiled)", "docs/trust.md")
    'see [headline](gallery/headline.md), [game](game.md#compiled)'
    >>> rewritten("![Cost](../../results/reference/scale/figures/cost-sites.png)", "docs/learn/tracking.md")
    '![Cost](../reference/scale/cost-sites.png)'
    >>> rewritten("[`freeze`](../src/disttrack/adversaries/adaptive.py) and [tests](../tests/goldens)", "docs/game.md")
    '[`freeze`](adversaries/freeze.md) and tests'
    >>> rewritten("[the game](../../../../docs/game.md)", "src/disttrack/mine/docs/page.md")
    '[the game](game.md)'
    """

    def replacement(match: re.Match[str]) -> str:
        image, label, target = match.groups()
        if re.match(r"[a-z]+:|#|/", target):
            return match[0]
        target, mark, place = target.partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(file), target))
        there = page_of(path, label.strip("`"))
        if not there:
            return label
        return f"{image}[{label}]({posixpath.relpath(there, posixpath.dirname(on_site(file)) or '.')}{mark}{place})"

    return outside_code(text, lambda part: LINK.sub(replacement, part))


def page_of(path: str, label: str) -> str:
    """Return the path on the site of a page, or of the page made of a file; nothing if there is none.

    Parameters
    ----------
    path
        From the top of the project.
    label
        The text of the link: the kind that is meant where a file holds several.
    """
    if match := FIGURE.match(path):  # some are drawn when the site is built
        return f"reference/{match[1]}/{match[2]}" if match[1] in shipped_scenarios() else ""
    if not (ROOT / path).exists():  # of a wing that this tree has not
        return ""
    if there := on_site(path):
        return there
    if match := SCENARIO.match(path):
        return f"gallery/{match[1]}.md"
    if match := STATEMENTS.match(path):
        return f"claims-{match[1].replace('_', '-')}.md" if match[1] else "claims.md"
    here = kinds_by_file().get(path, {})
    return here.get(label) or (next(iter(here.values())) if len(here) == 1 else "")


@cache
def kinds_by_file() -> dict[str, dict[str, str]]:
    """Return the pages of the built-in kinds by the file that each stands in, and by its name."""
    pages: dict[str, dict[str, str]] = {}
    for family in FAMILIES:
        for name, kind in kinds(family).items():
            file = f"src/{kind.reference.partition(':')[0].replace('.', '/')}.py"
            pages.setdefault(file, {})[name] = f"{HOMES[family].plural}/{name}.md"
    return pages
