"""Every parameter of every public class is described in the docstring that `help` shows, inherited ones too."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, ClassVar

import disttrack
from disttrack import Protocol
from disttrack.mechanisms.docstrings import described
from disttrack.simulator.game.network import network_of
from disttrack.simulator.kinds.facts import Facts
from disttrack.simulator.kinds.registry import FAMILIES, find, kinds, parameters
from disttrack.simulator.workshop.conformance.by_hand import first_draw


def public_classes() -> Iterator[Any]:
    """Yield the registered classes and those that `import disttrack` gives, exceptions apart."""
    registered = [kind.load() for family in FAMILIES for kind in kinds(family).values()]
    named = [getattr(disttrack, name) for name in disttrack.__all__]
    for maker in dict.fromkeys([*registered, *named]):
        if inspect.isclass(maker) and not issubclass(maker, Exception):
            yield maker


def test_every_parameter_of_every_public_class_is_described() -> None:
    """A registered class has them under Parameters; what games give, such as a view, has them under Attributes too."""
    missing = {}
    for maker in public_classes():
        doc = maker.__doc__ or ""
        attributes = described(re.sub(r"\n( *)Attributes\n *-+\n", r"\n\1Parameters\n\1----------\n",
                                      re.sub(r"\n *Parameters\n *-+\n", "\n", doc)))  # fmt: skip
        names = [name for name in parameters(maker) if not name.startswith("_")]
        if gone := [name for name in names if name not in {**described(doc), **attributes}]:
            missing[maker.__name__] = gone
    assert missing == {}


@dataclass(frozen=True)
class Narrow(disttrack.Deterministic):
    """A tracker with a constant.

    Raises
    ------
    ValueError
        Never.
    """

    centred: ClassVar[bool] = True  # type: ignore[misc]  # no parameter any more
    width: int = 3


TOGETHER = (
    {"epsilon", "delta"}, {"domain", "delta", "strength"}, {"changes", "variation"}, {"horizon", "false_alarm"},
)  # fmt: skip
"""Parameters that one text describes together, which says of each what it is."""


def test_no_text_describes_two_parameters() -> None:
    texts = 0
    for family, kind in [(one, kind) for one in FAMILIES for kind in kinds(one)]:
        known = Facts(family, kind, "", "", find(family, kind)).parameters
        for text in {one.says for one in known if len(one.says.split()) > 5}:
            names = {one.name for one in known if one.says == text}
            assert len(names) == 1 or names in TOGETHER, f"{family} {kind}: {names}"
            texts += 1
    assert texts > 100


def test_only_parameters_that_are_inherited_are_added() -> None:
    text = inspect.getdoc(Narrow) or ""
    assert list(described(text)) == ["alpha"]
    assert text.startswith("A tracker with a constant.\n\nParameters\n----------\nalpha\n    ")
    assert text.endswith("\n\nRaises\n------\nValueError\n    Never.")
    assert (Protocol.__doc__ or "").count("Parameters\n") <= 1


def known_trackers() -> Iterator[Facts]:
    """Yield the facts of each registered protocol of sites and a server."""
    for name, kind in kinds("protocol").items():
        maker = kind.load()
        if inspect.isclass(maker) and issubclass(maker, Protocol):
            yield Facts("protocol", name, kind.origin, kind.reference, maker)


def test_how_a_protocol_comes_back_is_what_networks_take() -> None:
    """Seen: of quotas it said that no site may lose its state, and they were played with sites that did."""
    rows = {}
    for known in known_trackers():
        taken = []
        for part in ("site 0", "server"):
            network = network_of({"faults": f"{part} forgets 3-5"})
            assert network is not None
            with suppress(ValueError):
                network.check(2, known.maker)  # asks for no parameter
                taken.append(part)
        row = known.properties["comes back"]
        assert ("not without" in row, "not the server" in row) == (not taken, taken == ["site 0"]), known.name
        rows[row] = known.name
    assert len(rows) >= 3


def test_a_cost_is_one_on_average_of_every_tracker_with_coins() -> None:
    """Seen: "at most 7,372 words" of `martingale`, which sends more in four of 20 games."""
    found = []
    for known in known_trackers():
        if (cost := known.cost) is not None:
            protocol = known.maker(**({} if cost.alpha is None else {"alpha": 0.15}))
            drawn = first_draw(protocol, 2, 2_000, start=(10**7, 10**7)) is not None
            assert cost.on_average or not drawn, known.name
            found.append((drawn, cost.on_average))
    assert found.count((False, "")) >= 6
    assert found.count((True, " on average")) >= 11


def test_a_guarantee_says_what_its_task_judges() -> None:
    """Seen: "right at every step" of quotas whose proven bound is above their limit."""
    for known in known_trackers():
        task = kinds("task")[(known.maker.plays or ("count",))[0]].load()
        judged = task.answers[0].says
        row = known.properties["guarantee"]
        assert row.startswith("right ") == (known.maker.guarantee != "none" and "maybe above" not in judged), known.name
