"""Points of several results are matched by all parameters, and alike in the table, the document and the page."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from synthetic_results import write_result

from disttrack.simulator.cli import main
from disttrack.simulator.results.compared import compare_results
from disttrack.simulator.results.folder import Results
from disttrack.simulator.results.formats import cell
from disttrack.simulator.results.matched import Matched, match
from disttrack.simulator.results.settings import brief

KIND = ("deterministic",)


def written(folder: Path, **more: Any) -> Results:
    usual = {"sites": (16, 64), "protocols": KIND, "adversaries": ("freeze",), "trials": 2, "plots": ()}
    return Results(write_result(folder, **{**usual, **more}))


def edited(one: Results, change: Callable[[dict[str, Any]], Any]) -> Results:
    """Return a result with another manifest."""
    manifest = json.loads((one.dir / "manifest.json").read_text(encoding="utf-8"))
    change(manifest)
    (one.dir / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return Results(one.dir)


def set_all(one: Results, side: str, **more: Any) -> Results:
    """Return a result each of whose points has further parameters."""

    def change(manifest: dict[str, Any]) -> None:
        for point in manifest["points"]:
            point[side] = {**(point.get(side) or {}), **more}

    return edited(one, change)


def of_task(one: Results, task: str) -> Results:
    return edited(one, lambda manifest: manifest["scenario"].update(task=task))


def who(matched: Matched) -> Counter[tuple[int, ...]]:
    """Return how many points are in which results."""
    return Counter(tuple(point.places) for point in matched.points)


def test_different_columns_are_swept_and_a_default_is_a_value(tmp_path: Path) -> None:
    one = set_all(written(tmp_path / "one"), "protocol", centred=False)
    two = written(tmp_path / "two", sites=(16,), extra=("centred", [True, False]))
    three = set_all(written(tmp_path / "three", sites=(16,), alphas=(0.03, 0.1)), "protocol", centred=False)
    found = match([one, two, three])
    assert who(found) == {(0, 1, 2): 1, (0,): 1, (1,): 1, (2,): 1}
    assert set(found.varying) == {"sites", "centred", "alpha"}
    assert found.shared["protocol"] == "deterministic"
    assert not {"sites", "alpha"} & set(found.head)
    assert [found.alone(place) for place in range(3)] == [1, 1, 1]
    assert found.apart == ()


def test_a_parameter_that_one_lacks_sets_points_apart_and_is_said(tmp_path: Path) -> None:
    one = written(tmp_path / "one", protocols=("deterministic", "robust"))
    two = written(tmp_path / "two")
    more = set_all(written(tmp_path / "more"), "protocol", centred=False)
    assert who(match([one, two])) == {(0, 1): 2, (0,): 2}  # the control: without it they are one point
    found = match([one, more])
    assert who(found) == {(0,): 4, (1,): 2}
    assert found.apart == ("centred",)
    warnings = compare_results([one, more], ["one", "more"]).warnings
    assert warnings == ("no two results have a point in common; what keeps them apart: centred",)


def test_points_of_different_tasks_are_never_the_same(tmp_path: Path) -> None:
    one, two = written(tmp_path / "one"), written(tmp_path / "two")
    assert match([one, two]).common
    other = of_task(two, "threshold-queries")
    found = match([one, other])
    assert not found.common
    assert "task" in found.apart
    warnings = compare_results([one, other], ["one", "other"]).warnings
    assert warnings[0].startswith("no two results have a point in common; what keeps them apart: task")
    assert "they are results of different tasks: count, threshold-queries" in warnings
    mixed = match([one, other, written(tmp_path / "three")])
    assert who(mixed) == {(0, 2): 2, (1,): 2}


def test_equal_numbers_and_networks_that_do_nothing_are_alike(tmp_path: Path) -> None:
    one = set_all(written(tmp_path / "one"), "protocol", factor=2, weights=[1, {"a": 3}])
    two = set_all(written(tmp_path / "two"), "protocol", factor=2.0, weights=[1.0, {"a": 3.0}])
    assert who(match([one, two])) == {(0, 1): 2}
    idle = set_all(two, "network", latency=0.0, link="bare")
    assert who(match([one, idle])) == {(0, 1): 2}
    slow = match([one, set_all(two, "network", latency=3)])
    assert (who(slow), slow.varying, slow.apart) == ({(0,): 2, (1,): 2}, ("sites", "latency"), ("latency",))
    true = set_all(written(tmp_path / "true"), "protocol", factor=True, weights=[1, {"a": 3}])
    false = set_all(written(tmp_path / "false"), "protocol", factor=1, weights=[1, {"a": 3}])
    assert not match([true, false]).common


def test_a_point_that_a_scenario_gives_twice_is_matched_in_turn(tmp_path: Path) -> None:
    one, two = written(tmp_path / "one", sites=(16, 16)), written(tmp_path / "two", sites=(16,))
    assert who(match([one, two])) == {(0, 1): 1, (0,): 1}


def test_a_name_that_both_sides_have_is_told_with_its_side(tmp_path: Path) -> None:
    one = set_all(written(tmp_path / "one"), "protocol", share=1, results=5)
    one = set_all(one, "adversary", share=None, sites=3)
    found = match([one])
    assert {"protocol share", "adversary share", "protocol results", "adversary sites", "sites"} <= set(
        found.points[0].setting
    )
    assert [found.points[0].said(name) for name in ("adversary share", "protocol share", "gone")] == ["none", "1", ""]


def test_others_may_share_points_that_the_first_lacks(tmp_path: Path) -> None:
    folders = [written(tmp_path / name, sites=sites) for name, sites in (("one", (4,)), ("two", (16,)), ("x", (16,)))]
    found = compare_results(folders, ["one", "two", "x"])
    assert found.matched.common
    assert not found.rows
    assert found.warnings[0] == "no other result has a point of one, with which all others are compared"


CASES: dict[str, Callable[[Path], list[Results]]] = {
    "different columns are swept": lambda place: [
        set_all(written(place / "one"), "protocol", centred=False),
        written(place / "two", extra=("centred", [True, False])),
        set_all(written(place / "three", alphas=(0.03, 0.1)), "protocol", centred=False),
    ],
    "one lacks a parameter": lambda place: [
        written(place / "one", protocols=("deterministic", "robust")),
        set_all(written(place / "two"), "protocol", centred=False),
    ],
    "tasks are mixed": lambda place: [
        written(place / "one"),
        of_task(written(place / "two"), "threshold-queries"),
        written(place / "three", sites=(64, 256)),
    ],
    "a network": lambda place: [written(place / "one"), set_all(written(place / "two"), "network", latency=2)],
    "the first has nothing of the others": lambda place: [
        written(place / name, sites=sites) for name, sites in (("one", (4,)), ("two", (16,)), ("three", (16,)))
    ],
}


@pytest.mark.parametrize("case", CASES)
def test_terminal_document_and_page_match_the_same_points(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("disttrack.simulator.report.compare._overlays", lambda *_: [])  # drawn elsewhere, and slow
    results = CASES[case](tmp_path)
    names = [one.dir.name for one in results]
    command = ["compare", *(str(one.dir) for one in results), "--out", str(tmp_path)]
    document = json.loads(CliRunner().invoke(main, [*command, "--json"]).stdout)
    printed = CliRunner().invoke(main, command).stdout
    page = (tmp_path / "compare.html").read_text(encoding="utf-8")
    matched = match(results)
    keys = list(document["rows"][0]["point"]) if document["rows"] else list(matched.columns)

    def setting(point: Mapping[str, Any]) -> tuple[str, ...]:
        return tuple(text for key in keys if (text := cell(brief(point.get(key)))))

    shared = [(setting(one.setting), names[other]) for one in matched.points if 0 in one.places for other in one.places]
    compared = {(point, other) for point, other in shared if other != names[0]}
    rows = [(setting(row["point"]), row["other"]) for row in document["rows"]]
    assert set(rows) == compared
    assert page_rows(page, "points", keys) == {(point, other if len(names) > 2 else "") for point, other in compared}
    lines = [tuple(line.split()) for line in printed.splitlines()]
    for (point, other), times in Counter(rows).items():
        start = tuple(" ".join(point).split())
        assert sum(line[: len(start)] == start and other in line for line in lines) >= times
    left = [one for one in matched.points if 0 not in one.places or len(one.places) == 1]
    where = {", ".join(names[place] for place in one.places) for one in left}
    assert {name for _, name in page_rows(page, "alone", keys)} == where
    assert document["alone"] == {name: matched.alone(place) for place, name in enumerate(names)}


def page_rows(text: str, anchor: str, keys: list[str]) -> set[tuple[tuple[str, ...], str]]:
    """Return of a table of the page each row's setting and the cell after it, which names a result."""
    found = re.search(rf"<section[^>]*id='{anchor}'.*?</section>", text, re.DOTALL)
    if not found or "<tbody" not in found[0]:
        return set()
    heads = [unescape(re.sub("<[^>]*>", "", head)) for head in re.findall(r"<th\b.*?</th>", found[0], re.DOTALL)]
    rows = re.findall(r"<tr\b[^>]*>(.*?)</tr>", found[0].partition("<tbody")[2], re.DOTALL)
    cells = [
        [unescape(re.sub("<[^>]*>", "", cell)) for cell in re.findall(r"<td\b.*?</td>", row, re.DOTALL)] for row in rows
    ]
    named = [dict(zip(heads, row, strict=True)) for row in cells]
    return {
        (tuple(row[key] for key in keys if row.get(key)), row.get("in") or row.get("result") or "") for row in named
    }
