"""Coverage-guided fuzzing of all that reads what a user or a disk hands in; ``.ci/fuzz`` runs every target.

``python tests/fuzz/coverage_guided.py TARGET -max_total_time=60``: whatever is raised beside the errors that a reader
is meant to raise ends the run, with the input in a file. Needs atheris, which `.ci/fuzz` installs beside the project.
"""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

import atheris

with atheris.instrument_imports(
    include=[
        "disttrack.simulator.experiments.claims",
        "disttrack.simulator.experiments.scenario",
        "disttrack.simulator.experiments.runs.journal",
        "yaml",
    ]
):
    from disttrack.simulator.errors import RunError, ScenarioError
    from disttrack.simulator.experiments.claims.expression_checks import check_condition, check_measure
    from disttrack.simulator.experiments.claims.expressions import ExpressionError
    from disttrack.simulator.experiments.runs.journal import Journal
    from disttrack.simulator.experiments.scenario.load import load
    from disttrack.simulator.experiments.scenario.shipped import shipped_scenarios
    from disttrack.simulator.game.tasks.base import Record
    from disttrack.simulator.kinds.yaml_values import YamlError, read_yaml

PLACE: Final = Path(tempfile.mkdtemp())


def yaml_values(data: bytes) -> None:
    """Read a text as YAML."""
    with contextlib.suppress(YamlError):
        read_yaml(data.decode("utf-8", "replace"))


def expression(data: bytes) -> None:
    """Read a text as a measure, and as a condition."""
    text = data.decode("utf-8", "replace")
    for check in (check_measure, check_condition):
        with contextlib.suppress(ExpressionError):
            check(text)


def scenario(data: bytes) -> None:
    """Load a file as a scenario."""
    file = PLACE / "scenario.yaml"
    file.write_bytes(data)
    with contextlib.suppress(ScenarioError):
        load(file)


def journal(data: bytes) -> None:
    """Open a file as a journal: what is read of it has the right checksum, and it goes on."""
    path = PLACE / "journal.sqlite"
    path.write_bytes(data)
    with Journal(path) as opened:
        known = set(opened.known)
        for key in known:
            with contextlib.suppress(RunError):  # libFuzzer finds right checksums
                opened.get(key)
        opened.put({"another": Record(row={})})
    with Journal(path) as opened:
        assert opened.damaged == 0
        assert opened.known == known | {"another"}


TARGETS: Final[dict[str, Callable[[bytes], None]]] = {
    "yaml": yaml_values,
    "expression": expression,
    "scenario": scenario,
    "journal": journal,
}


def seeds(target: str) -> Path:
    """Write what a target begins with into a folder: shipped scenarios, their claims, a sound journal."""
    folder = PLACE / "seeds"
    folder.mkdir()
    shipped = sorted(shipped_scenarios().values())
    if target == "journal":
        with Journal(folder / "whole.log") as opened:
            opened.put({f"key{number}": Record(row={"words": number}) for number in range(3)})
    elif target == "expression":
        for number, file in enumerate(shipped):
            for line in file.read_text(encoding="utf-8").splitlines():
                key, _, text = line.strip().lstrip("- {").partition(": ")
                if key in ("measure", "where"):
                    (folder / f"{number}-{abs(hash(text))}").write_text(text.strip("\"'"), encoding="utf-8")
    else:
        for file in shipped:
            (folder / file.name).write_bytes(file.read_bytes())
    return folder


def main() -> None:
    """Fuzz one target; what follows its name is for libFuzzer."""
    if len(sys.argv) < 2 or sys.argv[1] not in TARGETS:
        sys.exit(f"give a target: {', '.join(TARGETS)}")
    target = sys.argv.pop(1)
    limits = ["-max_len=4096", "-timeout=20", "-rss_limit_mb=4096", f"-artifact_prefix={os.getcwd()}/fuzz-{target}-"]
    atheris.Setup([*sys.argv, *limits, str(seeds(target))], TARGETS[target])
    atheris.Fuzz()


if __name__ == "__main__":
    main()
