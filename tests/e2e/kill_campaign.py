"""Runs that are killed at random moments, and what must be left of them: every finished game, no process, equal tables.

``python tests/e2e/kill_campaign.py 100`` strikes a hundred times: the run itself or one of its workers, with SIGKILL,
SIGINT or SIGTERM, up to three times in the life of one folder. After each blow the journal is compared with what it
was, and after the last the same command goes on undisturbed: it must play what is missing and nothing else, and give
the tables of a run that nothing disturbed.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[2]
PATIENCE: Final = 90.0
"""Seconds after which a run that was struck counts as hanging."""
BLOWS: Final = (signal.SIGKILL, signal.SIGINT, signal.SIGTERM)
SLOW: Final = """\
import time
from disttrack.adversaries import Adversary, Burst

class Slow(Adversary):
    def plan(self, view):
        if view.steps == 0:
            time.sleep(0.03)
        return Burst(0)
"""
OWN: Final = """\
name: own
trials: 20
sites: [1, 2]
items: 300
protocol: {kind: randomized, alpha: 0.1}
adversary: slow.py:Slow
claims: [{name: it costs something, measure: min(words), at_least: 1, no_control: an example}]
plots: [{kind: cost, x: sites}]
"""
SHIPPED: Final = """\
name: shipped
trials: 20
sites: [2, 4]
items: 4000
engine: step
protocol: {kind: randomized, alpha: 0.1}
adversary: {kind: uniform}
claims: [{name: it costs something, measure: min(words), at_least: 100, control: {items: 20}}]
"""


class Campaign:
    """Lives of results folders, each struck up to three times.

    Parameters
    ----------
    folder
        Where all of it happens.
    seed
        Determines who is struck, how, and when.

    Attributes
    ----------
    counts
        How many blows met whom, and how many runs ended in which way.
    """

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.random = folder, Random(seed)
        self.counts: Counter[str] = Counter()
        self._mark = f"{os.getpid()}-{time.monotonic_ns()}"
        (folder / "slow.py").write_text(SLOW)
        self.whole: dict[str, Any] = {}
        self.seconds: dict[str, float] = {}
        for name, text in (("own", OWN), ("shipped", SHIPPED)):
            (folder / f"{name}.yaml").write_text(text)
            begun = time.monotonic()
            self._go_on(name, f"whole-{name}", ["--workers", "1", "--no-figures"])
            self.seconds[name] = time.monotonic() - begun
            self.whole[name] = tables(folder / f"whole-{name}")

    def life(self) -> int:
        """Strike a folder's runs up to three times, let the last one end, look at what there is; return the blows."""
        random = self.random
        name = random.choice(list(self.whole))
        how = ["--workers", random.choice("12")]
        how += [] if random.random() < 0.15 else ["--no-figures"]
        out = f"life-{self.counts['lives']}"
        blows = random.choice([1, 1, 2, 3])
        kept: set[str] = set()
        for _ in range(blows):
            kept = self._struck(name, out, how, kept)
        end = self._go_on(name, out, how)
        assert end["games"]["kept"] == len(kept), (end["games"], len(kept))
        assert tables(self.folder / out) == self.whole[name], f"{out}: other tables"
        assert end["games"]["played"] + end["games"]["alike"] + len(kept) == len(known(self.folder / out))
        strays = list((self.folder / out).rglob(".*"))
        assert strays == []
        self._nobody_left()
        self.counts["lives"] += 1
        return blows

    def _struck(self, name: str, out: str, how: list[str], before: set[str]) -> set[str]:
        """Start a run, strike, wait for its end; return the keys of the games that are kept."""
        blow = self.random.choice(BLOWS)
        whom = self.random.choice(["main", "main", "worker"])
        process = self._start(name, out, how)
        self._wait(process, name, out, len(before))
        met = whom
        if whom == "worker" and (workers := children(process.pid)):
            blow = signal.SIGKILL if blow == signal.SIGINT else blow  # workers leave Ctrl-C to the run
            strike(self.random.choice(workers), blow)
        else:
            met = "main"
            strike(process.pid, blow)
        try:
            _, said = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            raise AssertionError(f"{out}: hangs after {blow.name} at {met}") from None
        self._nobody_left()
        self._judge(process.returncode, met, said, out)
        self.counts[f"{met} {blow.name}"] += 1
        after = known(self.folder / out)
        assert before <= after, f"{out}: games lost: {len(before - after)}"
        return after

    def _judge(self, status: int, met: str, said: str, out: str) -> None:
        """Look at how a run ended that was struck."""
        if met != "main":
            assert status == 0, f"{out}: {met} struck, status {status}: {said}"
        elif status == 1:
            assert said.strip().splitlines()[-1].startswith("disttrack: stopped") or "KeyboardInterrupt" in said, said
            if "Traceback" in said:  # before the program was in place
                self.counts["before the program began"] += 1
                assert not known(self.folder / out), said
        else:
            assert status in (0, -signal.SIGKILL, -signal.SIGTERM, -signal.SIGINT), f"{out}: {status}: {said}"
        self.counts[f"ended with status {status}"] += 1

    def _wait(self, process: subprocess.Popen[str], name: str, out: str, there: int) -> None:
        """Wait for a random moment of a run: some time from its start, or some time after some game was kept."""
        if self.random.random() < 0.3:
            time.sleep(self.random.uniform(0, 1.2 * self.seconds[name]))
            return
        wanted = there + self.random.randrange(1, 40)
        deadline = time.monotonic() + 3 * self.seconds[name]
        while process.poll() is None and time.monotonic() < deadline:
            with contextlib.suppress(AssertionError):  # it was written to while it was copied
                if len(known(self.folder / out)) >= wanted:
                    break
            time.sleep(0.002)
        time.sleep(self.random.uniform(0, 0.05))

    def _start(self, name: str, out: str, how: list[str]) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "disttrack.simulator", "run", f"{name}.yaml", "--json", "--out", out, *how],
            cwd=self.folder, env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "DISTTRACK_CAMPAIGN": self._mark},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            # a shell starts what is to run in the background with this signal ignored
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )  # fmt: skip

    def _go_on(self, name: str, out: str, how: list[str]) -> dict[str, Any]:
        """Run undisturbed; return what the run says of itself."""
        process = self._start(name, out, how)
        told, said = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, said
        assert "Traceback" not in said
        (run,) = json.loads(told)["runs"]
        return dict(run)

    def _nobody_left(self) -> None:
        """Hold that no process of a run is there any more; workers notice within a second that it is gone."""
        deadline = time.monotonic() + 8
        while left := marked(self._mark):
            assert time.monotonic() < deadline, f"left behind: {left}"
            time.sleep(0.05)


