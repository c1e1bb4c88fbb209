"""All faults of a class at once, each with how to mend it."""

from __future__ import annotations

import json
import random
import re
import shlex
import sys
from contextlib import suppress
from dataclasses import MISSING, dataclass, field
from pathlib import Path
from textwrap import dedent
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner
from mutant_adversaries import turn
from mutant_protocols import MUTANTS, Promising, Shifted
from user_files import shorten, write_files

from disttrack import Adversary, Burst, play
from disttrack.adversaries import RoundRobin, View
from disttrack.adversaries.base import Choice
from disttrack.mechanisms import COUNTERS
from disttrack.protocols import Block, Deterministic, Exact, PrivateCopies, Robust
from disttrack.simulator.cli import main
from disttrack.simulator.game.network import Latency, Network, network_of
from disttrack.simulator.game.reference import KERNEL, MACHINE, SILENCE, DifferenceError
from disttrack.simulator.kinds.entries import entry_of
from disttrack.simulator.kinds.lines import cause_of
from disttrack.simulator.kinds.point import made_from
from disttrack.simulator.kinds.registry import ROLES, kinds, parameters, role_of
from disttrack.simulator.workshop.conformance import adversaries, all_faults, check_adversary, failure, suites, untested
from disttrack.simulator.workshop.conformance.by_hand import opponents
from disttrack.simulator.workshop.conformance.compiled_form import network_for
from disttrack.simulator.workshop.conformance.facts import states
from disttrack.simulator.workshop.conformance.failure import (
    ConformanceError,
    checked,
    faults,
    raised_in,
    require,
    unless,
    written,
)
from disttrack.simulator.workshop.conformance.promises import keeps_its_promise

pytestmark = pytest.mark.usefixtures("one_size")


