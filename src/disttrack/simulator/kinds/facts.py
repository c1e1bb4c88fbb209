"""The facts of a kind, from its class: for the command line, for reports and for the handbook."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Sequence
from dataclasses import MISSING, dataclass
from functools import cached_property
from math import inf
from typing import Any, Final, NamedTuple

from disttrack.mechanisms.docstrings import described
from disttrack.simulator.kinds.installed import BUILT_IN, is_compared
from disttrack.simulator.kinds.registry import Family, parameters

GUARANTEES: Final = {
    "always": "{} at every step, on every input",
    "adaptive": "{} with probability 1 - delta, also if inputs react",
    "oblivious": "{} with probability 1 - delta, if inputs do not react",
    "none": "none",
}
"""What the `guarantee` of a protocol means; its class has the words for what holds by it."""
READMISSION: Final = {
    "report": "a site sends its count and continues",
    "anew": "the server collects counts, all sites restart",
    "new": "a site is a new one; not the server",
    "none": "not without its state",
}
"""What the `readmission` of a protocol means; `new` is none that it names, by which sites return all the same."""
ARITHMETIC: Final = {
    "grid": "exact: integer data, noise on a public grid",
    "rounded": "exact, plus up to 2^-20 per draw: data rounded to the noise's grid",
    "coins": "exact but for coins: multiples of 2^-53",
    "real": "real numbers, approximated by doubles",
}
"""What the `arithmetic` of a mechanism means: in which its privacy holds."""
ACCURACY: Final = 0.05
"""The alpha at which bounds on the cost are shown."""


class Parameter(NamedTuple):
    """A parameter of a kind: its name, its default (`MISSING` if it must be given), its description in the class."""

    name: str
    default: object
    says: str

    @property
    def shown(self) -> str:
        """Return the default in words."""
        return "must be given" if self.default is MISSING else f"default {self.default!r}"


class Cost(NamedTuple):
    """A protocol's own bound on its messages.

    Attributes
    ----------
    says
        What the bound is.
    alpha
        The relative error that it is shown for; None if the protocol has none.
    bounds
        Sites, items, and the most messages; empty if no bound is stated.
    on_average
        What follows the most messages: `on average`, but for trackers that have no coins.
    """

    says: str
    alpha: float | None
    bounds: list[tuple[int, int, float]]
    on_average: str


@dataclass(frozen=True)
class Facts:
    """What is known of a kind.

    Parameters
    ----------
    family, name, origin, reference
        Its family, its name in scenario files, who registers it, and ``module:Class``.
    maker
        Its class, or the function that is an adversary.

    Examples
    --------
    >>> from disttrack.protocols import Martingale
    >>> known = Facts("protocol", "martingale", "built in", "protocols:Martingale", Martingale)
    >>> known.parameters[1].name, known.parameters[1].default, known.properties["guarantee"].split(",")[0]
    ('delta', 0.05, 'right with probability 1 - delta')
    """

    family: Family
    name: str
    origin: str
    reference: str
    maker: Any

    @property
    def says(self) -> str:
        """Return its docstring up to the first section of numpy style."""
        return re.split(r"\n\w[\w ]*\n-{3,}", inspect.getdoc(self.maker) or "")[0].strip()

    @property
    def properties(self) -> dict[str, str]:
        """Return by name what the attributes of its class state: source, guarantee, error, …."""
        stated: dict[str, object] = {
            "source": self._source(),
            "guarantee": self._guarantee(),
            "one-sided": "never exceeds the truth" if getattr(self.maker, "one_sided", False) else "",
            "reveals": getattr(self.maker, "reveals", ""),
        }
        if self.family == "protocol":
            stated["comes back"] = self._comes_back()
            stated |= {name: getattr(self.maker, name, "") for name in ("error", "memory", "privacy")}
            stated["arithmetic"] = ARITHMETIC.get(getattr(self.maker, "arithmetic", ""), "")
        if self.family == "adversary":
            stated["reacts"] = "no" if getattr(self.maker, "oblivious", False) else "to the outputs"
            stated["sees"] = getattr(self.maker, "sees", "")
        if self.family == "task":
            stated["columns"] = ", ".join(self.maker.columns)
        # a class may have a method of such a name
        return {name: value for name, value in stated.items() if isinstance(value, str) and value}

    def _guarantee(self) -> str:
        """Return what holds by its guarantee, and when."""
        meaning = GUARANTEES.get(getattr(self.maker, "guarantee", ""), "")
        return meaning.format(getattr(self.maker, "guaranteed", "right"))

    def _comes_back(self) -> str:
        """Return how its sites and server come back without their state."""
        rule = getattr(self.maker, "readmission", "")
        returns = getattr(self.maker, "returns", None)
        return READMISSION.get("new" if rule == "none" and returns and returns(server=False) else rule, "")

    def _source(self) -> str:
        """Return the source that its docstring states, or the class that a user's class has it from."""
        source = getattr(self.maker, "source", "")
        owner = next((one for one in inspect.getmro(self.maker) if vars(one).get("source")), None) if source else None
        if owner in (None, self.maker) or not isinstance(source, str) or is_compared(self.maker.__module__):
            return str(source)
        return f"of its base {owner.__name__}: {source}"

    @property
    def parameters(self) -> list[Parameter]:
        """Return what it takes, described by its class or by one that it extends."""
        lineage = reversed(inspect.getmro(self.maker)) if inspect.isclass(self.maker) else [self.maker]
        says = {name: text for each in lineage for name, text in described(each.__doc__ or "").items()}
        return [Parameter(name, default, says.get(name, "")) for name, default in parameters(self.maker).items()]

    @property
    def sizes(self) -> Sequence[Any]:
        """Return the sizes of a task's games."""
        return self.maker.sizes if self.family == "task" else ()

    @cached_property
    def cost(self) -> Cost | None:
        """Return a protocol's own cost bound at a few sizes; None if it cannot be computed, and for other kinds."""
        try:
            bounds = list(self._bounds())
        except (TypeError, ValueError):
            return None
        stated = any(bound < inf for *_, bound in bounds)
        # a class of a user's may have coins and be right on every input
        certain = self.origin == BUILT_IN and getattr(self.maker, "guarantee", "") == "always"
        on_average = "" if certain else " on average"
        return Cost(self._cost_says, self._shown_alpha, bounds if stated else [], on_average) if bounds else None

    def _bounds(self) -> Iterator[tuple[int, int, float]]:
        """Yield sites, items, and a protocol's own bound on its cost there; nothing for other kinds."""
        if hasattr(self.maker, "cost_bound"):
            alpha = self._shown_alpha
            protocol = self.maker() if alpha is None else self.maker(alpha=alpha)
            for k in (16, 256, 4096):
                for items in (10**6, 10**9):
                    yield k, items, protocol.cost_bound(k, items)

    @property
    def _shown_alpha(self) -> float | None:
        return ACCURACY if "alpha" in parameters(self.maker) else None

    @property
    def _cost_says(self) -> str:
        if not self.maker.cost_bound.__doc__:  # that of its base says nothing about it
            return "by cost_bound, undocumented"
        return re.sub(r"^Return,? ", "", first_line(self.maker.cost_bound))


def first_line(thing: object) -> str:
    """Return the first line of a docstring."""
    return (inspect.getdoc(thing) or "").strip().split("\n")[0]
