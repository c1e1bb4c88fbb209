"""Names of statements: what a source may say, built anew as when the module is loaded."""

from __future__ import annotations

from simulator.claims.statements import PAPERS, STATEMENTS, _known, key_of, no_statement, statement
from simulator.claims.statements.robust_tracking import _enumerated


def test_a_source_is_a_full_name_or_one_that_a_single_paper_has() -> None:
    statements, sources = _known()
    full = {f"{paper.name}: {one.name}": one for paper in PAPERS for one in paper.statements}
    assert statements == full == STATEMENTS
    assert {key: sources[key] for key in full} == {key: key for key in full}
    short: dict[str, list[str]] = {}
    for key in full:
        short.setdefault(key.partition(": ")[2], []).append(key)
    for name, keys in short.items():
        ours = [key for key in keys if key.startswith("Robust tracking: ")]
        assert sources.get(name) == (keys[0] if len(keys) == 1 else ours[0] if ours else None), name
    assert set(sources) <= {*full, *short}
    assert any(len(keys) > 1 for keys in short.values())


def test_what_is_said_of_a_name_that_none_or_several_have() -> None:
    assert key_of("Theorem 8") is None
    assert key_of("Lemma 5") == "Robust tracking: Lemma 5"
    assert no_statement("zzz") == "is no statement (docs/claims.md has them all)"


def test_statements_on_thresholds_given_the_transcript_are_enumerated() -> None:
    assert _enumerated("why") == (
        statement.Tested(
            "tests/statistical/test_small_cases.py::test_a_statement_holds_and_its_check_fails_on_a_broken_round",
            "enumerated over all databases and histories of small rounds: [small-cases.md](small-cases.md)",
            "why",
        ),
    )