def test_a_check_goes_on_where_it_can_and_the_others_follow() -> None:
    def facts() -> Any:
        yield unless(False, "has no name", "name it")
        yield unless(True, "has no age", "")
        yield unless(False, "has no home", "house it")

    def stops() -> Any:
        require(False, "falls", "hold it")
        raise AssertionError("not reached")
        yield

    def raises() -> Any:
        yield
        raise KeyError("x")

    def draws() -> Any:
        yield random.random() and None

    checks = {check.__name__: check for check in (facts, stops, raises, draws)}
    assert [(fault.check, str(fault), fault.mend[:8]) for fault in faults(checks)] == [
        ("facts", "has no name", "name it"),
        ("facts", "has no home", "house it"),
        ("stops", "falls", "hold it"),
        ("raises", "raises KeyError: 'x' (test_mending.py:66)", "see the "),
        ("draws", "draws from random or numpy.random", "draw fro"),
    ]
    with pytest.raises(ConformanceError, match=r"^It: has no name$") as refusal:  # the first one ends everything
        checked("It", checks)
    assert (refusal.value.mend, refusal.value.check) == ("name it", "facts")
    assert checked("It", {"fine": lambda: iter([None])}) == ["fine"]
    with pytest.raises(ConformanceError, match="tested nothing"):
        checked("It", {"empty": lambda: iter(())})


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let all_faults play short games, and few large ones."""
    shorten(monkeypatch)


@pytest.mark.usefixtures("short")
def test_right_ones_have_no_fault() -> None:
    for right in (Deterministic(alpha=0.2), turn):
        assert all_faults(right)[1] == []
    with pytest.raises(TypeError, match="no protocol, adversary or private counter"):
        all_faults(3)


@pytest.mark.usefixtures("short")
def test_a_function_is_checked_and_known_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def outside(view: View) -> int:
        return view.sites

    assert check_adversary(turn, items=50)[4:] == ["plays alike elsewhere"]
    with pytest.raises(ConformanceError, match=r"^outside: "):
        check_adversary(outside, items=50)
    assert check_adversary("freeze", items=50)
    with pytest.raises(TypeError, match="is no Adversary"):
        check_adversary(Exact)  # type: ignore[arg-type]


@dataclass
class Tally(Adversary):
    """Feeds the site that it has fed least."""

    given: list[int] = field(init=False)

    def plan(self, view: View) -> Burst:
        return Burst(0)


def test_an_adversary_may_have_a_field_that_no_game_has_set() -> None:
    with pytest.raises(AttributeError):
        assert Tally() == Tally()
    assert not any(states(Tally(), (), {}, parameters=False))


LOST = "Shifted changes server() and inherits no guarantee"


@pytest.mark.usefixtures("short")
def test_a_promise_that_is_not_tested_is_not_among_the_checks_that_pass(tmp_path: Path) -> None:
    assert untested(Shifted(alpha=0.2)) == {
        "keeps its promise": f"{LOST}; state guarantee: always, adaptive, oblivious"
    }
    for kept in (Promising(alpha=0.2), Deterministic(alpha=0.2), RoundRobin()):
        assert not untested(kept)
    assert "PrivateCopies states no guarantee" in untested(PrivateCopies(alpha=0.2))["keeps its promise"]
    (tmp_path / "shifted.py").write_text(
        "from disttrack import Exact\n\n\nclass Mine(Exact):\n    '''Own.'''\n\n"
        "    def server(self, k, rng, start=()):\n        return super().server(k, rng, start)\n"
    )
    said = " ".join(disttrack(f"{tmp_path / 'shifted.py'}:Mine").stdout.split())
    assert "keeps its promise: not tested, since Mine changes server() and inherits no guarantee" in said
    assert "keeps its promise" not in said.partition("note: ")[0]


def test_a_class_that_no_other_process_can_load_is_not_tested_in_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Control: one of a module is, as above."""
    elsewhere = "plays alike elsewhere"
    assert elsewhere not in check_adversary(RoundRobin(), items=50)  # a shipped one

    def typed(view: View) -> int:
        return turn(view)

    typed.__qualname__ = "typed"
    for module, reason in (("__main__", "is of this session only"), ("nowhere", "no module nowhere elsewhere")):
        typed.__module__ = module
        monkeypatch.setitem(sys.modules, module, SimpleNamespace(typed=typed))  # type: ignore[arg-type]
        assert reason in untested(typed)[elsewhere]
        assert elsewhere not in check_adversary(typed, items=50)


def test_a_counter_whose_privacy_no_matrix_shows_does_not_pass_that_check() -> None:
    names = {kind for kind in COUNTERS if untested(COUNTERS[kind](epsilon=1.0, horizon=64))}
    assert names
    assert names < set(COUNTERS)
    assert "binary" not in names


def test_a_game_of_a_class_that_lost_its_guarantee_says_so() -> None:
    sizes: dict[str, Any] = {"sites": 2, "items": 20}
    assert f"(promised: 0.2; {LOST})" in repr(play(Shifted(alpha=0.2), RoundRobin(), **sizes))
    assert f", promised 0.2 ({LOST})" in play(Shifted(alpha=0.2), RoundRobin(), **sizes)._repr_html_()
    assert "(promised: 0.2)" in repr(play(Promising(alpha=0.2), RoundRobin(), **sizes))


