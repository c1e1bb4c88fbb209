"""Trackers that are programs: by hand, from seeds, and the programs that do not answer as they must."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from disttrack import Freeze, RoundRobin, SingleSite, check_protocol, play
from disttrack.protocols import programs
from disttrack.protocols.programs import Exec, ProgramError
from disttrack.simulator.game.reference import DifferenceError

ROOT = Path(__file__).resolve().parents[2]
COUNTS = r"""
total=0
while read -r line; do
    case $line in
    *'"role":"server"'*) server=yes; echo '{}' ;;
    *'"type":"init"'*) seed=${line#*'"seed":'}; seed=${seed%%,*}; echo '{}' ;;
    *'"from":'*) total=$((total + 1)); echo "{\"output\":$total}" ;;
    *) echo "{\"send\":[{\"kind\":\"item\",\"words\":$((1 + seed % 1000))}]}" ;;
    esac
done
"""
"""Forwards each item, by a message of as many words as the seed says."""


@pytest.fixture
def program(tmp_path: Path) -> Callable[..., Exec]:
    """Return a function that writes a shell script, and returns the tracker that it is."""

    def write(text: str, **parameters: Any) -> Exec:
        file = tmp_path / "tracker.sh"
        file.write_text(text)
        return Exec(str(file), runner="sh", **{"alpha": 0.1, **parameters})

    return write


@pytest.fixture(scope="session")
def growth(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the example in C, compiled."""
    if not (compiler := shutil.which("cc")):
        pytest.skip("there is no C compiler (cc)")
    file = tmp_path_factory.mktemp("growth") / "growth"
    subprocess.run([compiler, "-o", str(file), str(ROOT / "examples" / "growth.c")], check=True)
    return str(file)


def test_the_example_reports_when_its_count_has_grown(growth: str) -> None:
    tracker = Exec(growth, alpha=0.5, promise="always")
    game = play(tracker, SingleSite(), sites=1, items=20, record=True)
    # a report at each count above 1.5 times the last one: 1, 2, 4, 7, 11, 17
    assert game.outputs.step.tolist() == game.outputs.output.tolist() == [1, 2, 4, 7, 11, 17]
    assert (game.messages, game.verdict) == (6, "ok")
    for engine in ("step", "leap"):
        one = play(tracker, Freeze(), sites=3, items=300, start=10, engine=engine, record=True)
        other = play(tracker, Freeze(), sites=3, items=300, start=10, engine="leap", record=True)
        assert one.transcript.equals(other.transcript)


@pytest.mark.slow  # hundreds of games of up to eight processes
def test_the_example_passes_conformance(growth: str) -> None:
    assert "keeps its promise" in check_protocol(Exec(growth, alpha=0.15, promise="always"), items=100)


def test_seeds_reach_the_programs_and_repeat_the_game(program: Callable[..., Exec]) -> None:
    def words(seed: int, coins: bool) -> list[int]:
        game = play(program(COUNTS, coins=coins), RoundRobin(), sites=3, items=3, seed=seed, record=True)
        assert game.ok
        return list(game.transcript.words)

    assert words(0, coins=False) == [1, 1, 1]
    games = [words(seed, coins=True) for seed in range(4)]
    assert games == [words(seed, coins=True) for seed in range(4)]
    assert len({word for one in games for word in one}) > 6  # fewer of 12 uniform ones below 1000 by chance: 1e-12


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("echo oops >&2; exit 1", r'site 0: ended with status 1 \(oops\), when it was given \{"type":"init"'),
        ("kill -9 $$", "was ended by SIGKILL"),
        ("read x; exec >&-; sleep 60 & wait", "closed its output, when"),
        ("read x; echo '[1]'", r"one JSON object per line; answered \[1\]"),
        ("read x; printf '{}\\n{}\\n'", "must answer with exactly one line; answered {}"),
        ("read x; echo '{\"sends\":[]}'", "the keys send and silence only, not 'sends'"),
        ("read x; echo '{\"silence\":-1}'", "a silence that is a whole number from 0; answered"),
        ('read x; echo \'{"send":[{"kind":"a","words":0}]}\'', "messages such as"),
        ("read x; echo '{\"send\":{}}'", "a list of messages under send"),
        ("read x; echo '{}'; read x; echo '{\"output\":NaN}'", "server"),
        ("sleep 60 & echo $! >>pids; wait", "no answer within 0.3 s to"),
        ("yes x | tr -d '\\n'", "a line of more than 1,048,576 bytes"),
    ],
)
def test_a_program_that_does_not_answer_costs_its_game_and_leaves_nothing(
    program: Callable[..., Exec], folder: Path, text: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "sleep" in text or "yes" in text:  # it does not end by itself, however long it is waited for
        monkeypatch.setattr(programs, "PATIENCE", 0.05)
    tracker = program(f"echo $$ >>pids\n{text}\n", timeout=0.3 if "pids" in text else 10.0)
    if reason == "server":
        tracker, reason = program(SPOILT_SERVER), r"an output that is a finite number; answered \{\"output\": NaN\}"
    with pytest.raises(ProgramError, match=reason):
        play(tracker, RoundRobin(), sites=2, items=4)
    game = play(tracker, RoundRobin(), sites=2, items=4, on_error="record")
    assert game.verdict == "error"
    assert len((game.error or "").splitlines()) == 1
    end = time.monotonic() + 5  # a process that was killed takes a moment to be gone
    while (left := [pid for pid in Path("pids").read_text().split() if alive(int(pid))]) and time.monotonic() < end:
        time.sleep(0.01)
    assert not left, text


SPOILT_SERVER = r"""
echo $$ >>pids
while read -r line; do
    case $line in
    *'"type":"init"'*) echo '{}' ;;
    *'"from":'*) echo '{"output":NaN}' ;;
    *) echo '{"send":[{"kind":"item"}]}' ;;
    esac
done
"""


def alive(pid: int) -> bool:
    """Return whether a process runs; one that has ended and waits to be reaped by init does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not (stat.is_file() and stat.read_text().rpartition(")")[2].split()[0] == "Z")


def test_a_silence_that_is_not_kept_is_refused(program: Callable[..., Exec]) -> None:
    with pytest.raises(DifferenceError, match="step and leap play different games"):
        play(program(COUNTS.replace(']}"', '],\\"silence\\":2}"')), RoundRobin(), sites=2, items=20)


@pytest.mark.parametrize("role", ["site", "server"])
def test_nobody_sends_before_the_game(role: str, program: Callable[..., Exec]) -> None:
    """A message in answer to the first line would be neither delivered nor counted."""
    hello = """echo '{"send":[{"kind":"hello","value":1}]}'"""
    early = f"""read line; case "$line" in *'"{role}"'*) {hello};; *) echo "{{}}";; esac"""
    with pytest.raises(ProgramError, match=f"{role}.*: must answer with no message before the game"):
        play(program(f"{early}\n{COUNTS}"), RoundRobin(), sites=2, items=2)