def strike(process: int, blow: signal.Signals) -> None:
    """Send a signal to a process that may have ended."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, blow)


def children(process: int) -> list[int]:
    """Return the processes that a process has started."""
    try:
        return [int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    except OSError:
        return []


def marked(mark: str) -> list[int]:
    """Return the processes that live and have a mark in their environment."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (place / "environ").read_bytes():
                found.append(int(place.name))
        except OSError:
            continue
    return found


def known(folder: Path) -> set[str]:
    """Return the keys of the games that a folder's journal holds."""
    from kept_games import kept_games

    return kept_games(folder)


def tables(folder: Path) -> dict[str, Any]:
    """Return the tables of a result, all columns but the seconds."""
    import kept_games

    return kept_games.tables(folder)


def main() -> None:
    """Strike as often as is asked for, and print what was met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("blows", type=int, nargs="?", default=100)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests" / "simulator")]
    with tempfile.TemporaryDirectory() as place:
        campaign = Campaign(Path(place), given.seed)
        blows = 0
        while blows < given.blows:
            blows += campaign.life()
    lives = campaign.counts.pop("lives")
    print(f"{blows} blows in the lives of {lives} folders: no game lost, no process left, same tables")
    for what, times in sorted(campaign.counts.items()):
        print(f"  {what}: {times}")


if __name__ == "__main__":
    main()
