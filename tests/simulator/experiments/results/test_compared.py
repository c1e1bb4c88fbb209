"""Results side by side: points are matched by the parameters that do not differ; gaps are named."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from compared_results import of_task, set_all, written

from disttrack.simulator.cli import main
from disttrack.simulator.experiments.results.compared import Middle, Row, compare_results
from disttrack.simulator.experiments.results.folder import Results


@pytest.mark.parametrize(
    ("low", "high", "changed"),
    [(0.9, 1.1, False), (1.0004, 1.2, False), (0.8, 0.9996, False), (1.0006, 1.2, True), (0.8, 0.9994, True)],
)
def test_an_interval_that_ends_at_1_excludes_nothing(low: float, high: float, changed: bool) -> None:
    """To three decimals, as it is shown."""
    nine = Middle(10.0, 9.0, 11.0, 9)
    assert Row({}, {}, "words", "after", nine, nine, 1.0, low, high).changed == changed


def test_figures_go_into_no_result_and_replace_nothing_of_the_users(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = written(tmp_path / "one"), written(tmp_path / "two")
    for folder in (one.dir, two.dir / "figures"):
        done = CliRunner().invoke(
            main, ["compare", str(one.dir), str(two.dir), "--out", str(folder), "--plot", "cost:x=sites"]
        )
        assert done.exit_code == 2
        assert "is a result; name a folder, --out DIR" in done.stderr
    monkeypatch.chdir(one.dir)
    assert CliRunner().invoke(main, ["compare", ".", str(two.dir), "--plot", "cost:x=sites"]).exit_code == 2
    for name in ("compare-mine.png", "compare-mine.svg"):
        (tmp_path / name).write_text("mine")
        done = CliRunner().invoke(
            main, ["compare", str(one.dir), str(two.dir), "--out", str(tmp_path), "--plot", "cost:x=sites"]
        )
        assert (done.exit_code, (tmp_path / name).read_text()) == (2, "mine")
        assert "not written by this command" in done.stderr


CASES: dict[str, Callable[[Path], list[Results]]] = {
    "one lacks a parameter": lambda place: [
        written(place / "one", protocols=("deterministic", "robust")),
        set_all(written(place / "two"), "protocol", centred=False),
    ],
    "tasks are mixed": lambda place: [
        written(place / "one"),
        of_task(written(place / "two"), "threshold-queries"),
        written(place / "three", sites=(64, 256)),
    ],
    "the first shares no point": lambda place: [
        written(place / name, sites=sites) for name, sites in (("one", (4,)), ("two", (16,)), ("three", (16,)))
    ],
}


@pytest.mark.parametrize("case", CASES)
def test_terminal_and_document_match_the_same_points(case: str, tmp_path: Path) -> None:
    results = CASES[case](tmp_path)
    names = [one.dir.name for one in results]
    command = ["compare", *(str(one.dir) for one in results), "--out", str(tmp_path)]
    document = json.loads(CliRunner().invoke(main, [*command, "--json"]).stdout)
    printed = CliRunner().invoke(main, command).stdout
    outcome = compare_results(results, names)

    rows = [(tuple(text for name in outcome.headers if (text := row.cells[name])), row.other) for row in outcome.rows]
    assert len(document["rows"]) == len(rows)
    assert {row["other"] for row in document["rows"]} == {other for _, other in rows}
    assert len(set(rows)) == sum(0 in one.places and other > 0 for one in outcome.points for other in one.places)
    lines = [tuple(line.split()) for line in printed.splitlines()]
    wanted = [one for one, row in zip(rows, outcome.rows, strict=True) if moved(row)]
    for _, _, each, _ in outcome.measures():
        left = sum(not moved(row) for row in each)
        assert f"{left} point{'s' * (left > 1)} unchanged" in printed or left in (0, len(each))
    for start, times in Counter(tuple(" ".join(point).split()) for point, _ in wanted).items():
        assert sum(line[: len(start)] == start for line in lines) >= times
    assert document["unmatched"] == list(outcome.unmatched)
    assert all(line in " ".join(printed.split()) for line in outcome.unmatched)


def moved(row: Row) -> bool:
    return row.one.value != row.two.value
