"""Names of statements: what the source of a claim may say."""

from __future__ import annotations

from collections import Counter

from disttrack.simulator.claims.statements import PAPERS, STATEMENTS, key_of


def test_a_source_is_a_full_name_or_one_that_a_single_paper_or_the_first_has() -> None:
    names = Counter(one.name for paper in PAPERS for one in paper.statements)
    assert len(STATEMENTS) == names.total() > 100
    assert max(names.values()) > 1
    for paper in PAPERS:
        for one in paper.statements:
            full = f"{paper.name}: {one.name}"
            assert STATEMENTS[full] is one
            assert key_of(full) == full
            ours = f"Robust tracking: {one.name}"
            short = ours if ours in STATEMENTS else full if names[one.name] == 1 else None
            assert key_of(one.name) == short
            assert one.says
            assert all(test.test.startswith("tests/") and test.says for test in one.tests)


def test_a_name_that_no_paper_has() -> None:
    assert key_of("zzz") is None
