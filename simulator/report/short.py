"""The answer in short: the question, which protocol is broken by whom and by how much, what others cost, the claims."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, Final

from disttrack.simulator.pages.html import Html, joined
from disttrack.simulator.results.formats import number

if TYPE_CHECKING:
    import pandas as pd

    from disttrack.simulator.results.read import Tables

MOST: Final = 6
"""Broken pairs that are told; more are counted."""
UNEXPECTED: Final = 0.5
"""From this share of failing games on, a protocol is broken by an adversary, and does not only miss now and then."""


@dataclass(frozen=True)
class Pair:
    """All games of one protocol against one adversary.

    Attributes
    ----------
    protocol, adversary
        Their names, with what sets variants apart.
    games, failed
        Games with a verdict, and those of them that fail.
    worst
        The largest of the median errors of its points, in units of alpha; None if alpha was not promised.
    infinite
        Games whose error is infinite.
    where
        The setting at which it is that large.
    fails_from
        The first setting at which at least half of the games fail; empty if there is none.
    words
        Median of the words at the last setting; None where nothing is counted in words.
    """

    protocol: str
    adversary: str
    games: int
    failed: int
    worst: float | None
    infinite: int
    where: str
    fails_from: str
    words: float | None

    @property
    def broken(self) -> bool:
        """Tell whether it is broken at some setting: at least half of the games fail there."""
        return bool(self.fails_from)


def pairs(tables: Tables) -> tuple[list[Pair], str]:
    """Return the pairs of a result, and the setting at which their words are told; no pairs if nothing was promised."""
    from disttrack.simulator.plots.errors import error_over_alpha
    from disttrack.simulator.results.read import lines, swept_axes

    named = tables.with_adversaries_named()
    trials = named.trials.assign(_over=error_over_alpha(named.trials))
    if not trials["verdict"].isin(("ok", "failed")).any():
        return [], ""
    numeric = [axis for axis in swept_axes(trials) if trials[axis].dtype.kind in "if" and _varies(trials[axis])]
    axis = numeric[0] if numeric else ""
    found = []
    for line in lines(trials, axis):
        for adversary, games in line.games.groupby("adversary", sort=False):
            found.append(_pair(line.label, str(adversary), games, axis))
    last = _at(axis, trials[axis].max(), named.called) if axis else ""
    return found, last


def _varies(column: pd.Series[Any]) -> bool:
    """Tell whether an axis has several values; no accuracy, and a start from nothing, are none of them."""
    return column[column > 0].nunique() > 1


def _pair(protocol: str, adversary: str, games: pd.DataFrame, axis: str) -> Pair:
    left = games[games["verdict"].isin(("ok", "failed"))]
    points = [mine for _, mine in (left.groupby(axis, sort=True) if axis else [("", left)]) if len(mine)]
    over = [(float(mine["_over"].median()), mine) for mine in points]
    worst = max((each for each in over if each[0] == each[0]), key=lambda each: each[0], default=(None, None))
    failing = [mine for mine in points if (mine["verdict"] == "failed").mean() >= UNEXPECTED]
    sent = float(points[-1]["words"].median()) if points else 0.0
    return Pair(
        protocol=protocol,
        adversary=adversary,
        games=len(left),
        failed=int((left["verdict"] == "failed").sum()),
        worst=worst[0],
        infinite=int((left["_over"] == inf).sum()),
        where=_of(worst[1], axis),
        fails_from=(_of(failing[0], axis) or "everywhere") if failing else "",
        words=sent if sent > 0 else None,
    )


def _of(games: pd.DataFrame | None, axis: str) -> str:
    return "" if games is None or not axis else _at(axis, games[axis].iloc[0], {})


def _at(axis: str, value: Any, called: Any) -> str:
    """Return a setting in words: 1,024 sites, α 0.05."""
    from disttrack.simulator.results.read import name

    word = called.get(axis, axis)
    return f"{number(value)} {word}" if word.endswith("s") else f"{name(word)} {number(value)}"


def answer(question: str, story: Sequence[str], tables: Tables, claims: pd.DataFrame) -> Html:
    """Return the box at the head of the page: the question, the answer in sentences, what was found.

    Parameters
    ----------
    question, story
        What the scenario says above its first key: its first paragraph, and the others.
    """
    found, last = pairs(tables)
    told = [*_claims(claims), *_broken(found), *_held(found), *_costs(found, last), *_lost(tables.lost)]
    asked = Html("<p><strong>Question.</strong> {}</p>", question) if question else Html("")
    paragraphs = joined([Html("<p>{}</p>", part) for part in story])
    listed = joined([Html("<li>{}</li>", each) for each in told])
    return Html(
        "<section class='short' id='short'><h2>In short</h2>{}{}<ul>{}</ul></section>", asked, paragraphs, listed
    )


def _claims(claims: pd.DataFrame) -> list[Html]:
    if claims.empty:
        return []
    held = claims["verdict"] == "PASS"
    text = Html("{} of {} claims hold.", int(held.sum()), len(claims))
    missed = [f"{row['name']} ({row['verdict']})" for row in claims[~held].to_dict("records")]
    return [Html("{} <span class='fault'>Not: {}.</span>", text, "; ".join(missed)) if missed else text]


def _broken(found: Sequence[Pair]) -> list[Html]:
    broken = sorted((pair for pair in found if pair.broken), key=lambda pair: -(pair.worst or 0.0))
    told = []
    for pair in broken[:MOST]:
        finite = pair.worst is not None and pair.worst < inf
        size = f", with an error of up to {number(pair.worst)} α" if finite else ""
        size += f" at {pair.where} (median of the largest errors)" if finite and pair.where else ""
        size += f"; the error is infinite in {pair.infinite:,} games" if pair.infinite else ""
        since = f"; from {pair.fails_from} on at least half of them" if pair.where and pair.failed < pair.games else ""
        told.append(
            Html(
                "<strong>{}</strong> is broken by <strong>{}</strong>: {} of {} games fail{}{}.",
                pair.protocol, pair.adversary, f"{pair.failed:,}", f"{pair.games:,}", since, size,
            )
        )  # fmt: skip
    if len(broken) > MOST:
        told.append(Html("{} more pairs are broken; the table of the games has them.", len(broken) - MOST))
    return told


def _held(found: Sequence[Pair]) -> list[Html]:
    by_protocol: dict[str, list[Pair]] = {}
    for pair in found:
        by_protocol.setdefault(pair.protocol, []).append(pair)
    never = [name for name, mine in by_protocol.items() if not any(pair.failed for pair in mine)]
    sometimes = [
        f"{name} ({sum(pair.failed for pair in mine)} of {sum(pair.games for pair in mine):,} games)"
        for name, mine in by_protocol.items()
        if any(pair.failed for pair in mine) and not any(pair.broken for pair in mine)
    ]
    told = []
    if never:
        told.append(Html("No game fails of <strong>{}</strong>.", ", ".join(never)))
    if sometimes:
        told.append(Html("Now and then a game fails of {}.", ", ".join(sometimes)))
    return told


def _costs(found: Sequence[Pair], last: str) -> list[Html]:
    """Return what the protocols cost that are not broken by the adversary that breaks the most, or else by the last."""
    sent = [pair for pair in found if pair.words is not None]
    if not sent:
        return []
    hardest = max(dict.fromkeys(pair.adversary for pair in sent), key=lambda name: _harm(sent, name))
    mine = sorted((pair for pair in sent if pair.adversary == hardest), key=lambda pair: pair.words or 0.0)
    if len(mine) < 2:
        return []
    holding = [pair for pair in mine if not pair.broken]
    least = holding[0].words if holding else None
    costs = [
        f"{pair.protocol} {_rounded(pair.words)}"
        + (" (broken)" if pair.broken else "")
        + (f" ({number((pair.words or 0) / least)} times)" if least and pair in holding[1:] else "")
        for pair in mine[: 2 * MOST]
    ]
    at = f"at {last}, " if last else ""
    return [Html("Cost in words, {}against {} (medians): {}.", at, hardest, ", ".join(costs))]


def _rounded(words: float | None) -> str:
    """Return words as one says them: whole where they are many."""
    return number(round(words) if words is not None and words >= 100 else words)


def _harm(found: Sequence[Pair], adversary: str) -> int:
    return sum(pair.broken for pair in found if pair.adversary == adversary)


def _lost(lost: int) -> list[Html]:
    if not lost:
        return []
    said = "games ended with an error and are left out of everything else"
    return [Html("<span class='fault'>{} {}.</span>", f"{lost:,}", said)]
