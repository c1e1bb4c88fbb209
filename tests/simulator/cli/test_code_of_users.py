"""Code of the user's that raises, or does not return: its file and line are named; `check` names all files."""

from __future__ import annotations

import hashlib
import json
import time
from importlib import import_module
from pathlib import Path

import pytest
from commands import disttrack, refused

from disttrack import Exact, play
from disttrack.simulator.cli import main
from disttrack.simulator.game import present
from disttrack.simulator.game.tasks import remarks

FILE = """\
from disttrack import Adversary, Burst


def raises(view):
    return [][view.steps]


def stops(view):
    raise KeyboardInterrupt


class Rests(Adversary):
    def plan(self, view):
        return Burst(0, 0)


def far(view):
    yield Burst(0, 1)
    yield Burst(9)


def prints(view):
    print("fed", view.sent)
    return 0


an_object = Rests()
"""
GAME = ("play", "--sites", "4", "--items", "200", "--protocol", "exact", "--adversary")
MISTAKES = {
    "raises": ("IndexError: list index out of range", 5),
    "Rests": ("length of a burst must be at least 1", 14),
    "far": ("named site 9 at step 2", 19),
}


@pytest.fixture(autouse=True)
def own_file(folder: Path) -> None:
    Path("own.py").write_text(FILE)


def test_an_output_that_is_no_number_is_said_beside_the_error() -> None:
    Path("nan.py").write_text(
        "from disttrack import Exact, SumOfReports\n\n\nclass Nan(SumOfReports):\n"
        "    def hear(self, sender, message):\n        self.output = float('nan')\n        return ()\n\n\n"
        "class Mine(Exact):\n    def server(self, k, rng, start=()):\n        return Nan(start or [0] * k)\n"
    )
    sides = ("--adversary", "freeze", "--sites", "4", "--items", "20")
    shown = disttrack("play", "--protocol", "nan.py:Mine", *sides).stdout
    assert "infinite (the output was no number)" in shown
    assert "nan" not in shown.split("Timeline")[1]
    assert "none" in shown.split("Timeline")[1]
    assert "no finite number" not in disttrack("play", "--protocol", "exact", *sides).stdout


@pytest.mark.parametrize("name", MISTAKES)
def test_an_error_is_one_line_with_the_users_line_and_debug_has_the_traceback(name: str) -> None:
    message, number = MISTAKES[name]
    game = disttrack(*GAME, f"own.py:{name}")
    (line,) = game.stderr.strip().splitlines()
    assert game.exit_code == 1
    assert message in line
    assert line.endswith(f"(own.py:{number})")
    more = disttrack("--debug", *GAME, f"own.py:{name}").stderr
    assert ("Traceback" in more) == (name != "far"), "a wrong move has none"


def test_a_json_document_is_alone_on_standard_output() -> None:
    game = disttrack(*GAME, "own.py:prints", "--json")
    assert json.loads(game.stdout)["items"] == 200
    assert "fed 199" in game.stderr
    assert "fed 199" in disttrack(*GAME, "own.py:prints").stdout


def test_ctrl_c_names_where_the_game_stands() -> None:
    assert refused(*GAME, "own.py:stops", status=1) == "disttrack: stopped at own.py:9"


def test_a_call_that_does_not_return_is_named_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(present, "SLOW", 0.05)
    monkeypatch.setattr(present, "TICK", 0.01)
    told: list[str] = []
    end = time.monotonic() + 30

    def many_calls(view: object) -> int:
        return 0

    def hangs(view: object) -> int:
        while not told and time.monotonic() < end:
            pass
        return 0

    with present.slow_calls_named(told.append):
        play(Exact(), many_calls, sites=2, items=3000)
        assert not told
        play(Exact(), hangs, sites=2, items=50)
    (line,) = told
    assert "in hangs, test_code_of_users.py:" in line


def test_the_import_of_a_library_is_no_call_of_the_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(present, "SLOW", 0.05)
    monkeypatch.setattr(present, "TICK", 0.01)
    library, own = tmp_path / "site-packages", tmp_path / "own"
    for folder, name, text in (
        (library, "slow_library", "import time\ntime.sleep(0.3)\n"),
        (own, "own_module", "import slow_library\n"),
        (own, "own_slow_module", "import time\ntime.sleep(0.3)\n"),
    ):
        folder.mkdir(exist_ok=True)
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
        monkeypatch.syspath_prepend(folder)
    told: list[str] = []
    with present.slow_calls_named(told.append):
        import_module("own_module")
        assert not told
        import_module("own_slow_module")
    (line,) = told
    assert "in <module>, own_slow_module.py:2" in line


ENDLESS = """\
from disttrack import Exact


class Endless(Exact):
    def server(self, k, rng, start=()):
        print("begun")
        while True:
            pass
"""


def endless_scenario() -> str:
    Path("endless.py").write_text(ENDLESS)
    text = "{name: s, sites: 2, items: 200, trials: 1, protocol: 'endless.py:Endless', adversary: round-robin}"
    Path("s.yaml").write_text(text)
    return "s.yaml"


def test_check_names_a_part_whose_making_does_not_end_and_gives_it_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(present, "SLOW", 0.02)
    monkeypatch.setattr(present, "TICK", 0.01)
    monkeypatch.setattr(remarks, "PATIENCE", 0.2)
    check = disttrack("check", endless_scenario())
    assert "endless.py:Endless against round-robin: to play a short game twice takes longer than 0.2 s" in check.stdout
    assert "(endless.py:7)" in check.stdout or "(endless.py:8)" in check.stdout
    assert "in server, endless.py:" in check.stderr
    assert "begun" not in check.stdout


