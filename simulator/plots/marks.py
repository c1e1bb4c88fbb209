"""How each protocol, mechanism, learner, sketch and curator looks: the same colour and marker in every figure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

INK: Final = "#222222"
QUIET: Final = "#666666"
BORDER: Final = "#444444"
DASHES: Final[tuple[Any, ...]] = ("-", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (5, 1.5, 1.2, 1.5)))
"""Dashes of the variants of one protocol."""


@dataclass(frozen=True)
class Mark:
    """How a protocol looks in every figure.

    Parameters
    ----------
    colour
        A colour of the Okabe-Ito palette, a grey, or a darker one beside them; the trackers that are most often drawn
        together differ by at least 30 of 255 in lightness, so that a grey print keeps them apart.
    marker
        A matplotlib marker, no two kinds of one family the same.
    """

    colour: str
    marker: str


TRACKERS: Final = {
    "deterministic": Mark("#000000", "s"),
    "randomized": Mark("#E69F00", "^"),
    "robust": Mark("#0072B2", "o"),
    "martingale": Mark("#D55E00", "D"),
    "block": Mark("#CC79A7", "v"),
    "deterministic-rounds": Mark("#777777", "P"),
    "exact": Mark("#AAAAAA", "X"),
    "sketch-switching": Mark("#56B4E9", "<"),
    "difference-estimators": Mark("#009E73", ">"),
    "private-copies": Mark("#A08F00", "h"),
}
"""The trackers of counts."""

SPARE: Final = (
    Mark("#009E73", "p"),
    Mark("#56B4E9", "*"),
    Mark("#8C564B", "d"),
    Mark("#5B3794", "H"),
    Mark("#777777", "8"),
)
"""Looks of kinds that are not known here, by order."""

_POOL: Final = (
    Mark("#000000", "s"),
    Mark("#0072B2", "o"),
    Mark("#D55E00", "D"),
    Mark("#009E73", ">"),
    Mark("#E69F00", "^"),
    Mark("#CC79A7", "v"),
    Mark("#56B4E9", "<"),
    Mark("#5B3794", "H"),
    Mark("#777777", "P"),
    Mark("#A08F00", "h"),
    Mark("#8C564B", "d"),
    Mark("#AAAAAA", "X"),
    Mark("#7A0026", "p"),
    Mark("#1B5E20", "*"),
    Mark("#B15928", "8"),
)

FAMILIES: Final[dict[str, tuple[str, ...]]] = {
    "counters": (
        "binary", "sparse", "two-level", "pan-private", "per-item", "randomized-response", "k-ary", "square-root",
        "hybrid", "tree-variance-reduced", "blt", "fresh", "sparse-infinite",
    ),
    "monitors and partitions": (
        "release-monitor", "sparse-vector-monitor", "counter-monitor", "above-threshold", "private-partition",
        "pan-private-density", "continual-output", "perturbed-leader",
    ),
    "answers to thresholds": ("release-queries", "sorted-queries", "sparse-vector-queries"),
    "answers at any time": (
        "laplace", "gaussian", "pmw", "growing-sparse", "growing-finite", "growing-infinite", "inserted-minus-deleted",
        "fully-dynamic", "growing-sparse-infinite",
    ),
    "learners": (
        "plain", "private-proper", "guessing", "point-predictor", "exponential", "experts-private", "jdp-mirror",
    ),
    "sketches": (
        "ams", "switched", "ams-difference", "private-median", "ams-median", "rounded", "computation-paths", "kmv",
        "hyperloglog", "salted", "count-sketch", "count-min", "datasketches-hll", "datasketches-theta",
        "datasketches-count-min",
    ),
    "curators": ("empirical", "laplace", "gaussian", "threshold-out", "noisy-argmax", "splitting"),
}  # fmt: skip
"""Kinds of one family never look alike. One that is in two of them (laplace, gaussian) has the look of the first."""


def _marks() -> dict[str, Mark]:
    """Return the look of each kind that is known."""
    found = dict(TRACKERS)
    for kinds in FAMILIES.values():
        taken = {found[kind] for kind in kinds if kind in found}
        free = iter(look for look in _POOL if look not in taken)
        found |= {kind: next(free) for kind in kinds if kind not in found}
    return found


MARKS: Final = _marks()


def mark(kind: str, others: tuple[str, ...] = ()) -> Mark:
    """Return the look of a protocol.

    Parameters
    ----------
    others
        All kinds of the figure. Those without a look of their own take the spare ones in this order, and then
        the looks of trackers that the figure has not.
    """
    if kind in MARKS:
        return MARKS[kind]
    strangers = [other for other in others if other not in MARKS]
    taken = {MARKS[other] for other in others if other in MARKS}
    free = [look for look in (*SPARE, *TRACKERS.values()) if look not in taken]
    place = strangers.index(kind) if kind in strangers else sum(kind.encode())
    return free[place % len(free)]
