"""One of a thing has the singular in all that commands print, of everything registered."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from commands import disttrack, refused

from disttrack.simulator.kinds.registry import kinds_for

PLURAL = re.compile(
    r"(?<![\w.,^*/+-] )(?<![\w.,^*/+-])1 (?:(?:matched|changed) )?(?:sites|items|games|workers|points|words|messages|"
    r"steps|requests|bits|rounds|times|hours|trials|checks|rows|windows|pairs|kinds|columns|claims)\b"
)
ONE = {"name": "one", "task": "count", "sites": 1, "items": 1, "trials": 1}


def test_a_game_of_one_item_at_one_site() -> None:
    """Every tracker of counts is played, described and advised on in sizes of one."""
    kinds = sorted(kinds_for("protocol", "disttrack.protocols.base:Protocol"))
    assert len(kinds) >= 20
    texts = [disttrack("describe", kind).stdout for kind in kinds]
    texts += [disttrack("play", "--protocol", kind, "--sites", "1", "--items", "1").output for kind in kinds]
    texts.append(disttrack("advise", "count", "--sites", "1", "--items", "1").output)
    assert sum("1 site, 1 item" in text for text in texts) >= 8
    assert not any("1.0 word" in text for text in texts)
    assert [found.group() for text in texts for found in PLURAL.finditer(text)] == []


@pytest.mark.usefixtures("folder")
def test_a_run_of_one_game() -> None:
    """A run, its check, its page and its comparison with itself; and an estimate beyond an hour."""
    Path("one.yaml").write_text(
        "name: one\nquestion: one?\ntask: count\nsites: 1\nitems: 1\ntrials: 1\nprotocol: exact\n"
        "adversary: freeze\nclaims:\n  - {name: holds, measure: fraction(ok), at_least: 1, chance: 0}\n"
    )
    played = "results/one"
    commands = (["check", "one.yaml"], ["run", "one.yaml", "--full", "--workers", "1"], ["compare", played, played])
    texts = [disttrack(*words).output for words in commands]
    texts.append(Path(played, "report.html").read_text())
    long = ("--protocol", "deterministic:alpha=1e-12", "--adversary", "freeze", "--sites", "3", "--items", "1e12")
    assert "exact: 1 word, 100% of them item" in texts[-1]
    texts.append(refused("play", *long))
    assert re.search(r"with 1 worker, more than 1 hour; take a smaller game$", texts[-1])
    assert [found.group() for text in texts for found in PLURAL.finditer(text)] == []
