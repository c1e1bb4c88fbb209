"""The answer in short: the question, the claims, broken protocols with their adversaries and errors, and the costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, isfinite, nan
from typing import TYPE_CHECKING, Final

from disttrack.simulator.experiments.results.formats import number, span
from disttrack.simulator.experiments.scenario.settings import flat
from disttrack.simulator.kinds.names import with_name
from disttrack.simulator.shown.pages.html import Html, joined, plain

if TYPE_CHECKING:
    import pandas as pd

    from disttrack.simulator.experiments.results.read import Tables

MOST: Final = 6
"""Broken pairs that are listed; more are counted."""
UNEXPECTED: Final = 0.5
"""From this share of failing games on, a protocol is broken by an adversary, and does not only miss now and then."""
FAULTS: Final[dict[str, str]] = {
    **dict.fromkeys(("loss", "duplication", "reordering"), ""),
    "partition": "a partition",
    "crash": "crashes",
    "server": "stops of the server",
    "faults": "listed faults",
}
"""The faults of a network in words; empty for those that are named with their values."""
OPEN: Final = "undecided"
"""The verdict on a game in which nothing was promised, or no step was judged."""


@dataclass(frozen=True)
class Pair:
    """All games of one protocol against one adversary.

    Attributes
    ----------
    protocol, adversary
        Their names, with the parameters of variants.
    games, failed
        Games with a verdict, and those of them that fail.
    worst
        The largest of the median errors at its settings, in units of alpha; NaN if alpha was not promised.
    where
        The setting at which it is that large; empty if there is one setting only.
    fails
        The settings at which at least half of the games fail, in words; empty if there are none.
    fails_there
        Whether the setting of the words is one of them.
    words, words_at
        Median of the words at the setting that it shares with most others, of several the last; and this setting.
    network
        The faults of the network at these settings, in words; empty if half of the games fail somewhere without any.
    no_number
        Games in which the output was no finite number.
    terms
        Sizes, accuracy and network at this setting, where the result has several: only costs on equal terms are
        compared.
    items, items_at
        Largest number of items at this setting, and the same in words.
    """

    protocol: str
    adversary: str
    games: int
    failed: int
    worst: float
    where: str
    fails: str
    fails_there: bool
    words: float
    words_at: str
    network: str = ""
    no_number: int = 0
    terms: tuple[tuple[str, str], ...] = ()
    items: float = 0
    items_at: str = ""

    @property
    def broken(self) -> bool:
        """Whether at least half of the games fail at some setting."""
        return bool(self.fails)

    @property
    def by_adversary(self) -> bool:
        """Whether no network makes them fail, and no output that is none."""
        return self.broken and not self.network and not self.no_number


def pairs(tables: Tables) -> list[Pair]:
    """Return the pairs of a result; none if nothing was promised."""
    from disttrack.simulator.experiments.results.lines import lines, swept_axes, terms_of
    from disttrack.simulator.game.tasks.answers import over_alpha

    named = tables.with_adversaries_named()
    trials = named.trials.assign(_over=over_alpha(named.trials), _failed=named.trials["verdict"] == "failed")
    judged = trials[trials["verdict"].isin(("ok", "failed"))]
    # no accuracy, and a start from nothing, are no values of an axis
    numeric = [axis for axis in swept_axes(trials) if trials[axis].dtype.kind in "if" and judged[axis].notna().all()]
    within = judged.groupby("protocol")[numeric].nunique().max()  # what sets protocols apart only is no axis
    axis = next((axis for axis in numeric if within[axis] > 1 and trials.loc[trials[axis] > 0, axis].nunique() > 1), "")
    points = [point for each in tables.points.values() for point in each.values()]
    networks = {name for point in points for name in flat(point.get("network") or {})}
    terms = terms_of(trials)
    differing = [axis for axis in swept_axes(trials) if axis in networks]
    judged = judged.assign(_setting=judged[axis] if axis else 0)
    every = [
        (line.label, str(adversary), games)
        for line in lines(judged, axis)
        for adversary, games in line.games.groupby("adversary", sort=False)
    ]
    users = Counter((adversary, setting) for _, adversary, games in every for setting in games["_setting"].unique())

    def where_most_are(adversary: str, games: pd.DataFrame) -> float:
        settings: list[float] = list(games["_setting"].unique())
        return max(settings, key=lambda setting: (users[adversary, setting], setting))

    listed = [
        _pair(label, adversary, games, axis, named.called, terms, differing, where_most_are(adversary, games))
        for label, adversary, games in every
    ]
    return [
        pair if not pair.broken
        else replace(pair, network=_network(games, tables), no_number=_without_number(games, tables))
        for pair, (_, _, games) in zip(listed, every, strict=True)
    ]  # fmt: skip


def _pair(
    protocol: str, adversary: str, games: pd.DataFrame, axis: str, called: Mapping[str, str], terms: Sequence[str],
    network: Sequence[str], at: float,
) -> Pair:  # fmt: skip
    """Return a pair with its costs at one setting; its network is one of the terms, if games differ in it."""
    there = games[games["_setting"] == at]
    settings = games.groupby("_setting")
    over, failing, words = settings["_over"].median(), settings["_failed"].mean(), settings["words"].median()
    often = failing >= UNEXPECTED
    items = float(there["items"].max()) if "items" in terms and axis != "items" else 0.0
    return Pair(
        protocol=protocol,
        adversary=adversary,
        games=len(games),
        failed=int(games["_failed"].sum()),
        worst=float(over.max()),
        where=with_name(axis, over.idxmax()) if axis and over.notna().any() else "",
        fails=(_settings(axis, often) if axis else "everywhere") if often.any() else "",
        fails_there=bool(often[at]),
        words=float(words[at]),
        words_at=with_name(called.get(axis, axis), at) if axis else "",
        terms=tuple(
            (name, str([sorted(map(str, there[axis].unique())) for axis in axes]))
            for name, axes in (*((term, [term]) for term in terms), ("network", network))
            if axes
        ),
        items=items if items > 0 else 0,
        items_at=with_name(called.get("items", "items"), int(items)) if items > 0 else "",
    )


def _network(games: pd.DataFrame, tables: Tables) -> str:
    """Return what is wrong with the network where at least half of the games fail; empty if they do without it too."""
    values: dict[str, list[float]] = {}
    for _, mine in games.groupby(["result", "point"]):
        if mine["_failed"].mean() < UNEXPECTED:
            continue
        network = tables.points[mine["result"].iloc[0]][mine["point"].iloc[0]].get("network") or {}
        faults = {name: network[name] for name in FAULTS if network.get(name)}
        if not faults:
            return ""
        for name, value in faults.items():
            values.setdefault(name, []).append(value)
    return " and ".join(FAULTS[name] or f"{name} {span(each)}" for name, each in values.items())


def _without_number(games: pd.DataFrame, tables: Tables) -> int:
    """Return the number of games with an output that is no finite number: among those whose error is infinite."""
    from disttrack.simulator.experiments.results.read import GAME
    from disttrack.simulator.game.tasks.answers import judged_error

    endless = games.loc[judged_error(games).abs() == inf, list(GAME)]
    if endless.empty or tables.series.empty:
        return 0
    shown = tables.series.merge(endless, on=list(GAME))
    return len(shown.loc[~(shown["output"].astype(float).abs() < inf), list(GAME)].drop_duplicates())


def _settings(axis: str, often: pd.Series[bool]) -> str:
    """Return the settings at which something is often so: from the first one on if it is so at all after it."""
    places = often.index[often]
    if often.loc[places[0] :].all():
        return f"from {with_name(axis, places[0])} on"
    named = ", ".join(with_name(axis, place) for place in places[:MOST])
    return f"at {named}" + f" and {len(places) - MOST} more" * (len(places) > MOST)


def answer(question: str, story: Sequence[str], tables: Tables, claims: pd.DataFrame) -> Html:
    """Return the box at the head of the page: the question, and the answer in sentences.

    Parameters
    ----------
    question, story
        The comment above the scenario's first key: its first paragraph, and the others.
    """
    asked = Html("<p><strong>Question.</strong> {}</p>", question) if question else Html("")
    paragraphs = joined([Html("<p>{}</p>", part) for part in story])
    listed = joined([Html("<li>{}</li>", each) for each in [*_claims(claims), *sentences(tables)]])
    return Html(
        "<section class='short' id='short'><h2>In short</h2>{}<ul>{}</ul>{}</section>", asked, listed, paragraphs
    )


def sentences(tables: Tables) -> list[Html]:
    """Return who is broken by whom, who holds, and the costs, in a sentence each; none if nothing was promised."""
    return _said(tables, _known(tables))


def in_words(tables: Tables) -> list[str]:
    """Return the sentences as text; none where nothing is counted in words: the table of the games says it then."""
    known = _known(tables)
    return [plain(one) for one in _said(tables, known)] if any(_costs(mine, every) for _, mine, every in known) else []


def _known(tables: Tables) -> list[tuple[str, Tables, list[Pair]]]:
    """Return the parts of a scenario by name, each with its pairs."""
    return [(part, mine, pairs(mine)) for part, mine in _parts(tables)]


def _said(tables: Tables, known: Sequence[tuple[str, Tables, list[Pair]]]) -> list[Html]:
    from disttrack.simulator.experiments.results.bounds import exceeded

    said = []
    for part, mine, every in known:
        told = [*_broken(every), *_held(every, mine), *_open(mine, every), *_beside(mine), *_costs(mine, every)]
        told += [Html("{}", one) for one in exceeded(mine)] if every else []
        said += [Html("{}: {}", part, one) for one in told] if part else told
    if tables.ended:
        early = f"Games that their adversary ended before all items were sent: {tables.ended:,}; their costs are less."
        said.append(Html("<span class='fault'>{}</span>", early))
    lost = f"{tables.lost:,} games ended with an error and are left out of everything else."
    return [*said, *([Html("<span class='fault'>{}</span>", lost)] if tables.lost else [])]


def _parts(tables: Tables) -> list[tuple[str, Tables]]:
    """Return the parts of a scenario by name, whose costs are of different streams; of several results the whole."""
    names = [] if tables.several or "part" not in tables.trials else list(dict.fromkeys(tables.trials["part"].dropna()))
    return [(name, tables.where(f"part == {name!r}")) for name in names] or [("", tables)]


def _claims(claims: pd.DataFrame) -> list[Html]:
    if claims.empty:
        return []
    held, skipped = claims["verdict"] == "PASS", claims["verdict"] == "SKIPPED"
    missed = "; ".join(f"{row['name']} ({row['verdict']})" for row in claims[~(held | skipped)].to_dict("records"))
    more = Html(" <span class='fault'>Not: {}.</span>", missed) if missed else Html("")
    few = claims.loc[skipped, "note"].astype(str).str.startswith("too few").any()
    why = "they have too few games" if few else "none of their games is played"
    left = f" {skipped.sum()} more are skipped: {why}." if skipped.any() else ""
    return [Html("{} of {} claims hold.{}{}", int(held.sum()), int((~skipped).sum()), left, more)]


def _broken(every: Sequence[Pair]) -> list[Html]:
    broken = sorted((pair for pair in every if pair.broken), key=lambda pair: -pair.worst)
    sentences = []
    for pair in broken[:MOST]:
        if pair.no_number:
            sentences.append(
                Html(
                    "<strong>{}</strong> fails against <strong>{}</strong>: its output is no finite number in {} of {} "
                    "games.",
                    pair.protocol, pair.adversary, f"{pair.no_number:,}", f"{pair.games:,}",
                )
            )  # fmt: skip
            continue
        at = f" at {pair.where}" if pair.where else ""
        size = f"; the median largest error reaches {number(pair.worst)} α{at}" * (pair.worst == pair.worst)
        since = f" ({pair.fails} at least half)" if pair.where and pair.failed < pair.games else ""
        by = Html(" fails with <strong>{}</strong>, against", pair.network) if pair.network else Html(" is broken by")
        sentences.append(
            Html(
                "<strong>{}</strong>{} <strong>{}</strong>: {} of {} games fail{}{}.",
                pair.protocol, by, pair.adversary, f"{pair.failed:,}", f"{pair.games:,}", since, size,
            )
        )  # fmt: skip
    if len(broken) > MOST:
        verb = "are broken" if all(pair.by_adversary for pair in broken[MOST:]) else "fail"
        sentences.append(Html("{} more pairs {}; the table of the games has them.", len(broken) - MOST, verb))
    return sentences


def _held(every: Sequence[Pair], tables: Tables) -> list[Html]:
    """Return the protocols that never fail, and those that fail in a few games."""
    failed = {pair.protocol: 0 for pair in every}
    for pair in every:
        failed[pair.protocol] += pair.failed
    broken = {pair.protocol for pair in every if pair.broken}
    never = _list([name for name, games in failed.items() if not games])
    sometimes = _list([f"{name} ({games:,})" for name, games in failed.items() if games and name not in broken])
    verb = "holds" if ";" not in never else "hold"
    games = "all games that ended without an error" if tables.lost else "all games"
    if tables.trials["verdict"].eq(OPEN).any():
        games = "all games in which something was promised and judged"
    kept = f" ({tables.held})" if tables.held else ""
    sentences = [Html("<strong>{}</strong> {} in {}{}.", never, verb, games, kept)] if never else []
    return sentences + ([Html("A few games fail: {}.", sometimes)] if sometimes else [])


def _open(tables: Tables, every: Sequence[Pair]) -> list[Html]:
    """Return who has games without a verdict beside games that have one: these show nothing of a promise."""
    trials = tables.with_adversaries_named().trials
    games = trials.loc[trials["verdict"] == OPEN, ["protocol", "adversary"]].value_counts(sort=False).reset_index()
    listed = _list([f"{one.protocol} against {one.adversary} ({one.count:,})" for one in games.itertuples()])
    return [Html("Games in which nothing was promised or judged: {}.", listed)] if every and listed else []


def _list(texts: Sequence[str]) -> str:
    """Return texts in one, of more than a dozen the first."""
    more = len(texts) - 2 * MOST
    return "; ".join(texts[: 2 * MOST]) + f"; and {more} more" * (more > 0)


def _beside(tables: Tables) -> list[Html]:
    """Return the largest value of what the task states beside its verdict: a promise kept may be a poor one."""
    from disttrack.simulator.experiments.results.lines import lines

    column = tables.task.beside
    if not column or f"_{column}" not in tables.trials:
        return []
    largest = {line.label: line.games[f"_{column}"].max() for line in lines(tables.trials, "")}
    known = {name: float(value) for name, value in largest.items() if value == value}
    if len(known) > 2 * MOST:
        known = dict(sorted(known.items(), key=lambda pair: -pair[1]))
    listed = _list([f"{name}: {number(value)}" for name, value in known.items()])
    if len(known) > 1 and len(known) == len(largest) and len({*known.values()}) == 1:
        listed = f"{number(next(iter(known.values())))} in all"
    return [Html("Largest {}: {}.", tables.task.label(column) or column.replace("_", " "), listed)] if listed else []


def _costs(tables: Tables, every: Sequence[Pair]) -> list[Html]:
    """Return the cost of the protocols against the adversary that breaks the most, or else the first that ended none.

    Games that an adversary ended early cost less than whole ones, each its own share of them.
    """
    sent = [pair for pair in every if isfinite(pair.words)] if any(pair.words > 0 for pair in every) else []
    adversaries = list(dict.fromkeys(pair.adversary for pair in sent))
    if not adversaries:
        return []
    trials = tables.with_adversaries_named().trials
    early = {*trials["adversary"][trials["_unsent"] > 0]} if tables.ended else set()

    def rank(name: str) -> tuple[int, bool]:
        return sum(pair.broken for pair in sent if pair.adversary == name), name not in early

    hardest = max(adversaries, key=rank)
    against = [pair for pair in sent if pair.adversary == hardest]
    most = max(pair.items for pair in against)  # costs of short and of long games do not compare
    mine = sorted((pair for pair in against if pair.items == most), key=lambda pair: pair.words)
    least = {pair.terms: pair.words for pair in reversed(mine) if not pair.broken}
    together = len({pair.words_at for pair in mine}) == 1
    differ = sorted({name for name, _ in set().union(*(pair.terms for pair in mine)) - set(mine[0].terms)})
    equal = f" the least at equal {' and '.join(differ)}" if differ else ""
    costs = [_cost(pair, least.get(pair.terms, nan), together, equal) for pair in mine]
    places = [text for text in (mine[0].words_at if together else "", mine[0].items_at) if text]
    at = f"at {' and '.join(places)}, " if places else ""
    beside = "without those that links add, " if tables.links else ""
    return [Html("Cost in words, {}{}against {} (medians): {}.", beside, at, hardest, _list(costs))]


def _cost(pair: Pair, least: float, together: bool, equal: str) -> str:
    """Return the words of a pair, over the least at `equal` terms; with its setting if not all have the same."""
    notes = [f"at {pair.words_at}"] if pair.words_at and not together else []
    over = number(pair.words / least) if least > 0 else "1"
    notes += [f"{over} times{equal}"] if pair.words > least and over != "1" else []
    broken = "broken" if pair.by_adversary else "fails"
    notes += [broken if pair.fails_there else f"{broken} {pair.fails}"] if pair.broken else []
    return f"{pair.protocol}: {number(round(pair.words))}" + f" ({', '.join(notes)})" * bool(notes)
