"""The mail of a game of quotas on arrays: letters for windows, and requests that wait for answers.

The functions are plain Python, written to be compiled. Where messages take no time, a letter arrives in the step in
which it was sent, before anything else happens in it.
"""

from __future__ import annotations

from typing import Any

from disttrack.fleet.quotas import state
from disttrack.fleet.quotas.state import Mail, Number, Whole
from disttrack.mechanisms.compiler import large
from disttrack.protocols.letters import CHAIN, FROM, OF_LETTER, UPWARDS, arrives, ends_letter, sends

OF, NUMBER, COST, TEXT = range(OF_LETTER, OF_LETTER + 4)
"""Of a letter, besides what every letter has: its window, and what else it says."""
# ---- a request that waits: the next one, its cost, and the step in which it was first tried
NEXT_WAIT, WAIT_COST, WAIT_SINCE = range(3)
LOWEST, HIGHEST = range(2)
"""The extremes of the error with allowance for messages on their way."""


# ---------------------------------------------------------------------- sending


@large
def posts(whole: Whole, sites: Whole, mail: Mail, site: Number, up: Number, kind: Number, words: Number) -> Any:
    """Send a message to the server, or to a site; return the place of its letter, for what it says."""
    sites[site, state.UP if up else state.DOWN] += 1
    whole[state.SENT_OF + kind] += 1
    whole[state.MESSAGES] += 1
    whole[state.WORDS] += words
    place = sends(whole, mail, site, up, kind)
    mail[state.LETTERS][place, OF] = sites[site, state.TURNS] if up else whole[state.NOW]
    return place


# ---------------------------------------------------------------------- arriving


def server_hears(whole: Whole, sites: Whole, mail: Mail, letter: Whole) -> None:
    """Have the server take a letter; a kind puts its own in place of this."""


def site_hears(whole: Whole, sites: Whole, mail: Mail, letter: Whole) -> None:
    """Have a site take a letter for its present window; a kind puts its own in place of this."""


def site_keeps(whole: Whole, sites: Whole, mail: Mail, letter: Whole) -> None:
    """Have a site keep a letter for a window that has not begun."""


def delivers(whole: Whole, sites: Whole, mail: Mail) -> None:
    """Deliver the first letter."""
    letter = mail[state.LETTERS][arrives(whole, mail)]
    site = letter[FROM]
    if letter[UPWARDS]:
        server_hears(whole, sites, mail, letter)
    elif not sites[site, state.PRESENT]:
        whole[state.LOST] += 1
    elif whole[state.ANY_WINDOW] or letter[OF] == sites[site, state.TURNS]:
        whole[state.HEARD_CHAIN] = letter[CHAIN]
        site_hears(whole, sites, mail, letter)
        whole[state.HEARD_CHAIN] = -1
    elif letter[OF] > sites[site, state.TURNS]:
        site_keeps(whole, sites, mail, letter)
    if not whole[state.DECIDES]:
        ends_letter(whole, mail)


# ---------------------------------------------------------------------- answers


def gives(whole: Whole, sites: Whole, mail: Mail, site: Number, admitted: Number) -> None:
    """Note the answer of a site to a request, as `Answers.give` does."""
    if sites[site, state.ANSWER] == admitted:
        return
    sites[site, state.ANSWER] = admitted
    whole[state.CHANGES] += 1
    if whole[state.UNSEEN] < len(mail[state.CHANGED]):
        mail[state.CHANGED][whole[state.UNSEEN]] = site
    whole[state.UNSEEN] += 1


def notes(whole: Whole, mail: Mail, cost: Number, offered: Number, admitted: Number) -> None:
    """Note a request that comes or is admitted, as the `Book` does."""
    offered = offered and whole[state.NOTED_OFFERS] < whole[state.MOST_NOTES]
    admitted = admitted and whole[state.NOTED_ADMISSIONS] < whole[state.MOST_NOTES]
    if offered or admitted:
        row = mail[state.NOTED][whole[state.NOTES]]
        row[0], row[1], row[2] = whole[state.STEP], cost, 2 * offered + admitted
        whole[state.NOTES] += 1
        whole[state.NOTED_OFFERS] += offered
        whole[state.NOTED_ADMISSIONS] += admitted


def admits(whole: Whole, sites: Whole, mail: Mail, site: Number, cost: Number, since: Number) -> None:
    """Admit a request, tried since a step."""
    sites[site, state.ADMITTED] += 1
    sites[site, state.SITE_COST] += cost
    whole[state.ADMITTED_COST] += cost
    whole[state.ADMISSIONS] += 1
    whole[state.WAITED] += whole[state.STEP] - since
    gives(whole, sites, mail, site, 1)


def waits(whole: Whole, sites: Whole, mail: Mail, site: Number, cost: Number) -> None:
    """Have a request wait for an answer."""
    place, kept = whole[state.FREE_WAIT], mail[state.WAITS]
    whole[state.FREE_WAIT] = kept[place, NEXT_WAIT]
    kept[place, WAIT_COST], kept[place, WAIT_SINCE] = cost, whole[state.SINCE] or whole[state.STEP]
    if sites[site, state.WAITING]:
        kept[sites[site, state.LAST_WAIT], NEXT_WAIT] = place
    else:
        sites[site, state.FIRST_WAIT] = place
    sites[site, state.LAST_WAIT] = place
    sites[site, state.WAITING] += 1


@large
def answers(whole: Whole, sites: Whole, mail: Mail, site: Number, admitted: Number) -> None:
    """Answer the request that waits longest."""
    place, kept = sites[site, state.FIRST_WAIT], mail[state.WAITS]
    cost, since = kept[place, WAIT_COST], kept[place, WAIT_SINCE]
    sites[site, state.FIRST_WAIT] = kept[place, NEXT_WAIT]
    sites[site, state.WAITING] -= 1
    kept[place, NEXT_WAIT] = whole[state.FREE_WAIT]
    whole[state.FREE_WAIT] = place
    if admitted:
        notes(whole, mail, cost, 0, 1)
        admits(whole, sites, mail, site, cost, since)
    else:
        whole[state.REJECTED] += 1
        gives(whole, sites, mail, site, 0)


def rejects_waiting(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Reject all requests that wait at a site."""
    while sites[site, state.WAITING]:
        answers(whole, sites, mail, site, 0)