POOREST = """
from dataclasses import dataclass

from disttrack import Adversary, Burst, Exact, Site


class Poorest(Adversary):
    \"\"\"Looks at a field that one tracker does not have.\"\"\"

    kind, source, sees = "poorest", "me", "state"

    def plan(self, view):
        return Burst(min(range(view.sites), key=lambda site: view.site(site).count), 1)


@dataclass(frozen=True)
class Full(Exact):
    \"\"\"Refuses the start of a game.\"\"\"

    kind = "full"
    note: str = "none"

    def server(self, k, rng, start=()):
        if sum(start) > 50:
            raise ValueError("full")
        return super().server(k, rng, start)


class Bulk(Exact):
    \"\"\"Raises where several items come at once.\"\"\"

    def sites(self, k, rng, start=()):
        return [BulkSite() for _ in range(k)]


class BulkSite(Site):
    def silence(self):
        return 1

    def take(self, items):
        if items > 1:
            raise ValueError("bulk")
        return ()


class Form(Exact):
    \"\"\"Raises in its compiled form.\"\"\"

    carries = "copies"

    def kernel_form(self, k, rngs, start=()):
        raise KeyError("form")


def poor(view):
    if view.known["kind"] == "robust":
        raise KeyError("poor")
    return 0
"""
STARTED = "adversary=round-robin, sites=1, items=150, seed=1, start=1000"


@pytest.mark.usefixtures("short")
@pytest.mark.quick_cases(1)
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Poorest", "protocol=exact, adversary=poorest.py:Poorest sees=state, sites=1, items=150, seed=1"),
        ("poor", "protocol=robust alpha=0.2 delta=0.05, adversary=poorest.py:poor, sites=1, items=150, seed=1"),
        ("Full", f"protocol=poorest.py:Full, {STARTED}"),
        ("Bulk", "protocol=poorest.py:Bulk, adversary=round-robin, sites=1, items=150, seed=1"),
        ("Form", "protocol=poorest.py:Form, adversary=round-robin, sites=1, items=150, seed=1"),
        ("Full:note='1, 2'", f'protocol=poorest.py:Full note="1, 2", {STARTED}'),
    ],
)
def test_an_error_names_its_game_and_the_command_that_shows_it(name: str, words: str, folder: Path) -> None:
    """Seen: of an adversary that raised against one tracker, `disttrack play --debug`, which cannot be filled in."""
    Path("poorest.py").write_text(POOREST, encoding="utf-8")
    said = disttrack(f"poorest.py:{name}").stdout
    fault, command = re.findall(rf"raises (.*); {words}\n +fix: see the traceback: disttrack (.*)", said)[0]
    again = CliRunner().invoke(main, shlex.split(command))
    assert again.exit_code == 1
    assert fault in cause_of(again.stderr)
    assert "poorest.py\", line" in again.stderr


WORDLESS = """
from disttrack.protocols import Exact, Message, Site


class One(Site):
    def silence(self):
        return 0

    def take(self, items):
        return [Message("one", words=0)] * items


class Wordless(Exact):
    def sites(self, k, rng, start=()):
        return [One() for _ in range(k)]


class NoStart(Exact):
    def cost_bound(self, k, items, start):
        return items
"""


@pytest.mark.usefixtures("short")
def test_a_fix_names_the_method_as_it_is_stated_and_promises_no_traceback_of_a_wrong_part(folder: Path) -> None:
    Path("wordless.py").write_text(WORDLESS, encoding="utf-8")
    said = disttrack("wordless.py:Wordless").stdout
    assert "see the game: disttrack play --protocol wordless.py:Wordless" in said
    assert "traceback" not in said
    assert "--debug" not in said
    assert "fix: write cost_bound(self, k, items, start=0)" in disttrack("wordless.py:NoStart").stdout


def test_commands_name_the_sides_of_all_checks_as_they_are() -> None:
    """Also the shipped classes, in the place of the user's."""
    sides: list[Any] = [*adversaries.PROTOCOLS, *adversaries.TRACKERS]
    sides += [each for protocol in sides for each in opponents(protocol)]
    for maker in (kind.load() for role in ROLES for kind in kinds(role).values()):
        if MISSING not in parameters(maker).values() and hasattr(maker, "as_mapping"):
            with suppress(ValueError):  # a log needs a file
                sides.append(maker())
    assert len(sides) >= 60
    for side in sides:
        entry = entry_of(written(side))
        assert entry.pop("sees", "outputs") == getattr(side, "sees", "outputs")
        made = made_from(role_of(type(side)), entry)
        assert (type(made), made.as_mapping()) == (type(side), side.as_mapping())


