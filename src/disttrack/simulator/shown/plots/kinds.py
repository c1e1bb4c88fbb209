"""The kinds of figures as scenarios ask for them: names and keys.

Light: a scenario is checked with these classes before anything runs.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final

from disttrack.simulator.errors import CONDITION, must_be, must_be_one_of
from disttrack.simulator.game.columns import ADVERSARY, KINDS_CSV, MAX_REL_ERROR, SERIES_CSV, VERDICT, ColumnType
from disttrack.simulator.shown.plots.base import Plot

if TYPE_CHECKING:
    from disttrack.simulator.experiments.scenario.settings import Settings

EFOLD: Final = "words-per-efold"
"""Words over the logarithm of the growth of the stream, ln((start + items) / start)."""
BESIDE: Final = 3
"""Panels for which a cost figure has room beside each other, with ratios below them."""
COUNTED: Final = ("words", "messages", "bits", EFOLD)
"""What a cost figure may count."""
NO_ROOM: Final = "ratio_to has room for {} panels, not {}; choose with where"
NO_NUMBERS: Final = "x: {!r} has words, and a line needs numbers"
NO_ALPHA: Final = "no protocol here promises an alpha"
NO_LOG: Final = "scale: {}=log needs values above 0; the least is {:g}"
NO_BAND: Final = "band: {!r} is true or false; use interval or none"
NO_LIMIT: Final = "limit must have one value; {!r} has {}"
NO_BOUND: Final = "lower_bounds: games at one place of {} differ in {}; choose with where"
"""Why figures cannot be drawn, before their games and after them."""


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


@dataclass(frozen=True, kw_only=True)
class Curves(Plot):
    """Lines along a swept axis.

    Parameters
    ----------
    x
        The axis: sites, items, alpha, or any other swept parameter.
    band
        interval: the 95 % interval of each median or share, as bars. games: the spread of the games, as a band. none.
        Empty for intervals of shares and bands of games.
    """

    x: str
    band: str = ""

    def __post_init__(self) -> None:
        if self.band not in ("", "interval", "games", "none"):
            raise ValueError(must_be("interval, games or none", self.band, "band"))

    def refuses_known(self, known: Mapping[str, Any], holds: Mapping[str, ColumnType]) -> str:
        """Return why games with these values cannot be drawn; empty if nothing is known to be in the way.

        Parameters
        ----------
        known
            The columns of ``trials.csv`` that are known before the games, an array each, a place a point.
        holds
            What each column of ``trials.csv`` holds.
        """
        places = known.get(self.x)
        if places is not None and places.dtype.kind == "U" and not any(map(_is_number, places)):
            return NO_NUMBERS.format(self.x)
        if places is None or places.dtype.kind == "U" or self.scales.get("x") != "log":
            return ""
        least = min((place for place in places if place == place), default=1)
        return "" if least > 0 else NO_LOG.format("x", least)


@dataclass(frozen=True, kw_only=True)
class Cost(Curves):
    """Words against a swept axis, a line per protocol, with the fitted power and the bound.

    Parameters
    ----------
    y
        What to count: words, messages, bits or words-per-efold.
    lower_bounds
        Whether to draw the words that every tracker must send, up to a constant factor that the papers leave open:
        b ln(N/b), b = k/alpha without coins (Yi, Zhang 2009), sqrt(k)/alpha with them (Huang, Yi, Zhang 2012); after a
        start s > b, b ln(N/s). Not for bits.
    over
        Which games are the unit, as a condition: the others' words are shown over the median of theirs at the same
        place of the axis, and where lines cross it. Empty for words themselves.
    ratio_to
        A protocol, or one of several results: below the words are their ratios to the median of its words at the same
        place of the axis and against the same adversary, and where they cross. Empty for words alone.
    """

    kind: ClassVar[str] = "cost"
    home: ClassVar[str] = "curves:cost"
    of_form: ClassVar[Mapping[str, str]] = {"over": CONDITION}

    y: str = "words"
    lower_bounds: bool = False
    over: str = ""
    ratio_to: str = ""

    @property
    def needs(self) -> tuple[str, ...]:
        return ("words" if self.y == EFOLD else self.y,)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.over and (self.ratio_to or self.lower_bounds):
            raise ValueError("over must be left out with ratio_to and lower_bounds")
        if self.y not in COUNTED:
            raise ValueError(must_be_one_of(COUNTED, self.y, "y"))
        if self.lower_bounds and self.y == "bits":
            raise ValueError("lower_bounds must be left out with y: bits")

    def refuses_known(self, known: Mapping[str, Any], holds: Mapping[str, ColumnType]) -> str:
        places = known.get(self.x)
        if self.lower_bounds and places is not None:
            differ = []
            for name in ("sites", "items", "start", "alpha"):
                pairs = {pair for pair in zip(places, known.get(name, ()), strict=False) if pair[1] == pair[1]}
                differ += [name] if len(pairs) > len({place for place, _ in pairs}) else []
            if differ:
                return NO_BOUND.format(self.x, " and ".join(differ))
        return super().refuses_known(known, holds)

    def refuses_before(self, settings: Settings, known: Mapping[str, Sequence[object]]) -> str:
        """Return why it cannot be drawn of games that are not played; for parameters see `sweep.tables_before`."""
        from disttrack.simulator.shown.plots.sweep import panels_of, settings_of_ratios, tables_before

        tables = tables_before(settings, known, self.x)
        if why := self.refuses(tables.protocols, panels_of(tables, self.x)):
            return why
        unit = tables.trials[tables.trials.protocol == self.ratio_to]
        try:
            settings_of_ratios(tables.trials, unit, self.ratio_to, self.x, [ADVERSARY])
        except ValueError as error:
            return str(error)
        return ""

    def refuses(self, protocols: Collection[str], panels: int) -> str:
        """Return why it has no place for these protocols and this number of panels; empty if it has one."""
        if not self.ratio_to:
            return ""
        if self.ratio_to not in protocols:
            return must_be_one_of(protocols, self.ratio_to, "ratio_to")
        return "" if panels <= BESIDE else NO_ROOM.format(BESIDE, panels)


@dataclass(frozen=True, kw_only=True)
class Measure(Curves):
    """Any measured column against a swept axis, a line per protocol; on a logarithmic scale where it varies much.

    Of a column of True and False the share of games in which it is true is drawn, with 95 % intervals.

    Parameters
    ----------
    y
        The column of trials.csv.
    theory
        The value of theory for each game, a column or a number, drawn as thin dashes; empty for none.
    limit
        The value above which a game fails: a number, or a column with one value; empty for none.
    by
        A column whose values have a panel each; empty for a panel per adversary.
    """

    kind: ClassVar[str] = "measure"
    home: ClassVar[str] = "curves:measure"
    of_columns: ClassVar[tuple[str, ...]] = ("y", "theory", "limit", "by")

    y: str
    theory: str | float = ""
    limit: str | float = ""
    by: str = ""

    @property
    def needs(self) -> tuple[str, ...]:
        return (self.y,)

    def refuses_known(self, known: Mapping[str, Any], holds: Mapping[str, ColumnType]) -> str:
        if self.band == "games" and holds.get(self.y) == "truth":
            return NO_BAND.format(self.y)
        values = {value for value in known.get(str(self.limit), ()) if value == value}
        if len(values) > 1:
            return NO_LIMIT.format(self.limit, len(values))
        return super().refuses_known(known, holds)


@dataclass(frozen=True, kw_only=True)
class Error(Curves):
    """The largest error, in units of alpha, against a swept axis, a line per protocol.

    Parameters
    ----------
    by
        A column whose values have a panel each; empty for a panel per adversary.
    """

    kind: ClassVar[str] = "error"
    home: ClassVar[str] = "curves:error"
    of_columns: ClassVar[tuple[str, ...]] = ("by",)
    needs = (MAX_REL_ERROR,)

    by: str = ""

    def refuses_known(self, known: Mapping[str, Any], holds: Mapping[str, ColumnType]) -> str:
        promised = known.get("alpha")
        if promised is not None and not (promised.astype(float) > 0).any():
            return NO_ALPHA
        return super().refuses_known(known, holds)


@dataclass(frozen=True, kw_only=True)
class Timeline(Plot):
    """Error and words in the course of a few games: of each protocol one of the furthest off, four at most."""

    kind: ClassVar[str] = "timeline"
    home: ClassVar[str] = "traces:timeline"
    narrow: ClassVar[bool] = False
    needs = (SERIES_CSV, MAX_REL_ERROR)


@dataclass(frozen=True, kw_only=True)
class Breakdown(Plot):
    """Shares of the words by kind of message, beside the mean total: a bar per protocol and value of `x`.

    Parameters
    ----------
    x
        An axis that the scenario sweeps; each of its values gets a bar of its own. Empty for none.
    """

    kind: ClassVar[str] = "breakdown"
    home: ClassVar[str] = "bars:breakdown"
    narrow: ClassVar[bool] = False
    needs = (KINDS_CSV,)

    x: str = ""


@dataclass(frozen=True, kw_only=True)
class Frontier(Plot):
    """The largest error against words: a dot per game, a mark per median of a point, a panel per adversary.

    Errors are in units of alpha; where alpha differs they are relative errors.

    Parameters
    ----------
    cost
        The column of trials.csv with the cost.
    y
        The column of trials.csv in place of the error; empty for the error.
    """

    kind: ClassVar[str] = "frontier"
    home: ClassVar[str] = "frontier:frontier"
    of_columns: ClassVar[tuple[str, ...]] = ("cost", "y")

    cost: str = "words"
    y: str = ""

    @property
    def needs(self) -> tuple[str, ...]:
        return self.cost, self.y or MAX_REL_ERROR

    @property
    def name(self) -> str:
        return f"frontier-{self.y}" if self.y else self.kind


@dataclass(frozen=True, kw_only=True)
class Matrix(Plot):
    """The share of games that held, a row per protocol and a column per adversary.

    Parameters
    ----------
    controls
        Whether the games of the claims' controls, in which something is broken, get rows of their own.
    """

    kind: ClassVar[str] = "matrix"
    home: ClassVar[str] = "rows:matrix"
    narrow: ClassVar[bool] = False
    needs = (VERDICT,)

    controls: bool = False


@dataclass(frozen=True, kw_only=True)
class Spread(Plot):
    """A measured column, a row per protocol, variant and adversary: median, 5 % to 95 %, least to largest of the games.

    Parameters
    ----------
    y
        The column of trials.csv.
    limit
        The limit of the games of a row: a column, whose median is drawn, or a number; empty for none.
    limit_says
        Name of the limit in the legend.
    also
        Further columns, drawn as marks at their medians, with commas between; two at most.
    centre
        The mark of a row: median, or mean where the limit is one of means.
    ordered
        Whether rows go from the largest value to the smallest, in place of the scenario's order.
    """

    kind: ClassVar[str] = "spread"
    home: ClassVar[str] = "rows:spread"
    of_columns: ClassVar[tuple[str, ...]] = ("y", "limit", "also")
    of_form: ClassVar[Mapping[str, str]] = {"also": "columns with commas between, as in words,bits"}
    narrow: ClassVar[bool] = False

    y: str
    limit: str | float = ""
    limit_says: str = ""
    also: str = ""
    centre: str = "median"
    ordered: bool = False

    @property
    def needs(self) -> tuple[str, ...]:
        return (self.y,)

    def __post_init__(self) -> None:
        if self.centre not in ("median", "mean"):
            raise ValueError(must_be("median or mean", self.centre, "centre"))

    @property
    def name(self) -> str:
        return f"spread-{self.y}"
