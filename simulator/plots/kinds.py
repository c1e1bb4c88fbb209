"""The kinds of figures as scenarios ask for them: names and keys. What one shows is computed by the module of its name.

Light: a scenario is checked with these classes before anything runs; the module of a kind is imported when it is drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, ClassVar, Final, cast

from disttrack.simulator.plots.base import Plot

if TYPE_CHECKING:
    from disttrack.simulator.plots.description import Description
    from disttrack.simulator.results.read import Tables

EFOLD: Final = "words-per-efold"
"""Words over the logarithm of the growth of the stream, ln((start + items) / start)."""
COUNTED: Final = ("words", "messages", "bits", EFOLD)
"""What a cost figure may count."""


class BuiltIn(Plot):
    """A kind whose description is computed by the module of its name."""

    home: ClassVar[str]

    def __init_subclass__(cls) -> None:
        if cls.__module__ == __name__:  # a user's class that extends one of these has a name of its own
            cls.home = f"disttrack.simulator.plots.{cls.kind}"

    def describe(self, tables: Tables) -> Description:
        return cast("Description", import_module(self.home).describe(self, tables))


@dataclass(frozen=True, kw_only=True)
class Cost(BuiltIn):
    """Words against a swept axis, a line per protocol, with the fitted power and the bound.

    Parameters
    ----------
    x
        The axis: sites, items, alpha, or any other swept parameter.
    y
        What is counted: words, messages, bits or words-per-efold.
    lower_bounds
        Whether to draw what every tracker must send, up to a constant factor that the papers leave open: k/alpha ln N
        words without coins (Yi, Zhang 2009), sqrt(k)/alpha ln N with them (Huang, Yi, Zhang 2012). Not for bits.
    """

    kind: ClassVar[str] = "cost"
    says: ClassVar[str] = "words against a swept axis, a line per protocol, with the fitted power and the bound"

    x: str
    y: str = "words"
    lower_bounds: bool = False

    def __post_init__(self) -> None:
        if self.y not in COUNTED:
            raise ValueError(f"y must be one of {', '.join(COUNTED)}; got {self.y!r}")
        if self.lower_bounds and self.y == "bits":
            raise ValueError("lower_bounds must be left out with y: bits; they are bounds of messages and words")


@dataclass(frozen=True, kw_only=True)
class Error(BuiltIn):
    """The largest error, in units of alpha, against a swept axis, a line per protocol.

    Parameters
    ----------
    x
        The axis: sites, items, alpha, or any other swept parameter.
    """

    kind: ClassVar[str] = "error"
    says: ClassVar[str] = "the largest error over alpha against a swept axis"

    x: str


@dataclass(frozen=True, kw_only=True)
class Measure(BuiltIn):
    """Any measured column against a swept axis, a line per protocol; on logarithmic scales where all of it is above 0.

    Parameters
    ----------
    x
        The axis: sites, items, alpha, or any other swept parameter.
    y
        The column of trials.csv.
    theory
        A column that says what theory expects of each game, drawn as thin dashes; empty for none.
    """

    kind: ClassVar[str] = "measure"
    says: ClassVar[str] = "any measured column against a swept axis"

    x: str
    y: str
    theory: str = ""


@dataclass(frozen=True, kw_only=True)
class Timeline(BuiltIn):
    """Error and words in the course of a few games: of each protocol the one furthest off, four at most."""

    kind: ClassVar[str] = "timeline"
    says: ClassVar[str] = "error and words in the course of a game"
    narrow: ClassVar[bool] = False


@dataclass(frozen=True, kw_only=True)
class Breakdown(BuiltIn):
    """Words by kind of message, on average over the games of each bar: a bar per protocol and value of `x`.

    Parameters
    ----------
    x
        An axis that the scenario sweeps; each of its values gets a bar of its own. Empty for none.
    """

    kind: ClassVar[str] = "breakdown"
    says: ClassVar[str] = "words by kind of message"

    x: str = ""


@dataclass(frozen=True, kw_only=True)
class Frontier(BuiltIn):
    """The largest error against words: a dot per game, a mark per median of a point and adversary.

    Errors are in units of alpha. Where alpha differs they are relative errors, beside the accuracies that are promised.
    """

    kind: ClassVar[str] = "frontier"
    says: ClassVar[str] = "the largest error against words, a mark per protocol and adversary"


@dataclass(frozen=True, kw_only=True)
class Matrix(BuiltIn):
    """The share of games that held, a row per protocol and a column per adversary.

    Parameters
    ----------
    controls
        Whether the games of the claims' controls, in which something is broken, get rows of their own.
    """

    kind: ClassVar[str] = "matrix"
    says: ClassVar[str] = "protocols against adversaries: how many games held"
    narrow: ClassVar[bool] = False

    controls: bool = False


@dataclass(frozen=True, kw_only=True)
class SizeOverTime(BuiltIn):
    """Error and size in the course of games on data sets: a line per mechanism, a column per adversary.

    The first game of each point is shown. Where errors lie above the dashed size, answers of 0 would be better.
    """

    kind: ClassVar[str] = "size"
    says: ClassVar[str] = "error of the answers beside the size of the data set, in the course of a game"


@dataclass(frozen=True, kw_only=True)
class Budget(BuiltIn):
    """Each mechanism's budget as a bar, and under it those of its parts, to scale; the filled part of each is spent.

    Parts in sequence stand side by side, as their losses add up; of parts in parallel the costliest stands for all.
    """

    kind: ClassVar[str] = "budget"
    says: ClassVar[str] = "where the privacy of a game went"
    narrow: ClassVar[bool] = False


@dataclass(frozen=True, kw_only=True)
class Ratio(BuiltIn):
    """Estimate over truth against updates: medians of the games, a line per protocol and a panel per adversary.

    Parameters
    ----------
    scale
        How updates are spaced: log or linear.
    """

    kind: ClassVar[str] = "ratio"
    says: ClassVar[str] = "estimate over truth in the course of the games, a line per protocol"

    scale: str = "linear"

    def __post_init__(self) -> None:
        if self.scale not in ("log", "linear"):
            raise ValueError(f"scale must be log or linear; got {self.scale!r}")


@dataclass(frozen=True, kw_only=True)
class Flags(BuiltIn):
    """Labels 1 and mistakes so far in one game of the predictor, over a background that shows its flag.

    A game of each of the first two points is shown, the one with the largest flag at its end.
    """

    kind: ClassVar[str] = "flags"
    says: ClassVar[str] = "mistakes and flags in the course of a predictor's game"


@dataclass(frozen=True, kw_only=True)
class Spread(BuiltIn):
    """A measured column, a row per protocol, variant and adversary: median, 5 % to 95 %, least to largest of the games.

    Parameters
    ----------
    y
        The column of trials.csv.
    limit
        What the games of a row must keep: a column, whose median is drawn, or a number; empty for none.
    limit_says
        What that is, for the legend.
    also
        Further columns, drawn as marks at their medians, with commas between; two at most.
    centre
        What the mark of a row is: median, or mean where the limit is one of means.
    """

    kind: ClassVar[str] = "spread"
    says: ClassVar[str] = "a measured column of all games, a row per protocol and adversary"
    narrow: ClassVar[bool] = False

    y: str
    limit: str | float = ""
    limit_says: str = ""
    also: str = ""
    centre: str = "median"

    def __post_init__(self) -> None:
        if self.centre not in ("median", "mean"):
            raise ValueError(f"centre must be median or mean; got {self.centre!r}")

    @property
    def name(self) -> str:
        return f"spread-{self.y}"


@dataclass(frozen=True, kw_only=True)
class Share(BuiltIn):
    """The share of games with a true column against a swept axis, with 95 % intervals, a line per protocol.

    Parameters
    ----------
    x
        The axis: any swept parameter.
    y
        A column of trials.csv that is true or false.
    level
        A share to compare with, drawn as a line; empty for none.
    level_says
        What that is, for the legend.
    y_says
        What the column says, for the axis.
    """

    kind: ClassVar[str] = "share"
    says: ClassVar[str] = "the share of games in which a column is true, along a swept axis"

    x: str
    y: str = "ok"
    level: str | float = ""
    level_says: str = ""
    y_says: str = ""

    @property
    def name(self) -> str:
        return f"share-{self.x}-{self.y}"


@dataclass(frozen=True, kw_only=True)
class Halts(BuiltIn):
    """Items at the halt over the threshold k, a row per monitor, size and adversary, with shares of the outcomes.

    From 1/2 to 1 a halt is right. A game that passes k without one is late, one that halts below k / 2 early.
    """

    kind: ClassVar[str] = "halts"
    says: ClassVar[str] = "how far from its threshold a monitor halts, and how often it misses"
    narrow: ClassVar[bool] = False
