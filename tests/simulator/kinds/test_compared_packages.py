"""Trust follows from what a package declares and a task states, not from a module's name."""

from __future__ import annotations

from typing import Any, Final

import pytest

from disttrack import Burst, Exact, Freeze, Protocol, Randomized, RoundRobin, Uniform, play
from disttrack.adversaries.contents import UniformItems
from disttrack.protocols.contents import ItemTracker
from disttrack.protocols.faults import LostReports
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.game.reference import DifferenceError, own_code
from disttrack.simulator.game.repeat import unrepeatable
from disttrack.simulator.kinds import registry
from disttrack.simulator.kinds.installed import CORE, compared, in_doubt, is_compared
from disttrack.simulator.kinds.registry import ROLES, kinds, make, registered

NEEDED: Final = {"alpha": 0.15, "epsilon": 0.2, "threshold": 200, "limit": 9, "window": 30, "phi": 0.4, "depth": 5}
"""Values of parameters that a class needs."""
SIDES: Final = [(role, name) for role in ROLES for name in kinds(role)]
TRACKERS: Final = [name for name, kind in kinds("protocol").items() if issubclass(kind.load(), Protocol)]


def renamed(maker: Any, **members: object) -> Any:
    """Return a class of a user's that gives a class another name, and changes what `members` say."""
    return type("Mine", (maker,), {"kind": "mine", "__module__": "mine", **members})


def made(maker: Any) -> Any:
    """Return an object with the parameters that its class needs."""
    taken = registry.parameters(maker)
    needed = [key for key in NEEDED if taken.get(key) is registry.MISSING]
    needed += ["depth"] if "depth" in taken and "shape" not in taken else []
    return maker(**{key: NEEDED[key] for key in needed})


def game(protocol: Any, **more: Any) -> Any:
    adversary = UniformItems(domain=9) if isinstance(protocol, ItemTracker) else Uniform()
    return {"protocol": protocol, "adversary": adversary, "sites": 3, "items": 300, **more}


@pytest.mark.parametrize(("role", "name"), SIDES)
def test_every_registered_class_by_another_name_is_this_class(role: Any, name: str) -> None:
    maker = kinds(role)[name].load()
    mine = renamed(maker)
    assert own_code(object.__new__(maker)) == own_code(object.__new__(mine)) == ""
    assert own_code(object.__new__(renamed(maker, threshold_of_mine=3))) == "Mine"
    assert own_code(object.__new__(renamed(maker, __init__=lambda self: None))) == "Mine"
    assert registered(role, mine) == name


def test_two_compared_classes_together_are_a_class_that_nobody_compared() -> None:
    both = type("Both", (LostReports, Exact), {"kind": "both", "__module__": "mine"})
    assert own_code(both()) == "Both"


@pytest.mark.drawn(10)
@pytest.mark.parametrize("name", TRACKERS)
def test_every_tracker_that_keeps_all_rules_is_judged_as_its_parent(uncompiled: None, name: str) -> None:
    """Also if it adds something, so that its games are compared and played twice."""
    maker = kinds("protocol")[name].load()
    for engine, members in (("auto", {}), ("leap", {"member_of_mine": 3})):
        parent = play(**game(made(maker)), seed=3, engine=engine)
        mine = play(**game(made(renamed(maker, **members))), seed=3, engine=engine)
        assert unrepeatable(game(made(renamed(maker, **members)))) == ""
        assert {**mine.row(), "seconds": 0, "protocol": ""} == {**parent.row(), "seconds": 0, "protocol": ""}
        assert members or mine.coins == parent.coins


def test_a_package_is_compared_if_it_is_declared() -> None:
    assert {*CORE} <= {*compared()}
    for package in compared():
        assert is_compared(package)
        assert is_compared(f"{package}.deep.inside")
        assert not is_compared(f"{package}_of_mine")
        with in_doubt(package):
            assert not is_compared(f"{package}.deep.inside")
    for other in ("disttrack", "disttrack.mine", "mine", "__main__", ""):
        assert not is_compared(other)


def test_a_class_of_a_package_in_doubt_is_one_of_a_user() -> None:
    with in_doubt("disttrack.protocols"):
        assert own_code(Exact()) == "Exact"
    assert own_code(Exact()) == ""


def test_the_frame_checks_the_parameters_of_a_class_that_inherits_them() -> None:
    for maker in (Randomized, renamed(Randomized)):
        with pytest.raises(ScenarioError, match="alpha: must be a number between 0 and 1"):
            make("protocol", maker, {"alpha": "0.1"})


class Otherwise(Freeze):
    """An adversary whose compiled form is that of another one."""

    kind = "otherwise"

    def plan(self, view: Any) -> Burst:
        return Burst(0)

    def machine(self, view: Any) -> Any:
        return Freeze.machine(self, view)


def test_a_compiled_adversary_of_a_user_is_compared(uncompiled: None) -> None:
    pytest.importorskip("numba")
    sizes = {"sites": 16, "items": 20_000}
    assert play(Randomized(alpha=0.1), Otherwise(), engine="leap", **sizes).items == 20_000
    for engine in ("compiled", "auto"):
        with pytest.raises(DifferenceError, match=r"Otherwise: step and compiled .* its machine\(\) differs"):
            play(Randomized(alpha=0.1), Otherwise(), engine=engine, **sizes)


def test_a_rule_on_an_object_of_any_package_voids_its_compiled_form() -> None:
    """Also of a package that is declared, whose classes nobody compares before a game."""
    protocol = renamed(Randomized, helper=lambda self: 0, kernel_form=Randomized.kernel_form)(alpha=0.1)
    object.__setattr__(protocol, "helper", lambda: 1)
    with pytest.raises(ScenarioError, match="helper is set on the object"):
        play(protocol, RoundRobin(), sites=3, items=300, engine="compiled")
