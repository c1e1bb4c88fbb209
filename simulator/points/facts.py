"""The facts of a kind, from its class: for the command line, for reports and for the handbook."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field
from typing import Any, Final

from disttrack.simulator.points.registry import Family, parameters

GUARANTEES: Final = {
    "always": "right at every step, on every input",
    "adaptive": "right with probability 1 - delta, also against who reacts to the outputs",
    "oblivious": "right with probability 1 - delta, on inputs that do not react to the outputs",
    "none": "none",
}
"""What the `guarantee` of a protocol means."""
READMISSION: Final = {
    "report": "a site without its state sends its count, and begins from there",
    "anew": "after one has lost its state the server collects all counts, and all begin anew with these",
    "none": "no rule: a site or server may not lose its state",
}
"""What the `readmission` of a protocol means."""
ARITHMETIC: Final = {
    "grid": "exact: integer data, and noise on a public grid that the integers lie on",
    "rounded": "exact, with up to 2^-20 more for each draw: real data are rounded to the public grid of the noise",
    "coins": "exact but for the chances of coins, which are whole multiples of 2^-53",
    "real": "that of real numbers, which doubles only approach",
}
"""What the `arithmetic` of a mechanism means: in which its privacy holds."""
ACCURACY: Final = 0.05
"""The alpha at which bounds on the cost are shown."""


@dataclass(frozen=True)
class Parameter:
    """A parameter of a kind.

    Parameters
    ----------
    name
        Its name.
    default
        Its default; `MISSING` if it must be given.
    says
        Its description in the docstring of the class.
    """

    name: str
    default: Any
    says: str

    @property
    def shown(self) -> str:
        """Return the default in words."""
        return "must be given" if self.default is MISSING else f"default {self.default!r}"


@dataclass(frozen=True)
class Cost:
    """A protocol's own bound on its messages.

    Parameters
    ----------
    says
        What the bound is.
    alpha
        The relative error that it is shown for; None if the protocol has none.
    bounds
        Sites, items, and the most messages; empty if no bound is stated.
    """

    says: str
    alpha: float | None
    bounds: tuple[tuple[int, int, float], ...]


@dataclass(frozen=True)
class Facts:
    """What is known of a kind.

    Parameters
    ----------
    name, family, origin, reference
        Its name in scenario files, what it is a kind of, who registers it, and ``module:Class``.
    says
        Its docstring up to the first section.
    properties
        Further properties of its class by name: source, guarantee, error, ….
    parameters
        What it takes.
    sizes
        The sizes of a task's games.
    cost
        What a protocol costs at most; None for other families, and where the bound cannot be worked out.
    made
        Whether it is a class or a function.
    """

    name: str
    family: Family
    origin: str
    reference: str
    says: str
    properties: Mapping[str, str] = field(default_factory=dict)
    parameters: tuple[Parameter, ...] = ()
    sizes: tuple[Any, ...] = ()
    cost: Cost | None = None
    made: str = "class"

    @property
    def line(self) -> str:
        """Return what it is in a line."""
        return self.says.split("\n")[0]


def facts(family: Family, name: str, origin: str, reference: str, maker: Any) -> Facts:
    """Return the facts of a class, or of a function that is an adversary.

    Examples
    --------
    >>> from disttrack.protocols import Martingale
    >>> known = facts("protocol", "martingale", "built in", "protocols:Martingale", Martingale)
    >>> known.parameters[1].name, known.parameters[1].default, known.properties["guarantee"].split(",")[0]
    ('delta', 0.05, 'right with probability 1 - delta')
    """
    lineage = reversed(inspect.getmro(maker)) if inspect.isclass(maker) else [maker]
    says = {name: text for each in lineage for name, text in described(each.__doc__ or "").items()}
    return Facts(
        name=name,
        family=family,
        origin=origin,
        made="class" if inspect.isclass(maker) else "function",
        reference=reference,
        says=_before_sections(inspect.getdoc(maker) or ""),
        properties=_properties(family, maker),
        parameters=tuple(
            Parameter(parameter, default, says.get(parameter, "")) for parameter, default in parameters(maker).items()
        ),
        sizes=tuple(maker.sizes) if family == "task" else (),
        cost=_cost(maker) if family == "protocol" else None,
    )


def first_line(thing: Any) -> str:
    """Return the first line of a docstring."""
    return (inspect.getdoc(thing) or "").strip().split("\n")[0]


def _properties(family: Family, maker: Any) -> dict[str, str]:
    """Return the properties that the attributes of a class state."""
    stated: dict[str, Any] = {
        "source": getattr(maker, "source", ""),
        "guarantee": GUARANTEES.get(getattr(maker, "guarantee", ""), ""),
        "one-sided": "its output never exceeds the truth" if getattr(maker, "one_sided", False) else "",
        "reveals": getattr(maker, "reveals", ""),
    }
    if family == "protocol":
        stated["comes back"] = READMISSION.get(getattr(maker, "readmission", ""), "")
    if family == "adversary":
        stated |= {"reacts": "no" if getattr(maker, "oblivious", False) else "to the outputs"}
        stated |= {"sees": getattr(maker, "sees", "")}
    if family in ("mechanism", "sketch", "curator"):
        stated |= {name: getattr(maker, name, "") for name in ("error", "memory", "privacy")}
    if family in ("mechanism", "curator"):
        stated["arithmetic"] = ARITHMETIC.get(getattr(maker, "arithmetic", ""), "")
    if family == "task":
        stated |= {"plays": " against ".join(dict(maker.families).values()), "columns": ", ".join(maker.columns)}
    # a class may have a method of such a name
    return {name: value for name, value in stated.items() if isinstance(value, str) and value}


def _cost(maker: Any) -> Cost | None:
    """Return a protocol's own cost bound at a few sizes."""
    alpha = ACCURACY if "alpha" in parameters(maker) else None
    try:
        protocol = maker() if alpha is None else maker(alpha=alpha)
        bounds = [(k, items, protocol.cost_bound(k, items)) for k in (16, 256, 4096) for items in (10**6, 10**9)]
    except (TypeError, ValueError):
        return None
    stated = not all(bound == float("inf") for *_, bound in bounds)
    return Cost(first_line(maker.cost_bound), alpha, tuple(bounds) if stated else ())


def _before_sections(doc: str) -> str:
    """Return a docstring up to its first section of numpy style."""
    return re.split(r"\n\w[\w ]*\n-{3,}", doc)[0].strip()


def described(doc: str) -> dict[str, str]:
    """Return the description of each parameter in a docstring's section Parameters."""
    doc = inspect.cleandoc(doc)
    section = re.search(r"\nParameters\n-+\n(.*?)(?=\n\w[\w ]*\n-{3,}|\Z)", doc, re.DOTALL)
    descriptions: dict[str, str] = {}
    names: list[str] = []
    for line in (section[1] if section else "").splitlines():
        if line and not line[0].isspace():
            names = [name.strip() for name in line.split(":")[0].split(",")]
        elif line.strip():
            descriptions |= {name: f"{descriptions.get(name, '')} {line.strip()}".strip() for name in names}
    return descriptions