def test_commands_name_the_networks_of_all_checks_as_they_are() -> None:
    """Seen: `latency: {exponential: null}`, of a compiled form whose messages take time."""
    for network in (Network(Latency(mean=3.0)), *map(network_for, (Robust(alpha=0.2), Block(alpha=0.2), Exact()))):
        with pytest.raises(ValueError, match="spoilt") as caught:
            failure.play(Exact(), Choice(spoilt), sites=2, items=9, network=network)
        game = raised_in(caught.value)
        assert game is not None
        assert network_of(json.loads(game.words.partition("network=")[2])) == network


def spoilt(view: View) -> int:
    raise ValueError("spoilt")


@pytest.fixture
def mine(folder: Path) -> None:
    write_files(folder)


def disttrack(*arguments: str) -> Any:
    return CliRunner().invoke(main, ["conformance", *arguments], catch_exceptions=False)


@pytest.mark.usefixtures("mine", "short")
def test_the_test_of_a_wrong_tracker_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(Path.cwd())
    result = disttrack("wrong.py:Doubled").stdout
    code = dedent(result.partition("as a test:\n\n")[2].partition("\n\nwrong.py:")[0])
    names: dict[str, Any] = {}
    exec(code, names)  # Doubled is imported from the file that it is in
    with pytest.raises(AssertionError, match="doubled against moves: failed"):
        names["test_the_shortest_failing_game"]()


@pytest.mark.usefixtures("mine", "short")
def test_a_class_without_a_method_is_told_which_and_its_prints_are_not_shown() -> None:
    shown = disttrack("mine.py:Mine").stdout  # each version of Python has another text of the error
    assert shown.startswith("1. during silence is honest: raises TypeError: Can't instantiate")
    assert "write silence in class Counts; " in " ".join(shown.split())
    assert "counts\n" not in shown


def test_what_was_found_before_it_is_stopped_is_printed_and_a_terminal_shows_it_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def wrong(*_: object) -> Any:
        yield unless(False, "is wrong", "write it anew")

    def stopped(*_: object) -> Any:
        yield None
        raise KeyboardInterrupt

    checks = {"first": wrong, "second": lambda *_: iter([None]), "third": stopped}
    monkeypatch.setattr(suites, "COUNTER_CHECKS", checks)
    result = disttrack("binary:horizon=8")
    assert result.exit_code == 1
    assert result.stdout.splitlines()[:2] == ["1. first: is wrong", "   fix: write it anew"]
    assert "stopped; faults so far: 1; checks passed: second" in result.stdout
    assert result.stderr.strip().startswith("disttrack: stopped at test_mending.py:")
    terminal = SimpleNamespace(stderr=SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr("disttrack.simulator.cli.conformance.sys", terminal)
    assert disttrack("binary:horizon=8").stderr.splitlines()[:2] == ["first: is wrong", "second: passed"]


@pytest.mark.parametrize(
    ("cause", "fix"), [(SILENCE, "take(n) must"), (KERNEL, "kernel_form"), (MACHINE, "machine() must give")]
)
def test_the_fix_of_engines_that_differ_names_the_form_that_differs(cause: str, fix: str) -> None:
    def differs() -> Any:
        raise DifferenceError("they play different games", cause)
        yield

    (found,) = faults({"keeps it at scale": differs})
    assert found.mend.startswith(fix)


def test_an_output_that_is_no_number_is_named_where_a_promise_is_broken() -> None:
    """Seen: `see what sites report and the server adds`, of an output that was nan in one step."""
    mutant = MUTANTS["NotANumber"](alpha=0.15)
    with pytest.raises(ConformanceError, match=r"output nan at item 10[0-9]$") as fault:
        [*keeps_its_promise(mutant, (1,), 200)]
    assert fault.value.mend == "output finite numbers"
