"""What the words of a page mean: the game and its sizes, and every protocol and adversary in its class's own words."""

from __future__ import annotations

from dataclasses import MISSING
from typing import TYPE_CHECKING, Any, Final

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.pages.html import Html, facts, joined, section

if TYPE_CHECKING:
    from disttrack.simulator.points.facts import Facts
    from disttrack.simulator.results.folder import Results

TRACKING: Final = {
    "site": "One of k places at which items arrive. It sees only its own, and speaks to the server.",
    "server": "Hears the sites, and must know at every step how many items all of them have received: N.",
    "word": "A number below N, the unit of cost: what crosses a channel, either way. A message is at least one.",
    "alpha (α)": "The relative error that is allowed. A game fails if |estimate − N| exceeds alpha · N at any step.",
    "error / α": "The largest relative error over all steps of a game, in units of alpha: above 1 it has failed.",
    "delta": "The probability with which a protocol may fail, where it promises more than a fixed chance.",
    "adversary": "Chooses which site gets the next item. An adaptive one sees the server's outputs and reacts to them;"
    " an oblivious one does not.",
    "held": "How many games kept what was promised, of those in which something was.",
}
"""Words of the tracking game."""


def words(results: Results) -> Html:
    """Return the section: terms, then what is known of the task and of each protocol and adversary."""
    task = str(results.scenario.get("task") or "count")
    found = _found(results, task)
    entries = [
        Html("<h3 id='word-{}'>{} <small class='quiet'>{}</small></h3>{}", f.name, f.name, f.family, _told(f))
        for f in found
    ]
    terms = facts(TRACKING) if task == "count" else Html("")
    return section("What the words mean", terms, joined(entries), anchor="words")


def _found(results: Results, task: str) -> list[Facts]:
    """Return what is known of the task, and of the kinds on both sides in the order in which they were played."""
    from disttrack.simulator.points.facts import facts as known
    from disttrack.simulator.results.folder import class_of

    found = []
    maker: Any = None
    try:
        maker = results.task
        found.append(known("task", task, "", task, maker))
    except ScenarioError:
        pass  # a user's class that was not given
    families: dict[str, Any] = {"protocol": "protocol", "adversary": "adversary"}
    families |= maker.families if maker is not None else {}
    for side in ("protocol", "adversary"):
        if side in getattr(maker, "idle", ()):
            continue
        for kind in dict.fromkeys(map(str, results.trials[side].dropna())):
            try:
                found.append(known(families[side], kind, "", kind, class_of(families[side], kind, results.own)))
            except (ScenarioError, TypeError, ValueError):
                continue  # a user's class
    return found


def _told(known: Facts) -> Html:
    """Return what is known of one kind."""
    first, *rest = known.says.split("\n\n")
    said = {key: text for key, text in known.told.items() if text != "none" and key != "columns"}
    if known.cost is not None and known.cost.bounds:
        said["cost"] = known.cost.says
    parameters = [
        f"{each.name}"
        + ("" if each.default is MISSING else f" [{each.default!r}]")
        + (f": {each.says}" if each.says else "")
        for each in known.parameters
    ]
    more = [Html("<p>{}</p>", part) for part in rest]
    if parameters:
        more.append(
            Html(
                "<p>Parameters, with defaults in brackets:</p><ul>{}</ul>",
                joined([Html("<li>{}</li>", each) for each in parameters]),
            )
        )
    if known.sizes:
        more.append(facts({size.key: size.says for size in known.sizes}))
    hidden = Html("<details><summary>More of {}</summary>{}</details>", known.name, joined(more)) if more else Html("")
    return Html("<p>{}</p>{}{}", first, facts(said) if said else Html(""), hidden)
