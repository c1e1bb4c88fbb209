"""What may stand in a scenario file, as pydantic models; the JSON Schema is made of the same models.

`Head` holds the keys that are fixed, `PointModel` one combination of the swept keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, create_model

from disttrack.simulator.claims.claim import Claim, Strict, Text
from disttrack.simulator.claims.control import LARGEST, not_bool
from disttrack.simulator.errors import nearest
from disttrack.simulator.scenario.network import UNIONS, Network
from disttrack.simulator.tasks.sizes import Size

# bounds stand before the validator, or pydantic leaves them out of the JSON Schema
Whole = Annotated[int, Field(ge=0, le=LARGEST), BeforeValidator(not_bool)]
Count = Annotated[int, Field(ge=1, le=LARGEST), BeforeValidator(not_bool)]


class Head(Strict):
    """The keys of a scenario that are fixed: a list is not swept here."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")] = Field(
        description="Names the folder of the results: letters, digits, dots, hyphens, underscores."
    )
    title: str = Field("", description="One line, above tables and figures.")
    task: Text = Field("count", description="What game is played.")
    seed: Whole = Field(0, description="From it, the seeds of all games follow.")
    trials: Count = Field(1, description="Games at each point, each with a seed of its own.")
    zip: list[list[Text]] = Field(
        default_factory=list,
        description="Groups of lists that move together, each a list of keys: [[sites, protocol.alpha]].",
    )
    claims: list[Claim] = Field(default_factory=list, description="What the results must bear out.")
    plots: list[dict[str, Any] | Text] = Field(
        default_factory=list, description="Figures to draw: {kind: cost, x: sites}."
    )


class Entry(BaseModel):
    """A protocol or an adversary: its kind; the other keys are the parameters of that kind."""

    model_config = ConfigDict(extra="allow", frozen=True)

    kind: Text = Field(description="A registered name, module:Class, or path/to/file.py:Class.")


class PointModel(Strict):
    """The keys of a scenario that may be swept, without their lists; the sizes are the task's own."""

    protocol: Entry = Field(description="What the sites and the server do.")
    adversary: Entry = Field(description="Who feeds the sites.")
    network: Network | None = Field(
        None, description="What becomes of messages on their way; instantaneous channels if left out."
    )
    engine: Literal["auto", "step", "leap", "bulk"] = Field("auto", description="How a game is computed.")


_FIRST: Final = ("name", "title", "task", "seed", "trials")
_LAST: Final = ("zip", "claims", "plots")
SWEPT: Final = tuple(PointModel.model_fields)
"""The keys that a list sweeps, beside those of the sizes."""


def keys_of(sizes: Sequence[Size]) -> tuple[str, ...]:
    """Return the keys of a scenario whose task has these sizes."""
    return (*_FIRST, *(size.key for size in sizes), *SWEPT, *_LAST)


@lru_cache
def point_model(sizes: tuple[Size, ...]) -> type[PointModel]:
    """Return the model of a point whose task has these sizes."""
    fields: dict[str, Any] = {}
    for size in sizes:
        value = Annotated[int, Field(ge=size.least, le=LARGEST), BeforeValidator(not_bool)]
        if size.needed:
            fields[size.key] = (value, Field(description=size.says))
        else:
            fields[size.key] = (value | None, Field(None, description=size.says))
    return create_model("PointModel", __base__=PointModel, **fields)


def first_fault(error: ValidationError) -> tuple[tuple[str | int, ...], str]:
    """Return the place of pydantic's first fault, and one line with what is accepted."""
    faults = error.errors(include_url=False)
    # of a union pydantic lists a fault for each member; the deepest one is the nearest to what was meant
    first = max((fault for fault in faults if fault["loc"][:1] == faults[0]["loc"][:1]), key=lambda f: len(f["loc"]))
    path = tuple(part for part in first["loc"] if _is_key(part))
    return path, _say(first)


def _is_key(part: str | int) -> bool:
    """Tell a key of the file from the names of a union's members, which pydantic puts into paths as well."""
    return isinstance(part, int) or (
        part.isidentifier() and part not in ("float", "str", "int", "Share", "Precision", *UNIONS)
    )


def _say(fault: Any) -> str:
    kind, given, context = fault["type"], fault.get("input"), fault.get("ctx", {})
    accepted = {
        "int_type": "must be a whole number",
        "int_parsing": "must be a whole number",
        "int_from_float": "must be a whole number",
        "float_type": "must be a number",
        "float_parsing": "must be a number",
        "finite_number": "must be a finite number",
        "string_type": "must be a text",
        "list_type": "must be a list",
        "dict_type": "must hold keys and values",
        "model_type": "must hold keys and values",
    }
    if kind == "missing":
        return "is missing"
    if kind == "extra_forbidden":
        return "unknown key"
    if kind == "value_error":
        return str(context.get("error", fault["msg"]))
    if kind == "literal_error":
        advice = nearest(str(given), _quoted(context["expected"]))
        return f"must be one of {context['expected']}; got {given!r}{advice}"
    bounds = {
        "greater_than_equal": ("at least", "ge"),
        "less_than_equal": ("at most", "le"),
        "greater_than": ("above", "gt"),
    }
    if kind in bounds:
        word, key = bounds[kind]
        return f"must be {word} {context[key]:,}; got {given!r}"
    if isinstance(given, list) and kind in accepted:
        return f"{accepted[kind]}; a list is not swept here; got {given!r}"
    return f"{accepted.get(kind, fault['msg'])}; got {given!r}"


def _quoted(expected: str) -> list[str]:
    return [part.strip("'") for part in expected.replace(" or ", ", ").split(", ")]
