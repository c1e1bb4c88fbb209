"""The terms of a page: the game and its sizes, and the facts of every protocol and adversary."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.shown.pages.html import Html, facts, joined, section

if TYPE_CHECKING:
    from disttrack.simulator.experiments.results.folder import Results
    from disttrack.simulator.kinds.facts import Facts

TRACKING: Final = {
    "site": "One of k places at which items arrive; it sees its own.",
    "server": "Estimates at every step how many items all sites have received: N.",
    "word": "A number below N: the unit of cost, in both directions. A message is at least one.",
    "alpha (α)": "A game fails if |estimate − N| exceeds alpha · N at any step.",
    "error / α": "The largest relative error of a game, in units of alpha.",
    "delta": "The probability with which a game may fail, where it is promised.",
    "adversary": "Chooses which site gets the next item; an adaptive one reacts to the outputs.",
    "held": "Games that kept their promise, of those with one.",
}
"""Terms of the tracking game."""


def words(results: Results) -> Html:
    """Return the section: terms, then the facts of the task and of each protocol and adversary."""
    task = str(results.scenario.get("task") or "count")
    entries = [
        Html("<h3 id='word-{}'>{} <small class='quiet'>{}</small></h3>{}", one.name, one.name, one.family, _entry(one))
        for one in _known(results, task)
    ]
    terms = facts(TRACKING) if task == "count" else Html("")
    return section("Terms", terms, joined(entries), anchor="words")


def _known(results: Results, task: str) -> list[Facts]:
    """Return the facts of the task, and of the kinds on both sides in the order in which they were played."""
    from disttrack.simulator.experiments.results.folder import class_of
    from disttrack.simulator.experiments.scenario.settings import SIDES
    from disttrack.simulator.kinds.facts import Facts

    maker = results.task
    entries = [Facts("task", task, "", task, maker)]
    for side in [side for side in SIDES if side not in maker.idle]:
        for kind in dict.fromkeys(map(str, results.trials[side].dropna())):
            with suppress(ScenarioError, TypeError, ValueError):  # a user's class that was not given
                entries.append(Facts(side, kind, "", kind, class_of(side, kind, results.own, maker.bases[side])))
    return entries


def _entry(known: Facts) -> Html:
    """Return the facts of one kind; all but its first paragraph and its properties folded away."""
    first, *rest = known.says.split("\n\n")
    properties = {key: text for key, text in known.properties.items() if text != "none" and key != "columns"}
    if cost := known.stated_cost:
        properties["cost"] = cost
    parameters = {each.name: f"{each.says} ({each.shown})" for each in known.parameters}
    sizes = {size.key: size.says for size in known.sizes}
    more = [*(Html("<p>{}</p>", part) for part in rest), *(facts(part) for part in (parameters, sizes) if part)]
    folded = Html("<details><summary>More of {}</summary>{}</details>", known.name, joined(more)) if more else Html("")
    return Html("<p>{}</p>{}{}", first, facts(properties) if properties else Html(""), folded)
