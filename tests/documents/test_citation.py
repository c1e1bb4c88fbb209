"""CITATION.cff has what the format asks for, the version of the project, and the five papers."""

from __future__ import annotations

import tomllib

import yaml
from snippets import ROOT

from disttrack.simulator.experiments.claims.statements import PAPERS

CITED = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))


def test_it_has_the_keys_of_the_format_and_the_facts_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert CITED["cff-version"] == "1.2.0"
    assert {"message", "title", "authors"} <= set(CITED)
    assert (CITED["title"], str(CITED["version"]), CITED["license"]) == tuple(
        project[key] for key in ("name", "version", "license")
    )


def test_it_lists_the_paper_of_every_page_of_statements() -> None:
    assert len(CITED["references"]) == 5
    cited = []
    for reference in CITED["references"]:
        words = [reference["title"].removeprefix("Lecture 6: ")]
        words += [author["family-names"].replace("ó", "o") for author in reference["authors"]]
        cited += [paper.name for paper in PAPERS if all(word in " ".join(paper.cites.split()) for word in words)]
        assert {"type", "authors", "title"} <= set(reference)
    assert sorted(cited) == sorted(paper.name for paper in PAPERS)