@pytest.mark.slow
def test_a_game_timeout_holds_where_parts_are_made() -> None:
    begun = time.monotonic()
    run = disttrack("run", endless_scenario(), "--workers", "1", "--game-timeout", "1", "--no-figures")
    assert run.exit_code == 1
    assert "took longer than 1 s (--game-timeout); it stood in server, endless.py:" in run.stderr
    assert time.monotonic() - begun < remarks.PATIENCE + 20  # a game that ended in an error is not tried again


@pytest.mark.slow
def test_a_run_whose_games_all_end_in_errors_says_so_and_ends_with_1() -> None:
    Path("s.yaml").write_text("{name: s, sites: 4, items: 200, trials: 8, protocol: exact, adversary: 'own.py:raises'}")
    run = disttrack("run", "s.yaml", "--workers", "1")
    (line,) = run.stderr.strip().splitlines()
    assert run.exit_code == 1
    assert "8 games ended in an error, the first: " in line
    assert "list index out of range (own.py:5)" in line


QUIET = """\
from disttrack import Message, Protocol, Server, Site
from disttrack.protocols.base import SumOfReports


class Quiet(Site):
    count = 0

    def silence(self):
        return SILENCE

    def take(self, items):
        self.count += items
        return () if self.count % 50 else [Message("count", self.count)]


class Mine(Protocol):
    def sites(self, k, rng, start=()):
        return [Quiet() for _ in range(k)]

    def server(self, k, rng, start=()):
        return SumOfReports([0] * k)
"""


@pytest.mark.slow
@pytest.mark.parametrize(("silence", "noted"), [("0", True), ("49 - self.count % 50", False)])
def test_conformance_notes_sites_that_never_state_a_silence(silence: str, noted: bool) -> None:
    Path("own.py").write_text(QUIET.replace("SILENCE", silence))
    said = " ".join(disttrack("conformance", "own.py:Mine").stdout.split())
    assert ("note: slow: 98% of the items bring no message, and silence() is 0" in said) == noted


def test_a_scenario_beside_its_bare_name_and_a_folder_in_its_place() -> None:
    Path("semester.yaml").write_text("{name: s}")
    Path("folder").mkdir()
    assert refused("run", "semester") == "semester: no such file or scenario; did you mean 'semester.yaml'?"
    assert "did you mean 'semester.yaml'?" in refused("run", "semster.yaml")
    for command in ("run", "replay", "check"):
        assert "folder: is a folder; report, plot" in refused(command, "folder")


@pytest.mark.parametrize(("move", "told"), [("hash(str(view.steps))", True), ("view.steps", False)])
def test_a_function_whose_games_depend_on_the_process_is_named(move: str, told: bool) -> None:
    Path("own.py").write_text(f"def goes(view):\n    return {move} % view.sites\n")
    Path("own.yaml").write_text(
        "name: own\nsites: 16\nitems: 500\nprotocol: {kind: randomized, alpha: 0.1}\nadversary: own.py:goes\n"
    )
    done = disttrack("check", "own.yaml")
    assert ("randomized against goes: another process plays another game of the same seed" in done.stdout) == told
    assert done.exit_code == 0


SEVERAL = """\
from disttrack.adversaries import Adversary, Burst


class Several(Adversary):
    draws_coins = True

    def plan(self, view):
        number = int(view.rng.integers(8))
        if number < 7:
            raise type(f"Error{number}", (Exception,), {})("on purpose")
        return Burst(0)
"""


def test_errors_of_each_class_are_named_once() -> None:
    Path("several.py").write_text(SEVERAL)
    keys = "name: s, sites: 4, items: 20, trials: 60, seed: 1, protocol: exact, plots: []"
    Path("s.yaml").write_text(f"{{{keys}, adversary: 'several.py:Several'}}")
    run = disttrack("run", "s.yaml", "--workers", "1", "--no-figures")
    lines = [line for line in run.stderr.splitlines() if "errors.txt" in line]
    assert len(lines) == 6
    assert len({line.partition(": Error")[2][:1] for line in lines[:5]}) == 5
    assert all(" games ended in an error, the first: point 0, trial " in line for line in lines[:5])
    assert lines[5].startswith("errors of 2 more classes (tracebacks: ")


# ---------------------------------------------------------------------- files that check executes


CODE = """\
from disttrack.adversaries import Adversary, Burst
from HELPER import SITE

class Mine(Adversary):
    def plan(self, view):
        return Burst(SITE)
"""
SCENARIO = """\
{name: s, sites: 2, items: 10, protocol: exact,
 adversary: [{kind: 'mine.py:Mine'}, {kind: trace, file: t.csv, site: at}]}
"""


def check(*arguments: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main.main(["check", *arguments])
    assert ended.value.code == 0


def test_files_of_the_user_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # a module is imported once by a process: each run has its own
    helper = f"helper_{hashlib.sha256(bytes(tmp_path)).hexdigest()[:12]}"
    Path("mine.py").write_text(CODE.replace("HELPER", helper))
    Path(f"{helper}.py").write_text("SITE = 0\n")
    Path("t.csv").write_text("at\n" + "a\nb\n" * 10)
    Path("s.yaml").write_text(SCENARIO)
    check("s.yaml")
    printed = capsys.readouterr().out
    assert all(name in printed for name in (f"{helper}.py", "mine.py", "t.csv"))
    assert "executed where code" in printed
    check("s.yaml", "--json")
    (document,) = json.loads(capsys.readouterr().out)["files"]
    digests = {Path(name).name: digest for name, digest in document["user_files"].items()}
    names = (f"{helper}.py", "mine.py", "t.csv")
    assert digests == {name: hashlib.sha256(Path(name).read_bytes()).hexdigest() for name in names}
