"""The numbers in the tables of the pages on quotas are those of the recipes beside them."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from commands import disttrack

from disttrack.simulator.experiments.results.folder import Results
from handbook.written import written

PAGES = written(".md")
pytestmark = pytest.mark.usefixtures("folder")


def table(page: str, first: str) -> list[list[str]]:
    """Return the cells of the rows of the first table of a page whose header begins so."""
    rows = PAGES[page].read_text(encoding="utf-8").partition(f"\n| {first} |")[2].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def shown(page: str, name: str) -> Path:
    """Write a file that a page shows."""
    (text,) = re.findall(
        rf"^```\w+ {re.escape(name)}\n(.*?)^```$", PAGES[page].read_text(encoding="utf-8"), re.M | re.S
    )
    Path(name).write_text(text, encoding="utf-8")
    return Path(name)


@pytest.mark.slow
def test_overshoots_of_gateways_are_those_of_their_scenario() -> None:
    """Two of these were of an earlier stream: 45.1 for 48.0, 181.9 for 183.5."""
    page, numbers = "quota-in-your-gateway.md", "tables/limiters.md"
    scenario = shown(page, "gateways.yaml")
    disttrack("run", str(scenario), "--out", "played", "--no-figures")
    played = Results("played").trials.set_index(["protocol", "every", "adversary"])
    rows = [row for row in table(numbers, "s") if row[0] != "asked each time"]
    assert [float(row[0]) * 3000 for row in rows] == [60, 300, 600, 3000]
    for row in rows:
        greedy, uniform = (played.loc[("periodic", float(row[0]) * 3000, one)] for one in ("greedy", "uniform"))
        for cell, game, column in (
            (row[2], greedy, "overshoot_promised"),
            (row[6], greedy, "overshoot"),
            (row[7], uniform, "overshoot"),
        ):
            assert float(cell) == pytest.approx(100 * game[column], abs=0.051), (row, column)
        assert float(row[8]) == pytest.approx(greedy["messages_per_window"], abs=0.5)
    lease = Results("played").trials.query("protocol == 'lease'")
    assert float(table(numbers, "s")[-1][-1]) == pytest.approx(lease["messages_per_window"].max(), abs=0.5)


def percent(cell: str) -> float:
    return float(cell.removesuffix("%"))


@pytest.mark.slow
def test_reserves_are_those_that_advise_finds() -> None:
    page, numbers = "quota.md", "tables/quotas.md"
    exec(compile(shown(page, "tokens.py").read_text(encoding="utf-8"), "tokens.py", "exec"), {})
    costs = np.loadtxt("tokens.txt")
    text = PAGES[page].read_text(encoding="utf-8")
    (command,) = re.findall(r"\$ disttrack (advise quota \S.* --costs tokens\.txt .*) --out", text)
    assert f"{costs.mean():.0f} on average and {costs.max():,.0f} at most" in PAGES[numbers].read_text(encoding="utf-8")
    found = {}
    for sites in (4, 64):
        answer = disttrack(*command.replace("--sites 4", f"--sites {sites}").split()).stdout.splitlines()
        lines = [line.replace(",", "").replace(" %", "%").split() for line in answer]
        found[sites] = [line for line in lines if line[:1] == ["lease"] and len(line) >= 6]
    rows = table(numbers, "reserve")
    assert len(rows) >= 6
    for row in rows:
        reserve = row[0].split(", ")[0].replace(",", "")
        for sites, cells in ((4, row[1:4]), (64, row[4:7])):
            (line,) = (one for one in found[sites] if one[2] == reserve)
            assert [percent(cell) for cell in cells] == pytest.approx([*map(percent, line[3:6])], abs=0.051, rel=0.006)
