"""The papers of this wing: their statements are named with the paper, and the audits bear those of the tracker."""

from __future__ import annotations

from pathlib import Path

from disttrack.privacy import scenarios
from disttrack.simulator.experiments.claims.statements import PAPERS
from disttrack.simulator.kinds.installed import folder_files
from tests.documents.test_claims_pages import SCENARIO, claims_with_results, key_of, pages, without


def test_a_statement_of_another_paper_is_named_with_it(tmp_path: Path) -> None:
    assert key_of("Dynamic data: Theorem 8") == "Dynamic data: Theorem 8"
    assert key_of("Theorem 1.9") == "Threshold monitor: Theorem 1.9"
    path = tmp_path / "small.yaml"
    path.write_text(SCENARIO.replace("SOURCE", "Dynamic data: Theorem 8"), encoding="utf-8")
    texts = pages(claims_with_results([path], tmp_path))
    assert "`small`: it holds" not in texts["claims-data-analysis.md"]
    assert "`small`: it holds" in texts["claims-dynamic-data.md"].split("## Theorem 8\n")[1].split("## ")[0]


def test_there_are_four_papers() -> None:
    assert len(PAPERS) >= 5


def test_audits_bear_the_statements_on_privacy() -> None:
    files = [path for place in scenarios.__path__ for path in folder_files(Path(place))]
    named = {key_of(source) for claim in claims_with_results(files, Path()) for source in claim.claim.sources}
    assert {"Robust tracking: Lemma 1", "Robust tracking: Theorem 2, privacy"} <= named
    assert not {key for key in without(named) if not key.startswith("Robust tracking: ")}
